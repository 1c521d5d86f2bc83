"""0-d values made of numbers alone, and masks of places: cheap enough to be computed again in every loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from nbgrad.graph.node import Node, reach
from nbgrad.graph.op import MAP

NUMBERS: Final = ("const", "scalar", "shift")  # ``within`` reads an index ramp through ``shift``
MOST_OPERATORS: Final = 12  # a longer formula is computed once and stored


def uniform_nodes(order: Sequence[Node]) -> set[Node]:
    """The maps in ``order`` (a toposort) that read constants, run-time numbers and each other, and nothing else.

    They are 0-d, but for masks of places, which read their own place only.
    """
    sizes: dict[Node, int] = {}
    for node in order:
        if node.op.kind is MAP and (not node.spec.shape or _is_place(node, sizes)):
            inner = [0 if x.op.name in NUMBERS else sizes.get(x, MOST_OPERATORS) for x in node.inputs]
            size = 1 + sum(inner)
            if size <= MOST_OPERATORS:
                sizes[node] = size
    return set(sizes)


def _is_place(node: Node, sizes: dict[Node, int]) -> bool:
    """Whether ``node`` asks for an element's place and for nothing else."""
    return node.op.name == "within" or (node.op.name == "bit_and" and all(x in sizes for x in node.inputs))


def closure(tops: Iterable[Node], uniform: set[Node]) -> set[Node]:
    """The uniform nodes that ``tops`` are made of."""
    return set(reach([x for x in tops if x in uniform], lambda node: [x for x in node.inputs if x in uniform]))
