"""The tape of a program with many rounds of a loop, from the tapes of two with few.

``short`` and ``longer`` differ by one round of the tape's own loops (there may be several: forward, backward, sums of
gradients). What ``longer`` has more than ``short`` is what each further round has more.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.graph.dtypes import DType
from nbgrad.graph.family import OUTSIDE, Family, find_family
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
# each end. Whether the loops go on as they seem to shows in the longer tape.
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
        self.codes = [step.code for step in self.steps]

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


def is_same_but_for_places(short: Part, other: Part) -> bool:
    """Whether the tapes have the same instructions, which only lie elsewhere.

    The two leave out other rounds: what depends on which rounds follow each other shows.
    """
    a, b = Steps(short), Steps(other)
    return a.codes == b.codes and a.refs == b.refs


def stretched(short: Part, longer: Part, more: int) -> TapeBuilder | None:
    """The tape with ``more`` rounds than ``short`` has; None where that cannot be told from the two.

    The numbers of inputs, results and run-time numbers, and places in inputs, are those of the long program: they skip
    the rounds left out.
    """
    if short.tape.consts != longer.tape.consts:
        return None
    a, b = Steps(short), Steps(longer)
    family = _family(a, b, more)
    if family is None or not _is_next(family, a, b, more):
        return None
    entries = family.resized(more)
    if entries is None:
        return None
    labels = [_Labels(a, region.run, more) for region in family.regions]
    t = _Writer(short.tape)
    for like, refs, region, turn in entries:
        t.add(a.steps[like], refs, a.labels[like] if region == OUTSIDE else labels[region].of(like, turn))
    return t.t


def _family(a: Steps, b: Steps, more: int) -> Family | None:
    """The loops that are longer in ``b``, in rounds of which that has one more."""
    growing = _growing(a, b, find_runs(a.codes, LEAST_ROUNDS, 1), find_runs(b.codes, LEAST_ROUNDS, 1), more)
    return None if growing is None else find_family(a.refs, growing, [0] * len(a.steps), LEAST_ROUNDS, FEWER)


def _growing(a: Steps, b: Steps, runs: Sequence[Run], others: Sequence[Run], more: int) -> list[Run] | None:
    """Those of ``runs``, which are of ``a``, that are longer in ``b``, where ``others`` are."""
    if len(runs) != len(others):
        return None
    growing: list[Run] = []
    for run, other in zip(runs, others, strict=True):
        each = other.rounds - run.rounds  # several where a round repeats itself inside: the terms of a sum
        if run.period != other.period:
            if each:
                return None
            found = _growing(a, b, _inside(a, run), _inside(b, other), more)
            if found is None:
                return None
            growing += found
        elif each < 0:
            return None
        elif each:
            growing += _even_loops(a, run, each, more)
    return growing


def _even_loops(a: Steps, run: Run, each: int, more: int) -> list[Run]:
    """The loops in ``run``, which has ``each`` rounds more in a longer tape: as a rule one, of so many rounds in each
    of its own; where labels show that the same instructions stand for several loops in a row, these."""
    whole = _with_even_labels(a, Run(run.start, run.period * each, run.rounds // each), more)
    for count in range(2, each + 1 if whole.rounds < run.rounds // each else 0):
        if each % count == 0:
            period = run.period * (each // count)
            found: list[Run] = []
            start = run.start
            while run.end - start >= LEAST_ROUNDS * period and len(found) < count:
                loop = _first_even(a, Run(start, period, (run.end - start) // period), more)
                if loop.rounds >= LEAST_ROUNDS:
                    found.append(loop)
                start = loop.end
            if len(found) == count:
                return found
    return [whole]


def _first_even(a: Steps, run: Run, more: int) -> Run:
    """The first part of ``run`` whose labels move on evenly."""
    table = _table(a, run)
    if table is None:
        return run
    steps = np.diff(table, axis=0)
    odd = ((steps != steps[0]) & (steps != steps[0] * (1 + more))).any(axis=1)
    return run._replace(rounds=int(odd.argmax()) + 1 if odd.any() else run.rounds)


def _inside(a: Steps, run: Run) -> list[Run]:
    """The runs in each round of one: the loops of derivatives that were asked for one after another."""
    return [
        found._replace(start=found.start + start)
        for start in range(run.start, run.end, run.period)
        for found in find_runs(a.codes[start : start + run.period], LEAST_ROUNDS, 1)
    ]


def _is_next(family: Family, a: Steps, b: Steps, more: int) -> bool:
    """Whether ``b`` is what the family says of one round more than ``a`` has."""
    entries = family.resized(1)
    if entries is None or len(entries) != len(b.steps):
        return False
    labels = [_even_labels(a, region.run, more) for region in family.regions]
    for i, entry in enumerate(entries):
        if b.codes[i] != a.codes[entry.like] or b.refs[i] != entry.refs:
            return False
        if entry.region == OUTSIDE and b.labels[i] != a.labels[entry.like]:
            return False
    shift = 0
    for region, found in zip(family.regions, labels, strict=True):
        run = region.run._replace(start=region.run.start + shift, rounds=region.run.rounds + 1)
        shift += run.period
        again = _even_labels(b, run, more - 1)
        if found is None or again is None or found.first != again.first or found.slope != again.slope:
            return False
    return True


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
    if not steps.size:
        return _Even(table[0].tolist(), [0] * table.shape[1])
    slope = _slopes(steps)
    usual = (steps == slope).sum(axis=0)
    skips = (steps == slope * (1 + more)).sum(axis=0)
    is_even = np.where((slope == 0) | (more == 0), usual == len(steps), (usual == len(steps) - 1) & (skips == 1))
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

    def __init__(self, a: Steps, run: Run, more: int) -> None:
        even = _even_labels(a, run, more)
        assert even is not None
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
