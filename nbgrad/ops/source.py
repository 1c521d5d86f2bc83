"""Values that need no computation: inputs, run-time scalars, constants, index ramps; and what stands for values that
nobody has."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.graph.dtypes import DType, int64
from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import Kind, Op, define
from nbgrad.graph.spec import Shape, Spec


def _no_reference(*args: Any) -> Any:
    raise AssertionError("a source has no inputs: the interpreter binds it")


input_ = define(
    # params: (position, Spec), and the place where that is not the CPU
    Op("input", Kind.SOURCE, lambda specs, params: params[1], _no_reference)
)
scalar = define(
    # a Python number read when the tape runs; params: (position, float64 or int64)
    Op("scalar", Kind.SOURCE, lambda specs, params: Spec.of((), params[1]), _no_reference)
)
const = define(
    # a number known when the plan is made; params: (value, dtype)
    Op("const", Kind.SOURCE, lambda specs, params: Spec.of((), params[1]), lambda value, dtype: dtype.numpy.type(value))
)


def _no_value(function: Any, place: int, spec: Spec) -> Any:
    """Anything of the right form: a boundary stands for history, and rebase_history takes its value from elsewhere."""
    return np.broadcast_to(np.zeros((), spec.dtype.numpy), spec.shape)


# What stands for one of many examples. params: (Spec, the function transform)
example = define(
    Op("example", Kind.SOURCE, lambda specs, params: params[0], lambda spec, function: _no_value(function, 0, spec))
)
# Where a custom function's output meets its backward: history without a value. params: (function, output, Spec)
boundary = define(Op("boundary", Kind.SOURCE, lambda specs, params: params[2], _no_value))


def _iota_reference(shape: Shape, dim: int) -> Any:
    ramp = np.arange(shape[dim], dtype=np.int64).reshape([-1 if d == dim else 1 for d in range(len(shape))])
    return np.broadcast_to(ramp, shape)


iota = define(
    # int64 index along one dim, the same along all others; params: (shape, dim)
    Op("iota", Kind.SOURCE, lambda specs, params: Spec.of(params[0], int64), _iota_reference)
)


def input_node(position: int, spec: Spec, site: str = "") -> Node:
    """The value bound at ``position`` when the plan runs; it lies where ``spec`` says."""
    params = (position, spec.plain, spec.place) if spec.place else (position, spec)
    return apply(input_, params=params, site=site)


def scalar_node(position: int, dtype: DType) -> Node:
    """The Python number at ``position``: float64 or int64, converted where it is used."""
    return apply(scalar, params=(position, dtype))


def iota_node(shape: Shape, dim: int) -> Node:
    return apply(iota, params=(shape, dim))
