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
from nbgrad.tape.block import ARENA, SCALARS, Block, Ref, output_index, output_slot
from nbgrad.tape.build import TapeBuilder, Use, make_in_place
from nbgrad.tape.numbers import WORD
from nbgrad.tape.tape import Instruction

MOVES: Final = -1  # in place of an offset that is a label
INPUT: Final = 0
RESULT: Final = 1
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


class Mention(NamedTuple):
    """Memory whose address goes into ``word``, but for what differs from round to round.

    ``kind`` is ARENA: a temporary, by one reference to the instruction that writes it first, ``which`` of its; INPUT
    (its position and the offset are labels, ``which`` is its bytes); RESULT (its number is a label, ``which`` its
    bytes); or SCALARS (a run-time number's position is a label, ``which`` its dtype). Where a loop writes rows, the
    offsets are labels of all.
    """

    word: int
    kind: int
    which: Any
    offset: int


class Step(NamedTuple):
    """One instruction, its memory named so that it can be written down again elsewhere.

    ``reads``, ``writes`` and ``in_place`` name memory by its place in ``mentions``.
    """

    instruction: Instruction
    words: list[int]
    const_words: list[int]
    born: tuple[int, ...]  # bytes of the temporaries that it writes first
    mentions: list[Mention]
    terms: list[tuple[int, DType, int]]  # (word, dtype, coefficient) of run-time numbers, whose positions are labels
    reads: list[int]
    writes: list[tuple[int, Ref]]
    in_place: list[tuple[int, int]]

    @property
    def code(self) -> Hashable:
        """All that has to be the same in each round."""
        i = self.instruction
        writes = [(k, ref.offset, ref.strides, ref.is_part, *[c for _, c in ref.terms]) for k, ref in self.writes]
        return (
            *(id(i.text), i.items, i.chunk, i.cost, i.flags, tuple(self.words), tuple(self.const_words), self.born),
            *(tuple(self.mentions), tuple(self.terms), tuple(self.reads), tuple(writes), tuple(self.in_place)),
        )


