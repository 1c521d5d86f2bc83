"""Small vectors whose components are read and put together one by one, as numbers: ``y[0]``, ``stack([a, b])``. So are
a few of them, the rows of an array: what becomes of a vector for several tangents, or examples."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import Final

from nbgrad.graph.node import Node, apply, rebuild, toposort
from nbgrad.graph.op import MAP
from nbgrad.graph.spec import Spec
from nbgrad.ops.view import MOST_COMPONENTS, expand_to, reshape_to, slice_at
from nbgrad.passes.embed import may_move
from nbgrad.passes.pieces import span_of
from nbgrad.passes.sets import Sets

MOST_ROWS: Final = 64  # of more the components lie apart, and what is read from memory is most of the work
REPEATED: Final = 8  # maps that may be computed once more to save one copy, which is a kernel of its own
MAKING: Final = ("cat", "put_slice")  # they put vectors together


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
            if x in sets.members and not _is_one(node, x):
                sets.join(x, node)
    apart: set[Node] = set()
    for nodes, _ in sets.found():
        gain: float = 0
        for node in nodes:
            if node.op.kind is MAP:
                gain -= node.spec.shape[-1] - 1
            elif node.op.name in (*MAKING, "slice"):
                gain += REPEATED if _is_by_one(node) else -inf
        names = {node.op.name for node in nodes}
        if gain > 0 and "slice" in names and not names.isdisjoint(MAKING):
            apart.update(nodes)
    return apart


def _is_by_one(node: Node) -> bool:
    """Whether one element is cut out, written, or each put beside the next; stencils and their like are arrays."""
    if node.op.name == "cat":
        return all(x.spec.shape[-1] == 1 for x in node.inputs)
    return bool(node.params[1] == 1)


def _is_of_components(node: Node) -> bool:
    """Whether ``node`` is a small vector, or a few, of which each component comes from known components of others."""
    *rows, size = node.spec.shape or (0,)
    if not 0 < size <= MOST_COMPONENTS or not 0 < prod(rows) <= MOST_ROWS:
        return False
    name, last = node.op.name, len(rows)
    if name in ("slice", "put_slice"):
        return node.params[0] == last and node.inputs[0].spec.shape[-1] <= MOST_COMPONENTS and span_of(node) is not None
    if name == "reshape":
        return _is_one(node, node.inputs[0]) or node.inputs[0].spec.shape[-1:] == (size,)
    if name == "cat":
        return bool(node.params[0] == last)
    return name == "expand" or (name != "within" and may_move(node))  # which asks for its own place


def _is_one(x: Node, component: Node) -> bool:
    """Whether vectors ``x`` show ``component``, the only one of each."""
    return x.spec.shape == (*component.spec.shape, 1)


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
        elif node.op.name == "reshape" and node.inputs[0] in self._apart and _is_one(node.inputs[0], node):
            self._new[node] = self._parts[node.inputs[0]][0]
        else:
            self._new[node] = rebuild(node, [self.whole(x) for x in node.inputs])

    def whole(self, x: Node) -> Node:
        """The new node of ``x``, put together where there are its components only."""
        found = self._new.get(x)
        if found is None:
            *rows, _ = x.spec.shape
            parts = [reshape_to(part, (*rows, 1)) for part in self._parts[x]]
            found = parts[0] if len(parts) == 1 else apply("cat", *parts, params=(len(rows),), site=x.site)
            self._new[x] = found
        return found

    def _of(self, x: Node) -> list[Node]:
        """The components of ``x``; of a 0-d value itself."""
        found = self._parts.get(x)
        if found is None:
            new, (*rows, size) = self._new[x], x.spec.shape or (1,)
            found = [new]
            if x.spec.shape:
                found = [reshape_to(slice_at(new, i, len(rows), 1), tuple(rows)) for i in range(size)]
            self._parts[x] = found
        return found

    def _made(self, node: Node) -> list[Node]:
        name, (*rows, size) = node.op.name, node.spec.shape
        if name == "cat":
            return [part for x in node.inputs for part in self._of(x)]
        if name == "expand":
            parts = [expand_to(part, tuple(rows)) for part in self._of(node.inputs[0])]
            return parts * (size // len(parts))
        if name == "reshape":
            (x,) = node.inputs
            return [reshape_to(part, tuple(rows)) for part in ([self.whole(x)] if _is_one(node, x) else self._of(x))]
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
        return Node(node.op, inputs, node.params, Spec.of(node.spec.shape[:-1], node.spec.dtype), node.site)
