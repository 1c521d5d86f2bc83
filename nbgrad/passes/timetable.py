"""When each draft runs, who reads what, and when the most bytes lie in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from nbgrad.graph.geometry import base_of
from nbgrad.graph.node import Node
from nbgrad.graph.op import SOURCE
from nbgrad.passes.group import values_read
from nbgrad.passes.schedule import Draft, bases_of, in_order

FROM_MEMORY: Final = ("take", "guard")  # they read their first input where it lies


class Reads(NamedTuple):
    """Values that a draft finds in memory: read where it could make them itself, and all others."""

    direct: dict[Node, None]
    other: dict[Node, None]


class Timetable:
    """The drafts in the order in which they will run, but for what is decided later.

    By their numbers: ``time`` is a draft's place in that order, ``before`` those that it waits for (bits of an int),
    ``readers`` the drafts that read a value, ``elements`` the loop that computes an element. ``results`` are values
    that stay in memory anyway.
    """

    def __init__(
        self, roots: Sequence[Node], order: Sequence[Node], drafts: Sequence[Draft], uniform: set[Node]
    ) -> None:
        self.results = bases_of(roots)
        self.elements = {n: i for i, d in enumerate(drafts) for n in d.nodes[: d.own] if not d.is_library}
        self.home = {n: i for i, d in enumerate(drafts) for n in (*d.nodes[: d.own], *d.finish)}
        self.reads = [_reads_of(d, uniform) for d in drafts]
        needs = [{self.home[x] for x in (*r.direct, *r.other)} - {i} for i, r in enumerate(self.reads)]
        position = {n: k for k, n in enumerate(order)}
        sequence = in_order(needs, [min([position[n] for n in d.nodes[: d.own]], default=0) for d in drafts])
        self.time = {i: t for t, i in enumerate(sequence)}
        self.before = [0] * len(drafts)
        self.readers: dict[Node, list[int]] = {}
        for i in sequence:
            for j in needs[i]:
                self.before[i] |= self.before[j] | 1 << j
            for x in (*self.reads[i].direct, *self.reads[i].other):
                self.readers.setdefault(x, []).append(i)

    def peak(self) -> int:
        """The time after which the most bytes are kept."""
        change = [0] * (len(self.time) + 1)
        for v, users in self.readers.items():
            if v not in self.results:
                change[self.time[self.home[v]]] += v.spec.size_bytes
                change[self.time[users[-1]]] -= v.spec.size_bytes
        live = most = peak = 0
        for t, more in enumerate(change):
            live += more
            if live > most:
                most, peak = live, t
        return peak

    def kept_at(self, peak: int) -> list[Node]:
        """The values that were made by then, and are read later, but for results."""
        return [
            v
            for v, users in self.readers.items()
            if v not in self.results and self.time[self.home[v]] <= peak < self.time[users[-1]]
        ]


def _reads_of(draft: Draft, uniform: set[Node]) -> Reads:
    tables = {n.inputs[0] for n in draft.nodes if n.op.name in FROM_MEMORY}
    beside = {x for n in draft.finish for x in n.inputs}
    found = Reads({}, {})
    for x in values_read(draft.nodes, draft.finish):
        base = base_of(x)
        if base.op.kind is SOURCE or base in uniform:
            continue
        is_direct = x is base and x.spec.shape == draft.shape and not draft.is_library
        (found.direct if is_direct and x not in tables and x not in beside else found.other)[base] = None
    for x in found.other:
        found.direct.pop(x, None)
    return found
