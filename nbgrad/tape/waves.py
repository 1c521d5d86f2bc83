"""Waves: instructions that do not depend on each other, side by side, for threads to take from one queue.

A product's two derivatives, the branches of a graph, the updates of all parameters: alone, such instructions have too
few items for several threads, or are too small for the way to them. Instructions come forward into the wave of one that
threads cannot share evenly; dependences are kept, so the bits stay. A training step of the bench's MLP, batch 32, takes
two threads 0.32 to 0.55 ms so, and 0.36 to 0.60 without waves.

Waves come from a walk over the tape with a look 16 instructions ahead, not from a graph of tasks. Reckoned from each
kernel's time alone (`bench.profile --threads`), in a character GPT's step two threads idle for 1 % of the time, eight
for 28 % (40 without waves); in the LSTM's two for 11 %: every step of the recurrence waits for the one before.

The updates of all parameters are a wave of instructions, not one instruction that walks a table. Of 150 updates by Adam
with 32 elements each, the runner takes 7 us: 2 to fill in addresses, 0.7 to go from row to row (5 ns), the rest in
kernels. A table needs the same addresses, so it would gain less than 1 us; what Python takes to hand over the addresses
of the 1050 tensors was 24 us, and is 5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from nbgrad.passes.group import NO_DONATIONS
from nbgrad.passes.schedule import peak_of
from nbgrad.tape.block import ARENA, Block, Ref, output_slot
from nbgrad.tape.build import Step, TapeBuilder
from nbgrad.tape.donations import may_fail
from nbgrad.tape.memory import count_lives
from nbgrad.tape.work import SHARE_PS, SPLIT, WAKE_PS, WAVE

AHEAD: Final = 16  # instructions that a wave is looked for among: more find little, and cost planning time
MOST_IN_WAVE: Final = 64  # as many as the runner has room for
EVEN: Final = 2  # a wave is full when each thread has so many times its longest piece to do
ENOUGH_PS: Final = 20_000_000  # and so much that handing it out costs little
MOST_PS: Final = 5_000_000_000  # a wave ends in time for the runner to look at the clock
PIECES: Final = 4  # for each thread, of an instruction that can be cut
SPARE_BYTES: Final = 1 << 18  # that results which come early may take, or this share of all that lives at once
SPARE_SHARE: Final = 32


def dependences(
    steps: Sequence[Step], donated: Mapping[int, int] = NO_DONATIONS, failing: Sequence[int] = ()
) -> list[set[int]]:
    """For each instruction, earlier ones that have to be over when it begins.

    It must find what they write, must not write what they still read, nor be overtaken where both write. The parts of a
    concatenation are different places of one block. ``donated``: slots of results that are made in the memory of the
    input in another slot; who writes them waits also for whoever may fail.
    """
    writers: dict[Block | int, list[tuple[int, Ref]]] = {}
    readers: dict[Block | int, list[int]] = {}
    needs: list[set[int]] = []
    for i, step in enumerate(steps):
        need: set[int] = set()
        writes = step.writes
        read, written = [_place(block) for block in step.reads], [_place(ref.block) for ref in writes]
        for place in read:
            need.update([w for w, _ in writers.get(place, ())])
        for place, ref in zip(written, writes, strict=True):
            need.update(readers.get(place, ()))
            need.update([w for w, before in writers.get(place, ()) if not _are_parts(before, ref)])
            if isinstance(place, int) and place in donated:
                need.update(readers.get(donated[place], ()))
                need.update([f for f in failing if f < i])
        for place in read:
            readers.setdefault(place, []).append(i)
        for place, ref in zip(written, writes, strict=True):
            if ref.is_part:
                writers.setdefault(place, []).append((i, ref))
            else:  # whoever comes later depends on those before through this one
                writers[place] = [(i, ref)]
                readers[place] = []
        need.discard(i)
        needs.append(need)
    return needs


def _place(block: Block | None) -> Block | int:
    """What names memory: an input may have several blocks."""
    assert block is not None
    return block if block.slot == ARENA else block.slot


def _are_parts(a: Ref, b: Ref) -> bool:
    return a.is_part and b.is_part and a.offset != b.offset


def form_waves(t: TapeBuilder, threads: int, donated: Sequence[tuple[int, int]] = ()) -> Sequence[int]:
    """Put the instructions of ``t`` into an order with waves for so many threads, and count its blocks' lives in them.

    ``donated`` are (result, input) that are one memory. Gives the new place of each instruction. Nothing is done where
    one thread works alone, or there is little work.
    """
    t.temporaries = count_lives(t.temporaries, t.steps, range(len(t.steps)))
    if threads < 2 or sum([step.items * step.cost for step in t.steps]) < WAKE_PS:
        return range(len(t.steps))
    return reorder(t, Waves(t, threads, donated).found())


class Waves:
    """What instructions need and use, and which of them can run side by side."""

    def __init__(self, t: TapeBuilder, threads: int, donated: Sequence[tuple[int, int]] = ()) -> None:
        steps = t.steps
        self.threads = threads
        self.work = [step.items * step.cost for step in steps]
        self.piece = [_longest_piece(step, threads) for step in steps]
        self.touched = [_touched(step) for step in steps]
        # What each may write its result over.
        self.dying = [{into for _, into in step.offers if into.last == i} for i, step in enumerate(steps)]
        self.born = [0] * len(steps)  # bytes of the values that begin here
        for block in t.temporaries:
            self.born[block.born] += block.nbytes
        lives = [(block.nbytes, block.born, block.last) for block in t.temporaries]
        self.spare = max(SPARE_BYTES, peak_of(lives, len(steps) + 1)[0] // SPARE_SHARE)
        slots = {position: slot for slot, position in enumerate(t.input_positions)}
        writable = {output_slot(result): slots[position] for result, position in donated if position in slots}
        failing = [i for i, step in enumerate(steps) if may_fail(step.text)] if donated else ()
        needs = dependences(steps, writable, failing)
        self.waiting = [len(need) for need in needs]
        self.users: list[list[int]] = [[] for _ in steps]
        for i, need in enumerate(needs):
            for j in need:
                self.users[j].append(i)
        self.done = [False] * len(steps)
        self.early = 0  # bytes of values that came before their turn

    def found(self) -> list[list[int]]:
        waves = []
        came_early: set[int] = set()
        for i, done in enumerate(self.done):
            if done:
                if i in came_early:
                    self.early -= self.born[i]
                continue
            wave = self.wave_of(i, range(i + 1, min(i + AHEAD, len(self.done))))
            came_early.update(wave[1:])
            self.early += sum([self.born[j] for j in wave[1:]])
            self.finish(wave)
            if sum([self.work[j] for j in wave]) < SHARE_PS:
                waves += [[j] for j in wave]
            else:
                waves.append(sorted(wave, key=lambda j: -self.piece[j]))
        return waves

    def finish(self, wave: Sequence[int]) -> None:
        """These come next: who waits for them waits no more."""
        for j in wave:
            self.done[j] = True
            for user in self.users[j]:
                self.waiting[user] -= 1

    def wave_of(self, first: int, candidates: Sequence[int]) -> list[int]:
        """``first``, and of the candidates what threads can do beside it."""
        wave, work, longest, new_bytes = [first], self.work[first], self.piece[first], 0
        touched, dying = set(self.touched[first]), set(self.dying[first])
        for j in candidates:
            if work >= self.threads * max(EVEN * longest, ENOUGH_PS) or len(wave) == MOST_IN_WAVE:
                break  # threads have enough to do
            if self.done[j] or self.waiting[j] or work + self.work[j] > MOST_PS:
                continue
            too_large = self.born[j] and self.early + new_bytes + self.born[j] > self.spare
            if too_large or dying & self.touched[j] or self.dying[j] & touched:
                continue
            wave.append(j)
            work += self.work[j]
            longest = max(longest, self.piece[j])
            new_bytes += self.born[j]
            touched |= self.touched[j]
            dying |= self.dying[j]
        return wave


def _touched(step: Step) -> set[Block]:
    """The memory that a step uses as others do."""
    return {ref.block for writes in (False, True) for ref in step.used(writes) if ref.block is not None}


def _longest_piece(step: Step, threads: int) -> int:
    """The most work of a step that one thread takes at a time."""
    work = step.items * step.cost
    return max(step.cost, work // (PIECES * threads)) if step.flags & SPLIT else work


def reorder(t: TapeBuilder, waves: Sequence[Sequence[int]]) -> Sequence[int]:
    """Put the instructions of ``t`` in the order of ``waves``; gives the new place of each. As they are where each is
    a wave of its own.

    For lives and offers of memory, all of a wave happens at its first instruction from here on.
    """
    steps = t.steps
    if all(len(wave) == 1 for wave in waves):
        return range(len(steps))
    turns, places = [0] * len(steps), [0] * len(steps)
    order = [i for wave in waves for i in wave]
    for place, i in enumerate(order):
        places[i] = place
    flags = [0] * len(steps)
    users: Counter[tuple[int, Block]] = Counter()
    for wave in waves:
        for i in wave:
            turns[i], flags[i] = places[wave[0]], WAVE if i != wave[-1] else 0
            users.update([(turns[i], block) for block in _touched(steps[i])])

    def moved(i: int) -> Step:
        kept = [pair for pair in steps[i].offers if all(users[turns[i], block] == 1 for block in pair)]
        return steps[i]._replace(flags=steps[i].flags | flags[i], offers=kept)

    t.temporaries = count_lives(t.temporaries, [steps[i] for i in order], [turns[i] for i in order])
    t.steps = [moved(i) for i in order]
    return places
