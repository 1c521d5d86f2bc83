"""Give equal computations one node."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from nbgrad.graph.node import Node, rebuild, toposort

# Operators that give the same bits whichever of their two inputs comes first.
COMMUTATIVE: Final = frozenset(("add", "mul", "maximum", "minimum", "eq", "ne", "bit_and", "bit_or", "bit_xor"))


def merge(roots: Sequence[Node]) -> list[Node]:
    """The same graph with equal computations done once (common-subexpression elimination).

    Needs: any verified graph.   Gives: no two nodes with the same operator, inputs (in either order, where that changes
    nothing) and arguments.
    Keeps: values bit for bit, shapes, the first node's site.   Cost: one walk, O(nodes).
    """
    first: dict[Hashable, Node] = {}
    new: dict[Node, Node] = {}
    for node in toposort(roots):
        inputs = tuple([new[x] for x in node.inputs])
        same = frozenset(inputs) if node.op.name in COMMUTATIVE else inputs
        key = (node.op, same, _constant(node) if node.op.name == "const" else node.params)
        found = first.get(key)
        if found is None:
            found = first[key] = rebuild(node, inputs)
        new[node] = found
    return [new[root] for root in roots]


def _constant(node: Node) -> Hashable:
    """What tells constants apart: 0.0 and -0.0 are equal numbers, and so are 1 and True."""
    value, dtype = node.params
    return repr(value), dtype
