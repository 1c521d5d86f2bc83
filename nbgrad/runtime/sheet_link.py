"""Compiled code of first sight: one tape of all that was pasted, bound to memory. See ``sheet_layout``."""

from __future__ import annotations

from typing import Final

from nbgrad.runtime.intrinsics import load, store
from nbgrad.runtime.layout import COST, FLAGS, ITEMS, OFFSET, ROW_WORDS, SPLIT, TABLE_WORDS, WORD
from nbgrad.runtime.sheet_layout import (
    ARENA,
    BASES,
    BLOCK,
    DESC,
    FROM_ARENA,
    FROM_OUTPUT,
    MEMORY,
    MEMORY_BYTES,
    N_ROWS,
    N_SLOTS,
    N_STAMPS,
    N_WORDS,
    NEEDED,
    OWN,
    PASTED,
    RELOC_OFFSET,
    RELOC_OUTPUT,
    RELOC_PLACE,
    RELOC_WORD,
    RELOC_WORDS,
    STAMP_INPUTS,
    STAMP_N_NUMBERS,
    STAMP_N_RELOCS,
    STAMP_N_ROWS,
    STAMP_N_TERMS,
    STAMP_N_WORDS,
    STAMP_RELOCS,
    STAMP_ROWS,
    STAMP_TERMS,
    STAMP_WORDS,
    TAPE,
)
from nbgrad.tape.work import SHARE_PS

LINE_BYTES: Final = 64


def copy_words(source: int, target: int, count: int) -> None:
    for k in range(count):
        store(target, k, load(source, k))


def fit(sheet: int) -> int:
    """Say where in memory the parts of a run lie. Gives 0, or minus the bytes that are needed where there are less."""
    own = (load(sheet, NEEDED) + LINE_BYTES) & -LINE_BYTES
    tape = own + ((load(sheet, ARENA) + LINE_BYTES) & -LINE_BYTES)
    desc = tape + load(sheet, N_ROWS) * ROW_WORDS * WORD
    end = desc + load(sheet, N_WORDS) * WORD
    if end > load(sheet, MEMORY_BYTES):
        short: int = -end
        return short
    memory = load(sheet, MEMORY)
    store(sheet, OWN, memory + own)
    store(sheet, TAPE, memory + tape)
    store(sheet, DESC, memory + desc)
    return 0


def link(sheet: int) -> int:
    """Make one tape of what was pasted, bound to memory; gives the work that several threads may do, in picoseconds."""
    bases = load(sheet, BASES)
    memory = load(sheet, MEMORY)
    for slot in range(load(sheet, N_SLOTS)):
        if load(bases, slot) < 0:
            store(bases, slot, memory - load(bases, slot) - 1)
    row = load(sheet, TAPE)
    desc = load(sheet, DESC)
    own = load(sheet, OWN)
    block = load(sheet, BLOCK)
    item = load(sheet, PASTED)
    words_before = 0
    shared_ps = 0
    for _ in range(load(sheet, N_STAMPS)):
        stamp = load(item, 0)
        first = load(item, 1)
        inputs = load(stamp, STAMP_INPUTS)
        n_words = load(stamp, STAMP_N_WORDS)
        copy_words(load(stamp, STAMP_ROWS), row, load(stamp, STAMP_N_ROWS) * ROW_WORDS)
        for _ in range(load(stamp, STAMP_N_ROWS)):
            store(row, OFFSET, load(row, OFFSET) + words_before)
            work_ps = load(row, ITEMS) * load(row, COST)
            if load(row, FLAGS) & SPLIT != 0 and work_ps >= SHARE_PS:
                shared_ps += work_ps
            row += ROW_WORDS * WORD
        copy_words(load(stamp, STAMP_WORDS), desc, n_words)
        reloc = load(stamp, STAMP_RELOCS)
        for _ in range(load(stamp, STAMP_N_RELOCS)):
            place = load(reloc, RELOC_PLACE)
            if place < inputs:
                base = load(bases, load(item, 2 + place))
            elif place == inputs + FROM_OUTPUT:
                base = load(bases, first + load(reloc, RELOC_OUTPUT))
            elif place == inputs + FROM_ARENA:
                base = own
            else:
                base = block
            store(desc, load(reloc, RELOC_WORD), base + load(reloc, RELOC_OFFSET))
            reloc += RELOC_WORDS * WORD
        term = load(stamp, STAMP_TERMS)
        for _ in range(load(stamp, STAMP_N_TERMS)):
            word = load(term, 0)
            store(desc, word, load(desc, word) + load(block, load(term, 1)) * load(term, 2))
            term += TABLE_WORDS * WORD
        desc += n_words * WORD
        words_before += n_words
        block += load(stamp, STAMP_N_NUMBERS) * WORD
        item += (2 + inputs) * WORD
    return shared_ps
