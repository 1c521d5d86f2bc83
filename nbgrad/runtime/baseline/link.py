"""Compiled code of the baseline tier: one tape of all that was pasted, bound to memory. See ``layout``."""

from __future__ import annotations

from ctypes import addressof
from typing import Final

from nbgrad.kernels.njit import njit
from nbgrad.kernels.records import WORD, Words
from nbgrad.runtime.baseline.layout import FROM_ARENA, FROM_OUTPUT, Pasted, Program, Template
from nbgrad.runtime.layout import ROW_WORDS, SPLIT, Row
from nbgrad.tape.work import SHARE_PS

LINE_BYTES: Final = 64


@njit(nogil=True)
def fit(program: Program) -> int:
    """Say where in memory the parts of a run lie. Gives 0, or minus the bytes that are needed where there are less."""
    own = (program.needed + LINE_BYTES) & -LINE_BYTES
    tape = own + ((program.arena + LINE_BYTES) & -LINE_BYTES)
    desc = tape + program.n_rows * ROW_WORDS * WORD
    end = desc + program.n_words * WORD
    if end > program.memory_bytes:
        return -end
    program.own = program.memory + own
    program.tape = program.memory + tape
    program.desc = program.memory + desc
    return 0


@njit(nogil=True)
def link(program: Program) -> int:
    """Make one tape of what was pasted, bound to memory; gives the work that several threads may do, in picoseconds."""
    bases = program.bases
    memory = program.memory
    for slot in range(program.n_slots):
        if bases[slot] < 0:
            bases[slot] = memory - bases[slot] - 1
    row_address = program.tape
    desc_address = program.desc
    block_address = program.block
    item = Pasted.from_address(program.pasted)
    words_before = 0
    shared_ps = 0
    for _ in range(program.n_templates):
        template = Template.from_address(item.template)
        desc = Words.from_address(desc_address)
        block = Words.from_address(block_address)
        inputs = template.inputs
        rows = template.rows
        for k in range(template.n_rows):
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
        words = template.words
        for k in range(template.n_words):
            desc[k] = words[k]
        relocs = template.relocs
        for k in range(template.n_relocs):
            reloc = relocs[k]
            place = reloc.place
            if place < inputs:
                base = bases[item.inputs[place]]
            elif place == inputs + FROM_OUTPUT:
                base = bases[item.first + reloc.output]
            elif place == inputs + FROM_ARENA:
                base = program.own
            else:
                base = block_address
            desc[reloc.word] = base + reloc.offset
        terms = template.terms
        for k in range(template.n_terms):
            term = terms[k]
            desc[term.target] += block[term.source] * term.constant
        desc_address += template.n_words * WORD
        words_before += template.n_words
        block_address += template.n_numbers * WORD
        item = following(item, inputs)
    return shared_ps


@njit(nogil=True)
def following(item: Pasted, inputs: int) -> Pasted:
    """What was pasted next; ``inputs``: how many ``item`` has."""
    return Pasted.from_address(addressof(item.inputs) + inputs * WORD)
