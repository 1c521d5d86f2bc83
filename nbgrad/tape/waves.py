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

from collections.abc import Mapping, Sequence
from typing import Final

from nbgrad.passes.donations import NO_DONATIONS
from nbgrad.passes.schedule import peak_of
from nbgrad.tape.block import ARENA, Block, Ref, output_slot
from nbgrad.tape.build import InPlace, TapeBuilder, Use
from nbgrad.tape.donations import may_fail
from nbgrad.tape.tape import WAVE, Instruction
from nbgrad.tape.work import SHARE_PS, WAKE_PS

AHEAD: Final = 16  # instructions that a wave is looked for among: more find little, and cost planning time
MOST_IN_WAVE: Final = 64  # as many as the runner has room for
EVEN: Final = 2  # a wave is full when each thread has so many times its longest piece to do
ENOUGH_PS: Final = 20_000_000  # and so much that handing it out costs little
MOST_PS: Final = 5_000_000_000  # a wave ends in time for the runner to look at the clock
PIECES: Final = 4  # for each thread, of an instruction that can be cut
SPARE_BYTES: Final = 1 << 18  # that results which come early may take, or this share of all that lives at once
SPARE_SHARE: Final = 32


def dependences(
    uses: Sequence[Use], donated: Mapping[int, int] = NO_DONATIONS, failing: Sequence[int] = ()
) -> list[set[int]]:
    """For each instruction, earlier ones that have to be over when it begins.

    It must find what they write, must not write what they still read, nor be overtaken where both write. The parts of a
    concatenation are different places of one block. ``donated``: slots of results that are made in the memory of the
    input in another slot; who writes them waits also for whoever may fail.
    """
    writers: dict[Block | int, list[tuple[int, Ref]]] = {}
    readers: dict[Block | int, list[int]] = {}
    needs: list[set[int]] = []
    for i, use in enumerate(uses):
        need: set[int] = set()
        read, written = [_place(block) for block in use.reads], [_place(ref.block) for ref in use.writes]
        for place in read:
            need.update([w for w, _ in writers.get(place, ())])
        for place, ref in zip(written, use.writes, strict=True):
            need.update(readers.get(place, ()))
            need.update([w for w, before in writers.get(place, ()) if not _are_parts(before, ref)])
            if isinstance(place, int) and place in donated:
                need.update(readers.get(donated[place], ()))
                need.update([f for f in failing if f < i])
        for place in read:
            readers.setdefault(place, []).append(i)
        for place, ref in zip(written, use.writes, strict=True):
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
    if threads < 2 or sum([i.items * i.cost for i in t.instructions]) < WAKE_PS:
        return range(len(t.instructions))
    return reorder(t, Waves(t, threads, donated).found())


class Waves:
    """What instructions need and use, and which of them can run side by side."""

    def __init__(self, t: TapeBuilder, threads: int, donated: Sequence[tuple[int, int]] = ()) -> None:
        uses = t.uses
        self.threads = threads
        self.work = [i.items * i.cost for i in t.instructions]
        self.piece = [_longest_piece(i, threads) for i in t.instructions]
        self.touched = [{*use.reads, *[ref.block for ref in use.writes]} for use in uses]
        self.dying: list[set[Block | None]] = [set() for _ in uses]  # what each may write its result over
        for at, _, into in t.in_place:
            if into.last == at:
                self.dying[at].add(into)
        self.born = [0] * len(uses)  # bytes of the values that begin here
        seen: set[Block | None] = set()
        for i, use in enumerate(uses):
            for ref in use.writes:
                if ref.block is not None and ref.block.slot == ARENA and ref.block not in seen:
                    self.born[i] += ref.block.nbytes
                    seen.add(ref.block)
        lives = [(block.nbytes, block.born, block.last) for block in t.temporaries]
        self.spare = max(SPARE_BYTES, peak_of(lives, len(uses) + 1)[0] // SPARE_SHARE)
        slots = {position: slot for slot, position in enumerate(t.input_positions)}
        writable = {output_slot(result): slots[position] for result, position in donated if position in slots}
        failing = [i for i, instruction in enumerate(t.instructions) if may_fail(instruction.text)] if donated else ()
        needs = dependences(uses, writable, failing)
        self.waiting = [len(need) for need in needs]
        self.users: list[list[int]] = [[] for _ in uses]
        for i, need in enumerate(needs):
            for j in need:
                self.users[j].append(i)
        self.order = self._late_copies()
        self.done = [False] * len(uses)
        self.early = 0  # bytes of values that came before their turn

    def _late_copies(self) -> list[int]:
        """The order of the tape, but what needs nothing that is computed comes just before it is needed."""
        place = [float(i) for i in range(len(self.work))]
        for i in reversed(range(len(place))):
            if not self.waiting[i] and self.born[i] and self.users[i]:
                place[i] = min([place[user] for user in self.users[i]]) - 0.5
        return sorted(range(len(place)), key=place.__getitem__)

    def found(self) -> list[list[int]]:
        waves = []
        came_early: set[int] = set()
        for at, i in enumerate(self.order):
            if self.done[i]:
                if i in came_early:
                    self.early -= self.born[i]
                continue
            wave = self.wave_of(i, self.order[at + 1 : at + AHEAD])
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


def _longest_piece(i: Instruction, threads: int) -> int:
    """The most work of ``i`` that one thread takes at a time."""
    work = i.items * i.cost
    return max(i.cost, work // (PIECES * threads)) if i.splits else work


def reorder(t: TapeBuilder, waves: Sequence[Sequence[int]]) -> Sequence[int]:
    """Put the instructions of ``t`` in the order of ``waves``; gives the new place of each. As they are where each is
    a wave of its own.

    For lives and offers of memory, all of a wave happens at its first instruction from here on.
    """
    uses = t.uses
    if all(len(wave) == 1 for wave in waves):
        return range(len(uses))
    wave_of, places, first = [0] * len(uses), [0] * len(uses), 0
    for wave in waves:
        for place, i in enumerate(wave, first):
            wave_of[i], places[i] = first, place
        first += len(wave)
    before = t.instructions
    t.instructions = []
    for wave in waves:
        t.instructions += [before[i]._replace(flags=before[i].flags | WAVE) for i in wave[:-1]]
        t.instructions.append(before[wave[-1]])
    users: dict[Block | None, list[int]] = {}
    for i, use in enumerate(uses):
        for block in {*use.reads, *[ref.block for ref in use.writes]}:
            users.setdefault(block, []).append(wave_of[i])
    for block in t.temporaries:
        lives = users.get(block) or [wave_of[min(block.born, len(uses) - 1)]]
        block.born, block.last = min(lives), max(lives)
    t.temporaries.sort(key=lambda block: block.born)
    t.in_place = [
        InPlace(wave_of[at], out, into)
        for at, out, into in t.in_place
        if users[out].count(wave_of[at]) == 1 == users[into].count(wave_of[at])
    ]
    return places
