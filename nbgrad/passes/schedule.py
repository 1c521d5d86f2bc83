"""Groups in an order that respects their edges, each with what it has to store."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import Any, Final

from nbgrad.graph.geometry import base_of
from nbgrad.graph.node import Node, reach
from nbgrad.graph.op import LIBRARY, REDUCE, SOURCE, VIEW
from nbgrad.graph.spec import Shape
from nbgrad.passes.group import NO_DONATIONS, WRITERS, Group, values_read
from nbgrad.passes.uniform import closure

SMALL_PART: Final = 2  # of what a group reads, see ``scheduled``


class Draft:
    """A group under construction. Its first ``own`` nodes are its own; others it computes again for itself.

    ``finish`` are maps of its reductions' results, all its own until numbers join them that they use. ``elsewhere`` has
    the drafts that store for it what lies in memory no more when it runs. ``is_part``: of a loop that was too large.
    """

    __slots__ = ("dims", "elsewhere", "finish", "is_part", "is_staged", "nodes", "own", "shape")

    def __init__(self, nodes: list[Node], shape: Shape, dims: Shape) -> None:
        self.nodes = nodes
        self.finish: list[Node] = []
        self.own = len(nodes)
        self.is_staged = False
        self.is_part = False
        self.elsewhere: dict[Node, Draft] = {}
        self.shape = shape
        self.dims = dims

    @property
    def is_library(self) -> bool:
        return bool(self.nodes) and self.nodes[0].op.kind is LIBRARY

    def repeat(self, nodes: Sequence[Node]) -> None:
        """Compute ``nodes``, which another group owns, here too."""
        self.nodes = list(dict.fromkeys([*self.nodes, *nodes]))


Stored = tuple[Node, int]  # a value and the draft, by its number, that stores it


def scheduled(
    roots: Sequence[Node],
    order: Sequence[Node],
    drafts: list[Draft],
    uniform: set[Node],
    donations: Mapping[int, int] = NO_DONATIONS,
) -> list[Group]:
    """The groups of ``drafts``, each with the uniform values it uses; a group for those that are needed in memory.

    ``donations`` (result, input): the result is to be made in the memory of the input, so whoever reads that comes
    before.
    """
    position = {node: i for i, node in enumerate(order)}
    results = bases_of(roots)
    drafts = [*drafts, *_uniform_in_memory(results, drafts, uniform)]
    home = {node: i for i, draft in enumerate(drafts) for node in [*draft.nodes[: draft.own], *draft.finish]}
    for draft in drafts:
        if uniform and not draft.is_library:
            draft.repeat(list(closure([x for node in draft.nodes for x in node.inputs], uniform)))
            draft.finish += closure([x for node in draft.finish for x in node.inputs], uniform)
        draft.nodes.sort(key=position.__getitem__)
        draft.finish.sort(key=position.__getitem__)
    stores, reads = _drop_unread(results, drafts, home)
    groups, needs = [], []
    for i, draft in enumerate(drafts):
        dims = draft.dims if any([n.op.kind is REDUCE for n in draft.nodes]) else ()  # noqa: C419  (half the time)
        groups.append(
            Group(tuple(draft.nodes), tuple(stores[i]), draft.shape, dims, tuple(draft.finish), draft.is_staged)
        )
        needs.append({j for _, j in reads[i]} - {i})
    # What is made in the memory of an input comes last: behind all that read the input, and behind what may fail, when
    # inputs are to be as they were. Of the others, those that take little memory, or only that of results, come as soon
    # as they can: they find in cache what they read, and may be the last to read it. Say sums over all steps of a loop,
    # which would come after the last step.
    makers = {home.get(base_of(roots[result])) for result in donations}
    first = [min([position[n] for n in g.nodes], default=0) for g in groups]
    ranks = [
        (i in makers, _takes_much(results, g, read), at)
        for i, (g, read, at) in enumerate(zip(groups, reads, first, strict=True))
    ]
    sequence = in_order(needs, ranks, _readers_before_writers(groups, needs, reads))
    assert len(sequence) == len(groups), "groups depend on each other in a circle"
    return [groups[i] for i in sequence if groups[i].nodes]


def _readers_before_writers(
    groups: Sequence[Group], needs: Sequence[set[int]], reads: Sequence[set[Stored]]
) -> dict[int, set[int]]:
    """For a group that writes into its input, those that read the same, and can come before it: behind them it needs no
    copy."""
    writers = {
        i: bases_of(g.nodes[0].inputs[:1]) for i, g in enumerate(groups) if g.nodes and g.nodes[0].op.name in WRITERS
    }
    written = set().union(*writers.values())
    readers: dict[Node, set[int]] = {}
    for k, read in enumerate(reads):
        for x, _ in read:
            if x in written:
                readers.setdefault(x, set()).add(k)
    before = {i: set().union(*[readers.get(x, ()) for x in bases]) - {i} for i, bases in writers.items()}
    before = {i: others for i, others in before.items() if others}
    if not before:
        return before
    behind = [0] * len(groups)  # as bits, the writers that each group is computed behind
    for k in in_order(needs, range(len(groups))):
        for j in needs[k]:
            behind[k] |= behind[j] | (1 << j if j in before else 0)
    return {i: {k for k in others if not behind[k] >> i & 1} for i, others in before.items()}


def _drop_unread(
    results: set[Node], drafts: Sequence[Draft], home: dict[Node, int]
) -> tuple[list[list[Node]], list[set[Stored]]]:
    """What each draft stores and what it reads, once all that nobody reads any more has left the drafts."""
    number = {draft: i for i, draft in enumerate(drafts)}

    def found(draft: Draft) -> set[Stored]:
        other = draft.elsewhere
        return {
            (x, number[other[x]] if x in other else home[x]) for x in bases_of(values_read(draft.nodes, draft.finish))
        }

    reads = [found(draft) for draft in drafts]
    readers = Counter([(x, home[x]) for x in results])
    for read in reads:
        readers.update(read)
    stores: list[list[Node]] = [[] for _ in drafts]
    check: Iterable[int] = range(len(drafts))
    while check:
        unread = set()
        for i in check:
            draft = drafts[i]
            stores[i] = [n for n in (*draft.nodes, *draft.finish) if readers[n, i]]
            if _shrink(draft, stores[i]):
                before, reads[i] = reads[i], found(draft)
                for stored in before - reads[i]:
                    readers[stored] -= 1
                    if not readers[stored]:
                        unread.add(stored[1])
        check = sorted(unread)
    return stores, reads


def _shrink(draft: Draft, kept: Sequence[Node]) -> bool:
    """Leave out of ``draft`` what the values ``kept`` don't need; whether that is anything."""
    nodes, finish = _live(draft, kept)
    smaller = len(nodes) + len(finish) < len(draft.nodes) + len(draft.finish)
    draft.nodes, draft.finish = nodes, finish
    return smaller


