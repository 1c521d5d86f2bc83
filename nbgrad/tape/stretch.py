"""The tape of a program with many rounds of a loop, from the tape of one with few.

Of each instruction it is known what rounds it computes something of (``InRound`` in `graph/rounds.py`). The tape's own
loops (there may be several: forward, backward, sums of gradients) are where the same instructions do in each round what
they did in the one before, for the next round. Rounds were left out in the middle; there they are put in.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.graph.dtypes import DType
from nbgrad.graph.family import OUTSIDE, Family, even_runs, find_family
from nbgrad.graph.node import Node
from nbgrad.graph.rounds import BESIDE_GAP, At, InRound
from nbgrad.graph.runs import Run, find_runs
from nbgrad.tape.block import ARENA, CONSTS, SCALARS, Block, Ref, output_slot
from nbgrad.tape.build import Mention, TapeBuilder
from nbgrad.tape.numbers import WORD

INPUT, RESULT = "input", "result"  # what memory is, beside temporaries
LEAST_ROUNDS: Final = 3  # of the short tape's loops: one at each end, and one to see how they move on
# Rounds that a loop of the tape may lack: each further derivative has one or two more that are not like the others at
# each end.
FEWER: Final = 12


class Part(NamedTuple):
    """The tape of a short program, and which results of the whole program its results are.

    ``by_rows``: the loop writes rows of arrays, so that places in temporaries and results move on as well.
    """

    tape: TapeBuilder
    places: Sequence[int]
    by_rows: bool = False


class Steps:
    """The steps of a tape: what is the same of each in all rounds, which others it refers to, its rounds, and the
    numbers that may move on.

    These are positions of inputs, places in them, numbers of results and positions of run-time numbers; where a loop
    writes rows, places in all memory. A temporary is named by the step that writes it first, and which of its it is.
    """

    def __init__(self, part: Part) -> None:
        t, self._places, self._by_rows = part
        self.steps = t.steps
        self.refs: list[list[int]] = [[] for _ in t.steps]
        self.labels: list[list[int]] = [[] for _ in t.steps]
        self._t = t
        self._numbers = list(t.scalars)
        self.born: list[list[Block]] = [[] for _ in t.steps]
        self.which: dict[Block, int] = {}
        for block in t.temporaries:
            if block.born < len(t.steps):
                self.which[block] = len(self.born[block.born])
                self.born[block.born].append(block)
        found = list(_rounds([step.nodes for step in t.steps]))
        self.rounds = [[number for _, number in rounds] for rounds in found]
        self.codes = [(self._code(i), *[k for k, _ in rounds]) for i, rounds in enumerate(found)]

    def _code(self, i: int) -> Hashable:
        """All that has to be the same in each round."""
        text, items, chunk, cost, flags, _, words, mentions, offers = self.steps[i]
        named = [(word, writes, *self._name(i, ref)) for word, ref, writes in mentions]
        number: dict[Block | None, int] = {}
        for k, (_, ref, _) in enumerate(mentions):
            number.setdefault(ref.block, k)
        pairs = [(number[out], number[into]) for out, into in offers]
        born = [block.nbytes for block in self.born[i]]
        return id(text), items, chunk, cost, flags, tuple(words), tuple(named), tuple(pairs), tuple(born)

    def number_at(self, offset: int) -> tuple[int, DType]:
        """(position, dtype) of the run-time number there in the block of them."""
        return self._numbers[offset // WORD]

    def _name(self, i: int, ref: Ref) -> tuple[Hashable, ...]:
        """Memory but for the labels of it, which are written down."""
        block, offset, terms, strides, is_part = ref
        labels = self.labels[i]
        labels += [position for position, _ in terms]
        name: tuple[Hashable, ...] = (strides, is_part, *[factor for _, factor in terms])
        if block is None or block.slot == CONSTS:
            return block is None, offset, *name
        if block.slot == SCALARS:
            position, dtype = self.number_at(offset)
            labels.append(position)
            return dtype, *name
        if block.slot >= 0:
            labels += (self._t.input_positions[block.slot], offset)
            return INPUT, block.nbytes, *name
        if block.slot == ARENA:
            self.refs[i].append(block.born)
            name = (ARENA, self.which[block], *name)
        else:
            labels.append(self._places[output_slot(block.slot)])
            name = (RESULT, block.nbytes, *name)
        if self._by_rows:
            labels.append(offset)
            return name
        return offset, *name


def _rounds(instructions: Sequence[Sequence[Node]]) -> Iterator[tuple[At, ...]]:
    """What rounds each instruction computes something of. What a pass has made is of those of its inputs."""
    known: dict[Node, tuple[At, ...]] = {}

    def of(node: Node) -> tuple[At, ...]:
        found = known.get(node)
        if found is None:
            site = node.site
            found = known[node] = site.at if isinstance(site, InRound) else of_all(node.inputs)
        return found

    def of_all(nodes: Sequence[Node]) -> tuple[At, ...]:
        return tuple(dict.fromkeys([at for node in nodes for at in of(node)]))

    yield from map(of_all, instructions)


def is_same_but_for_places(short: Part, other: Part) -> bool:
    """Whether the tapes have the same instructions, which only lie elsewhere.

    The two leave out other rounds: what depends on which rounds follow each other shows.
    """
    a, b = Steps(short), Steps(other)
    return a.codes == b.codes and a.refs == b.refs


def stretched(short: Part, more: int) -> TapeBuilder | None:
    """The tape with ``more`` rounds than ``short`` has; None where that cannot be told from it.

    The numbers of inputs, results and run-time numbers, and places in inputs, are those of the long program: they skip
    the rounds left out.
    """
    a = Steps(short)
    family = find_family(a.refs, _loops(a, more), [0] * len(a.steps), LEAST_ROUNDS, FEWER)
    if family is None or not _holds_gap(family, a):
        return None
    entries, labels = family.resized(more), [_even_labels(a, region.run, more) for region in family.regions]
    if entries is None or None in labels:
        return None
    even = {i: found for rounds in labels if rounds is not None for i, found in rounds.items()}
    t = _Writer(short, a)
    for like, refs, region, turn in entries:
        first, slope = even[like] if region != OUTSIDE else (a.labels[like], None)
        t.add(like, refs, first if slope is None else [x + turn * y for x, y in zip(first, slope, strict=True)])
    return t.t


def _loops(a: Steps, more: int) -> list[Run]:
    """The loops that go on from round to round over those left out."""
    even = even_runs(a.rounds, find_runs(a.codes, LEAST_ROUNDS, 1), LEAST_ROUNDS)
    found = [_with_even_labels(a, run, more) for run in even]
    return [run for run in found if BESIDE_GAP.issubset(chain.from_iterable(a.rounds[run.start : run.end]))]


def _pace(a: Steps, run: Run) -> int:
    """By how many rounds of the program each round of a loop goes on."""
    start, period, _ = run
    first, second = a.rounds[start : start + period], a.rounds[start + period : start + 2 * period]
    return max([abs(y - x) for i, j in zip(first, second, strict=True) for x, y in zip(i, j, strict=True)])


def _holds_gap(family: Family, a: Steps) -> bool:
    """Whether all that is done of the rounds beside those left out is in loops that go on by one round each."""
    runs = [region.run for region in family.regions]
    inside = {i for run in runs for i in range(run.start, run.end)}
    return all(_pace(a, run) == 1 for run in runs) and all(
        i in inside or BESIDE_GAP.isdisjoint(rounds) for i, rounds in enumerate(a.rounds)
    )


Even = tuple[list[int], list[int] | None]  # labels in the first round, and what they grow by from round to round


def _even_labels(a: Steps, run: Run, more: int) -> dict[int, Even] | None:
    """How the labels of each step in ``run`` move on, where they skip ``more`` rounds once; None where they do
    otherwise."""
    table = _table(a, run)
    if table is None:
        return None
    steps = np.diff(table, axis=0)
    slope = _slopes(steps)
    usual = (steps == slope).sum(axis=0)
    skips = (steps == slope * (1 + more)).sum(axis=0)
    if not np.where(slope == 0, usual == len(steps), (usual == len(steps) - 1) & (skips == 1)).all():
        return None
    found: dict[int, Even] = {}
    at, slopes = 0, slope.tolist()
    for i in range(run.start, run.start + run.period):
        own = slopes[at : at + len(a.labels[i])]
        found.update(dict.fromkeys(range(i, run.end, run.period), (a.labels[i], own if any(own) else None)))
        at += len(own)
    return found


def _with_even_labels(a: Steps, run: Run, more: int) -> Run:
    """The longest part of ``run`` without a round whose labels move on in another way: the last may read a number that
    is no round's."""
    table = _table(a, run)
    if table is None or run.rounds < LEAST_ROUNDS:
        return run
    steps = np.diff(table, axis=0)
    slope = _slopes(steps)
    odd = np.flatnonzero(((steps != slope) & (steps != slope * (1 + more))).any(axis=1)).tolist()
    first, last = max(pairwise([-1, *odd, len(steps)]), key=lambda ends: ends[1] - ends[0])
    return Run(run.start + (first + 1) * run.period, run.period, last - first)


