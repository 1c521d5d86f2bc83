"""Loops of many operators as several kernels: cut between the rounds of a body that repeats itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from nbgrad.graph.family import even_runs
from nbgrad.graph.node import Node
from nbgrad.graph.runs import Run, find_runs

# Statements in one kernel. Code generation grows a little faster than linearly; beyond this a kernel takes as long to
# make as two of half the size and has run out of registers long before.
MOST_NODES: Final = 250
# Where few rounds stand for many: as many as those of one kernel should have together. Less would be loads and stores
# for the most part; with more there would have to be more rounds.
ENOUGH_NODES: Final = 64
# Of arrays that a kernel loads and stores in no time: a thousand rounds of so many elements take 0.1 ms longer in a
# kernel each. To plan them whole, as larger ones are, takes a second.
FEW_ELEMENTS: Final = 1024
LEAST_ROUNDS: Final = 3
ALIKE: Final = 6  # so many at least of a few rounds that stand for many are like each other


def portions(nodes: Sequence[Node], few: bool = False) -> list[Sequence[Node]]:
    """``nodes``, a loop in the order of the toposort, in pieces of at most MOST_NODES.

    Where a body repeats itself, each piece has the same number of rounds, so that all share one kernel. A loop whose
    ``few`` rounds stand for many is cut all the same.
    A hundred steps of the Lorenz equations are 5 kernels of 224 statements; in even pieces 12, of 2827.
    """
    if len(nodes) <= MOST_NODES and not few:
        return [nodes]
    runs = _runs(nodes, ALIKE if few else LEAST_ROUNDS)
    if not few:
        runs = [run for run in runs if run.end - run.start > MOST_NODES]
    one = _rounds_of_one(runs, nodes[0].spec.size if few else 0)
    ends = [0]
    for run in runs:
        step = run.period * one
        if run.start - ends[-1] + step > MOST_NODES:
            ends += _evenly(ends[-1], run.start)
        for end in range(run.start + step, run.end + 1, step):
            ends += _evenly(ends[-1], end)
    ends += _evenly(ends[-1], len(nodes))
    return [nodes[start:end] for start, end in pairwise(ends)]


def _runs(nodes: Sequence[Node], least: int) -> list[Run]:
    runs = find_runs([(node.op, node.params, node.spec, len(node.inputs)) for node in nodes], least, 2)
    number = {node: i for i, node in enumerate(nodes)}
    return even_runs([[number.get(x, 0) for x in node.inputs] for node in nodes], runs, least)


def _rounds_of_one(runs: Sequence[Run], elements: int) -> int:
    """How many rounds make one kernel, the same for all bodies, so that they go together.

    ``elements``: of an array where few rounds stand for many; then it is a power of 2.
    """
    period = max([run.period for run in runs], default=MOST_NODES)
    if not elements:
        return max(1, MOST_NODES // period)
    rounds = 1
    while elements > FEW_ELEMENTS and 2 * rounds * period <= ENOUGH_NODES:
        rounds *= 2
    return rounds


def _evenly(start: int, end: int) -> list[int]:
    """The ends of as few even pieces as there have to be from ``start`` to ``end``."""
    pieces = -(-(end - start) // MOST_NODES)
    size = -(-(end - start) // max(pieces, 1))
    return [min(start + size * (i + 1), end) for i in range(pieces)]
