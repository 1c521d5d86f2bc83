"""One dim of an image, a volume or a signal in another size: the nearest elements, or lines between neighbours."""

from __future__ import annotations

from nbgrad.calls.base import call, require_floating
from nbgrad.calls.indexing import flat, places
from nbgrad.graph.dtypes import float32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import iota_node


@call("resample", function=False, shown="interpolate")
def resample(input: Node, scale: Node, *, dim: int, size: int, mode: str, align_corners: bool = False) -> Node:
    """``size`` elements along ``dim``, ``scale`` of the input's elements apart.

    ``mode`` "nearest" takes element floor(i * scale), "nearest-exact" that at floor((i + 0.5) * scale), "linear" what
    lies at (i + 0.5) * scale - 0.5 between two neighbours, or at i * scale with ``align_corners``.
    """
    if mode != "linear":
        offset = 0.5 if mode == "nearest-exact" else 0.0
        at = (_numbers(input, float32, dim, size) + offset) * cast_to(scale, float32)
        return _picked(input, dim, apply("floor", at))
    x = require_floating("interpolate", input)
    dtype = x.spec.dtype
    i, step = _numbers(x, dtype, dim, size), cast_to(scale, dtype)
    at = i * step if align_corners else apply("maximum", (i + 0.5) * step - 0.5, const(0, dtype))
    low = apply("floor", at)
    share = at - low
    return _picked(x, dim, low) * (1.0 - share) + _picked(x, dim, low + 1.0) * share


def _numbers(x: Node, dtype: object, dim: int, size: int) -> Node:
    """The number of each element of the result along ``dim``."""
    shape = (*x.spec.shape[:dim], size, *x.spec.shape[dim + 1 :])
    return cast_to(iota_node(shape, dim), dtype)  # type: ignore[arg-type]


def _picked(x: Node, dim: int, at: Node) -> Node:
    """The elements of ``x`` whose numbers along ``dim`` are ``at``; the last one where that is beyond it."""
    last = const(x.spec.shape[dim] - 1, int64)
    return apply("take", flat(x), places(x.spec.shape, dim, apply("minimum", cast_to(at, int64), last)))
