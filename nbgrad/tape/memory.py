"""The memory plan: temporaries share one arena; a place serves again once its value was read for the last time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Final

from nbgrad.tape.block import Block
from nbgrad.tape.build import Step

ALIGNMENT: Final = 64  # a cache line: threads that fill neighbouring values don't share one


def aligned(nbytes: int) -> int:
    return (nbytes + ALIGNMENT - 1) & -ALIGNMENT or ALIGNMENT


def count_lives(blocks: Sequence[Block], steps: Sequence[Step], turns: Sequence[int]) -> list[Block]:
    """Find from when to when blocks are used by ``steps``, whose turns ascend; those used, as they begin."""
    if not blocks:
        return []
    first: dict[Block | None, int] = {}
    last: dict[Block | None, int] = {}
    for step, turn in zip(steps, turns, strict=True):
        for _, ref, _ in step.mentions:
            first.setdefault(ref.block, turn)
            last[ref.block] = turn
    used = [block for block in blocks if block in first]
    for block in used:
        block.born, block.last = first[block], last[block]
    return sorted(used, key=attrgetter("born"))


def plan_memory(blocks: Sequence[Block], offers: Iterable[tuple[Block, Block]], reuse: bool = True) -> int:
    """Give every block (in the order of birth) its offset in the arena; the arena's size in bytes.

    Blocks whose lives overlap do not overlap, except an output that is made where an input dies, of ``offers``.
    """
    if not reuse:
        return _side_by_side(blocks)
    arena = _Arena()
    take, free = arena.take, arena.free
    heirs: dict[Block, list[Block]] = {}
    for out, into in offers:
        if into.born < into.last == out.born:
            heirs.setdefault(out, []).append(into)
    taken: set[Block] = set()
    dying: dict[int, list[Block]] = {}
    now = 0
    for block in blocks:
        born = block.born
        while now < born:
            for dead in dying.pop(now, ()):
                if dead not in taken:
                    free(dead.offset, aligned(dead.nbytes))
            now += 1
        heir = next((b for b in heirs[block] if b not in taken), None) if block in heirs else None
        if heir is not None:
            taken.add(heir)
            block.offset = heir.offset
        else:
            block.offset = take(aligned(block.nbytes))
        together = dying.get(block.last)
        if together is None:
            dying[block.last] = [block]
        else:
            together.append(block)
    return arena.size


def _side_by_side(blocks: Sequence[Block]) -> int:
    size = 0
    for block in blocks:
        block.offset = size
        size += aligned(block.nbytes)
    return size


class _Arena:
    """Free stretches of the arena. Equal sizes are handed out at once, others after neighbours were joined."""

    def __init__(self) -> None:
        self.size = 0
        self.by_size: dict[int, list[int]] = {}

    def free(self, offset: int, nbytes: int) -> None:
        self.by_size.setdefault(nbytes, []).append(offset)

    def take(self, nbytes: int) -> int:
        offsets = self.by_size.get(nbytes)
        if offsets:
            return offsets.pop()
        return self._cut(nbytes)

    def _cut(self, nbytes: int) -> int:
        """A piece of the smallest stretch that is large enough, or new room at the end."""
        gaps = self._joined()
        fitting = [(size, offset) for offset, size in gaps if size >= nbytes]
        if fitting:
            size, offset = min(fitting)
            gaps.remove((offset, size))
            if size > nbytes:
                gaps.append((offset + nbytes, size - nbytes))
        elif gaps and sum(gaps[-1]) == self.size:
            offset = gaps.pop()[0]
            self.size = offset + nbytes
        else:
            offset = self.size
            self.size += nbytes
        self.by_size = {}
        for start, size in gaps:
            self.free(start, size)
        return offset

    def _joined(self) -> list[tuple[int, int]]:
        """The free stretches by offset, neighbours joined."""
        gaps: list[tuple[int, int]] = []
        for offset, size in sorted([(o, n) for n, offsets in self.by_size.items() for o in offsets]):
            if gaps and sum(gaps[-1]) == offset:
                gaps[-1] = (gaps[-1][0], gaps[-1][1] + size)
            else:
                gaps.append((offset, size))
        return gaps
