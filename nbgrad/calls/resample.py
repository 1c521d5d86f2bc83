"""One dim of an image, a volume or a signal in another size: the nearest elements, or lines between neighbours."""

from __future__ import annotations

import functools
import operator

from nbgrad.calls.base import call, require_floating
from nbgrad.calls.indexing import flat, places
from nbgrad.graph.dtypes import float32, float64, int64, uint8
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape
from nbgrad.ops.compare import cast_to
from nbgrad.ops.reduce import restore
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to, reshape_to

CUBIC = -0.75  # the slope of cubic pieces at distance 1; PyTorch's with antialias is SMOOTH
SMOOTH = -0.5

Weights = list[tuple[float, Node]]  # of elements that lie so far from the one below


@call("resample", function=False, shown="interpolate")
def resample(
    input: Node, scale: Node, *, dim: int, size: int, mode: str, align_corners: bool = False, taps: int = 0
) -> Node:
    """``size`` elements along ``dim``, ``scale`` of the input's elements apart.

    ``mode`` "nearest" takes element floor(i * scale), "nearest-exact" that at floor((i + 0.5) * scale), "linear" what
    lies at (i + 0.5) * scale - 0.5 between two neighbours, or at i * scale with ``align_corners``, "cubic" what lies
    there on a curve through four. With ``taps`` these pieces are stretched to as many elements, which are averaged.
    """
    if mode not in ("linear", "cubic"):
        offset = 0.5 if mode == "nearest-exact" else 0.0
        at = (_numbers(input, float32, dim, size) + offset) * cast_to(scale, float32)
        return _picked(input, dim, apply("floor", at))
    is_bytes = input.spec.dtype is uint8 and input.spec.rank == 4
    x = cast_to(input, float64) if is_bytes else require_floating("interpolate", input)
    dtype = x.spec.dtype
    step = cast_to(scale, dtype)
    if taps:
        return _averaged(x, dim, size, step, taps, mode, is_bytes)
    i = iota_node((size,), 0) if is_bytes else _numbers(x, dtype, dim, size)
    i = cast_to(i, dtype)
    at = i * step if align_corners else (i + 0.5) * step - 0.5
    at = at if align_corners or mode == "cubic" else apply("maximum", at, const(0, dtype))
    low = apply("floor", at)
    weights = (_cubic if mode == "cubic" else _linear)(at - low)
    if is_bytes:
        return _bytes_between(x, dim, low, weights)
    zero = const(0, dtype)
    places_ = [apply("maximum", low + k, zero) if mode == "cubic" else low + k if k else low for k, _ in weights]
    parts = [_picked(x, dim, place) * w for place, (_, w) in zip(places_, weights, strict=True)]
    return functools.reduce(operator.add, parts)


def _linear(t: Node) -> Weights:
    return [(0.0, 1.0 - t), (1.0, t)]


def _cubic(t: Node) -> Weights:
    """Source: Keys 1981, "Cubic convolution interpolation for digital image processing"."""
    weights = (_outer(t + 1.0, CUBIC), _inner(t, CUBIC), _inner(1.0 - t, CUBIC), _outer(2.0 - t, CUBIC))
    return list(zip((-1.0, 0.0, 1.0, 2.0), weights, strict=True))


def _bytes_between(x: Node, dim: int, low: Node, weights: Weights) -> Node:
    """Bytes by rounded weights. What would lie outside has the weight of the outermost element added to its own."""
    size, taps, last = low.spec.shape[0], len(weights), const(x.spec.shape[dim] - 1, x.spec.dtype)
    zero = const(0, x.spec.dtype)
    columns = [apply("minimum", apply("maximum", low + k, zero), last) for k, _ in weights]
    among, w = [
        apply("cat", *[reshape_to(n, (size, 1)) for n in nodes], params=(1,))
        for nodes in (columns, [w for _, w in weights])
    ]
    cube = (size, taps, taps)
    one, other = (expand_to(reshape_to(among, shape), cube) for shape in ((size, taps, 1), (size, 1, taps)))
    is_same = apply("eq", one, other)
    is_earlier = apply("bit_and", is_same, apply("lt", iota_node(cube, 2), iota_node(cube, 1)))
    shared = expand_to(reshape_to(w, (size, 1, taps)), cube)
    together = apply("sum", apply("where", is_same, shared, zero), params=((2,),))
    is_first = apply("eq", apply("sum", cast_to(is_earlier, int64), params=((2,),)), const(0, int64))
    share = apply("where", is_first, together, zero)
    return _mixed(x, dim, among, share, True)


