"""Which lanes are in a basic block: those for which the conditions on the way there had these answers."""

from __future__ import annotations

from collections.abc import Sequence

from nbgrad.graph.node import Node, apply

Mask = tuple[tuple[Node, bool], ...]  # all of them; () is always
ALWAYS: Mask = ()


def node_of(mask: Mask) -> Node | None:
    """``mask`` as a value; None for all lanes."""
    found: Node | None = None
    for condition, answer in mask:
        one = condition if answer else apply("bit_not", condition)
        found = one if found is None else apply("bit_and", found, one)
    return found


def union(masks: Sequence[Mask]) -> Mask:
    """The lanes of any of ``masks``: where ways meet again, what they had in common."""
    left = list(dict.fromkeys(masks))
    while True:
        pair = next((m for m in left if m and (*m[:-1], (m[-1][0], not m[-1][1])) in left), None)
        if pair is None:
            break
        parent = pair[:-1]
        left = [*[m for m in left if m[: len(parent)] != parent], parent]
    if len(left) == 1:
        return left[0]
    start = shared(left)
    nodes = [node_of(m[len(start) :]) for m in left]
    found = nodes[0]
    for one in nodes[1:]:
        assert found is not None and one is not None
        found = apply("bit_or", found, one)
    assert found is not None
    return (*start, (found, True))


def shared(masks: Sequence[Mask]) -> Mask:
    """What all of ``masks`` begin with."""
    start = masks[0]
    for mask in masks[1:]:
        count = next(
            (k for k, (a, b) in enumerate(zip(start, mask, strict=False)) if a != b), min(len(start), len(mask))
        )
        start = start[:count]
    return start
