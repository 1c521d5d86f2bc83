"""Graphs at rest: what a plan keeps of its graph to explain itself, when its program is there.

A graph of nodes is tens of thousands of objects, and Python's garbage collector visits each of them every time it looks
at everything. Packed, it is five lists, whatever its size.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from nbgrad.graph.node import Node, toposort
from nbgrad.graph.rounds import Rounds


class PackedGraph:
    """The nodes behind some roots, in topological order: ``unpack`` makes them anew."""

    __slots__ = ("_dtype_is_last", "_inputs", "_ops", "_params", "_roots", "_sites", "_specs")

    def __init__(self, roots: Sequence[Node], rounds: Rounds | None = None) -> None:
        """``rounds``: those of ``roots``, where they are known; they know the order, too."""
        if rounds is None:
            order: Sequence[Node] = toposort(roots)
            number = {node: i for i, node in enumerate(order)}
            refs: Sequence[Sequence[int]] = [[number[y] for y in x.inputs] for x in order] + [
                [number[r]] for r in roots
            ]
        else:
            order, refs = rounds.order, rounds.family.refs
        self._roots = array("q", [i for (i,) in refs[len(order) :]])
        self._ops = [node.op for node in order]
        self._specs = [node.spec for node in order]
        self._sites = [node.site for node in order]
        inputs: list[int] = []  # how many a node has, then which
        for own in refs[: len(order)]:
            inputs.append(len(own))
            inputs += own
        self._inputs = array("q", inputs)
        # A number and the dtype that the value has are most of what is not numbers alone.
        self._dtype_is_last = bytes([len(node.params) == 2 and node.params[1] is node.spec.dtype for node in order])
        self._params: list[Any] = [
            node.params[0] if short else node.params for node, short in zip(order, self._dtype_is_last, strict=True)
        ]

    def unpack(self) -> list[Node]:
        """The roots, over new nodes."""
        nodes: list[Node] = []
        inputs = iter(self._inputs)
        for op, params, short, spec, site in zip(
            self._ops, self._params, self._dtype_is_last, self._specs, self._sites, strict=True
        ):
            read = tuple([nodes[next(inputs)] for _ in range(next(inputs))])
            nodes.append(Node(op, read, (params, spec.dtype) if short else params, spec, site))
        return [nodes[i] for i in self._roots]
