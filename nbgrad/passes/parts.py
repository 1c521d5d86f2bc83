"""A graph whose values live at several places, cut into parts: each an ordinary graph that runs at one place.

What passes from one part to another is computed by the first, moved where that is somewhere else, and an input of the
second. Parts of the same place and level are one; a level is how often something must be moved before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, cast

from nbgrad.graph.node import Node, rebuild, rewritten, toposort
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node
from nbgrad.ops.transfer import ANYWHERE, find_place, transfer

OUTSIDE: Final = -1  # in place of a part: an input of the whole
HISTORIES: Final = ("detach", "rebase_history", "overwrite_history")  # whose value is that of their last input

Key = tuple[int, int]  # (level, place)


class Source(NamedTuple):
    """A value: result ``number`` of part ``part``, or input ``number`` of the whole. It lies at ``place``."""

    part: int
    number: int
    place: int


class Part(NamedTuple):
    """What runs at one place: ``roots`` over inputs that are bound to ``sources``, by position."""

    place: int
    roots: list[Node]
    sources: list[Source]


class Division(NamedTuple):
    """Parts in an order in which they can run, and for each root of the whole its value and where it is wanted."""

    parts: list[Part]
    results: list[tuple[Source, int]]

    def makers(self) -> dict[int, tuple[int, int]]:
        """By root of the whole the part, and the root of that, whose memory it gets: no two the same."""
        found: dict[tuple[int, int], int] = {}
        for root, ((part, number, here), place) in enumerate(self.results):
            if part != OUTSIDE and here == place:
                found.setdefault((part, number), root)
        return {root: maker for maker, root in found.items()}

    def reads_once(self, root: int, position: int) -> bool:
        """Whether input ``position`` of the whole is read by the part that makes ``root``, where it lies, and by nobody
        else."""
        (maker, _, here), _ = self.results[root]
        readers = [k for k, part in enumerate(self.parts) for s in part.sources if s[:2] == (OUTSIDE, position)]
        given = [s for s, _ in self.results if s[:2] == (OUTSIDE, position)]
        if given or readers != [maker]:
            return False
        (source,) = [s for s in self.parts[maker].sources if s[:2] == (OUTSIDE, position)]
        return source.place == here


def is_placed(roots: Sequence[Node]) -> bool:
    """Whether anything behind ``roots`` lives elsewhere than in the CPU's memory."""
    return Spec.any_placed and any(
        n.op is transfer or (n.op.name == "input" and len(n.params) > 2) for n in toposort(roots)
    )


def divide(roots: Sequence[Node], places: Sequence[int]) -> Division:
    """Cut the graph behind ``roots``; ``places`` say where each root is wanted that could be computed anywhere.

    Needs: any graph.   Gives: graphs without transfers, whose inputs have no place.   Keeps: values bit for bit.
    Cost: O(nodes).
    """
    values = _without_histories(roots)
    return _Cut(values).division(values, places)


def _without_histories(roots: Sequence[Node]) -> list[Node]:
    """The graph of the values alone: what only derivatives ask for may have no memory any more."""
    order = toposort(roots)
    return rewritten(roots, order, lambda node, new: new[node.inputs[-1]] if node.op.name in HISTORIES else None)


class _Growing:
    """A part on its way: its nodes by those they were, its sources by what they are, the roots others ask for."""

    def __init__(self) -> None:
        self.nodes: dict[Node, Node] = {}
        self.inputs: dict[tuple[Key | None, Node | int], Node] = {}
        self.roots: dict[Node, int] = {}

    def input(self, key: Key | None, what: Node | int, spec: Spec) -> Node:
        """The node for a value from elsewhere."""
        found = self.inputs.get((key, what))
        if found is None:
            found = self.inputs[key, what] = input_node(len(self.inputs), spec)
        return found


class _Cut:
    """The cutting of one graph: where and at which level each node is, and the parts as they grow."""

    def __init__(self, roots: Sequence[Node]) -> None:
        self.place: dict[Node, int] = {}
        self.level: dict[Node, int] = {}
        self.parts: dict[Key, _Growing] = {}
        for node in toposort(roots):
            place = find_place(node, self.place)
            self.level[node] = max([self._ready(_bare(x), place) for x in node.inputs], default=0)
            if self._is_computed(node):
                self._take_in(node, self._key(node))

    def _is_computed(self, node: Node) -> bool:
        """Whether a part has this node of its own: it is no input, transfer or value that anybody can compute."""
        return node.op is not transfer and node.op.name != "input" and self.place[node] != ANYWHERE

    def _key(self, node: Node) -> Key:
        return self.level[node], self.place[node]

    def _ready(self, x: Node, place: int) -> int:
        """The level from which on ``x`` is at ``place``."""
        if not self._is_computed(x):
            return 0
        return self.level[x] + (self.place[x] != place)

    def _take_in(self, node: Node, key: Key) -> Node:
        part = self.parts.setdefault(key, _Growing())
        new = part.nodes[node] = rebuild(node, [self._seen_from(key, _bare(x)) for x in node.inputs])
        return new

    def _seen_from(self, key: Key, x: Node) -> Node:
        """The node that has the value of ``x`` in the part ``key``."""
        part = self.parts.setdefault(key, _Growing())
        known = part.nodes.get(x)
        if known is not None:
            return known
        if x.op.name == "input":
            part.nodes[x] = part.input(None, x.params[0], x.spec)
        elif self._is_computed(x):
            part.nodes[x] = part.input(self._key(x), x, x.spec)
        else:
            for node in toposort([x]):
                if node not in part.nodes:
                    part.nodes[node] = rebuild(node, [part.nodes[_bare(y)] for y in node.inputs])
        return part.nodes[x]

    def _output(self, key: Key, node: Node) -> int:
        """Which result of the part ``key`` the value of ``node`` is; it becomes one."""
        return self.parts[key].roots.setdefault(node, len(self.parts[key].roots))

    def division(self, roots: Sequence[Node], places: Sequence[int]) -> Division:
        wanted: list[tuple[Key | None, int, int]] = []
        for root, place in zip(roots, places, strict=True):
            at = self.place[root] if self.place[root] != ANYWHERE else place
            x = _bare(root)
            if self._is_computed(x):
                wanted.append((self._key(x), self._output(self._key(x), x), at))
            elif x.op.name == "input" and self.place[x] != at:
                wanted.append((None, x.params[0], at))
            else:
                self._seen_from((0, at), x)
                wanted.append(((0, at), self._output((0, at), x), at))
        for part in self.parts.values():
            for key, what in part.inputs:
                if key is not None:
                    assert isinstance(what, Node)
                    self._output(key, what)
        return self._numbered(wanted)

    def _numbered(self, wanted: Sequence[tuple[Key | None, int, int]]) -> Division:
        keys = sorted(self.parts)
        number = {key: i for i, key in enumerate(keys)}
        outside = {x.params[0]: p for x, p in self.place.items() if x.op.name == "input"}

        def source(key: Key | None, index: int) -> Source:
            return Source(OUTSIDE, index, outside[index]) if key is None else Source(number[key], index, key[1])

        parts = []
        for key in keys:
            part = self.parts[key]
            bound = [source(k, x if isinstance(x, int) else self._output(cast("Key", k), x)) for k, x in part.inputs]
            parts.append(Part(key[1], [part.nodes[x] for x in part.roots], bound))
        return Division(parts, [(source(key, index), at) for key, index, at in wanted])


def _bare(x: Node) -> Node:
    """The node whose value ``x`` is, wherever that is."""
    while x.op is transfer:
        x = x.inputs[0]
    return x
