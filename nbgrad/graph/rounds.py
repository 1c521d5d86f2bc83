"""A graph with an unrolled loop in it, and the same graph with fewer rounds of that loop.

What is found out about the short one holds for the long one: whoever plans a program of 500 steps plans one of six.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Hashable, Mapping, Sequence
from typing import Final, NamedTuple

from nbgrad.graph.dtypes import int64
from nbgrad.graph.family import OUTSIDE, Family, find_family
from nbgrad.graph.node import Node, apply, const, rebuild, toposort
from nbgrad.graph.op import VIEW
from nbgrad.graph.runs import Run, find_runs

LEAST_NODES: Final = 1000  # what is smaller is planned in a moment
LEAST_ROUNDS: Final = 30  # with fewer there is little to gain: some are planned, where each writes a row twice
LEAST_SHARE: Final = 0.5  # of the nodes that are in the loop


BESIDE_GAP: Final = frozenset({-1, 0})  # the numbers of the rounds between which others were left out

At = tuple[int, int]  # a region, and a round of it


class InRound(str):
    """The user's line of a node in a short graph, and what rounds it is ``at``: of none where it is in no region.

    Rounds count from where others were left out. Passes hand a node's line on, and so its round.
    """

    __slots__ = ("at",)
    at: tuple[At, ...]


def in_round(site: str, *at: At) -> InRound:
    found = InRound(site)
    found.at = at
    return found


class Short(NamedTuple):
    """The graph with fewer rounds: ``roots``, and for each of them which it is of the roots of the whole, and its line.

    A result is of the round that asks for it: the value may be one that no round changes, computed once for all.
    """

    roots: list[Node]
    places: list[int]
    sites: list[str]


class Rounds:
    """The nodes behind ``roots`` as a family; the last entries are the roots themselves.

    The numbers of inputs, of run-time numbers and of rows may count rounds: those of the short graph are true, and skip
    the rounds left out. ``rows`` are the entries that are rows of arrays which the loop writes, with their numbers.
    """

    def __init__(self, roots: Sequence[Node], order: Sequence[Node], family: Family, rows: Mapping[int, int]) -> None:
        self.roots = roots
        self.order = order
        self.family = family
        self.rows = rows

    @property
    def count(self) -> int:
        """How many rounds can be told from one another."""
        return self.family.least

    def shortened(self, fewer: int, later: int = 0) -> Short | None:
        """The graph with ``fewer`` rounds less, those in the middle or ``later`` by so many; None where something asks
        for one of them."""
        halves = self._halves(fewer, later)
        entries = None if halves is None else self.family.resized(-fewer, halves)
        if halves is None or entries is None:
            return None
        size = len(self.order)
        nodes: list[Node] = []
        short = Short([], [], [])
        for like, refs, region, turn in entries:
            old = self.order[like] if like < size else nodes[refs[0]]
            at = () if region == OUTSIDE else ((region, turn - halves[region]),)
            if like < size:
                inputs = tuple([nodes[ref] for ref in refs])
                nodes.append(Node(old.op, inputs, old.params, old.spec, in_round(old.site, *at)))
            else:
                short.roots.append(old)
                short.places.append(like - size)
                short.sites.append(in_round(old.site, *at) if at else old.site)
        return short

    def _halves(self, fewer: int, later: int) -> list[int] | None:
        """How many rounds of each region come before those left out, which write and read the same rows everywhere;
        None where that cannot be, or where others ask for one of these rows."""
        regions = self.family.regions
        halves = [(region.run.rounds - fewer) // 2 + later for region in regions]
        if not self.rows:
            return halves
        gone: range | None = None
        inside: set[int] = set()
        for k, (run, *_) in enumerate(regions):
            for i in range(run.start, run.start + run.period):
                first = self.rows.get(i)
                if first is None:
                    continue
                slope = self.rows[i + run.period] - first
                if slope:
                    inside.update(range(i, run.end, run.period))
                    if gone is None:
                        gone = _rows_gone(first, slope, halves[k], fewer)
                    start = gone.start if slope > 0 else gone.stop - gone.step
                    halves[k] = (start - first) // slope
                    if not 0 < halves[k] < run.rounds - fewer or _rows_gone(first, slope, halves[k], fewer) != gone:
                        return None
        if gone is not None and any([n in gone for i, n in self.rows.items() if i not in inside]):  # noqa: C419  (faster)
            return None
        return halves


def _rows_gone(first: int, slope: int, half: int, fewer: int) -> range:
    """The rows of the rounds left out, upwards."""
    start, stop = first + slope * half, first + slope * (half + fewer)
    return range(start, stop, slope) if slope > 0 else range(stop - slope, start - slope, -slope)


def find_rounds(roots: Sequence[Node], order: Sequence[Node] | None = None, *, with_rows: bool = True) -> Rounds | None:
    """The loop behind ``roots``; None where there is none that is long enough, or even. ``order`` is their toposort,
    where it is known. ``with_rows``: they are canonical, so a loop may write rows of an array: all that looks at a row
    is seen to."""
    order = toposort(roots) if order is None else order
    if len(order) < LEAST_NODES:
        return None
    roots, stacked = _written_by_rows(roots, order)
    if stacked:
        if not with_rows:
            return None
        order = toposort(roots)
    number = {node: i for i, node in enumerate(order)}
    rows = _rows(order, stacked)
    codes, labels = _codes(order, rows)
    runs = find_runs(codes, LEAST_ROUNDS)
    if sum([run.period * run.rounds for run in runs]) < LEAST_SHARE * len(order):
        return None
    ends = [number[root] for root in roots]
    late = find_runs([_place_in(runs, end) for end in ends], LEAST_ROUNDS, 1)
    runs += [run._replace(start=run.start + len(order)) for run in late]
    refs = [[*map(number.__getitem__, node.inputs)] for node in order] + [[end] for end in ends]
    family = find_family(refs, runs, labels + [0] * len(ends), LEAST_ROUNDS)
    return None if family is None else Rounds(roots, order, family, {number[x]: x.params[0] for x in rows})


Whole = tuple[int, tuple[int, ...]]  # a dim, and the shape of arrays that are put together along it


def _written_by_rows(roots: Sequence[Node], order: Sequence[Node]) -> tuple[Sequence[Node], set[Whole]]:
    """The same with each long ``cat`` of equal parts as so many writes: one for each round of a loop. And which."""
    stacked = {
        (node.params[0], node.spec.shape)
        for node in order
        if node.op.name == "cat" and len(node.inputs) >= LEAST_ROUNDS and len({x.spec for x in node.inputs}) == 1
    }
    if not stacked:
        return roots, stacked
    new: dict[Node, Node] = {}
    for node in order:
        if node.op.name == "cat" and (node.params[0], node.spec.shape) in stacked:
            new[node] = _as_writes(node, [new[x] for x in node.inputs])
        else:
            new[node] = rebuild(node, [new[x] for x in node.inputs])
    return [new[root] for root in roots], stacked


def _as_writes(cat: Node, parts: Sequence[Node]) -> Node:
    (dim,) = cat.params
    whole, at = apply("expand", const(0, cat.spec.dtype), params=(cat.spec.shape,)), 0
    for part in parts:
        length = part.spec.shape[dim]
        whole = apply("put_slice", whole, part, const(at, int64), params=(dim, length, 1), site=cat.site)
        at += length
    return whole


def _place_in(runs: Sequence[Run], i: int) -> Hashable:
    """What entry ``i`` has in common with those of other rounds; itself outside of runs."""
    k = bisect_right(runs, i, key=lambda run: run.start) - 1
    return (k, (i - runs[k].start) % runs[k].period) if k >= 0 and i < runs[k].end else i


def _codes(order: Sequence[Node], rows: Container[Node]) -> tuple[list[Hashable], list[int]]:
    """What each node is but for its inputs, and the number that it has of an input, a run-time number or a row."""
    of_inputs = _rows_of_inputs(order)
    codes: list[Hashable] = []
    labels = [0] * len(order)
    for i, node in enumerate(order):
        op, params = node.op, node.params
        if op.name in ("input", "scalar"):
            labels[i] = params[0]
            codes.append((op, params[1]))
        elif op.name == "const":
            value, dtype = params
            if node in rows or node in of_inputs:
                labels[i] = value
                codes.append((op, dtype, node in rows))
            else:
                codes.append((op, repr(value), dtype))  # 0.0 and -0.0 are equal numbers, and so are 1 and True
        else:
            codes.append((op, params, node.spec, len(node.inputs)))
    return codes, labels


def _rows(order: Sequence[Node], stacked: Container[Whole]) -> set[Node]:
    """The constants at which rows of arrays begin that are put together."""
    if not stacked:
        return set()
    names = "slice", "put_slice"
    return _starts(order, [x for x in order if x.op.name in names and (x.params[0], x.inputs[0].spec.shape) in stacked])


def _rows_of_inputs(order: Sequence[Node]) -> set[Node]:
    """The constants at which slices of inputs begin.

    Where other slices begin decides what they share with what was written there.
    """
    plain: set[Node] = set()  # inputs and views of them
    for node in order:
        if node.op.name == "input" or (node.op.kind is VIEW and node.inputs[0] in plain):
            plain.add(node)
    return _starts(order, [x for x in plain if x.op.name == "slice"])


def _starts(order: Sequence[Node], slices: Sequence[Node]) -> set[Node]:
    """The constants at which ``slices`` begin, and which nothing else reads."""
    starts, own = {x for node in slices if (x := node.inputs[-1]).op.name == "const"}, set(slices)
    for node in order if starts else ():
        others = node.inputs[:-1] if node in own else node.inputs
        if not starts.isdisjoint(others):
            starts.difference_update(others)
    return starts