def _live(draft: Draft, kept: Sequence[Node]) -> tuple[list[Node], list[Node]]:
    """The nodes and the finish of a loop that ``kept`` are made of: what all its readers repeat is not computed at
    home."""
    nodes, finish = set(draft.nodes), set(draft.finish)
    rows = {*finish, *[n for n in nodes if n.op.kind is REDUCE]}

    def needs(node: Node) -> list[Node]:
        return [x for x in node.inputs if x in nodes] + [b for b in map(base_of, node.inputs) if b in rows]

    live = reach(kept, needs)
    return [n for n in draft.nodes if n in live], [n for n in draft.finish if n in live]


def bases_of(values: Iterable[Node]) -> set[Node]:
    """The computed nodes whose memory shows ``values``, through views and copies of views."""
    found = {base_of(x) if x.op.kind is VIEW else x for x in values}
    return {x for x in found if x.op.kind is not SOURCE}


def _takes_much(results: set[Node], group: Group, reads: Iterable[Stored]) -> bool:
    """Whether what ``group`` stores besides results is more than a part of what it reads. (Not asked, a step of the
    bench's GPT takes 29.7 MB of temporaries instead of 21.7.)"""
    stored = sum([n.spec.size_bytes for n in group.stores if n not in results])
    return stored > 0 and stored * SMALL_PART > sum([x.spec.size_bytes for x, _ in reads])


def _uniform_in_memory(results: set[Node], drafts: Sequence[Draft], uniform: set[Node]) -> list[Draft]:
    """A group for the uniform values that are results, or are read otherwise than as an operand of a map."""
    if not uniform:
        return []
    wanted = set(results)
    for draft in drafts:
        if draft.is_library:
            wanted |= bases_of(draft.nodes[0].inputs)
        else:
            seen = [x for node in (*draft.nodes, *draft.finish) for x in node.inputs if x.op.kind is VIEW]
            wanted |= bases_of(seen)
    nodes = closure(wanted, uniform)
    return [Draft(list(nodes), (), ())] if nodes else []


def in_order(
    needs: Sequence[set[int]], ranks: Sequence[Any], wishes: Mapping[int, set[int]] = MappingProxyType({})
) -> list[int]:
    """The numbers of drafts in the order of their ranks, as far as what each of them needs allows; not all of them
    where they depend on each other in a circle. A draft comes behind those that it ``wishes`` to come behind, unless
    nothing else is left."""
    users: list[list[int]] = [[] for _ in needs]
    wishers: dict[int, list[int]] = {}
    waiting, wishing = [len(need) for need in needs], [0] * len(needs)
    for i, need in enumerate(needs):
        for j in need:
            users[j].append(i)
    for i, others in wishes.items():
        wishing[i] = len(others)
        for j in others:
            wishers.setdefault(j, []).append(i)
    ready = [(ranks[i], i) for i, count in enumerate(waiting) if not count and not wishing[i]]
    held = [(ranks[i], i) for i in wishes if not waiting[i]]
    heapq.heapify(ready)
    heapq.heapify(held)
    done = []
    is_done = [False] * len(needs)
    while ready or held:
        _, i = heapq.heappop(ready or held)
        if is_done[i]:
            continue
        is_done[i] = True
        done.append(i)
        freed = users[i]
        for j in freed:
            waiting[j] -= 1
        if i in wishers:
            freed = freed + wishers[i]
            for j in wishers[i]:
                wishing[j] -= 1
        for j in freed:
            if not waiting[j]:
                heapq.heappush(held if wishing[j] else ready, (ranks[j], j))
    return done


def peak_of(lives: Iterable[tuple[int, int, int]], count: int) -> tuple[int, int]:
    """The most bytes that live at once, and the first of ``count`` times when they do; a life is (bytes, from, to)."""
    change = [0] * (count + 1)
    for nbytes, first, last in lives:
        change[first] += nbytes
        change[last + 1] -= nbytes
    live = list(accumulate(change))
    most = max(live)
    return most, live.index(most)
