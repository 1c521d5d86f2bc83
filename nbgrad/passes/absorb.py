"""Additions to a matrix product, done while the product is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from nbgrad.graph.node import Node, apply, rebuild, toposort
from nbgrad.graph.op import LIBRARY, Op, Params, lookup
from nbgrad.graph.spec import Spec
from nbgrad.ops.library import PRODUCT_RUN


def _infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    product = lookup("matmul").infer(specs[1:], ())
    assert specs[0] is product, "only a whole result is added to"
    return product


def _reference(x: Any, a: Any, b: Any) -> Any:
    return x + np.matmul(a, b)


# x + a @ b for an x of the product's shape. Users never write it, so it isn't in the table of operators.
MATMUL_ONTO: Final = Op("matmul_onto", LIBRARY, _infer, _reference)


def absorb(roots: Sequence[Node]) -> list[Node]:
    """``x + a @ b`` becomes one operator where ``x`` is in memory anyway: gradients of a weight that is used often.

    Needs: a canonical graph.   Gives: no addition of a product that nobody else reads to a product or an input.
    Keeps: values bit for bit: such a product is one run, whose sum is added as the map would; shapes, sites.
    Cost: one walk, O(nodes).
    """
    order = toposort(roots)
    readers = Counter([x for node in order for x in node.inputs])
    readers.update(roots)
    new: dict[Node, Node] = {}
    for node in order:
        inputs = [new[x] for x in node.inputs]
        i = _absorbing(node, inputs, readers)
        if i is None:
            new[node] = rebuild(node, inputs)
        else:
            new[node] = apply(MATMUL_ONTO, inputs[1 - i], *inputs[i].inputs, site=node.site)
    return [new[root] for root in roots]


def _absorbing(node: Node, inputs: Sequence[Node], readers: Counter[Node]) -> int | None:
    """Which input of ``node`` is a product that can add the other one; None where neither can."""
    for i in (1, 0) if node.op.name == "add" else ():
        x, other = node.inputs[i], inputs[1 - i]
        is_product = x.op.name == "matmul" and readers[x] == 1 and x.inputs[0].spec.shape[-1] <= PRODUCT_RUN
        if is_product and other.spec is x.spec and (other.op.kind is LIBRARY or other.op.name == "input"):
            return i
    return None
