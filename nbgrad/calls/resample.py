"""One dim of an image, a volume or a signal in another size: the nearest elements, or lines between neighbours."""

from __future__ import annotations

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
    is_quantized = taps > 0 and input.spec.dtype is uint8
    x = cast_to(input, float64) if is_quantized else require_floating("interpolate", input)
    dtype = x.spec.dtype
    step = cast_to(scale, dtype)
    if taps:
        return _averaged(x, dim, size, step, taps, mode, is_quantized)
    i = _numbers(x, dtype, dim, size)
    at = i * step if align_corners else (i + 0.5) * step - 0.5
    if mode == "cubic":
        return _on_curve(x, dim, at)
    at = at if align_corners else apply("maximum", at, const(0, dtype))
    low = apply("floor", at)
    share = at - low
    return _picked(x, dim, low) * (1.0 - share) + _picked(x, dim, low + 1.0) * share


def _inner(d: Node, a: float) -> Node:
    return ((a + 2) * d - (a + 3)) * d * d + 1.0


def _outer(d: Node, a: float) -> Node:
    return ((d - 5.0) * d + 8.0) * d * a - 4 * a


def _on_curve(x: Node, dim: int, at: Node) -> Node:
    """Source: Keys 1981, "Cubic convolution interpolation for digital image processing"."""
    low = apply("floor", at)
    t = at - low
    weights = (_outer(t + 1.0, CUBIC), _inner(t, CUBIC), _inner(1.0 - t, CUBIC), _outer(2.0 - t, CUBIC))
    zero = const(0, x.spec.dtype)
    parts = [_picked(x, dim, apply("maximum", low + k, zero)) * w for k, w in zip(OFFSETS, weights, strict=True)]
    return parts[0] + parts[1] + parts[2] + parts[3]


OFFSETS = (-1.0, 0.0, 1.0, 2.0)


def _averaged(x: Node, dim: int, size: int, step: Node, taps: int, mode: str, is_quantized: bool) -> Node:
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
    if is_quantized:
        share, unit = _quantized(share)
    whole = (*shape[:dim], size, *shape[dim + 1 :], taps)
    among = cast_to(apply("where", is_there, at, first), int64)
    seen, share = (_along(table, whole, dim) for table in (among, share))
    found = apply("take", flat(x), places(shape, dim, apply("minimum", seen, const(shape[dim] - 1, int64))))
    total = apply("sum", found * share, params=((len(shape),),))
    if not is_quantized:
        return total
    rounded = apply("floor", (total + unit * 0.5) / unit)
    return cast_to(apply("minimum", apply("maximum", rounded, zero), const(255, dtype)), uint8)


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
