"""Values that are put together piece by piece, as the gradient of something that was split."""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

from nbgrad.graph.geometry import affine
from nbgrad.graph.node import Node, apply

MOST_PIECES: Final = 64  # a longer chain of writes is left: it would be walked again from each of its ends


class Span(NamedTuple):
    """The elements from ``start`` to ``end - 1`` along ``dim``."""

    dim: int
    start: int
    end: int


def span_of(node: Node) -> Span | None:
    """Where a slice or put_slice lies; None where it skips elements or only a run tells."""
    dim, length, step = node.params
    found = affine(node.inputs[-1])
    if step != 1 or found is None or found[1]:
        return None
    return Span(dim, found[0], found[0] + length)


def seen_past(node: Node) -> Node:
    """What a slice shows, without the writes it lies wholly inside or wholly beside; ``node`` where there are none."""
    span, x = span_of(node), node.inputs[0]
    if span is None and x.op.name == "put_slice" and x.params == node.params:  # a run tells where: just there?
        place = affine(node.inputs[1])
        return x.inputs[1] if place is not None and place == affine(x.inputs[2]) else node
    for _ in range(MOST_PIECES):
        written = span_of(x) if x.op.name == "put_slice" else None
        if span is None or written is None or written.dim != span.dim:
            break
        if written == span:
            return x.inputs[1]
        if written.start < span.end and span.start < written.end:
            break
        x = x.inputs[0]
    return node if x is node.inputs[0] else apply("slice", x, node.inputs[1], params=node.params, site=node.site)


def joined(node: Node) -> Node:
    """A chain of put_slices that write every element once, as one ``cat``; ``node`` where it is none."""
    pieces: list[tuple[Span, Node]] = []
    missing, x = 1, node
    while x.op.name == "put_slice" and missing > 0 and len(pieces) < MOST_PIECES:
        span = span_of(x)
        if span is None or (pieces and span.dim != pieces[0][0].dim):
            return node
        if not pieces:
            missing = node.spec.shape[span.dim]
        pieces.append((span, x.inputs[1]))
        missing -= span.end - span.start
        x = x.inputs[0]
    pieces.sort(key=lambda piece: piece[0])
    if missing != 0 or any(a.end != b.start for (a, _), (b, _) in pairwise(pieces)):
        return node
    return pieces[0][1] if len(pieces) == 1 else apply("cat", *[w for _, w in pieces], params=(pieces[0][0].dim,))
