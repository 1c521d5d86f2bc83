"""What the late part of a program finds kept of the early one: less, where the rest is cheaply made again.

A training step needs most memory between forward and backward. Values are judged together: where many are made of few
(a GELU's result and the three factors of its derivative, all of its input), the few are kept.

What lies in memory between forward and backward is decided for the whole program, after fusion: the values that are
there at the peak, and the maps they are made of, are cut where the fewest bytes are (`passes/cut.py`). There is no seam
between forward and backward in the graph; any program with a peak gains. It keeps the time of the GPT step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from nbgrad.graph.geometry import base_of
from nbgrad.graph.node import Node, reach
from nbgrad.graph.op import MAP, SOURCE
from nbgrad.passes.cut import cheapest_cut
from nbgrad.passes.group import PLACED, values_read
from nbgrad.passes.recompute import MOST_IN_LOOP
from nbgrad.passes.schedule import Draft, bases_of, in_order, peak_of
from nbgrad.passes.sets import Sets

LEAST_BYTES: Final = 1 << 20  # what is kept in all: less stays in the second-level cache
LEAST_VALUE: Final = 1 << 15  # bytes of a value: programs of smaller ones are long, and should be planned soon
MOST_JUDGED: Final = 200  # values judged together: beyond, finding the cut takes longer than it saves
# Bytes that a loop can move for each byte of a result and unit of its operator's cost: erf and exp take 4 and 3 ns for
# 16 float32 elements, about as long as a value written and read again.
BYTES_PER_COST: Final = 0.1
# A byte less at the peak is worth that many moved: what is made late is still in cache when it is read, what was kept
# is not, and memory that is never touched need not be fetched.
WORTH: Final = 1.5


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
        lives = [
            (v.spec.size_bytes, self.time[self.home[v]], self.time[users[-1]] - 1)
            for v, users in self.readers.items()
            if v not in self.results
        ]
        return peak_of(lives, len(self.time))[1]

    def kept_at(self, peak: int) -> list[Node]:
        """The values that were made by then, and are read later, but for results."""
        return [
            v
            for v, users in self.readers.items()
            if v not in self.results and self.time[self.home[v]] <= peak < self.time[users[-1]]
        ]


def _reads_of(draft: Draft, uniform: set[Node]) -> Reads:
    tables = {n.inputs[0] for n in draft.nodes if n.op.name in PLACED}
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


class _Choice(NamedTuple):
    """What is kept of a component, what each late draft makes again, and which loop makes what others read."""

    kept: set[Node]
    made: dict[int, dict[Node, None]]
    hosts: dict[Node, int]


def keep_less(roots: Sequence[Node], order: Sequence[Node], drafts: Sequence[Draft], uniform: set[Node]) -> None:
    """Have late drafts make values again that would lie in memory where a program needs the most of it.

    A loop makes what it reads itself. What a library operator reads late is made by a loop at hand, and stored again.
    Needs: drafts whose nodes have a home.   Gives: less memory at its peak, for about the same time.
    Keeps: values bit for bit.   Cost: O(edges), and a cut for each piece of the graph between other operators.
    """
    sizes = [n.spec.size_bytes for n in order if n.op.kind is MAP]
    if sum([n for n in sizes if n >= LEAST_VALUE]) > LEAST_BYTES:
        _Keeping(Timetable(roots, order, drafts, uniform), drafts, uniform).run()


class _Keeping:
    """``late`` are the drafts after the peak, ``crossing`` the values that lie in memory there."""

    def __init__(self, table: Timetable, drafts: Sequence[Draft], uniform: set[Node]) -> None:
        self.drafts = drafts
        self.uniform = uniform
        self.table = table
        peak = table.peak()
        self.late = {i for i, t in table.time.items() if t > peak}
        self.crossing = dict.fromkeys(table.kept_at(peak))

    def run(self) -> None:
        if sum([v.spec.size_bytes for v in self.crossing]) < LEAST_BYTES:
            return
        for component in self._components([v for v in self.crossing if self._is_open(v)]):
            if len(component) <= MOST_JUDGED:
                self._judge(component)

    def _is_open(self, v: Node) -> bool:
        """Whether ``v`` may be made again for all that read it late."""
        if v not in self.crossing or not self._can_be_made(v):
            return False
        return not self._late_others(v) or self._host(v) is not None

    def _late_others(self, v: Node) -> list[int]:
        """The late drafts that cannot make ``v`` themselves."""
        return [i for i in self.table.readers[v] if i in self.late and v in self.table.reads[i].other]

    def _late_loops(self, v: Node) -> list[int]:
        return [i for i in self.table.readers.get(v, ()) if i in self.late and v in self.table.reads[i].direct]

    def _host(self, v: Node) -> int | None:
        """The loop that can make ``v`` for the late library operators that read it: it reads it, or what it is made of,
        and waits for none of them."""
        others = self._late_others(v)
        if not all([self.drafts[i].is_library for i in others]):  # noqa: C419  (half the time)
            return None
        mask = sum([1 << i for i in others])
        family = {v, *v.inputs, *[x for i in v.inputs if i in self.table.elements for x in i.inputs]}
        loops = [i for x in family for i in self._late_loops(x)]
        free = [i for i in loops if self.drafts[i].shape == v.spec.shape and not self.table.before[i] & mask]
        return min(free, key=self.table.time.__getitem__, default=None)

    def _can_be_made(self, x: Node) -> bool:
        at = self.table.elements.get(x)
        if at is None or at in self.late:
            return False
        return x.op.kind is MAP and x.op.name not in PLACED and bool(x.spec.shape)

    def _components(self, tops: Iterable[Node]) -> list[dict[Node, None]]:
        """``tops`` and the maps they are made of, those apart that share none."""
        sets = Sets(reach(tops, lambda v: [x for x in v.inputs if self._can_be_made(x)]))
        for v in sets.members:
            for x in v.inputs:
                if x in sets.members:
                    sets.join(x, v)
        return [dict.fromkeys(nodes) for nodes, _ in sets.found()]

    def _judge(self, component: Mapping[Node, None]) -> None:
        choice = self._choose(component)
        if self._pays(component, choice):
            self._apply(choice)

    def _choose(self, component: Mapping[Node, None]) -> _Choice:
        """The cheapest values to keep of ``component``."""
        wanted = [v for v in component if self._is_open(v)]
        makers: dict[Node, list[Node]] = {}
        prices = {v: self._price(v, wanted) for v in component}
        for v in component:
            makers[v] = [x if x in component else base_of(x) for x in v.inputs if x not in self.uniform]
            prices.update({x: self._price(x, wanted) for x in makers[v] if x not in component})
        kept = cheapest_cut(makers, prices, wanted)
        choice = _Choice(kept, {}, {})
        for v in wanted:
            if v not in kept:
                makes = self._late_loops(v)
                host = self._host(v) if self._late_others(v) else None
                if host is not None:
                    choice.hosts[v] = host
                    makes.append(host)
                made = reach([v], lambda node: [x for x in node.inputs if x in component and x not in kept])
                for i in makes:
                    choice.made.setdefault(i, {}).update(made)
        return choice

    def _price(self, v: Node, wanted: Sequence[Node]) -> int:
        """16ths of the bytes that keeping ``v`` takes at the peak; a little more where nobody stored it so far."""
        if self._is_there(v):
            return 0
        if v in self.crossing:
            return v.spec.size_bytes * 16 if v in wanted else 0
        return v.spec.size_bytes * (16 if v in self.table.readers else 17)

    def _is_there(self, v: Node) -> bool:
        """Whether ``v`` costs no memory."""
        return v.op.kind is SOURCE or v in self.uniform or v in self.table.results

    def _pays(self, component: Mapping[Node, None], choice: _Choice) -> bool:
        """Whether the memory spared is worth what is computed and moved beside what was before."""
        dropped = [v for v in component if v not in choice.kept and self._is_open(v)]
        spared = moved = 0
        work = 0.0
        for v in dropped:
            spared += v.spec.size_bytes
            moved += v.spec.size_bytes * ((v in choice.hosts) - len(self._late_loops(v)))
            if all(i in self.late for i in self.table.readers[v]):
                moved -= v.spec.size_bytes  # its home need not store it
        for v in choice.kept:
            if v not in self.crossing and not self._is_there(v):
                spared -= v.spec.size_bytes
                moved += v.spec.size_bytes * (v not in self.table.readers)
        for i, nodes in choice.made.items():
            if len(self.drafts[i].nodes) + len(nodes) > MOST_IN_LOOP:
                return False
            new = [n for n in nodes if n not in self.drafts[i].nodes]
            read = {base_of(x) for n in new for x in n.inputs} & choice.kept
            moved += sum([x.spec.size_bytes for x in read if x not in self.table.reads[i].direct])
            work += BYTES_PER_COST * sum([n.op.cost * n.spec.size_bytes for n in new])
        return spared > 0 and work + moved <= WORTH * spared

    def _apply(self, choice: _Choice) -> None:
        """Change the drafts as ``choice`` says, unless they would wait for each other."""
        before = list(self.table.before)
        for v, host in choice.hosts.items():
            for i in self._late_others(v):
                if before[host] >> i & 1:
                    return
                more = before[host] | 1 << host
                before = [b | more if j == i or b >> i & 1 else b for j, b in enumerate(before)]
        self.table.before = before
        for i, nodes in choice.made.items():
            self.drafts[i].repeat(list(nodes))
        for v, host in choice.hosts.items():
            for i in self._late_others(v):
                self.drafts[i].elsewhere[v] = self.drafts[host]
