"""Compiled code of the baseline tier: cotangents go back entry by entry. See ``layout`` for the memory.

It stops at a rule that is missing and goes on there when it is called again.
"""

from __future__ import annotations

from ctypes import addressof
from typing import Final

from nbgrad.kernels.njit import njit
from nbgrad.kernels.records import WORD, Words
from nbgrad.runtime.baseline.layout import (
    ALIAS,
    FOUND_WORDS,
    GROW,
    LEAF,
    MISSING,
    READY,
    SCRATCH_PART,
    UNSUPPORTED,
    Entry,
    Found,
    Program,
    Result,
    Rule,
    Value,
)
from nbgrad.runtime.baseline.paste import after, copy_starts, gather, has_room, locate, paste

_GOLDEN: Final = -7046029254386353131  # 2**64 / golden ratio, odd: spreads keys over the table


@njit(nogil=True)
def prepare(program: Program) -> None:
    """Clear all cotangents. Where leaves are chosen, mark the entries that cotangents pass on their way to them."""
    cotangents = program.cotangents
    active = program.active
    for ix in range(program.entries):
        cotangents[ix].form = -1
        active[ix] = 0
    if program.chosen == 0:
        return
    values = program.values
    bytecode = Words.from_address(program.bytecode)
    rules = Words.from_address(program.rules)
    for k in range(program.n_leaves):
        active[program.leaves[k]] = 1
    for ix in range(program.entries):
        value = values[ix]
        at = value.line
        if bytecode[at] >= 0 and value.grad != 0:
            for i in range(Rule.from_address(rules[bytecode[at]]).operands):
                ref = bytecode[at + 2 + i]
                if ref >= 0 and values[ref].grad != 0 and active[values[ref].owner] != 0:
                    active[ix] = 1


@njit(nogil=True)
def sow(program: Program) -> None:
    """Write down the cotangent from which a derivative with one seed begins."""
    seed = program.cotangents[program.seed]
    seed.form = program.seed_form
    seed.slot = -1
    seed.count = 0
    program.n_leaves = 0
    program.ix = program.entries - 1


@njit(nogil=True)
def list_leaves(program: Program) -> None:
    """List the leaves that cotangents reached in the scratch region, each with its cotangent."""
    for k in range(program.n_leaves):
        found = Found.from_address(program.scratch + k * FOUND_WORDS * WORD)
        found.ix = program.leaves[k]
        cotangent = program.cotangents[found.ix]
        found.cotangent.form = cotangent.form
        found.cotangent.slot = cotangent.slot
        found.cotangent.starts = cotangent.starts
        found.cotangent.count = cotangent.count


@njit(nogil=True)
def find_rule(program: Program, key: Words, length: int) -> int:
    """The address of the rule under this key; 0, with ``cell`` set, where the table has none."""
    h = 0
    for k in range(length):
        h = (h ^ key[k]) * _GOLDEN
        h ^= h >> 29
    table = Words.from_address(program.table)
    mask = program.table_mask
    cell = h & mask
    while True:
        place = table[cell]
        if place == 0:
            program.cell = cell
            return 0
        entry = Entry.from_address(place)
        if entry.length == length:
            known = entry.key
            k = 0
            while k < length and known[k] == key[k]:
                k += 1
            if k == length:
                return addressof(known) + length * WORD
        cell = (cell + 1) & mask


@njit(nogil=True)
def pull_back_call(program: Program, ix: int) -> int:
    """Send the cotangent of a call's result on to its operands."""
    values = program.values
    cotangents = program.cotangents
    value = values[ix]
    g = cotangents[ix]
    bytecode = Words.from_address(program.bytecode)
    at = value.line
    part = SCRATCH_PART * program.room
    rule = Rule.from_address(Words.from_address(program.rules)[bytecode[at]])
    operands = rule.operands
    if 2 * operands + 4 + rule.numbers + program.n_pool > part:
        return GROW
    slots = Words.from_address(program.scratch)
    numbers = Words.from_address(program.scratch + part * WORD)
    key = Words.from_address(program.scratch + 2 * part * WORD)
    n_slots, n = gather(program, at, operands, value.number, slots, numbers)
    slots[n_slots] = value.slot
    slots[n_slots + 1] = g.slot
    n_slots += 2
    n = copy_starts(program, g, numbers, n)
    key[0] = bytecode[at]
    key[1] = g.form
    length = 2
    for i in range(operands):
        ref = bytecode[at + 2 + i]
        if ref >= 0 and takes_cotangent(program, values[ref]):
            before = cotangents[values[ref].owner]
            key[length] = i
            key[length + 1] = before.form
            length += 2
            if before.form >= 0:
                slots[n_slots] = before.slot
                n = copy_starts(program, before, numbers, n)
            else:
                slots[n_slots] = -1
            n_slots += 1
    address = find_rule(program, key, length)
    if address == 0:
        program.key_words = length
        return MISSING
    back = Rule.from_address(address)
    if not has_room(program, back):
        return GROW
    first = paste(program, back.template, slots, numbers)
    result = Result.from_address(addressof(back.results))
    for k in range(2, length, 2):
        if result.form >= 0:
            owner = values[bytecode[at + 2 + key[k]]].owner
            locate(program, result, first, slots, numbers, cotangents[owner])
        result = after(result)
    return READY


@njit(nogil=True)
def takes_cotangent(program: Program, value: Value) -> bool:
    """Whether an operand's derivative is wanted."""
    return value.grad != 0 and (program.chosen == 0 or program.active[value.owner] != 0)


@njit(nogil=True)
def pull_back(program: Program) -> int:
    """Send cotangents back entry by entry, from ``ix`` on."""
    values = program.values
    cotangents = program.cotangents
    bytecode = Words.from_address(program.bytecode)
    ix = program.ix
    while ix >= 0:
        g = cotangents[ix]
        value = values[ix]
        if g.form >= 0 and value.grad != 0 and (program.chosen == 0 or program.active[ix] != 0):
            at = value.line
            kind = bytecode[at]
            if kind >= 0:
                status = pull_back_call(program, ix)
                if status != READY:
                    program.ix = ix
                    return status
            elif kind == LEAF:
                n = program.n_leaves
                program.leaves[n] = ix
                program.n_leaves = n + 1
            elif kind == ALIAS and bytecode[at + 3] >= 0:
                target = cotangents[values[bytecode[at + 3]].owner]
                if target.form >= 0:
                    return UNSUPPORTED
                target.form = g.form
                target.slot = g.slot
                target.starts = g.starts
                target.count = g.count
            else:
                return UNSUPPORTED
            if program.retain == 0:
                program.visited[ix] = 1
        ix -= 1
    return READY