def _inner(d: Node, a: float) -> Node:
    return ((a + 2) * d - (a + 3)) * d * d + 1.0


def _outer(d: Node, a: float) -> Node:
    return ((d - 5.0) * d + 8.0) * d * a - 4 * a


def _averaged(x: Node, dim: int, size: int, step: Node, taps: int, mode: str, is_bytes: bool) -> Node:
    """Elements around each middle by their distance in steps of at least 1, weights adding up to 1: a table of them."""
    dtype, shape = x.spec.dtype, x.spec.shape
    zero, one, end = const(0, dtype), const(1, dtype), const(shape[dim], dtype)
    i, k = (cast_to(iota_node((size, taps), d), dtype) for d in range(2))
    middle, wide = (i + 0.5) * step, apply("maximum", step, one)
    reach = wide * (2.0 if mode == "cubic" else 1.0)
    first = apply("maximum", apply("trunc", middle - reach + 0.5), zero)
    at = first + k
    d = apply("abs", (at - middle + 0.5) / wide)
    w = 1.0 - d if mode == "linear" else apply("where", apply("lt", d, one), _inner(d, SMOOTH), _outer(d, SMOOTH))
    is_near = apply("lt", d, one if mode == "linear" else one + one)
    is_there = apply("lt", at, apply("minimum", apply("trunc", middle + reach + 0.5), end))
    w = apply("where", apply("bit_and", is_near, is_there), w, zero)
    share = w / restore(apply("sum", w, params=((1,),)), (size, taps), (1,))
    return _mixed(x, dim, apply("where", is_there, at, first), share, is_bytes)


def _mixed(x: Node, dim: int, among: Node, share: Node, is_bytes: bool) -> Node:
    """The elements ``among`` along ``dim``, by their shares: tables of (size of the result, elements of each)."""
    shape, (size, taps) = x.spec.shape, share.spec.shape
    if is_bytes:
        share, unit = _quantized(share)
    whole = (*shape[:dim], size, *shape[dim + 1 :], taps)
    seen, share = (_along(table, whole, dim) for table in (cast_to(among, int64), share))
    found = apply("take", flat(x), places(shape, dim, apply("minimum", seen, const(shape[dim] - 1, int64))))
    total = apply("sum", found * share, params=((len(shape),),))
    if not is_bytes:
        return total
    rounded = apply("floor", (total + unit * 0.5) / unit)
    return cast_to(apply("minimum", apply("maximum", rounded, const(0, float64)), const(255, float64)), uint8)


def _quantized(weights: Node) -> tuple[Node, Node]:
    """Weights in integers of 16 bits, and what stands for 1: the largest power of 2 with which they fit.

    Source: PyTorch's weights for images of bytes, which are those of Pillow.
    """
    largest = apply("amax", weights, params=((0, 1),))
    unit: Node = const(1, float64)
    for power in range(1, 23):
        fits = apply("lt", largest * 2.0**power + 0.5, const(2.0**15, float64))
        unit = apply("where", fits, const(2.0**power, float64), unit)
    exact = weights * unit
    return apply("trunc", exact + apply("copysign", const(0.5, float64), exact)), unit


def _along(table: Node, shape: Shape, dim: int) -> Node:
    """Numbers for each place along ``dim`` and along the last dim, the same for all others."""
    return expand_to(
        reshape_to(table, tuple([n if d in (dim, len(shape) - 1) else 1 for d, n in enumerate(shape)])), shape
    )


def _numbers(x: Node, dtype: object, dim: int, size: int) -> Node:
    """The number of each element of the result along ``dim``."""
    shape = (*x.spec.shape[:dim], size, *x.spec.shape[dim + 1 :])
    return cast_to(iota_node(shape, dim), dtype)  # type: ignore[arg-type]


def _picked(x: Node, dim: int, at: Node) -> Node:
    """The elements of ``x`` whose numbers along ``dim`` are ``at``; the last one where that is beyond it."""
    last = const(x.spec.shape[dim] - 1, int64)
    return apply("take", flat(x), places(x.spec.shape, dim, apply("minimum", cast_to(at, int64), last)))
