"""The compiled half of first sight: lay a script out, differentiate it, link its stamps into one tape.

See ``sheet_layout`` for the memory. Everything can be called again after GROW (regions are full) and MISSING (a rule
for a derivative is wanted): it goes on where it stopped.
"""

from __future__ import annotations

from ctypes import addressof

from nbgrad.kernels.njit import njit
from nbgrad.kernels.records import WORD, Words
from nbgrad.runtime.sheet_derive import list_leaves, prepare, pull_back, sow
from nbgrad.runtime.sheet_layout import (
    ALIAS,
    DERIVE,
    EVENT,
    GIVEN,
    GROW,
    LAY_OUT,
    LEAF,
    MARKS,
    PLACE_AND_LINK,
    POOL_ROOM,
    PREPARE,
    PULL_BACK,
    READY,
    SCRATCH_PART,
    SLOTS_ROOM,
    Result,
    Rule,
    Sheet,
)
from nbgrad.runtime.sheet_link import fit, link
from nbgrad.runtime.sheet_paste import gather, has_room, locate, paste
from nbgrad.runtime.sheet_place import place


@njit(nogil=True)
def lay_out(sheet: Sheet) -> int:
    """Give every entry of the script its value, and paste the stamps of its calls."""
    script = Words.from_address(sheet.script)
    rules = Words.from_address(sheet.rules)
    end = sheet.script_end
    at = sheet.at
    ix = sheet.entries
    values = sheet.values
    room = sheet.room
    while at < end:
        if ix >= room:
            return GROW
        value = values[ix]
        kind = script[at]
        owner = ix
        grad = 0
        used = 1
        scalars = sheet.n_scalars
        value.number = scalars
        if kind >= 0:
            rule = Rule.from_address(rules[kind])
            operands = rule.operands
            if not has_room(sheet, rule) or operands + rule.numbers > SCRATCH_PART * room:
                return GROW
            slots = Words.from_address(sheet.scratch)
            numbers = Words.from_address(sheet.scratch + SCRATCH_PART * room * WORD)
            gather(sheet, at, operands, scalars, slots, numbers)
            first = paste(sheet, rule.stamp, slots, numbers)
            locate(sheet, Result.from_address(addressof(rule.results)), first, slots, numbers, value)
            for i in range(operands):
                if MARKS <= script[at + 2 + i] < 0:
                    scalars += 1
            sheet.n_scalars = scalars
            grad = script[at + 1]
            if rule.same != 0:
                source = values[script[at + 2]]
                if source.grad == grad:
                    owner = source.owner
            used = 2 + operands
        elif kind == LEAF:
            slot = sheet.n_slots
            if slot + 1 >= SLOTS_ROOM * room:
                return GROW
            sheet.sizes[slot] = 0
            sheet.n_slots = slot + 1
            grad = script[at + 1]
            value.form = script[at + 2]
            value.slot = slot
            value.count = 0
            used = 3
        elif kind == ALIAS:
            source = values[script[at + 2]]
            value.form = source.form
            value.slot = source.slot
            value.starts = source.starts
            value.count = source.count
            grad = script[at + 1]
            used = 4
        elif kind == GIVEN:
            count = script[at + 3]
            n = sheet.n_pool
            if n + count >= POOL_ROOM * room:
                return GROW
            value.form = script[at + 1]
            value.slot = script[at + 2]
            value.starts = n
            value.count = count
            pool = sheet.pool
            for k in range(count):
                pool[n + k] = script[at + 4 + k]
            sheet.n_pool = n + count
            used = 4 + count
        elif kind == EVENT:
            value.form = -1
        value.owner = owner
        value.grad = grad
        value.line = at
        sheet.visited[ix] = 0
        ix += 1
        at += used
        sheet.at = at
        sheet.entries = ix
    return READY


@njit(nogil=True)
def advance(address: int) -> int:
    """Do the step that the sheet asks for."""
    sheet = Sheet.from_address(address)
    step = sheet.step
    if step == PLACE_AND_LINK or step > DERIVE:
        if step == PLACE_AND_LINK:
            sheet.needed = place(sheet)
        short = fit(sheet)
        return link(sheet) if short == 0 else short
    if step != PULL_BACK:
        answer = lay_out(sheet)
        if answer != READY or step == LAY_OUT:
            return answer
        prepare(sheet)
        if step == PREPARE:
            return READY
        sow(sheet)
        sheet.step = PULL_BACK  # where it goes on when it is called again
    answer = pull_back(sheet)
    if answer == READY:
        list_leaves(sheet)
    return answer
