"""Compiled code of the baseline tier: where values lie whose places are free again. See ``layout`` for the words."""

from __future__ import annotations

from typing import Final

from nbgrad.kernels.njit import njit
from nbgrad.kernels.records import WORD, Words
from nbgrad.runtime.baseline.layout import SCRATCH_PART, Pasted, Program, Template
from nbgrad.runtime.baseline.link import following

_GOLDEN: Final = -7046029254386353131  # 2**64 / golden ratio, odd: spreads sizes over the lists
_LISTS: Final = 64  # of free places, by size
SIDE_BY_SIDE_BYTES: Final = 16 << 10  # half of a core's first cache
_NOBODY: Final = -1
_FREED: Final = -2


@njit(nogil=True)
def list_of(size: int) -> int:
    """The number of the list of free places of this size."""
    h = size * _GOLDEN
    h ^= h >> 29
    return h & (_LISTS - 1)


@njit(nogil=True)
def find_last_readers(program: Program, last: Words) -> None:
    """Write down for each slot without a base the last template that reads it, or makes it."""
    bases = program.bases
    item = Pasted.from_address(program.pasted)
    for i in range(program.n_templates):
        template = Template.from_address(item.template)
        for k in range(template.outputs):
            if bases[item.first + k] == 0:
                last[item.first + k] = i
        for k in range(template.inputs):
            slot = item.inputs[k]
            if slot >= 0 and bases[slot] == 0:
                last[slot] = i
        item = following(item, template.inputs)


@njit(nogil=True)
def taken(lists: Words, behind: Words, sizes: Words, size: int) -> int:
    """A free slot of this size, taken out of its list; NOBODY where there is none."""
    before = _NOBODY
    slot = lists[list_of(size)]
    while slot != _NOBODY and sizes[slot] != size:
        before = slot
        slot = behind[slot]
    if slot != _NOBODY:
        if before == _NOBODY:
            lists[list_of(size)] = behind[slot]
        else:
            behind[before] = behind[slot]
    return slot


@njit(nogil=True)
def free(lists: Words, behind: Words, last: Words, sizes: Words, slot: int) -> None:
    """Nobody reads the slot any more: let another one of its size have its place."""
    number = list_of(sizes[slot])
    behind[slot] = lists[number]
    lists[number] = slot
    last[slot] = _FREED


@njit(nogil=True)
def side_by_side(program: Program) -> int:
    """Give each slot without a base a place of its own; gives the bytes that are needed."""
    bases = program.bases
    sizes = program.sizes
    needed = 0
    for slot in range(program.n_slots):
        if bases[slot] == 0:
            bases[slot] = -1 - needed
            needed += sizes[slot]
    return needed


@njit(nogil=True)
def place(program: Program) -> int:
    """Give each slot without a base minus (its place + 1) as base; gives the bytes that are needed.

    Templates run one after the other: what nobody reads after one of them gives its place to a slot of the same size
    that a later one fills. What is little in all lies side by side: that takes less time than to find out.
    """
    if program.size_bytes <= SIDE_BY_SIDE_BYTES:
        return side_by_side(program)
    part = SCRATCH_PART * program.room * WORD
    last = Words.from_address(program.scratch)
    behind = Words.from_address(program.scratch + part)
    lists = Words.from_address(program.scratch + 2 * part)
    for k in range(_LISTS):
        lists[k] = _NOBODY
    for slot in range(program.n_slots):
        last[slot] = _NOBODY
    find_last_readers(program, last)
    bases = program.bases
    sizes = program.sizes
    item = Pasted.from_address(program.pasted)
    needed = 0
    for i in range(program.n_templates):
        template = Template.from_address(item.template)
        for k in range(template.outputs):
            slot = item.first + k
            if bases[slot] == 0:
                size = sizes[slot]
                other = taken(lists, behind, sizes, size)
                if other == _NOBODY:
                    bases[slot] = -1 - needed
                    needed += size
                else:
                    bases[slot] = bases[other]
        for k in range(template.outputs):
            if last[item.first + k] == i:
                free(lists, behind, last, sizes, item.first + k)
        for k in range(template.inputs):
            slot = item.inputs[k]
            if slot >= 0 and last[slot] == i:
                free(lists, behind, last, sizes, slot)
        item = following(item, template.inputs)
    return needed
