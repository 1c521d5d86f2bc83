"""Disjoint sets of operators, each reducing over one set of dims at most, so that it may become a loop."""

from __future__ import annotations

from collections.abc import Iterable

from nbgrad.graph.node import Node
from nbgrad.graph.op import REDUCE
from nbgrad.graph.spec import Shape


class Sets:
    """Every node of ``members`` is a set of its own until it is joined with another."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.members = dict.fromkeys(nodes)
        self._up: dict[Node, Node] = {}
        self._dims = {node: node.params[0] for node in self.members if node.op.kind is REDUCE}

    def _top(self, x: Node) -> Node:
        ups = self._up
        while (up := ups.get(x)) is not None:
            over = ups.get(up)
            if over is None:
                return up
            ups[x] = over
            x = over
        return x

    def join(self, a: Node, b: Node) -> None:
        """One set of both, unless they reduce over different dims."""
        a, b = self._top(a), self._top(b)
        dims_a, dims_b = self._dims.get(a), self._dims.get(b)
        if a is not b and (dims_a is None or dims_b is None or dims_a == dims_b):
            self._up[a] = b
            if dims_a is not None:
                self._dims[b] = dims_a

    def found(self) -> list[tuple[list[Node], Shape]]:
        """(nodes in their order, reduced dims) of each set."""
        sets: dict[Node, list[Node]] = {}
        for node in self.members:
            sets.setdefault(self._top(node), []).append(node)
        return [(nodes, self._dims.get(top, ())) for top, nodes in sets.items()]
