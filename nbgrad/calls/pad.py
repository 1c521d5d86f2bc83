"""Margins around the last dims."""

from __future__ import annotations

from nbgrad.calls.base import call
from nbgrad.calls.layout import reversed_along
from nbgrad.calls.shape import sizes_of
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to
from nbgrad.ops.view import expand_to, slice_at
from nbgrad.ops.window import cropped

Around = tuple[tuple[int, int], ...]


@call("pad", function=False, functional=True, fits=("value",))
def pad(input: Node, pad: tuple[int, ...], mode: str = "constant", value: Node | None = None) -> Node:
    """input with margins: ``pad`` is (low, high) of the last dim, then of the one before it, and so on.

    ``mode``: "constant" fills with ``value`` (0 unless given), "reflect" mirrors without repeating the edge,
    "replicate" repeats it, "circular" goes on at the other end. A negative margin cuts off.

    >>> nbgrad.nn.functional.pad(nbgrad.tensor([1.0, 2.0, 3.0]), (2, 1), mode="reflect")
    tensor([3., 2., 1., 2., 3., 2.])
    """
    around = _around(input, sizes_of("pad", pad))
    if mode == "constant":
        wide = tuple([(max(low, 0), max(high, 0)) for low, high in around])
        for n, (low, high) in zip(input.spec.shape, around, strict=True):
            if n + low + high < 0:
                raise ShapeError(f"pad: a dim of size {n} with margins {low} and {high} would have a negative size")
        fill = const(0, input.spec.dtype) if value is None else cast_to(value, input.spec.dtype)
        return apply("pad", _cut(input, around), fill, params=(wide,))
    if mode not in ("reflect", "replicate", "circular"):
        raise ArgumentError(f"pad: Unrecognised padding mode {mode!r}")
    if value is not None:
        raise ArgumentError(f'pad: Padding mode "{mode}" doesn\'t take in value argument')
    x = input
    if mode == "circular":  # what goes on is what is left
        x, around = _cut(input, around), tuple([(max(low, 0), max(high, 0)) for low, high in around])
    for d, (low, high) in enumerate(around):
        x = _continued(x, d, low, high, mode)
    return x if x is not input else apply("copy", input)


def _cut(x: Node, around: Around) -> Node:
    """``x`` without what negative margins cut off."""
    if all(low >= 0 and high >= 0 for low, high in around):
        return x
    for n, (low, high) in zip(x.spec.shape, around, strict=True):
        if n + min(low, 0) + min(high, 0) < 0:
            raise ShapeError(f"pad: margins {low} and {high} cut off more than a dim of size {n} has")
    return cropped(x, tuple([(max(-low, 0), max(-high, 0)) for low, high in around]))


def _around(x: Node, margins: tuple[int, ...]) -> Around:
    if len(margins) % 2:
        raise ShapeError(f"pad: Padding length must be divisible by 2, got {len(margins)}")
    pairs = [(margins[i], margins[i + 1]) for i in range(0, len(margins), 2)]
    if len(pairs) > x.spec.rank:
        raise ShapeError(
            f"pad: Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(margins)} and input of dimension {x.spec.rank}"
        )
    return ((0, 0),) * (x.spec.rank - len(pairs)) + tuple(reversed(pairs))


def _continued(x: Node, dim: int, low: int, high: int, mode: str) -> Node:
    """One dim made longer by elements of its own."""
    shape, n = x.spec.shape, x.spec.shape[dim]
    if low == high == 0:
        return x
    most = n - 1 if mode == "reflect" else n if mode == "circular" else None
    if n + low + high < 0 or n == 0 or (most is not None and max(low, high) > most):
        raise ShapeError(
            f"pad: margins {low} and {high} are out of range for mode {mode!r} at dimension {dim} of input "
            f"{list(shape)}"
        )
    margins = [_margin(x, dim, max(width, 0), mode, is_high) for width, is_high in ((low, False), (high, True))]
    parts = [part for part in (margins[0], x, margins[1]) if part.spec.shape[dim]]
    whole = apply("cat", *parts, params=(dim,)) if len(parts) > 1 else x
    return slice_at(whole, max(-low, 0), dim, n + low + high) if min(low, high) < 0 else whole


def _margin(x: Node, dim: int, width: int, mode: str, is_high: bool) -> Node:
    """What goes on before the first element of a dim, or behind the last one."""
    n = x.spec.shape[dim]
    if mode == "circular":
        return slice_at(x, 0 if is_high else n - width, dim, width)
    if mode == "reflect":
        return reversed_along(slice_at(x, n - 1 - width if is_high else 1, dim, width), (dim,))
    edge = slice_at(x, n - 1 if is_high else 0, dim, 1)
    return expand_to(edge, (*x.spec.shape[:dim], width, *x.spec.shape[dim + 1 :]))
