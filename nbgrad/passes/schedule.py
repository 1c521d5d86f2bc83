"""Groups in an order that respects their edges, each with what it has to store."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence

from nbgrad.graph.geometry import Geometry, plain, resolve
from nbgrad.graph.node import Node
from nbgrad.graph.op import Kind
from nbgrad.graph.spec import Shape
from nbgrad.passes.group import Group, read_by
from nbgrad.passes.uniform import closure


class Draft:
    """A group under construction. Its first ``own`` nodes are its own; others it computes again for itself.

    ``finish`` are maps of its reductions' results, all its own until numbers join them that they use.
    """

    __slots__ = ("dims", "finish", "nodes", "own", "shape")

    def __init__(self, nodes: list[Node], shape: Shape, dims: Shape) -> None:
        self.nodes = nodes
        self.finish: list[Node] = []
        self.own = len(nodes)
        self.shape = shape
        self.dims = dims

    @property
    def is_library(self) -> bool:
        return bool(self.nodes) and self.nodes[0].op.kind is Kind.LIBRARY

    def repeat(self, nodes: Sequence[Node]) -> None:
        """Compute ``nodes``, which another group owns, here too."""
        self.nodes = list(dict.fromkeys([*self.nodes, *nodes]))


def scheduled(roots: Sequence[Node], order: Sequence[Node], drafts: list[Draft], uniform: set[Node]) -> list[Group]:
    """The groups of ``drafts``, each with the uniform values it uses; a group for those that are needed in memory."""
    position = {node: i for i, node in enumerate(order)}
    memory = _Memory(roots)
    drafts = [*drafts, *_uniform_in_memory(memory, drafts, uniform)]
    home = {node: i for i, draft in enumerate(drafts) for node in [*draft.nodes[: draft.own], *draft.finish]}
    for draft in drafts:
        if not draft.is_library:
            draft.repeat(list(closure([x for node in draft.nodes for x in node.inputs], uniform)))
            draft.finish += closure([x for node in draft.finish for x in node.inputs], uniform)
        draft.nodes.sort(key=position.__getitem__)
        draft.finish.sort(key=position.__getitem__)
    stores = _drop_unread(memory, drafts, home)
    groups, needs = [], []
    for i, draft in enumerate(drafts):
        dims = draft.dims if any(n.op.kind is Kind.REDUCE for n in draft.nodes) else ()
        groups.append(Group(tuple(draft.nodes), tuple(stores[i]), draft.shape, dims, tuple(draft.finish)))
        needs.append({home[x] for x in memory.reads(draft)})
    return _sorted(groups, needs, position)


def _drop_unread(memory: _Memory, drafts: Sequence[Draft], home: dict[Node, int]) -> list[list[Node]]:
    """What each draft stores, once all that nobody reads any more has left the drafts."""
    while True:
        needed = memory.of_results | {x for draft in drafts for x in memory.reads(draft)}
        stores = [
            [n for n in (*draft.nodes, *draft.finish) if n in needed and home.get(n) == i]
            for i, draft in enumerate(drafts)
        ]
        changed = False
        for draft, kept in zip(drafts, stores, strict=True):
            late = _live([n for n in draft.nodes if n.op.kind is Kind.REDUCE] + draft.finish, kept, plain)
            finish = [n for n in late if n.op.kind is not Kind.REDUCE]
            live = _live(draft.nodes, [*kept, *late[: len(late) - len(finish)]])
            changed = changed or len(live) + len(finish) < len(draft.nodes) + len(draft.finish)
            draft.nodes, draft.finish = live, finish
        if not changed:
            return stores


class _Memory:
    """Which values have to lie in memory: those read through views, by other groups, or as results."""

    def __init__(self, roots: Sequence[Node]) -> None:
        self.geometries: dict[Node, Geometry] = {}
        self.of_results = {x for root in roots for x in self.bases(root)}

    def bases(self, x: Node) -> list[Node]:
        """The computed node whose memory shows ``x``, through views and copies of views; none for a source."""
        base = resolve(x, self.geometries).base
        while base.op.kind is Kind.VIEW:
            base = resolve(base.inputs[0], self.geometries).base
        return [] if base.op.kind is Kind.SOURCE else [base]

    def reads(self, draft: Draft) -> set[Node]:
        """The computed nodes that ``draft`` finds in memory."""
        return {base for _, x in read_by(draft.nodes, draft.finish) for base in self.bases(x)}


def _uniform_in_memory(memory: _Memory, drafts: Sequence[Draft], uniform: set[Node]) -> list[Draft]:
    """A group for the uniform values that are results, or are read otherwise than as an operand of a map."""
    wanted = set(memory.of_results)
    for draft in drafts:
        for node in (*draft.nodes, *draft.finish):
            wanted.update([b for x in node.inputs if draft.is_library or x not in uniform for b in memory.bases(x)])
    nodes = closure(wanted, uniform)
    return [Draft(list(nodes), (), ())] if nodes else []


def _live(nodes: Sequence[Node], stores: Sequence[Node], seen: Callable[[Node], Node] = lambda x: x) -> list[Node]:
    """The nodes that the stored ones are made of: a value that all its readers repeat is not computed at home.

    ``seen`` gives the node that an input is read from.
    """
    wanted = set(stores)
    live = []
    for node in reversed(nodes):
        if node in wanted:
            live.append(node)
            wanted.update([seen(x) for x in node.inputs])
    return live[::-1]


def _sorted(groups: list[Group], needs: list[set[int]], position: dict[Node, int]) -> list[Group]:
    """The groups in program order, as far as their needs allow: values die early that way."""
    users: list[list[int]] = [[] for _ in groups]
    waiting = []
    for i, need in enumerate(needs):
        need.discard(i)
        waiting.append(len(need))
        for j in need:
            users[j].append(i)
    rank = [min([position[n] for n in g.nodes], default=0) for g in groups]
    ready = [(rank[i], i) for i, count in enumerate(waiting) if not count]
    heapq.heapify(ready)
    done = []
    while ready:
        _, i = heapq.heappop(ready)
        done.append(groups[i])
        for j in users[i]:
            waiting[j] -= 1
            if not waiting[j]:
                heapq.heappush(ready, (rank[j], j))
    assert len(done) == len(groups), "groups depend on each other in a circle"
    return [g for g in done if g.nodes]
