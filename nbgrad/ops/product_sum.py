"""Sums of matrix products and of what is added to them: one operator, one kernel call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import LIBRARY, Op, Params, lookup
from nbgrad.graph.spec import Spec


class ProductSum(NamedTuple):
    """first + a @ b + ... + last, added in this order; without what is None."""

    first: Node | None
    terms: tuple[tuple[Node, Node], ...]
    last: Node | None

    def node(self, site: str) -> Node:
        """This sum as an operator."""
        factors = [x for term in self.terms for x in term]
        others = (() if self.first is None else (self.first,), () if self.last is None else (self.last,))
        params = self.first is not None, self.last is not None
        return apply(MATMUL_SUM, *others[0], *factors, *others[1], params=params, site=site)


def _split(inputs: Sequence[Any], params: Params) -> tuple[Any, list[tuple[Any, Any]], Any]:
    has_first, has_last = params
    factors = inputs[int(has_first) : len(inputs) - int(has_last)]
    terms = list(zip(factors[::2], factors[1::2], strict=True))
    return inputs[0] if has_first else None, terms, inputs[-1] if has_last else None


def _infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    first, terms, last = _split(specs, params)
    product, *others = [lookup("matmul").infer(term, ()) for term in terms]
    assert all(x is product for x in (*others, first, last) if x is not None), "only whole results are added"
    return product


def _reference(*args: Any) -> Any:
    *inputs, has_first, has_last = args
    first, terms, last = _split(inputs, (has_first, has_last))
    total = first
    for a, b in terms:
        total = np.matmul(a, b) if total is None else total + np.matmul(a, b)
    return total if last is None else total + last


# Users never write it, so it isn't in the table of operators.
MATMUL_SUM: Final = Op("matmul_sum", LIBRARY, _infer, _reference)


def product_sum(node: Node) -> ProductSum | None:
    """``node`` as a sum of products, where it is one or a product itself."""
    if node.op is MATMUL_SUM:
        first, terms, last = _split(node.inputs, node.params)
        return ProductSum(first, tuple(terms), last)
    return ProductSum(None, ((node.inputs[0], node.inputs[1]),), None) if node.op.name == "matmul" else None