class Steps:
    """The instructions of a tape: what they are, which others each refers to, and the numbers that may move on."""

    def __init__(self, part: Part) -> None:
        t, self._places, self._by_rows = part
        self.refs: list[list[int]] = [[] for _ in t.instructions]
        self.labels: list[list[int]] = [[] for _ in t.instructions]
        self._t = t
        self._numbers = list(t.scalars)
        self._ordinal: dict[Block, int] = {}
        self._born: list[list[int]] = [[] for _ in t.instructions]
        for block in t.temporaries:
            if block.born < len(self._born):
                self._ordinal[block] = len(self._born[block.born])
                self._born[block.born].append(block.nbytes)
        self.steps = list(self._found())
        found = list(_rounds([i.nodes for i in t.instructions]))
        self.rounds = [[number for _, number in rounds] for rounds in found]
        self.codes = [(step.code, *[k for k, _ in rounds]) for step, rounds in zip(self.steps, found, strict=True)]

    def _found(self) -> Iterator[Step]:
        t = self._t
        relocs, terms, consts, in_place = iter(t.relocs), iter(t.terms), iter(t.const_words), iter(t.in_place)
        reloc, term, const, offer = next(relocs, None), next(terms, None), next(consts, None), next(in_place, None)
        for i, instruction in enumerate(t.instructions):
            at = instruction.at
            end = t.instructions[i + 1].at if i + 1 < len(t.instructions) else len(t.words)
            step = Step(instruction, t.words[at:end], [], tuple(self._born[i]), [], [], [], [], [])
            place: dict[Block | None, int] = {}
            while reloc is not None and reloc[0] < end:
                place.setdefault(reloc[1], len(step.mentions))
                step.mentions.append(self._mention(i, reloc[0] - at, reloc[1], reloc[2]))
                reloc = next(relocs, None)
            while term is not None and term[0] < end:
                position, dtype = self._numbers[term[1]]
                self.labels[i].append(position)
                step.terms.append((term[0] - at, dtype, term[2]))
                term = next(terms, None)
            while const is not None and const < end:
                step.const_words.append(const - at)
                const = next(consts, None)
            if t.uses:
                step.reads.extend([place[block] for block in t.uses[i].reads])
                step.writes.extend([(place[ref.block], ref) for ref in t.uses[i].writes])
                self.labels[i] += [position for _, ref in step.writes for position, _ in ref.terms]
                if self._by_rows:
                    self.labels[i] += [ref.offset for _, ref in step.writes]
                    step.writes[:] = [(k, ref._replace(offset=MOVES)) for k, ref in step.writes]
            while offer is not None and offer.at == i:
                step.in_place.append((place[offer.out], place[offer.into]))
                offer = next(in_place, None)
            yield step

    def _mention(self, i: int, word: int, block: Block, offset: int) -> Mention:
        slot = block.slot
        if slot == ARENA:
            self.refs[i].append(block.born)
            return Mention(word, ARENA, self._ordinal[block], self._place(i, offset))
        if slot == SCALARS:
            position, dtype = self._numbers[(block.offset + offset) // WORD]
            self.labels[i].append(position)
            return Mention(word, SCALARS, dtype, 0)
        if slot >= 0:
            self.labels[i] += (self._t.input_positions[slot], offset)
            return Mention(word, INPUT, block.nbytes, 0)
        self.labels[i].append(self._places[output_index(slot)])
        return Mention(word, RESULT, block.nbytes, self._place(i, offset))

    def _place(self, i: int, offset: int) -> int:
        """An offset that is the same in each round; MOVES where it is a label."""
        if not self._by_rows:
            return offset
        self.labels[i].append(offset)
        return MOVES


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
    rounds = [_Labels(a, region.run, even) for region, even in zip(family.regions, labels, strict=True) if even]
    t = _Writer(short.tape)
    for like, refs, region, turn in entries:
        t.add(a.steps[like], refs, a.labels[like] if region == OUTSIDE else rounds[region].of(like, turn))
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


class _Even(NamedTuple):
    """Labels of a region: of its first round, and what they grow by from round to round."""

    first: list[int]
    slope: list[int]


def _even_labels(a: Steps, run: Run, more: int) -> _Even | None:
    """How labels move on in ``run``, where they skip ``more`` rounds once; None where they do otherwise."""
    table = _table(a, run)
    if table is None:
        return None
    steps = np.diff(table, axis=0)
    slope = _slopes(steps)
    usual = (steps == slope).sum(axis=0)
    skips = (steps == slope * (1 + more)).sum(axis=0)
    is_even = np.where(slope == 0, usual == len(steps), (usual == len(steps) - 1) & (skips == 1))
    return _Even(table[0].tolist(), slope.tolist()) if is_even.all() else None


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


class _Labels:
    """The labels of the steps of a region in any round."""

    def __init__(self, a: Steps, run: Run, even: _Even) -> None:
        self.start, self.period, _ = run
        sizes = [len(a.labels[self.start + j]) for j in range(self.period)]
        cuts = np.cumsum([0, *sizes]).tolist()
        self.parts = [(even.first[i:j], even.slope[i:j] if any(even.slope[i:j]) else None) for i, j in pairwise(cuts)]

    def of(self, step: int, t: int) -> list[int]:
        first, slope = self.parts[(step - self.start) % self.period]
        return first if slope is None else [label + t * s for label, s in zip(first, slope, strict=True)]


class _Writer:
    """Writes steps down again, as a tape of their own."""

    def __init__(self, like: TapeBuilder) -> None:
        t = self.t = TapeBuilder(like.padded, like.gpu)
        t.consts = bytearray(like.consts)
        t.notes = list(like.notes)
        self._results: dict[int, Block] = {}
        self._inputs: dict[int, Block] = {}
        self._numbers = Block(0, SCALARS, 0)
        self._born: list[list[Block]] = []  # by each instruction

    def add(self, step: Step, refs: Sequence[int], labels: Sequence[int]) -> None:
        t, source, number = self.t, iter(refs), iter(labels)
        now, at = len(t.instructions), len(t.words)
        born = [Block(nbytes, ARENA, now) for nbytes in step.born]
        t.temporaries += born
        self._born.append(born)
        t.words += step.words
        t.const_words += [at + word for word in step.const_words]
        blocks: list[Block] = []
        for word, kind, which, offset in step.mentions:
            if kind == ARENA:
                block = self._born[next(source)][which]
                offset = next(number) if offset == MOVES else offset
            elif kind == SCALARS:
                block, offset = self._numbers, WORD * t.scalar_word(next(number), which)
            elif kind == INPUT:
                block, offset = self._input(next(number), which), next(number)
            else:
                block = self._result(next(number), which)
                offset = next(number) if offset == MOVES else offset
            blocks.append(block)
            t.relocs.append((at + word, block, offset))
            block.last = now
        for word, dtype, coefficient in step.terms:
            t.terms.append((at + word, t.scalar_word(next(number), dtype), coefficient))
        if not t.padded:
            writes = []
            for k, ref in step.writes:
                terms = tuple([(next(number), c) for _, c in ref.terms])
                writes.append(Ref(blocks[k], ref.offset, terms, ref.strides, ref.is_part))
            if step.writes and step.writes[0][1].offset == MOVES:
                writes = [ref._replace(offset=next(number)) for ref in writes]
            t.uses.append(Use([blocks[k] for k in step.reads], writes))
        t.in_place += [make_in_place((now, blocks[out], blocks[into])) for out, into in step.in_place]
        text, _, items, chunk, cost, flags, nodes = step.instruction
        t.push(Instruction(text, at, items, chunk, cost, flags, nodes))

    def _result(self, number: int, nbytes: int) -> Block:
        block = self._results.get(number)
        if block is None:
            block = self._results[number] = Block(nbytes, output_slot(number), len(self.t.instructions))
        return block

    def _input(self, position: int, nbytes: int) -> Block:
        block = self._inputs.get(position)
        if block is None:
            block = self._inputs[position] = Block(nbytes, len(self.t.input_positions), 0)
            self.t.input_positions.append(position)
        return block
