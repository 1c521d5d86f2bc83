"""Additions to a matrix product, done while the product is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nbgrad.graph.node import Node, rewritten, toposort
from nbgrad.graph.op import LIBRARY, MAP, REDUCE
from nbgrad.ops.library import PRODUCT_RUN
from nbgrad.ops.product_sum import ProductSum, product_sum
from nbgrad.ops.view import expand_to, reshape_to


def absorb(roots: Sequence[Node]) -> list[Node]:
    """Sums of products, and of a product with a bias, become one operator, as do additions to what is in memory.

    Needs: a canonical graph.   Gives: no addition of a product that nobody else reads to another one, to an input, to
    what a kernel of its own makes, or to a row repeated (for this one the product may have been reshaped).
    Keeps: values bit for bit: what joins a sum is one run of the kernel's, added as a map would; shapes, sites.
    Cost: one walk, O(nodes).
    """
    order = toposort(roots)
    readers = Counter([x for node in order for x in node.inputs])
    readers.update(roots)

    def total(node: Node, new: dict[Node, Node]) -> Node | None:
        if node.op.name != "add" or node.inputs[0].spec is not node.inputs[1].spec:
            return None
        return _total([new[x] for x in node.inputs], [_is_read_once(x, readers) for x in node.inputs], node.site)

    return rewritten(roots, order, total)


def _is_read_once(x: Node, readers: Counter[Node]) -> bool:
    return readers[x] == 1 and (x.op.name != "reshape" or readers[x.inputs[0]] == 1)


def _total(inputs: Sequence[Node], alone: Sequence[bool], site: str) -> Node | None:
    """The sum of both inputs as one operator; None where neither is a product that only they read (``alone``)."""
    sums = [product_sum(x) if own else None for x, own in zip(inputs, alone, strict=True)]
    found = None
    for i in sorted((1, 0), key=lambda i: not _is_run(sums[i])):
        if found is None:
            found = _added(sums[i], inputs[1 - i])
    if found is not None:
        return found.node(site)
    for i in (1, 0):
        if alone[i] and inputs[i].op.name == "reshape":
            return _under_reshape(inputs[i], inputs[1 - i], site)
    return None


def _under_reshape(view: Node, other: Node, site: str) -> Node | None:
    """A reshaped product + a row: the row is added before."""
    shape, row, product = view.inputs[0].spec.shape, _row(other), product_sum(view.inputs[0])
    if row is None or product is None or product.last is not None or shape[-1:] != view.spec.shape[-1:]:
        return None
    return reshape_to(product._replace(last=expand_to(row, shape)).node(site), view.spec.shape)


def _added(product: ProductSum | None, other: Node) -> ProductSum | None:
    """``product`` + ``other``, where that is in memory anyway or a row in memory."""
    if product is None or product.last is not None:
        return None
    if other.op.kind is LIBRARY or other.op.name == "input":
        return product._replace(first=other) if _is_run(product) else product._replace(last=other)
    return product._replace(last=other) if _row(other) is not None else None


def _is_run(product: ProductSum | None) -> bool:
    """Whether it is one product, which the kernel adds up before it adds the sum to anything."""
    if product is None or product.first is not None or product.last is not None:
        return False
    return product.a.spec.shape[-1] <= PRODUCT_RUN


def _row(x: Node) -> Node | None:
    """The vector in memory that ``x`` repeats along all dims but the last."""
    if x.op.name != "expand" or x.spec.shape[-1] == 1:
        return None
    row = x.inputs[0]
    while row.op.name == "reshape":
        row = row.inputs[0]
    is_there = row.op.name == "input" or row.op.kind in (LIBRARY, MAP, REDUCE)
    return row if is_there and row.spec.shape == x.spec.shape[-1:] else None
