"""Compiled code of first sight: cotangents go back entry by entry. See ``sheet_layout`` for the memory.

It stops at a rule that is missing and goes on there when it is called again.
"""

from __future__ import annotations

from ctypes import addressof
from typing import Final

from nbgrad.kernels.njit import njit
from nbgrad.kernels.records import WORD, Words
from nbgrad.runtime.sheet_layout import (
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
    Result,
    Rule,
    Sheet,
    Value,
)
from nbgrad.runtime.sheet_paste import after, copy_starts, gather, has_room, locate, paste

_GOLDEN: Final = -7046029254386353131  # 2**64 / golden ratio, odd: spreads keys over the table


@njit(nogil=True)
def prepare(sheet: Sheet) -> None:
    """Clear all cotangents. Where leaves are chosen, mark the entries that cotangents pass on their way to them."""
    cotangents = sheet.cotangents
    active = sheet.active
    for ix in range(sheet.entries):
        cotangents[ix].form = -1
        active[ix] = 0
    if sheet.chosen == 0:
        return
    values = sheet.values
    script = Words.from_address(sheet.script)
    rules = Words.from_address(sheet.rules)
    for k in range(sheet.n_leaves):
        active[sheet.leaves[k]] = 1
    for ix in range(sheet.entries):
        value = values[ix]
        at = value.line
        if script[at] >= 0 and value.grad != 0:
            for i in range(Rule.from_address(rules[script[at]]).operands):
                ref = script[at + 2 + i]
                if ref >= 0 and values[ref].grad != 0 and active[values[ref].owner] != 0:
                    active[ix] = 1


@njit(nogil=True)
def sow(sheet: Sheet) -> None:
    """Write down the cotangent from which a derivative with one seed begins."""
    seed = sheet.cotangents[sheet.seed]
    seed.form = sheet.seed_form
    seed.slot = -1
    seed.count = 0
    sheet.n_leaves = 0
    sheet.ix = sheet.entries - 1


@njit(nogil=True)
def list_leaves(sheet: Sheet) -> None:
    """List the leaves that cotangents reached in the scratch region, each with its cotangent."""
    for k in range(sheet.n_leaves):
        found = Found.from_address(sheet.scratch + k * FOUND_WORDS * WORD)
        found.ix = sheet.leaves[k]
        cotangent = sheet.cotangents[found.ix]
        found.cotangent.form = cotangent.form
        found.cotangent.slot = cotangent.slot
        found.cotangent.starts = cotangent.starts
        found.cotangent.count = cotangent.count


@njit(nogil=True)
def find_rule(sheet: Sheet, key: Words, length: int) -> int:
    """The address of the rule under this key; 0, with ``cell`` set, where the table has none."""
    h = 0
    for k in range(length):
        h = (h ^ key[k]) * _GOLDEN
        h ^= h >> 29
    table = Words.from_address(sheet.table)
    mask = sheet.table_mask
    cell = h & mask
    while True:
        place = table[cell]
        if place == 0:
            sheet.cell = cell
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
def pull_back_call(sheet: Sheet, ix: int) -> int:
    """Send the cotangent of a call's result on to its operands."""
    values = sheet.values
    cotangents = sheet.cotangents
    value = values[ix]
    g = cotangents[ix]
    script = Words.from_address(sheet.script)
    at = value.line
    part = SCRATCH_PART * sheet.room
    rule = Rule.from_address(Words.from_address(sheet.rules)[script[at]])
    operands = rule.operands
    if 2 * operands + 4 + rule.numbers + sheet.n_pool > part:
        return GROW
    slots = Words.from_address(sheet.scratch)
    numbers = Words.from_address(sheet.scratch + part * WORD)
    key = Words.from_address(sheet.scratch + 2 * part * WORD)
    n_slots, n = gather(sheet, at, operands, value.number, slots, numbers)
    slots[n_slots] = value.slot
    slots[n_slots + 1] = g.slot
    n_slots += 2
    n = copy_starts(sheet, g, numbers, n)
    key[0] = script[at]
    key[1] = g.form
    length = 2
    for i in range(operands):
        ref = script[at + 2 + i]
        if ref >= 0 and takes_cotangent(sheet, values[ref]):
            before = cotangents[values[ref].owner]
            key[length] = i
            key[length + 1] = before.form
            length += 2
            if before.form >= 0:
                slots[n_slots] = before.slot
                n = copy_starts(sheet, before, numbers, n)
            else:
                slots[n_slots] = -1
            n_slots += 1
    address = find_rule(sheet, key, length)
    if address == 0:
        sheet.key_words = length
        return MISSING
    back = Rule.from_address(address)
    if not has_room(sheet, back):
        return GROW
    first = paste(sheet, back.stamp, slots, numbers)
    result = Result.from_address(addressof(back.results))
    for k in range(2, length, 2):
        if result.form >= 0:
            owner = values[script[at + 2 + key[k]]].owner
            locate(sheet, result, first, slots, numbers, cotangents[owner])
        result = after(result)
    return READY


@njit(nogil=True)
def takes_cotangent(sheet: Sheet, value: Value) -> bool:
    """Whether an operand's derivative is wanted."""
    return value.grad != 0 and (sheet.chosen == 0 or sheet.active[value.owner] != 0)


@njit(nogil=True)
def pull_back(sheet: Sheet) -> int:
    """Send cotangents back entry by entry, from ``ix`` on."""
    values = sheet.values
    cotangents = sheet.cotangents
    script = Words.from_address(sheet.script)
    ix = sheet.ix
    while ix >= 0:
        g = cotangents[ix]
        value = values[ix]
        if g.form >= 0 and value.grad != 0 and (sheet.chosen == 0 or sheet.active[ix] != 0):
            at = value.line
            kind = script[at]
            if kind >= 0:
                status = pull_back_call(sheet, ix)
                if status != READY:
                    sheet.ix = ix
                    return status
            elif kind == LEAF:
                n = sheet.n_leaves
                sheet.leaves[n] = ix
                sheet.n_leaves = n + 1
            elif kind == ALIAS and script[at + 3] >= 0:
                target = cotangents[values[script[at + 3]].owner]
                if target.form >= 0:
                    return UNSUPPORTED
                target.form = g.form
                target.slot = g.slot
                target.starts = g.starts
                target.count = g.count
            else:
                return UNSUPPORTED
            if sheet.retain == 0:
                sheet.visited[ix] = 1
        ix -= 1
    return READY
