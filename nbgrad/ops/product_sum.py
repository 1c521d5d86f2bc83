"""A matrix product and what is added to it: one operator, one kernel call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import LIBRARY, Op, Params, lookup
from nbgrad.graph.spec import Spec


class ProductSum(NamedTuple):
    """first + a @ b + last, added in this order; without what is None."""

    first: Node | None
    a: Node
    b: Node
    last: Node | None

    def node(self, site: str) -> Node:
        """This sum as an operator."""
        inputs = [x for x in self if x is not None]
        return apply(MATMUL_SUM, *inputs, params=(self.first is not None, self.last is not None), site=site)


def _split(inputs: Sequence[Any], params: Params) -> tuple[Any, Any, Any, Any]:
    has_first, has_last = params
    a, b = inputs[int(has_first) : len(inputs) - int(has_last)]
    return inputs[0] if has_first else None, a, b, inputs[-1] if has_last else None


def _infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    first, a, b, last = _split(specs, params)
    product = lookup("matmul").infer((a, b), ())
    assert all(x is product for x in (first, last) if x is not None), "only whole results are added"
    return product


def _reference(*args: Any) -> Any:
    *inputs, has_first, has_last = args
    first, a, b, last = _split(inputs, (has_first, has_last))
    total = np.matmul(a, b)
    if first is not None:
        total = first + total
    return total if last is None else total + last


# Users never write it, so it isn't in the table of operators.
MATMUL_SUM: Final = Op("matmul_sum", LIBRARY, _infer, _reference)


def product_sum(node: Node) -> ProductSum | None:
    """``node`` as such a sum, where it is one or a product itself."""
    if node.op is MATMUL_SUM:
        return ProductSum(*_split(node.inputs, node.params))
    return ProductSum(None, node.inputs[0], node.inputs[1], None) if node.op.name == "matmul" else None
