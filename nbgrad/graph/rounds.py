"""A graph with an unrolled loop in it, and the same graph with fewer rounds of that loop.

What is found out about the short one holds for the long one: whoever plans a program of 500 steps plans one of six.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

from nbgrad.graph.family import Family, find_family
from nbgrad.graph.node import Node, toposort
from nbgrad.graph.op import VIEW
from nbgrad.graph.runs import Run, find_runs

LEAST_NODES: Final = 1000  # what is smaller is planned in a moment
LEAST_ROUNDS: Final = 30  # with fewer there is little to gain: some are planned, twice
LEAST_SHARE: Final = 0.5  # of the nodes that are in the loop


class Short(NamedTuple):
    """The graph with fewer rounds: ``roots``, and for each of them which it is of the roots of the whole."""

    roots: list[Node]
    places: list[int]


class Rounds:
    """The nodes behind ``roots`` as a family; the last entries are the roots themselves.

    The numbers of inputs, of run-time numbers and of rows may count rounds: those of the short graph are true, and skip
    the rounds left out.
    """

    def __init__(self, roots: Sequence[Node], order: Sequence[Node], family: Family) -> None:
        self.roots = roots
        self.order = order
        self.family = family

    @property
    def count(self) -> int:
        """How many rounds can be told from one another."""
        return self.family.least

    def shortened(self, fewer: int) -> Short | None:
        """The graph with ``fewer`` rounds less, those in the middle; None where something asks for one of them."""
        entries = self.family.resized(-fewer)
        if entries is None:
            return None
        size = len(self.order)
        nodes: list[Node] = []
        short = Short([], [])
        for like, refs, _, _ in entries:
            if like < size:
                old = self.order[like]
                nodes.append(Node(old.op, tuple([nodes[ref] for ref in refs]), old.params, old.spec, old.site))
            else:
                short.roots.append(nodes[refs[0]])
                short.places.append(like - size)
        return short


def find_rounds(roots: Sequence[Node]) -> Rounds | None:
    """The loop behind ``roots``, which are canonical; None where there is none that is long enough, or even."""
    order = toposort(roots)
    if len(order) < LEAST_NODES:
        return None
    number = {node: i for i, node in enumerate(order)}
    codes, labels = _codes(order)
    runs = find_runs(codes, LEAST_ROUNDS)
    if sum([run.period * run.rounds for run in runs]) < LEAST_SHARE * len(order):
        return None
    ends = [number[root] for root in roots]
    late = find_runs([_place_in(runs, end) for end in ends], LEAST_ROUNDS, 1)
    runs += [run._replace(start=run.start + len(order)) for run in late]
    refs = [[number[x] for x in node.inputs] for node in order] + [[end] for end in ends]
    family = find_family(refs, runs, labels + [0] * len(ends), LEAST_ROUNDS)
    return None if family is None else Rounds(roots, order, family)


def _place_in(runs: Sequence[Run], i: int) -> Hashable:
    """What entry ``i`` has in common with those of other rounds; itself outside of runs."""
    k = bisect_right(runs, i, key=lambda run: run.start) - 1
    return (k, (i - runs[k].start) % runs[k].period) if k >= 0 and i < runs[k].end else i


def _codes(order: Sequence[Node]) -> tuple[list[Hashable], list[int]]:
    """What each node is but for its inputs, and the number that it has of an input, a run-time number or a row."""
    rows = _rows(order)
    codes: list[Hashable] = []
    labels = [0] * len(order)
    for i, node in enumerate(order):
        op, params = node.op, node.params
        if op.name in ("input", "scalar"):
            labels[i] = params[0]
            codes.append((op, params[1]))
        elif op.name == "const":
            value, dtype = params
            if node in rows:
                labels[i] = value
                codes.append((op, dtype))
            else:
                codes.append((op, repr(value), dtype))  # 0.0 and -0.0 are equal numbers, and so are 1 and True
        else:
            codes.append((op, params, node.spec, len(node.inputs)))
    return codes, labels


def _rows(order: Sequence[Node]) -> set[Node]:
    """The constants at which slices of inputs begin, and which nothing else reads.

    Where other slices begin decides what they share with what was written there.
    """
    plain: set[Node] = set()  # inputs and views of them
    starts: dict[Node, bool] = {}
    for node in order:
        inputs = node.inputs
        if node.op.name == "input" or (node.op.kind is VIEW and inputs[0] in plain):
            plain.add(node)
        is_row = node.op.name == "slice" and inputs[0] in plain
        for x in inputs:
            if x.op.name == "const":
                starts[x] = starts.get(x, True) and is_row and x is inputs[-1]
    return {x for x, is_start in starts.items() if is_start}
