"""What follows reductions: maps that row kernels may want, so that other passes leave them alone."""

from __future__ import annotations

from collections.abc import Sequence

from nbgrad.graph.geometry import base_of
from nbgrad.graph.node import Node
from nbgrad.graph.op import MAP, REDUCE


def after_reductions(order: Sequence[Node]) -> set[Node]:
    """The maps in ``order`` (a toposort) that read results of reductions, directly or through other maps."""
    found: set[Node] = set()
    for node in order:
        if node.op.kind is MAP:
            for x in node.inputs:
                base = base_of(x)
                if base in found or (base.op.kind is REDUCE and base.spec.shape):
                    found.add(node)
                    break
    return found
