"""What the late part of a program finds kept of the early one: less, where the rest is cheaply made again.

A training step needs most memory between forward and backward. Values are judged together: where many are made of few
(a GELU's result and the three factors of its derivative, all of its input), the few are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from nbgrad.graph.geometry import base_of
from nbgrad.graph.node import Node
from nbgrad.graph.op import MAP, SOURCE
from nbgrad.passes.cut import cheapest_cut
from nbgrad.passes.group import values_read
from nbgrad.passes.recompute import MOST_IN_LOOP
from nbgrad.passes.schedule import Draft, bases_of, in_order

LEAST_BYTES: Final = 1 << 20  # what is kept in all: less stays in the second-level cache
LEAST_VALUE: Final = 1 << 15  # bytes of a value: programs of smaller ones are long, and should be planned soon
MOST_JUDGED: Final = 200  # values judged together: beyond, finding the cut takes longer than it saves
FROM_MEMORY: Final = ("take", "guard")  # they read their first input where it lies
CHEAP: Final = 4.0  # a second try leaves operators alone that cost more
# Bytes that a loop can move for each byte of a result and unit of its operator's cost: erf and exp take 4 and 3 ns for
# 16 float32 elements, about as long as a value written and read again.
BYTES_PER_COST: Final = 0.1
# A byte less at the peak is worth that many moved: what is made late is still in cache when it is read, what was kept
# is not, and memory that is never touched need not be fetched.
WORTH: Final = 1.5


class _Reads(NamedTuple):
    """Values that a draft finds in memory: read where it could make them itself, and all others."""

    direct: dict[Node, None]
    other: dict[Node, None]


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
        _Keeping(roots, order, drafts, uniform).run()


class _Keeping:
    def __init__(
        self, roots: Sequence[Node], order: Sequence[Node], drafts: Sequence[Draft], uniform: set[Node]
    ) -> None:
        self.drafts = drafts
        self.uniform = uniform
        self.results = bases_of(roots)
        self.elements = {n: i for i, d in enumerate(drafts) for n in d.nodes[: d.own] if not d.is_library}
        self.home = {n: i for i, d in enumerate(drafts) for n in (*d.nodes[: d.own], *d.finish)}
        self.reads = [self._reads_of(d) for d in drafts]
        needs = [{self.home[x] for x in (*r.direct, *r.other)} - {i} for i, r in enumerate(self.reads)]
        position = {n: k for k, n in enumerate(order)}
        ranks = [min([position[n] for n in d.nodes[: d.own]], default=0) for d in drafts]
        self.sequence = in_order(needs, ranks)
        self.time = {i: t for t, i in enumerate(self.sequence)}
        self.before = self._before(needs)
        self.readers: dict[Node, list[int]] = {}
        for i in self.sequence:
            for x in (*self.reads[i].direct, *self.reads[i].other):
                self.readers.setdefault(x, []).append(i)

    def _reads_of(self, draft: Draft) -> _Reads:
        tables = {n.inputs[0] for n in draft.nodes if n.op.name in FROM_MEMORY}
        beside = {x for n in draft.finish for x in n.inputs}
        direct: dict[Node, None] = {}
        other: dict[Node, None] = {}
        for x in values_read(draft.nodes, draft.finish, draft.is_staged):
            base = base_of(x)
            if base.op.kind is SOURCE or base in self.uniform:
                continue
            is_direct = x is base and x.spec.shape == draft.shape and not draft.is_library
            (direct if is_direct and x not in tables and x not in beside else other)[base] = None
        for x in other:
            direct.pop(x, None)
        return _Reads(direct, other)

    def _before(self, needs: Sequence[set[int]]) -> list[int]:
        """For each draft those that it waits for, as bits of an int."""
        before = [0] * len(needs)
        for i in self.sequence:
            for j in needs[i]:
                before[i] |= before[j] | 1 << j
        return before

    def run(self) -> None:
        peak = self._peak()
        self.late = {i for i, t in self.time.items() if t > peak}
        crossing = [v for v, users in self.readers.items() if self._lives_at(peak, v, users)]
        if sum([v.spec.size_bytes for v in crossing]) < LEAST_BYTES:
            return
        self.crossing = dict.fromkeys(crossing)
        for component in self._components([v for v in crossing if self._is_open(v)]):
            if len(component) <= MOST_JUDGED:
                self._judge(component)

    def _lives_at(self, peak: int, v: Node, users: Sequence[int]) -> bool:
        return v not in self.results and self.time[self.home[v]] <= peak < self.time[users[-1]]

    def _peak(self) -> int:
        """The draft, by its place in the sequence, after which the most bytes are kept."""
        change = [0] * (len(self.sequence) + 1)
        for v, users in self.readers.items():
            if v not in self.results:
                change[self.time[self.home[v]]] += v.spec.size_bytes
                change[self.time[users[-1]]] -= v.spec.size_bytes
        live = most = peak = 0
        for t, bytes_more in enumerate(change):
            live += bytes_more
            if live > most:
                most, peak = live, t
        return peak

    def _is_open(self, v: Node) -> bool:
        """Whether ``v`` may be made again for all that read it late."""
        if v not in self.crossing or not self._can_be_made(v):
            return False
        return not self._late_others(v) or self._host(v) is not None

    def _late_others(self, v: Node) -> list[int]:
        """The late drafts that cannot make ``v`` themselves."""
        return [i for i in self.readers[v] if i in self.late and v in self.reads[i].other]

    def _late_loops(self, v: Node) -> list[int]:
        return [i for i in self.readers.get(v, ()) if i in self.late and v in self.reads[i].direct]

    def _host(self, v: Node) -> int | None:
        """The loop that can make ``v`` for the late library operators that read it: it reads it, or what it is made of,
        and waits for none of them."""
        others = self._late_others(v)
        if not all([self.drafts[i].is_library for i in others]):  # noqa: C419  (half the time)
            return None
        mask = sum([1 << i for i in others])
        family = {v, *v.inputs, *[x for i in v.inputs if i in self.elements for x in i.inputs]}
        loops = [i for x in family for i in self._late_loops(x)]
        free = [i for i in loops if self.drafts[i].shape == v.spec.shape and not self.before[i] & mask]
        return min(free, key=self.time.__getitem__, default=None)

    def _can_be_made(self, x: Node) -> bool:
        at = self.elements.get(x)
        if at is None or at in self.late:
            return False
        return x.op.kind is MAP and x.op.name not in FROM_MEMORY and bool(x.spec.shape)

    def _components(self, tops: Iterable[Node]) -> list[dict[Node, None]]:
        """``tops`` and the maps they are made of, those apart that share none."""
        of: dict[Node, dict[Node, None]] = {}
        for top in tops:
            if top not in of:
                found = of[top] = {top: None}
                stack = [top]
                while stack:
                    for x in stack.pop().inputs:
                        if x in of:
                            found = _joined(of, found, of[x])
                        elif self._can_be_made(x):
                            found[x] = None
                            of[x] = found
                            stack.append(x)
        return list({id(c): c for c in of.values()}.values())

    def _judge(self, component: Mapping[Node, None]) -> None:
        for most in (float("inf"), CHEAP):
            choice = self._choose(component, most)
            if self._pays(component, choice) and self._apply(choice):
                return

    def _choose(self, component: Mapping[Node, None], most: float) -> _Choice:
        """The cheapest values to keep of ``component``, where operators that cost more than ``most`` run once."""
        wanted = [v for v in component if self._is_open(v)]
        makers: dict[Node, list[Node]] = {}
        prices = {v: self._price(v, wanted) for v in component}
        for v in component:
            if v.op.cost <= most:
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
                for i in makes:
                    _add_closure(choice.made.setdefault(i, {}), v, component, kept)
        return choice

    def _price(self, v: Node, wanted: Sequence[Node]) -> int:
        """16ths of the bytes that keeping ``v`` takes at the peak; a little more where nobody stored it so far."""
        if v.op.kind is SOURCE or v in self.uniform or v in self.results:
            return 0
        if v in self.crossing:
            return v.spec.size_bytes * 16 if v in wanted else 0
        return v.spec.size_bytes * (16 if v in self.readers else 17)

    def _pays(self, component: Mapping[Node, None], choice: _Choice) -> bool:
        """Whether the memory spared is worth what is computed and moved beside what was before."""
        dropped = [v for v in component if v not in choice.kept and self._is_open(v)]
        spared = moved = 0
        work = 0.0
        for v in dropped:
            spared += v.spec.size_bytes
            moved += v.spec.size_bytes * ((v in choice.hosts) - len(self._late_loops(v)))
            if all(i in self.late for i in self.readers[v]):
                moved -= v.spec.size_bytes  # its home need not store it
        for v in choice.kept:
            if v not in self.crossing and v.op.kind is not SOURCE and v not in self.uniform and v not in self.results:
                spared -= v.spec.size_bytes
                moved += v.spec.size_bytes * (v not in self.readers)
        for i, nodes in choice.made.items():
            if len(self.drafts[i].nodes) + len(nodes) > MOST_IN_LOOP:
                return False
            new = [n for n in nodes if n not in self.drafts[i].nodes]
            read = {base_of(x) for n in new for x in n.inputs} & choice.kept
            moved += sum([x.spec.size_bytes for x in read if x not in self.reads[i].direct])
            work += BYTES_PER_COST * sum([n.op.cost * n.spec.size_bytes for n in new])
        return spared > 0 and work + moved <= WORTH * spared

    def _apply(self, choice: _Choice) -> bool:
        """Change the drafts as ``choice`` says; False, and nothing done, where drafts would wait for each other."""
        before = list(self.before)
        for v, host in choice.hosts.items():
            for i in self._late_others(v):
                if before[host] >> i & 1:
                    return False
                more = before[host] | 1 << host
                before = [b | more if j == i or b >> i & 1 else b for j, b in enumerate(before)]
        self.before = before
        for i, nodes in choice.made.items():
            self.drafts[i].repeat(list(nodes))
        for v, host in choice.hosts.items():
            for i in self._late_others(v):
                self.drafts[i].elsewhere[v] = self.drafts[host]
        return True


def _joined(of: dict[Node, dict[Node, None]], a: dict[Node, None], b: dict[Node, None]) -> dict[Node, None]:
    """One component of both; ``of`` says which is whose."""
    if a is b:
        return a
    small, large = (a, b) if len(a) < len(b) else (b, a)
    large.update(small)
    of.update(dict.fromkeys(small, large))
    return large


def _add_closure(nodes: dict[Node, None], v: Node, component: Mapping[Node, None], kept: set[Node]) -> None:
    """Add to ``nodes`` what of ``component`` has to be computed to have ``v``."""
    stack = [v]
    while stack:
        node = stack.pop()
        if node not in nodes:
            nodes[node] = None
            stack += [x for x in node.inputs if x in component and x not in kept]
