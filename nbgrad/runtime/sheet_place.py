"""Compiled code of first sight: where values lie whose places are free again. See ``sheet_layout`` for the words."""

from __future__ import annotations

from typing import Final

from nbgrad.runtime.intrinsics import load, store
from nbgrad.runtime.layout import WORD
from nbgrad.runtime.sheet_layout import (
    BASES,
    N_SLOTS,
    N_STAMPS,
    PASTED,
    ROOM,
    SCRATCH,
    SCRATCH_PART,
    SIZE_BYTES,
    SIZES,
    STAMP_INPUTS,
    STAMP_OUTPUTS,
)

_GOLDEN: Final = -7046029254386353131  # 2**64 / golden ratio, odd: spreads sizes over the lists
_LISTS: Final = 64  # of free places, by size
SIDE_BY_SIDE_BYTES: Final = 16 << 10  # half of a core's first cache
_NOBODY: Final = -1
_FREED: Final = -2


def list_of(size: int) -> int:
    """The number of the list of free places of this size."""
    h = size * _GOLDEN
    h ^= h >> 29
    return h & (_LISTS - 1)


def find_last_readers(sheet: int, last: int) -> None:
    """Write down for each slot without a base the last stamp that reads it, or makes it."""
    bases = load(sheet, BASES)
    item = load(sheet, PASTED)
    for i in range(load(sheet, N_STAMPS)):
        stamp = load(item, 0)
        first = load(item, 1)
        inputs = load(stamp, STAMP_INPUTS)
        for k in range(load(stamp, STAMP_OUTPUTS)):
            if load(bases, first + k) == 0:
                store(last, first + k, i)
        for k in range(inputs):
            slot = load(item, 2 + k)
            if slot >= 0 and load(bases, slot) == 0:
                store(last, slot, i)
        item += (2 + inputs) * WORD


def taken(lists: int, following: int, sizes: int, size: int) -> int:
    """A free slot of this size, taken out of its list; NOBODY where there is none."""
    before = _NOBODY
    slot = load(lists, list_of(size))
    while slot != _NOBODY and load(sizes, slot) != size:
        before = slot
        slot = load(following, slot)
    if slot != _NOBODY:
        if before == _NOBODY:
            store(lists, list_of(size), load(following, slot))
        else:
            store(following, before, load(following, slot))
    found: int = slot
    return found


def free(lists: int, following: int, last: int, sizes: int, slot: int) -> None:
    """Nobody reads the slot any more: let another one of its size have its place."""
    number = list_of(load(sizes, slot))
    store(following, slot, load(lists, number))
    store(lists, number, slot)
    store(last, slot, _FREED)


def side_by_side(sheet: int) -> int:
    """Give each slot without a base a place of its own; gives the bytes that are needed."""
    bases = load(sheet, BASES)
    sizes = load(sheet, SIZES)
    needed = 0
    for slot in range(load(sheet, N_SLOTS)):
        if load(bases, slot) == 0:
            store(bases, slot, -1 - needed)
            needed += load(sizes, slot)
    return needed


def place(sheet: int) -> int:
    """Give each slot without a base minus (its place + 1) as base; gives the bytes that are needed.

    Stamps run one after the other: what nobody reads after one of them gives its place to a slot of the same size that
    a later one fills. What is little in all lies side by side: that takes less time than to find out.
    """
    if load(sheet, SIZE_BYTES) <= SIDE_BY_SIDE_BYTES:
        return side_by_side(sheet)
    last = load(sheet, SCRATCH)
    part = SCRATCH_PART * load(sheet, ROOM) * WORD
    following = last + part
    lists = following + part
    for k in range(_LISTS):
        store(lists, k, _NOBODY)
    for slot in range(load(sheet, N_SLOTS)):
        store(last, slot, _NOBODY)
    find_last_readers(sheet, last)
    bases = load(sheet, BASES)
    sizes = load(sheet, SIZES)
    item = load(sheet, PASTED)
    needed = 0
    for i in range(load(sheet, N_STAMPS)):
        stamp = load(item, 0)
        first = load(item, 1)
        inputs = load(stamp, STAMP_INPUTS)
        for k in range(load(stamp, STAMP_OUTPUTS)):
            slot = first + k
            if load(bases, slot) == 0:
                size = load(sizes, slot)
                other = taken(lists, following, sizes, size)
                if other == _NOBODY:
                    store(bases, slot, -1 - needed)
                    needed += size
                else:
                    store(bases, slot, load(bases, other))
        for k in range(load(stamp, STAMP_OUTPUTS)):
            if load(last, first + k) == i:
                free(lists, following, last, sizes, first + k)
        for k in range(inputs):
            slot = load(item, 2 + k)
            if slot >= 0 and load(last, slot) == i:
                free(lists, following, last, sizes, slot)
        item += (2 + inputs) * WORD
    return needed
