"""0-d values made of numbers alone: cheap enough to be computed again in every loop that uses them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from nbgrad.graph.node import Node
from nbgrad.graph.op import MAP

MOST_OPERATORS: Final = 12  # a longer formula is computed once and stored


def uniform_nodes(order: Sequence[Node]) -> set[Node]:
    """The 0-d maps in ``order`` (a toposort) that read constants, run-time numbers and each other, and nothing else."""
    sizes: dict[Node, int] = {}
    for node in order:
        if node.op.kind is MAP and not node.spec.shape:
            inner = [0 if x.op.name in ("const", "scalar") else sizes.get(x, MOST_OPERATORS) for x in node.inputs]
            size = 1 + sum(inner)
            if size <= MOST_OPERATORS:
                sizes[node] = size
    return set(sizes)


def closure(tops: Iterable[Node], uniform: set[Node]) -> set[Node]:
    """The uniform nodes that ``tops`` are made of."""
    found: set[Node] = set()
    stack = [x for x in tops if x in uniform]
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack += [x for x in node.inputs if x in uniform]
    return found
