"""Folding axes: sum, prod, amax, amin, argmax, argmin. params: (dims,), sorted; the dims disappear."""

from __future__ import annotations

from math import inf, prod
from typing import Any

import numpy as np

from nbgrad.errors import DTypeNotImplementedError, MissingRuleError
from nbgrad.graph.dtypes import DType, as_dtype, bool_, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.batching import by_dims
from nbgrad.ops.compare import cast_to
from nbgrad.ops.tangents import linear
from nbgrad.ops.view import expand_to, reshape_to, slice_at


def reduced_shape(shape: Shape, dims: Shape, keepdim: bool = False) -> Shape:
    """``shape`` without ``dims``, or with 1 in their place."""
    if keepdim:
        return tuple([1 if d in dims else n for d, n in enumerate(shape)])
    return tuple([n for d, n in enumerate(shape) if d not in dims])


def restore(x: Node, shape: Shape, dims: Shape) -> Node:
    """A reduced value broadcast back over ``shape``."""
    return expand_to(reshape_to(x, reduced_shape(shape, dims, keepdim=True)), shape)


def _infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(reduced_shape(specs[0].shape, params[0]), specs[0].dtype)


def _infer_index(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(reduced_shape(specs[0].shape, params[0]), int64)


def _sum_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    return (restore(g, inputs[0].spec.shape, params[0]),)


def _extreme_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """Elements equal to the extreme share the cotangent evenly; NaN where it is NaN, as in PyTorch."""
    (x,), (dims,) = inputs, params
    mask = apply("eq", x, restore(y, x.spec.shape, dims))
    count = apply("sum", cast_to(mask, g.spec.dtype), params=(dims,))
    return (restore(g / count, x.spec.shape, dims) * cast_to(mask, g.spec.dtype),)


def _prod_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """g times the product of the other elements: y / x where no element is 0, as in PyTorch (NaN for one that is
    infinite), else those before times those after it, which is exact."""
    (x,), (dims,) = inputs, params
    if not x.spec.size:
        return (zeros_of(x.spec),)
    dtype = x.spec.dtype
    zero, one = const(0, dtype), const(1, dtype)
    zeros = apply("sum", cast_to(apply("eq", x, zero), dtype), params=(tuple(range(x.spec.rank)),))
    has_none = apply("eq", expand_to(zeros, x.spec.shape), zero)
    whole = apply("where", has_none, restore(y, x.spec.shape, dims), one)
    by_division = whole / apply("where", has_none, x, one)
    others = apply("where", has_none, by_division, _others(x, dims))
    return (restore(g, x.spec.shape, dims) * others,)


def _others(x: Node, dims: Shape) -> Node:
    """For each element the product of all others over ``dims``."""
    kept = tuple([d for d in range(x.spec.rank) if d not in dims])
    order = kept + dims
    moved = apply("permute", x, params=(order,))
    length, along = prod([x.spec.shape[d] for d in dims]), len(kept)
    rows = reshape_to(moved, (*moved.spec.shape[:along], length))
    one = expand_to(const(1, x.spec.dtype), (*rows.spec.shape[:along], 1))
    before, after = [apply("cumprod", rows, params=(along, backwards)) for backwards in (False, True)]
    before = apply("cat", one, slice_at(before, 0, along, length - 1), params=(along,))
    after = apply("cat", slice_at(after, 1, along, length - 1), one, params=(along,))
    back = tuple([order.index(d) for d in range(x.spec.rank)])
    return apply("permute", reshape_to(before * after, moved.spec.shape), params=(back,))


def _over(function: Any) -> Any:
    return lambda x, dims: np.asarray(function(x, axis=dims)).astype(x.dtype) if dims else x.copy()


def identity(name: str, dtype: DType) -> float | int | bool:
    """What reducing no elements gives: the number that changes nothing, with which kernels begin. The largest of none
    is the lowest there is."""
    if name in ("sum", "prod"):
        return 0 if name == "sum" else 1
    if name not in ("amax", "amin"):
        raise MissingRuleError(f"{name}: nothing says here what reducing no elements gives")
    if dtype.is_floating_point:
        return -inf if name == "amax" else inf
    if dtype is bool_:
        return name == "amin"
    if dtype.is_complex:
        raise DTypeNotImplementedError(f"{name}: not implemented for {dtype.name}, whose numbers have no order")
    limits = np.iinfo(dtype.numpy)
    return int(limits.min if name == "amax" else limits.max)


def _extreme(name: str, function: Any) -> Any:
    def reference(x: Any, dims: Shape) -> Any:
        if not dims:
            return x.copy()
        initial = identity(name, as_dtype(x.dtype))
        return np.asarray(function(x, axis=dims, initial=initial)).astype(x.dtype)

    return reference


def _arg(function: Any) -> Any:
    def reference(x: Any, dims: Shape) -> Any:
        kept = [d for d in range(x.ndim) if d not in dims]
        flat = np.transpose(x, (*kept, *dims)).reshape(*[x.shape[d] for d in kept], prod([x.shape[d] for d in dims]))
        return np.asarray(function(flat, axis=-1)).astype(np.int64)

    return reference


sum_ = define(Op("sum", Kind.REDUCE, _infer, _over(np.sum), vjp=_sum_vjp, jvp=linear, batch=by_dims))
prod_ = define(Op("prod", Kind.REDUCE, _infer, _over(np.prod), vjp=_prod_vjp, is_holomorphic=True, batch=by_dims))
amax = define(Op("amax", Kind.REDUCE, _infer, _extreme("amax", np.max), vjp=_extreme_vjp, batch=by_dims))
amin = define(Op("amin", Kind.REDUCE, _infer, _extreme("amin", np.min), vjp=_extreme_vjp, batch=by_dims))
# Ties give the first index, NaN counts as the extreme. The index is into the reduced dims, flattened.
argmax = define(Op("argmax", Kind.REDUCE, _infer_index, _arg(np.argmax), batch=by_dims))
argmin = define(Op("argmin", Kind.REDUCE, _infer_index, _arg(np.argmin), batch=by_dims))
