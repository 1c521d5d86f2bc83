"""Many examples at once: the graph of one example becomes that of all, along a new first dim.

Rules map nodes to nodes, so what comes out is an ordinary graph. Derivatives are part of the graph of an example: a
gradient of each is what the rules make of the gradient of one.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from nbgrad.errors import MissingRuleError
from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind
from nbgrad.ops.batching import over_elements


def batch(
    outputs: Sequence[Node], examples: Mapping[Node, Node], size: int, random: Container[Node] = ()
) -> dict[Node, Node]:
    """The nodes behind ``outputs`` that depend on the example, and what they are for all examples, in the order in
    which they are computed.

    ``examples`` are the nodes that stand for one example, and those of all ``size`` along their first dim. ``random``
    are nodes of random bits that each example has its own of. Cost: O(nodes behind ``outputs``).
    """
    found = dict(examples)
    done = set(examples)
    for output in outputs:
        _follow(output, found, done, size, random)
    return found


def _follow(root: Node, found: dict[Node, Node], done: set[Node], size: int, random: Container[Node]) -> None:
    """Find what ``root`` is, and what is behind it and not ``done``."""
    stack = [root]
    while stack:
        node = stack[-1]
        if node in done:
            stack.pop()
            continue
        waiting = [x for x in node.inputs if x not in done]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        done.add(node)
        if node in random:
            found[node] = _apart(node, size)
        elif any(x in found for x in node.inputs):
            all_examples = _batched(node, found, done, size, random)
            if all_examples is not None:
                found[node] = all_examples


def _batched(node: Node, found: dict[Node, Node], done: set[Node], size: int, random: Container[Node]) -> Node | None:
    """``node`` by its own rule, or that of the formula that it stands for; None where that reads nothing of the
    example."""
    op = node.op
    if op.batch is not None or op.kind is Kind.MAP:
        rule = op.batch or over_elements
        inputs = tuple([found.get(x, x) for x in node.inputs])
        return rule(node, inputs, tuple([x in found for x in node.inputs]), size)
    if op.decompose is not None:
        formula = op.decompose(node.inputs, node.params)
        _follow(formula, found, done, size, random)
        return found.get(formula)
    raise MissingRuleError(
        f"{op.name} has no batching rule: vmap cannot compute it for many examples at once. Call it outside of vmap"
    )


def _apart(bits: Node, size: int) -> Node:
    """Random bits for each example, numbered as in one draw for all of them: no example has an element of another."""
    index, *rest = bits.inputs
    shape = (size, *bits.spec.shape)
    first = apply("iota", params=(shape, 0)) * const(bits.spec.size, int64)
    own = index if not index.spec.rank else apply("expand", index, params=(shape,))
    return apply(bits.op, own + first if index.spec.rank else first + own, *rest, params=bits.params)
