"""Images and volumes looked up at the places of a grid."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Final

from nbgrad.calls.base import TensorNode, call
from nbgrad.calls.indexing import flat
from nbgrad.graph.dtypes import int32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to, reshape_to, slice_at

CUBIC: Final = -0.75  # the slope that PyTorch's cubic pieces have at distance 1

Tap = tuple[Node, Node | None]  # a whole place along a dim, and its weight


@call("grid_sample_of", function=False, shown="grid_sample", grad_fn="GridSampler")
def grid_sample_of(input: Node, grid: TensorNode, *, mode: str, padding_mode: str, aligned: bool) -> Node:
    """``grid_sample`` of a checked (N, C, size...) and (N, out..., dims)."""
    count, channels, *size = input.spec.shape
    places = (count, 1, *grid.spec.shape[1:-1])  # channels share them
    shape = (count, channels, *places[2:])
    image = iota_node(shape, 0) * const(channels, int64) + iota_node(shape, 1)
    image = image * const(prod(size), int64)
    axes = [_places(grid, places, d, n, aligned) for d, n in enumerate(size)]
    if mode != "bicubic":
        axes = [_moved(c, n, padding_mode, aligned) for c, n in zip(axes, size, strict=True)]
    total: Node | None = None
    for corner in product(*[_TAPS[mode](c) for c in axes]):
        here = [c for c, _ in corner]
        if mode == "bicubic":
            here = [_moved(c, n, padding_mode, aligned) for c, n in zip(here, size, strict=True)]
        at, inside = _inside(here, size)
        part = apply("take", flat(input), image + expand_to(at, shape))
        if mode == "bilinear" or padding_mode == "zeros":  # otherwise none are outside
            part = apply("where", expand_to(inside, shape), part, const(0, part.spec.dtype))
        weights = [w for _, w in corner if w is not None]
        if weights:
            part = part * expand_to(prod(weights[1:], start=weights[0]), shape)
        total = part if total is None else total + part
    assert total is not None
    return total


def _places(grid: Node, shape: Shape, dim: int, n: int, aligned: bool) -> Node:
    """Places among the n elements of a dim, of places from -1 to 1; the last dim of the grid comes first."""
    last = grid.spec.rank - 1
    g = reshape_to(slice_at(grid, grid.spec.shape[last] - 1 - dim, last, 1), shape) + 1.0
    return g * ((n - 1) / 2) if aligned else (g * float(n) - 1.0) * 0.5


def _moved(c: Node, n: int, padding_mode: str, aligned: bool) -> Node:
    """Places inside, of those beyond the edges, and the first for NaN; a place at an edge has no derivative."""
    if padding_mode == "zeros":
        return c
    zero, last = const(0, c.spec.dtype), const(n - 1, c.spec.dtype)
    if padding_mode == "reflection":
        low, span = (0.0, n - 1.0) if aligned else (-0.5, float(n))
        if span == 0.0:
            return c * 0.0
        away = apply("abs", c - low)
        turns = apply("floor", apply("detach", away) / span)
        rest = away - turns * span
        is_even = apply("eq", apply("remainder", turns, const(2, c.spec.dtype)), zero)
        c = apply("where", is_even, rest + low, (span + low) - rest)
    is_above = apply("gt", c, zero)
    between = apply("bit_and", is_above, apply("lt", c, last))
    return apply("where", between, c, apply("where", is_above, last, zero))


def _nearest(c: Node) -> list[Tap]:
    return [(apply("round", apply("detach", c)), None)]


def _linear(c: Node) -> list[Tap]:
    low = apply("floor", apply("detach", c))
    share = c - low
    return [(low, 1.0 - share), (low + 1.0, share)]


def _cubic(c: Node) -> list[Tap]:
    """Source: Keys 1981, "Cubic convolution interpolation for digital image processing"."""
    low = apply("floor", apply("detach", c))
    t = c - low

    def inner(d: Node) -> Node:
        return (d * (CUBIC + 2) - (CUBIC + 3)) * d * d + 1.0

    def outer(d: Node) -> Node:
        return ((d - 5.0) * d + 8.0) * d * CUBIC - 4 * CUBIC

    weights = (outer(t + 1.0), inner(t), inner(1.0 - t), outer(2.0 - t))
    return [(low + k, w) for k, w in zip((-1.0, 0.0, 1.0, 2.0), weights, strict=True)]


_TAPS: Final = {"nearest": _nearest, "bilinear": _linear, "bicubic": _cubic}


def _inside(places: list[Node], size: list[int]) -> tuple[Node, Node]:
    """(where whole places are in an image, those at any place for what lies outside; which lie inside)."""
    at: Node | None = None
    inside: Node | None = None
    for c, n in zip(places, size, strict=True):
        whole, zero = apply("detach", c), const(0, c.spec.dtype)
        fits = apply("bit_and", apply("ge", whole, zero), apply("le", whole, const(n - 1, c.spec.dtype)))
        place = cast_to(cast_to(apply("where", fits, whole, zero), int32), int64)  # to int32 is one instruction
        at = place if at is None else at * const(n, int64) + place
        inside = fits if inside is None else apply("bit_and", inside, fits)
    assert at is not None and inside is not None
    return at, inside
