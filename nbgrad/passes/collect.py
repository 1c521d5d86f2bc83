"""Leave out copies whose elements matrix products can collect themselves: the columns of a convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nbgrad.graph.geometry import resolve
from nbgrad.graph.node import Node, rewritten, substitute, toposort
from nbgrad.graph.op import VIEW
from nbgrad.graph.separable import separable
from nbgrad.ops.library import COLLECTED_BYTES, COLLECTED_ROWS
from nbgrad.ops.product_sum import product_sum

COPIES: Final = ("copy", "after")  # the first input's elements, as they are


def collect(roots: Sequence[Node]) -> list[Node]:
    """Right factors of products as views of what was copied for them, where a sum tells where each element lies.

    Needs: a canonical graph.   Gives: no large copy that only such products read.
    Keeps: values bit for bit, shapes.   Cost: one walk, O(nodes).
    """
    order = toposort(roots)
    copies = [x for x in order if x.op.name in COPIES and x.spec.size_bytes >= COLLECTED_BYTES]
    if not copies:
        return list(roots)
    shown = _views(order, roots)
    left_out = {x for x in copies if x in shown and _is_collected(x, shown[x])}
    return rewritten(roots, order, lambda node, new: new[node.inputs[0]] if node in left_out else None)


def _views(order: Sequence[Node], roots: Sequence[Node]) -> dict[Node, list[tuple[Node, Node]]]:
    """(what it reads, reader) for the readers of each copy through views; none of a copy that is a result."""
    base: dict[Node, Node] = {}
    readers: dict[Node, list[tuple[Node, Node]]] = {}
    for node in order:
        if node.op.name in COPIES:
            base[node] = node
            readers[node] = []
        for x in node.inputs:
            if x in base:
                if node.op.kind is VIEW:
                    base[node] = base[x]
                else:
                    readers[base[x]].append((x, node))
    for root in roots:
        if root in base:
            readers.pop(base[root], None)
    return readers


def _is_collected(copy: Node, readers: Sequence[tuple[Node, Node]]) -> bool:
    """Whether all that read ``copy`` are products, with enough rows to pay for collecting its elements."""
    for x, node in readers:
        total = product_sum(node)
        if total is None or node.spec.shape[-2] < COLLECTED_ROWS or node.spec.shape[-1] == 1:
            return False
        if x in (total.first, total.a, total.last):
            return False
        if not _is_readable(substitute([x], {copy: copy.inputs[0]})[0]):
            return False
    return bool(readers)


def _is_readable(x: Node) -> bool:
    """Whether a product finds the elements of its right factor ``x`` without a copy."""
    g = resolve(x, {})
    if g.base.op.kind is not VIEW:
        return 1 in g.strides[-2:]
    return separable(x, {}) is not None
