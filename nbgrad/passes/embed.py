"""Writes through slices and concatenations as choices by place, so that one loop makes the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Final, NamedTuple

from nbgrad.graph.dtypes import int64
from nbgrad.graph.geometry import affine, base_of
from nbgrad.graph.node import Node, apply, const, rewritten, toposort
from nbgrad.graph.op import MAP
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops.compare import where
from nbgrad.ops.embed import EMBED, SHIFT, guard
from nbgrad.ops.source import iota_node
from nbgrad.passes.fold import is_repeated
from nbgrad.passes.group import after_reductions

MOST_PARTS: Final = 12  # writes into one whole: every element asks which of them it belongs to
MOST_MOVED: Final = 120  # operators moved into one loop
MOST_REPEATED: Final = 6  # operators computed again for a part that wants a value which others want, too
MOST_READ: Final = 4  # arrays that these read
CHEAP: Final = 2.0
SMALL: Final = 32  # elements: a few vectors, whatever the parts


def may_move(x: Node) -> bool:
    """Whether ``x`` is a map that neither fails on what lies around a part nor reads memory its own way."""
    return x.op.kind is MAP and not x.op.can_fail and x.op is not guard


class Part(NamedTuple):
    """Elements ``start``, ... of dim ``dim`` of a ``whole``, ``length`` of them."""

    dim: int
    start: Node
    length: int
    whole: Shape

    @property
    def size(self) -> int:
        return self.whole[self.dim]

    @property
    def is_wide(self) -> bool:
        return 2 * self.length > self.size


Parts = tuple[Part, ...]  # from the outermost to the innermost
Pieces = list[tuple[Node, Parts]]


def embed(roots: Sequence[Node]) -> list[Node]:
    """``put_slice``, ``cat`` and ``pad`` as maps, where one part is most of the whole: stencils and their derivatives.

    Needs: a canonical graph.   Gives: ``where(within(place), part, rest)`` over the whole's shape, the maps that a part
    is made of moved inside; cheap values that several parts want are computed for each.
    Keeps: values bit for bit, shapes.   Cost: one walk, and one over what is moved.
    """
    order = toposort(roots)
    readers = Counter([x for node in order for x in set(node.inputs)])
    readers.update(roots)
    sources = _Sources()
    chains = _chains(order, sources)
    if not chains:
        return list(roots)
    facts = _Facts(readers, set(chains), after_reductions(order), sources)
    chains = {node: top for node, top in chains.items() if top.op.name != "cat" or facts.gains(top)}
    movers: dict[Node, _Mover] = {}

    def whole(node: Node, new: dict[Node, Node]) -> Node | None:
        top = chains.get(node)
        return top and (movers.get(top) or movers.setdefault(top, _Mover(new, facts))).value(node)

    return rewritten(roots, order, whole)


class _Sources:
    """Index ramps, constants and parts, each made once: a long loop has few different ones."""

    def __init__(self) -> None:
        self.ramp = cache(iota_node)
        self.number = cache(lambda value: const(value, int64))
        self.pieces_of = cache(partial(_pieces_of, self.number))


def _pieces_of(number: Callable[[int], Node], node: Node) -> Pieces:
    """What ``put_slice``, ``cat`` or ``pad`` puts where."""
    shape = node.spec.shape
    if node.op.name == "put_slice":
        _, w, start = node.inputs
        dim, length, _ = node.params
        return [(w, (Part(dim, start, length, shape),))]
    if node.op.name == "cat":
        (dim,), first = node.params, 0
        found: Pieces = []
        for x in node.inputs:
            found.append((x, (Part(dim, number(first), x.spec.shape[dim], shape),)))
            first += x.spec.shape[dim]
        return found
    x, parts = node.inputs[0], []
    for dim, (low, _) in enumerate(node.params[0]):
        if x.spec.shape[dim] != shape[dim]:
            parts.append(Part(dim, number(low), x.spec.shape[dim], shape))
            shape = (*shape[:dim], x.spec.shape[dim], *shape[dim + 1 :])
    return [(x, tuple(parts))]


def _chains(order: Sequence[Node], sources: _Sources) -> dict[Node, Node]:
    """The nodes that are worth it, each with the last of the writes that it is one of."""
    found: dict[Node, Node] = {}
    seen: set[Node] = set()
    for node in reversed(order):
        if node.op.name in ("cat", "pad") and _is_worth([node], sources):
            found[node] = node
        elif node.op.name == "put_slice" and node not in seen:
            chain, x = [], node
            while x.op.name == "put_slice" and x not in seen:
                seen.add(x)
                chain.append(x)
                x = x.inputs[0]
            if _is_worth(chain, sources):
                found.update(dict.fromkeys(chain, node))
    return found


def _is_worth(writes: Sequence[Node], sources: _Sources) -> bool:
    """Whether all that lies outside wide parts and inside others is little beside the whole."""
    parts = [part for node in writes for _, inner in sources.pieces_of(node) for part in inner]
    if not 0 < len(parts) <= MOST_PARTS or not any([part.is_wide for part in parts]):  # noqa: C419  (faster)
        return False
    if any(node.op.name == "put_slice" and node.params[2] != 1 for node in writes):
        return False
    edge: dict[int, int] = {}
    for part in parts:
        edge[part.dim] = edge.get(part.dim, 0) + (part.size - part.length if part.is_wide else part.length)
    whole = writes[0].spec.shape
    return all(2 * n <= whole[dim] or whole[dim] <= SMALL for dim, n in edge.items())


class _Facts(NamedTuple):
    """What is known of the graph: how many nodes read each, which are parts of wholes, which follow reductions."""

    readers: Counter[Node]
    wholes: set[Node]
    late: set[Node]
    sources: _Sources

    def gains(self, cat: Node) -> bool:
        """Whether the wide piece of a ``cat`` is made here; a loop elsewhere could write it into its place."""
        wide = [x for x, (part,) in self.sources.pieces_of(cat) if part.is_wide]
        return all(x.op.kind is not MAP or self.moves(x) for x in wide)

    def moves(self, x: Node) -> bool:
        """Whether ``x`` may be computed where it is wanted."""
        if not may_move(x) or x in self.late:
            return False
        return self.readers[x] == 1 or self._is_cheap(x)

    def _is_cheap(self, top: Node) -> bool:
        """Whether ``top`` takes little to compute once more."""
        nodes, read, stack = {top}, set(), [top]
        while stack:
            node = stack.pop()
            if node.op.cost > CHEAP:
                return False
            for x in node.inputs:
                if x.spec.shape and may_move(x):
                    if x not in nodes:
                        nodes.add(x)
                        stack.append(x)
                elif x.spec.shape and not is_repeated(x):
                    read.add(base_of(x))
            if len(nodes) > MOST_REPEATED or len(read) > MOST_READ:
                return False
        return True


class _Mover:
    """Makes the values of one chain of writes."""

    def __init__(self, new: dict[Node, Node], facts: _Facts) -> None:
        self.new = new
        self.facts = facts
        self.sources = facts.sources
        self.moved = 0
        self._known: dict[Any, Node] = {}

    def value(self, node: Node, parts: Parts = ()) -> Node:
        """The whole that ``node``, one of the writes, gives; ``parts`` say where in a still larger one."""
        inside = [(self.at(x, (*parts, *own)), self.mask((*parts, *own))) for x, own in self.sources.pieces_of(node)]
        if node.op.name == "cat":
            (whole, _), *inside = inside
        else:
            whole = self.at(node.inputs[0 if node.op.name == "put_slice" else 1], parts)
        for x, mask in inside:
            spec = Spec.of(mask.spec.shape, node.spec.dtype)
            whole = Node(where, (mask, x, whole), (), spec, node.site)
        return whole

    def at(self, x: Node, parts: Parts) -> Node:
        """``x`` at its place in the whole; around it anything may stand."""
        if is_repeated(x):
            return self.new[x.inputs[0]]
        if not x.spec.shape or not parts:
            return self.new[x]
        key = (x, parts)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._at(x, parts)
        return found

    def _at(self, x: Node, parts: Parts) -> Node:
        if _shows(x, parts[-1]):
            return self.at(x.inputs[0], parts[:-1])
        if self.moved < MOST_MOVED:
            if x in self.facts.wholes and self.facts.readers[x] == 1:
                return self.value(x, parts)
            if self.facts.moves(x):
                self.moved += 1
                return _made(x, [self.at(i, parts) for i in x.inputs], parts)
            if x.op.name == "slice" and self.facts.moves(x.inputs[0]):
                return self._at_slice(x, parts)
        whole = self.new[x]
        for part in reversed(parts):
            whole = apply(EMBED, whole, self.new.get(part.start, part.start), params=(part.dim, part.size))
        is_ramp = base_of(whole).op.name == "iota"  # which goes on around it
        return whole if is_ramp else Node(guard, (whole, self.mask(parts)), (), whole.spec)

    def _at_slice(self, x: Node, parts: Parts) -> Node:
        """A slice of a map as that map of slices."""
        self.moved += 1
        cut = x.inputs[0]
        inputs = []
        for i in cut.inputs:
            if i.spec.shape and not is_repeated(i):
                view = apply("slice", i, x.inputs[1], params=x.params)
                start = self.new[x.inputs[1]]
                self.new[view] = apply("slice", self.new[i], start, params=x.params)
                inputs.append(self.at(view, parts))
            else:
                inputs.append(self.at(i, parts))
        return _made(cut, inputs, parts)

    def mask(self, parts: Parts) -> Node:
        """Where the innermost of ``parts`` lies in the outermost whole."""
        found = self._known.get(parts)
        if found is None:
            found = self._known[parts] = self._mask(parts)
        return found

    def _mask(self, parts: Parts) -> Node:
        part = parts[-1]
        ramp = self.sources.ramp(parts[0].whole, part.dim)
        for p in parts:
            if p.dim == part.dim:
                ramp = apply(SHIFT, ramp, self.new.get(p.start, p.start), params=(p.size - p.length,))
        here = apply("within", ramp, self.sources.number(part.length), params=(part.is_wide,))
        return here if len(parts) == 1 else apply("bit_and", self.mask(parts[:-1]), here)


def _made(x: Node, inputs: Sequence[Node], parts: Parts) -> Node:
    """The map ``x`` of ``inputs``, which have the shape of the whole or none; its Spec is known without asking."""
    whole = parts[0].whole if any([i.spec.shape for i in inputs]) else ()  # noqa: C419  (faster)
    return Node(x.op, tuple(inputs), x.params, Spec.of(whole, x.spec.dtype), x.site)


def _shows(x: Node, part: Part) -> bool:
    """Whether ``x`` is the slice that ``part`` puts back into its place."""
    if x.op.name != "slice" or x.params != (part.dim, part.length, 1) or x.inputs[0].spec.shape != part.whole:
        return False
    return x.inputs[1] is part.start or affine(x.inputs[1]) == affine(part.start)
