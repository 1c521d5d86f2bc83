"""Small vectors whose components are read and put together one by one, as numbers: ``y[0]``, ``stack([a, b])``."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from nbgrad.graph.node import Node, apply, rebuild, toposort
from nbgrad.graph.op import MAP
from nbgrad.graph.spec import Spec
from nbgrad.ops.view import MOST_COMPONENTS, reshape_to, slice_at
from nbgrad.passes.embed import NOT_MOVED
from nbgrad.passes.pieces import span_of
from nbgrad.passes.sets import Sets

REPEATED: Final = 8  # maps that may be computed once more to save one copy, which is a kernel of its own
MAKING: Final = ("cat", "put_slice")  # they put vectors together
WHOLE: Final = NOT_MOVED | {"within"}  # maps that read memory or their own place, or may fail


def components(roots: Sequence[Node]) -> list[Node]:
    """Maps of small vectors as maps of their components, where these are sliced out, stacked and written one by one.

    Needs: a canonical graph.   Gives: no ``cat``, ``put_slice`` or ``slice`` at known places between such maps; a
    ``cat`` where a vector is wanted whole.   Keeps: values bit for bit, shapes.   Cost: one walk, O(nodes).
    """
    order = toposort(roots)
    apart = _apart(order)
    if not apart:
        return list(roots)
    vectors = _Vectors(apart)
    for node in order:
        vectors.enter(node)
    return [vectors.whole(root) for root in roots]


def _apart(order: Sequence[Node]) -> set[Node]:
    """The vectors to take apart: regions of them where elements are put together and read one by one, and more of
    these than would be computed."""
    sets = Sets([node for node in order if _is_of_components(node)])
    for node in sets.members:
        for x in node.inputs:
            if x in sets.members:
                sets.join(x, node)
    apart: set[Node] = set()
    for nodes, _ in sets.found():
        gain: float = 0
        for node in nodes:
            if node.op.kind is MAP:
                gain -= node.spec.size - 1
            elif node.op.name in (*MAKING, "slice"):
                gain += REPEATED if _is_by_one(node) else -inf
        names = {node.op.name for node in nodes}
        if gain > 0 and "slice" in names and not names.isdisjoint(MAKING):
            apart.update(nodes)
    return apart


def _is_by_one(node: Node) -> bool:
    """Whether one element is cut out, written, or each put beside the next; stencils and their like are arrays."""
    if node.op.name == "cat":
        return all(x.spec.size == 1 for x in node.inputs)
    return bool(node.params[1] == 1)


def _is_of_components(node: Node) -> bool:
    """Whether ``node`` is a small vector of which each component comes from known components of others."""
    shape = node.spec.shape
    if len(shape) != 1 or not 0 < shape[0] <= MOST_COMPONENTS:
        return False
    name = node.op.name
    if name in ("slice", "put_slice"):
        return node.inputs[0].spec.size <= MOST_COMPONENTS and span_of(node) is not None
    if name in ("reshape", "expand"):
        return node.inputs[0].spec.rank <= 1
    return name == "cat" or (node.op.kind is MAP and name not in WHOLE)


class _Vectors:
    """New nodes by old ones: those of ``apart`` by component, all others whole."""

    def __init__(self, apart: set[Node]) -> None:
        self._apart = apart
        self._new: dict[Node, Node] = {}
        self._parts: dict[Node, list[Node]] = {}

    def enter(self, node: Node) -> None:
        """Make ``node``, whose inputs were entered."""
        if node in self._apart:
            self._parts[node] = self._made(node)
        elif node.op.name == "reshape" and not node.spec.shape and node.inputs[0] in self._apart:
            self._new[node] = self._parts[node.inputs[0]][0]
        else:
            self._new[node] = rebuild(node, [self.whole(x) for x in node.inputs])

    def whole(self, x: Node) -> Node:
        """The new node of ``x``, put together where there are its components only."""
        found = self._new.get(x)
        if found is None:
            parts = [reshape_to(part, (1,)) for part in self._parts[x]]
            found = self._new[x] = parts[0] if len(parts) == 1 else apply("cat", *parts, params=(0,), site=x.site)
        return found

    def _of(self, x: Node) -> list[Node]:
        """The components of ``x``, 0-d; of a 0-d value itself."""
        found = self._parts.get(x)
        if found is None:
            new, (size,) = self._new[x], x.spec.shape or (1,)
            found = [new] if not x.spec.shape else [reshape_to(slice_at(new, i, 0, 1), ()) for i in range(size)]
            self._parts[x] = found
        return found

    def _made(self, node: Node) -> list[Node]:
        name, size = node.op.name, node.spec.size
        if name == "cat":
            return [part for x in node.inputs for part in self._of(x)]
        if name == "expand":
            return self._of(node.inputs[0]) * (size // node.inputs[0].spec.size)
        if name == "reshape":
            return self._of(node.inputs[0])
        if name in ("slice", "put_slice"):
            span = span_of(node)
            assert span is not None
            parts = self._of(node.inputs[0])
            if name == "slice":
                return parts[span.start : span.end]
            return [*parts[: span.start], *self._of(node.inputs[1]), *parts[span.end :]]
        return [self._map(node, i) for i in range(size)]

    def _map(self, node: Node, i: int) -> Node:
        inputs = tuple([self._of(x)[i] if x.spec.shape else self._new[x] for x in node.inputs])
        return Node(node.op, inputs, node.params, Spec.of((), node.spec.dtype), node.site)
