"""Compiled code of first sight: one tape of all that was pasted, bound to memory. See ``sheet_layout``."""

from __future__ import annotations

from ctypes import addressof
from typing import Final

from nbgrad.kernels.njit import njit
from nbgrad.kernels.records import WORD, Words
from nbgrad.runtime.layout import ROW_WORDS, SPLIT, Row
from nbgrad.runtime.sheet_layout import FROM_ARENA, FROM_OUTPUT, Pasted, Sheet, Stamp
from nbgrad.tape.work import SHARE_PS

LINE_BYTES: Final = 64


@njit(nogil=True)
def fit(sheet: Sheet) -> int:
    """Say where in memory the parts of a run lie. Gives 0, or minus the bytes that are needed where there are less."""
    own = (sheet.needed + LINE_BYTES) & -LINE_BYTES
    tape = own + ((sheet.arena + LINE_BYTES) & -LINE_BYTES)
    desc = tape + sheet.n_rows * ROW_WORDS * WORD
    end = desc + sheet.n_words * WORD
    if end > sheet.memory_bytes:
        return -end
    sheet.own = sheet.memory + own
    sheet.tape = sheet.memory + tape
    sheet.desc = sheet.memory + desc
    return 0


@njit(nogil=True)
def link(sheet: Sheet) -> int:
    """Make one tape of what was pasted, bound to memory; gives the work that several threads may do, in picoseconds."""
    bases = sheet.bases
    memory = sheet.memory
    for slot in range(sheet.n_slots):
        if bases[slot] < 0:
            bases[slot] = memory - bases[slot] - 1
    row_address = sheet.tape
    desc_address = sheet.desc
    block_address = sheet.block
    item = Pasted.from_address(sheet.pasted)
    words_before = 0
    shared_ps = 0
    for _ in range(sheet.n_stamps):
        stamp = Stamp.from_address(item.stamp)
        desc = Words.from_address(desc_address)
        block = Words.from_address(block_address)
        inputs = stamp.inputs
        rows = stamp.rows
        for k in range(stamp.n_rows):
            row = Row.from_address(row_address)
            source = rows[k]
            row.kernel = source.kernel
            row.offset = source.offset + words_before
            row.items = source.items
            row.chunk = source.chunk
            row.cost = source.cost
            row.flags = source.flags
            work_ps = source.items * source.cost
            if source.flags & SPLIT != 0 and work_ps >= SHARE_PS:
                shared_ps += work_ps
            row_address += ROW_WORDS * WORD
        words = stamp.words
        for k in range(stamp.n_words):
            desc[k] = words[k]
        relocs = stamp.relocs
        for k in range(stamp.n_relocs):
            reloc = relocs[k]
            place = reloc.place
            if place < inputs:
                base = bases[item.inputs[place]]
            elif place == inputs + FROM_OUTPUT:
                base = bases[item.first + reloc.output]
            elif place == inputs + FROM_ARENA:
                base = sheet.own
            else:
                base = block_address
            desc[reloc.word] = base + reloc.offset
        terms = stamp.terms
        for k in range(stamp.n_terms):
            term = terms[k]
            desc[term.target] += block[term.source] * term.constant
        desc_address += stamp.n_words * WORD
        words_before += stamp.n_words
        block_address += stamp.n_numbers * WORD
        item = following(item, inputs)
    return shared_ps


@njit(nogil=True)
def following(item: Pasted, inputs: int) -> Pasted:
    """What was pasted next; ``inputs``: how many ``item`` has."""
    return Pasted.from_address(addressof(item.inputs) + inputs * WORD)
