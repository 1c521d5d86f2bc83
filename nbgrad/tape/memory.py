"""The memory plan: temporaries share one arena; a place serves again once its value was read for the last time."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from typing import Final

from nbgrad.tape.block import Block
from nbgrad.tape.build import InPlace

ALIGNMENT: Final = 64  # a cache line: threads that fill neighbouring values don't share one


def aligned(nbytes: int) -> int:
    return max(ALIGNMENT, -(-nbytes // ALIGNMENT) * ALIGNMENT)


def plan_memory(blocks: Sequence[Block], in_place: Sequence[InPlace], reuse: bool = True) -> int:
    """Give every block (in the order of birth) its offset in the arena; the arena's size in bytes.

    Blocks whose lives overlap do not overlap, except an output that is made where an input dies (``in_place``).
    """
    if not reuse:
        return _side_by_side(blocks)
    arena = _Arena()
    offers: dict[Block, list[Block]] = {}
    for at, out, into in in_place:
        if out.born == at == into.last and into.born < at:
            offers.setdefault(out, []).append(into)
    taken: set[Block] = set()
    alive: list[tuple[int, int, Block]] = []  # (last use, order, block), the first to die last
    for order, block in enumerate(blocks):
        while alive and alive[-1][0] > -block.born:  # keys are negated: the earliest death is at the end
            _, _, dead = alive.pop()
            if dead not in taken:
                arena.free(dead.offset, aligned(dead.nbytes))
        heir = next((b for b in offers.get(block, ()) if b not in taken), None)
        if heir is not None:
            taken.add(heir)
            block.offset = heir.offset
        else:
            block.offset = arena.take(aligned(block.nbytes))
        insort(alive, (-block.last, -order, block))
    return arena.size


def _side_by_side(blocks: Sequence[Block]) -> int:
    size = 0
    for block in blocks:
        block.offset = size
        size += aligned(block.nbytes)
    return size


class _Arena:
    """Free stretches of the arena, by offset; the smallest that is large enough is taken."""

    def __init__(self) -> None:
        self.size = 0
        self.gaps: list[tuple[int, int]] = []  # (offset, size)

    def take(self, nbytes: int) -> int:
        best = -1
        for i, (_, size) in enumerate(self.gaps):
            if size >= nbytes and (best < 0 or size < self.gaps[best][1]):
                best = i
                if size == nbytes:
                    break
        if best < 0:
            return self._grow(nbytes)
        offset, size = self.gaps[best]
        if size == nbytes:
            del self.gaps[best]
        else:
            self.gaps[best] = (offset + nbytes, size - nbytes)
        return offset

    def _grow(self, nbytes: int) -> int:
        """New room at the end, beginning with a gap that reaches it."""
        offset = self.size
        if self.gaps and sum(self.gaps[-1]) == self.size:
            offset = self.gaps.pop()[0]
        self.size = offset + nbytes
        return offset

    def free(self, offset: int, nbytes: int) -> None:
        """Give a stretch back, joined with gaps it touches."""
        insort(self.gaps, (offset, nbytes))
        i = self.gaps.index((offset, nbytes))
        if i + 1 < len(self.gaps) and offset + nbytes == self.gaps[i + 1][0]:
            nbytes += self.gaps.pop(i + 1)[1]
            self.gaps[i] = (offset, nbytes)
        if i and sum(self.gaps[i - 1]) == offset:
            before, size = self.gaps[i - 1]
            self.gaps[i - 1 : i + 1] = [(before, size + nbytes)]
