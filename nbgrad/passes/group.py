"""What runs as one loop: the record that the fusion gives and the lowering takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nbgrad.graph.node import Node, toposort
from nbgrad.graph.op import Kind
from nbgrad.graph.spec import Shape


class Group(NamedTuple):
    """Maps and reductions over one iteration ``shape``, or a single library operator.

    ``nodes`` come in the order in which they are computed; ``stores`` are those whose values are kept for others.
    ``dims`` are the reduced dims of ``shape``, the same for all reductions of the group; () for maps alone.
    """

    nodes: tuple[Node, ...]
    stores: tuple[Node, ...]
    shape: Shape
    dims: Shape

    @property
    def is_library(self) -> bool:
        return self.nodes[0].op.kind is Kind.LIBRARY


def one_by_one(roots: Sequence[Node]) -> list[Group]:
    """Every operator in a group of its own, in the order of the toposort: what runs before anything is fused."""
    groups = []
    for node in toposort(roots):
        kind = node.op.kind
        if kind is Kind.MAP or kind is Kind.LIBRARY:
            groups.append(Group((node,), (node,), node.spec.shape, ()))
        elif kind is Kind.REDUCE:
            groups.append(Group((node,), (node,), node.inputs[0].spec.shape, node.params[0]))
    return groups
