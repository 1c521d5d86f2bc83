"""Many examples at once: the graph of one example becomes that of all, along a new first dim.

Rules map nodes to nodes, so what comes out is an ordinary graph. Derivatives are part of the graph of an example: a
gradient of each is what the rules make of the gradient of one.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from nbgrad.errors import MissingRuleError
from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops.batching import beside, every


def batch(
    outputs: Sequence[Node],
    examples: Mapping[Node, Node],
    size: int,
    random: Container[Node] = (),
    before: Iterable[Node] = (),
) -> dict[Node, Node]:
    """The nodes behind ``outputs`` that depend on the example, and what they are for all examples, in the order in
    which they are computed.

    ``examples`` are the nodes that stand for one example, and those of all ``size`` along their first dim. ``random``
    are nodes of random bits that each example has its own of; nodes ``before`` are the same for each. Cost: O(nodes
    behind ``outputs``).
    """
    batching = _Batching(examples, size, random, before)
    for output in outputs:
        batching.follow(output)
    return batching.found


class _Batching:
    """What nodes are for all examples; those ``done`` that are not ``found`` are the same for each."""

    def __init__(
        self, examples: Mapping[Node, Node], size: int, random: Container[Node], before: Iterable[Node]
    ) -> None:
        self.found = dict(examples)
        self._done = {*examples, *before}
        self._shows: dict[Node, Node] = {}
        self._size = size
        self._random = random

    def follow(self, root: Node) -> None:
        """Find what ``root`` is, and what is behind it and not done."""
        found, done = self.found, self._done
        stack = [root]
        while stack:
            node = stack[-1]
            if node in done:
                stack.pop()
                continue
            if not done.issuperset(node.inputs):
                stack += [x for x in node.inputs if x not in done]
                continue
            stack.pop()
            done.add(node)
            if node in self._random:
                found[node] = _apart(node, self._size)
            elif not found.keys().isdisjoint(node.inputs):
                all_examples = self._batched(node)
                if all_examples is not None:
                    found[node] = all_examples

    def _batched(self, node: Node) -> Node | None:
        """``node`` by its own rule, or that of the formula that it stands for; None where that reads nothing of the
        example."""
        op, found = node.op, self.found
        if op.batch is not None:
            inputs = tuple([found.get(x, x) for x in node.inputs])
            return op.batch(node, inputs, tuple([x in found for x in node.inputs]), self._size)
        if op.kind is Kind.MAP:
            spec = Spec.of((self._size, *node.spec.shape), node.spec.dtype)
            return Node(op, tuple([self._element(x, spec.shape) for x in node.inputs]), node.params, spec)
        if op.decompose is not None:
            formula = op.decompose(node.inputs, node.params)
            self.follow(formula)
            return found.get(formula)
        raise MissingRuleError(
            f"{op.name} has no batching rule: vmap cannot compute it for many examples at once. Call it outside of vmap"
        )

    def _element(self, x: Node, shape: Shape) -> Node:
        """Operand ``x`` of a map, as the map of all examples, which has this shape, reads it. What is the same for each
        has one view for all of its readers."""
        own = self.found.get(x)
        if own is not None:
            return own if own.spec.shape == shape else beside(own, True, shape)
        if not x.spec.shape:
            return x
        if x not in self._shows:
            self._shows[x] = every(x, False, self._size)
        own = self._shows[x]
        return own if own.spec.shape == shape else beside(own, False, shape)


def _apart(bits: Node, size: int) -> Node:
    """Random bits for each example, numbered as in one draw for all of them: no example has an element of another."""
    index, *rest = bits.inputs
    shape = (size, *bits.spec.shape)
    first = apply("iota", params=(shape, 0)) * const(bits.spec.size, int64)
    own = index if not index.spec.rank else apply("expand", index, params=(shape,))
    return apply(bits.op, own + first if index.spec.rank else first + own, *rest, params=bits.params)