def _table(a: Steps, run: Run) -> Any:
    """The labels of a run, a row for each round; None where rounds have more or fewer."""
    flat = [label for entry in a.labels[run.start : run.end] for label in entry]
    return None if len(flat) % run.rounds else np.array(flat, np.int64).reshape(run.rounds, -1)


def _slopes(steps: Any) -> Any:
    """What labels usually move on by: a step at one end or the other is no skip."""
    return np.where(np.abs(steps[0]) <= np.abs(steps[-1]), steps[0], steps[-1])


class _Writer:
    """Writes steps down again, as a tape of their own."""

    def __init__(self, part: Part, steps: Steps) -> None:
        like, self._by_rows = part.tape, part.by_rows
        t = self.t = TapeBuilder(like.padded, like.gpu)
        t.consts = bytearray(like.consts)
        t.notes = list(like.notes)
        self._like = steps
        self._results: dict[int, Block] = {}
        self._inputs: dict[int, Block] = {}
        self._born: list[list[Block]] = []  # by each step

    def add(self, like: int, refs: Sequence[int], labels: Sequence[int]) -> None:
        t, source, number = self.t, iter(refs), iter(labels)
        self._born.append([t.temporary(block.nbytes, ARENA) for block in self._like.born[like]])
        step = self._like.steps[like]
        new: dict[Block | None, Block | None] = {}
        mentions = []
        for word, ref, writes in step.mentions:
            moved = self._moved(ref, source, number)
            new[ref.block] = moved.block
            mentions.append(Mention(word, moved, writes))
        blocks = list(new.values())
        # Where rounds of two loops meet, what was read at two places may be one value: it is still read.
        offers = [(a, b) for o, i in step.offers if (a := new[o]) and (b := new[i]) and blocks.count(b) == 1]
        t.steps.append(step._replace(mentions=mentions, offers=offers))

    def _moved(self, ref: Ref, source: Iterator[int], number: Iterator[int]) -> Ref:
        """The same memory in another round; it takes the steps and the labels that name it."""
        block, offset, terms, strides, is_part = ref
        terms = tuple([(next(number), factor) for _, factor in terms])
        if block is None or block.slot == CONSTS:
            return ref._replace(terms=terms)
        if block.slot == SCALARS:
            _, dtype = self._like.number_at(offset)
            return Ref(block, WORD * self.t.scalar_word(next(number), dtype), terms, strides, is_part)
        if block.slot >= 0:
            return Ref(self._input(next(number), block.nbytes), next(number), terms, strides, is_part)
        if block.slot == ARENA:
            block = self._born[next(source)][self._like.which[block]]
        else:
            block = self._result(next(number), block.nbytes)
        return Ref(block, next(number) if self._by_rows else offset, terms, strides, is_part)

    def _result(self, number: int, nbytes: int) -> Block:
        block = self._results.get(number)
        if block is None:
            block = self._results[number] = Block(nbytes, output_slot(number), len(self.t.steps))
        return block

    def _input(self, position: int, nbytes: int) -> Block:
        block = self._inputs.get(position)
        if block is None:
            block = self._inputs[position] = Block(nbytes, len(self.t.input_positions), 0)
            self.t.input_positions.append(position)
        return block
