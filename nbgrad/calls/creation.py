"""Tensors from nothing: constants, ramps, random numbers. The public functions with their many defaults are in
functions/creation.py."""

from __future__ import annotations

import math

from nbgrad.calls.base import call
from nbgrad.graph import dtypes
from nbgrad.graph.dtypes import DType
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape, contiguous_strides
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to

# Uniform numbers take as many random bits as the mantissa holds: every multiple of 2^-24 (2^-53) in [0, 1) is
# equally likely.
_MANTISSA = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


@call("full_of", function=False, shown="full", fits=("fill",))
def full_of(fill: Node, *, shape: Shape, dtype: DType) -> Node:
    return expand_to(cast_to(fill, dtype), shape)


@call("filled", function=False, shown="zeros")
def filled(*, shape: Shape, dtype: DType, value: int) -> Node:
    """zeros and ones: a value that is part of the structure."""
    return expand_to(const(value, dtype), shape)


@call("zeros_like", function=False)
def zeros_like(input: Node, *, dtype: DType | None = None) -> Node:
    return expand_to(const(0, dtype or input.spec.dtype), input.spec.shape)


@call("ramp", function=False, shown="arange")
def ramp(start: Node, step: Node, *, length: int, dtype: DType) -> Node:
    """start + i * step, computed in float64 or int64 and converted."""
    wide = dtypes.float64 if dtype.is_inexact else dtypes.int64
    index = cast_to(iota_node((length,), 0), wide)
    return cast_to(cast_to(start, wide) + index * cast_to(step, wide), dtype)


@call("linspace_of", function=False, shown="linspace")
def linspace_of(start: Node, step: Node, end: Node, *, length: int, dtype: DType) -> Node:
    """start + i * step up to the middle, end - (n - 1 - i) * step after it: both ends are exact (PyTorch's rule)."""
    wide = dtypes.float64
    index = iota_node((length,), 0)
    up = cast_to(start, wide) + cast_to(index, wide) * cast_to(step, wide)
    back = const(length - 1, dtypes.int64) - index
    down = cast_to(end, wide) - cast_to(back, wide) * cast_to(step, wide)
    first_half = apply("lt", index, const((length + 1) // 2, dtypes.int64))
    return cast_to(apply("where", first_half, up, down), dtype)


@call("eye_of", function=False, shown="eye")
def eye_of(*, shape: Shape, dtype: DType) -> Node:
    return cast_to(apply("eq", iota_node(shape, 0), iota_node(shape, 1)), dtype)


def _bits(seed: Node, stream: Node, shape: Shape, word: int) -> Node:
    """64 random bits per element, by its position in row-major order."""
    return expand_to(apply("philox", positions(shape), seed, stream, params=(word,)), shape)


def positions(shape: Shape) -> Node:
    """Where each element stands in row-major order."""
    position: Node = const(0, dtypes.int64)
    for dim, stride in enumerate(contiguous_strides(shape)):
        ramp_here = iota_node(shape, dim)
        position = position + (ramp_here if stride == 1 else ramp_here * const(stride, dtypes.int64))
    return position


def uniform_from(bits: Node, dtype: DType) -> Node:
    """[0, 1) from the upper bits."""
    keep = _MANTISSA[dtype.name]
    upper = apply("lshr", bits, params=(64 - keep,))
    return cast_to(upper, dtype) * const(2.0**-keep, dtype)


def uniform_of(seed: Node, stream: Node, shape: Shape, dtype: DType) -> Node:
    """Numbers uniform in [0, 1) of ``shape``."""
    return uniform_from(_bits(seed, stream, shape, 0), dtype)


@call("rand_of", function=False, shown="rand")
def rand_of(seed: Node, stream: Node, *, shape: Shape, dtype: DType) -> Node:
    if dtype.is_complex:
        return apply("view_as_complex", uniform_of(seed, stream, (*shape, 2), dtype.to_real()))
    return uniform_of(seed, stream, shape, dtype)


@call("randn_of", function=False, shown="randn")
def randn_of(seed: Node, stream: Node, *, shape: Shape, dtype: DType) -> Node:
    if dtype.is_complex:
        parts = randn_of(seed, stream, shape=(*shape, 2), dtype=dtype.to_real())
        return apply("view_as_complex", parts * const(math.sqrt(0.5), dtype.to_real()))
    first, second = [_bits(seed, stream, shape, word) for word in (0, 1)]
    return cast_to(normal_from(first, second, dtype.computed), dtype)


def normal_from(first: Node, second: Node, dtype: DType) -> Node:
    """Normal numbers from bits: sqrt(-2 log(1 - u)) cos(2 pi v). Source: Box and Muller 1958."""
    u, v = [uniform_from(bits, dtype) for bits in (first, second)]
    radius = apply("sqrt", apply("log", const(1, dtype) - u) * const(-2, dtype))
    return radius * apply("cos", v * const(2 * math.pi, dtype))


@call("randint_of", function=False, shown="randint")
def randint_of(seed: Node, stream: Node, low: Node, span: Node, *, shape: Shape, dtype: DType) -> Node:
    """low + (63 random bits mod span): the bias is below span / 2^63."""
    bits = apply("lshr", _bits(seed, stream, shape, 0), params=(1,))
    return cast_to(low + apply("remainder", bits, span), dtype)
