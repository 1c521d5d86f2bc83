"""What the generic tests run over: the record of a sample, the values samples are made of, and how a sample is run.

``tests/op_samples.py`` has the samples of every operator, ``tests/call_samples.py`` those of every public function.
Values are written down, not drawn: they are the same on every machine and with every NumPy.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

import nbgrad.ops  # noqa: F401  fills the table of operators
from nbgrad.calls.base import CALLS, Call
from nbgrad.graph.dtypes import as_dtype, bool_, float64, int64
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import Spec
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import input_node, scalar_node

Array = np.ndarray[Any, np.dtype[Any]]

GOLDEN = 0.6180339887498949  # multiples of it, without their whole part, fall evenly and never twice on one value
NAN, INF = float("nan"), float("inf")


def floats(*shape: int, low: float = -2.0, high: float = 2.0, dtype: str = "float64", seed: int = 0) -> Array:
    """Distinct numbers spread over (low, high), none of them on a corner of a usual function."""
    k = np.arange(1 + 97 * seed, 1 + 97 * seed + prod(shape), dtype=np.float64)
    return (low + (high - low) * ((k * GOLDEN) % 1.0)).astype(dtype).reshape(shape)


def f32(*shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0) -> Array:
    """``floats`` in float32."""
    return floats(*shape, low=low, high=high, dtype="float32", seed=seed)


def ints(*shape: int, low: int = -5, high: int = 6, dtype: str = "int64", seed: int = 0) -> Array:
    """Whole numbers in [low, high)."""
    return np.floor(floats(*shape, low=low, high=high, seed=seed)).astype(dtype)


def bools(*shape: int, seed: int = 0) -> Array:
    """A mixture of True and False."""
    return floats(*shape, seed=seed) > 0


def array(values: Any, dtype: str = "float32") -> Array:
    """``values`` in ``dtype``."""
    return np.array(values, dtype=dtype)


# NaN, infinities, both zeros, a subnormal, the largest float32 and ordinary numbers.
EDGES = (NAN, INF, -INF, 0.0, -0.0, 1e-42, -1e-42, 3.4e38, -3.4e38, 1.0, -1.0, 0.5, -2.5)
LIMITS = (-(2**63), 2**63 - 1, 0, 1, -1, 2, -3)


@dataclass(frozen=True, slots=True)
class OpSample:
    """An operator on ``inputs`` with ``params``; the derivative of ``smooth`` samples is compared with differences."""

    inputs: tuple[Array, ...]
    params: tuple[Any, ...] = ()
    smooth: bool = True
    error: type[Exception] | None = None

    def nodes(self) -> tuple[Node, ...]:
        return input_nodes(self.inputs)


@dataclass(frozen=True, slots=True)
class CallSample:
    """A public function on arguments as a user writes them: arrays stand for tensors, numbers for numbers.

    ``smooth`` samples are compared with finite differences; ``grad`` says whether PyTorch's derivative is compared.
    ``error`` is the class PyTorch raises where it must fail.
    """

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    smooth: bool = True
    grad: bool = True
    error: type[Exception] | None = None

    @property
    def call(self) -> Call:
        return CALLS[self.name]


def spec_of(x: Array) -> Spec:
    return Spec.of(x.shape, as_dtype(x.dtype))


def input_nodes(inputs: Sequence[Array]) -> tuple[Node, ...]:
    """One input node per array."""
    return tuple(input_node(i, spec_of(x)) for i, x in enumerate(inputs))


@dataclass(slots=True)
class Built:
    """A call as a graph: ``root`` over ``nodes``, which stand for ``inputs``; numbers are in ``scalars``."""

    root: Node
    nodes: list[Node]
    inputs: list[Array]
    scalars: list[float | int]


def build(sample: CallSample, view: Any = None, first_input: int = 0, first_scalar: int = 0) -> Built:
    """The graph of a sample. ``view(position, array)``, where given, makes the node and the array of each tensor."""
    call = sample.call
    inputs: list[Array] = []
    nodes: list[Node] = []
    scalars: list[float | int] = []

    def operand(value: Any) -> Node | None:
        if value is None:
            return None
        if isinstance(value, np.ndarray):
            position = first_input + len(inputs)
            node, stored = view(position, value) if view else (input_node(position, spec_of(value)), value)
            inputs.append(stored)
            nodes.append(node)
            return node
        number = scalar_node(first_scalar + len(scalars), float64 if isinstance(value, float) else int64)
        scalars.append(value)
        return cast_to(number, bool_) if isinstance(value, bool) else number

    bound = inspect.signature(call.build).bind(*sample.args, **sample.kwargs).arguments
    operands: list[Any] = [
        tuple(operand(x) for x in bound[name]) if call.variadic else operand(bound.get(name)) for name in call.operands
    ]
    statics = {name: bound[name] for name in call.statics if name in bound}
    return Built(call.build(*operands, **statics), nodes, inputs, scalars)


def weights_like(spec: Spec) -> Array:
    """A cotangent: numbers around 1, so that no derivative is lost in a sum that cancels."""
    return floats(*spec.shape, low=0.5, high=1.5, dtype=spec.dtype.name, seed=3)


def double(x: Array) -> Array:
    """Floating values in float64, others as they are."""
    return x.astype(np.float64) if x.dtype.kind == "f" else x


def in_double(sample: CallSample) -> CallSample:
    """The same sample with all floating tensors in float64."""

    def convert(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return double(value)
        return type(value)(map(convert, value)) if isinstance(value, (list, tuple)) else value

    kwargs = {k: convert(v) for k, v in sample.kwargs.items()}
    return CallSample(sample.name, tuple(map(convert, sample.args)), kwargs, sample.smooth, sample.grad, sample.error)


def strided_view(position: int, x: Array) -> tuple[Node, Array]:
    """A node that shows ``x`` through other strides: dims reversed in order and each run backwards, one with a gap."""
    stored = np.array(np.flip(x).T, order="C")  # ascontiguousarray would make 0-d arrays 1-d
    if x.ndim:
        stored = np.repeat(stored, 2, axis=0)
    node = input_node(position, spec_of(stored))
    for dim, n in enumerate(reversed(x.shape)):
        step = -2 if dim == 0 else -1
        start = const_int(max(stored.shape[dim] - 1, 0))
        node = apply("slice", node, start, params=(dim, n, step))
    return apply("permute", node, params=(tuple(reversed(range(x.ndim))),)), stored


def const_int(value: int) -> Node:
    return apply("const", params=(value, int64))
