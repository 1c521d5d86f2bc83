"""The compiled half of first sight: lay a script out, differentiate it, link its stamps into one tape.

See ``sheet_layout`` for the words. Everything can be called again after GROW (regions are full) and MISSING (a rule
for a derivative is wanted): it goes on where it stopped.
"""

from __future__ import annotations

from nbgrad.runtime.intrinsics import load, store
from nbgrad.runtime.layout import WORD
from nbgrad.runtime.sheet_derive import list_leaves, prepare, pull_back, sow
from nbgrad.runtime.sheet_layout import (
    ALIAS,
    AT,
    COTANGENT_WORDS,
    COUNT,
    DERIVE,
    ENTRIES,
    EVENT,
    FORM,
    GIVEN,
    GRAD,
    GROW,
    LAY_OUT,
    LEAF,
    LINE,
    MARKS,
    N_POOL,
    N_SCALARS,
    N_SLOTS,
    NEEDED,
    NUMBER,
    OWNER,
    PLACE_AND_LINK,
    POOL,
    POOL_ROOM,
    PREPARE,
    PULL_BACK,
    READY,
    ROOM,
    RULE_NUMBERS,
    RULE_OPERANDS,
    RULE_RESULTS,
    RULE_SAME,
    RULE_STAMP,
    RULES,
    SCRATCH,
    SCRATCH_PART,
    SCRIPT,
    SCRIPT_END,
    SIZES,
    SLOT,
    SLOTS_ROOM,
    STARTS,
    STEP,
    VALUE_WORDS,
    VALUES,
    VISITED,
)
from nbgrad.runtime.sheet_link import fit, link
from nbgrad.runtime.sheet_paste import gather, has_room, locate, paste
from nbgrad.runtime.sheet_place import place


def lay_out(sheet: int) -> int:
    """Give every entry of the script its value, and paste the stamps of its calls."""
    script = load(sheet, SCRIPT)
    end = load(sheet, SCRIPT_END)
    at = load(sheet, AT)
    ix = load(sheet, ENTRIES)
    values = load(sheet, VALUES)
    room = load(sheet, ROOM)
    while at < end:
        if ix >= room:
            return GROW
        line = script + at * WORD
        value = values + ix * VALUE_WORDS * WORD
        kind = load(line, 0)
        owner = ix
        grad = 0
        used = 1
        scalars = load(sheet, N_SCALARS)
        store(value, NUMBER, scalars)
        if kind >= 0:
            rule = load(load(sheet, RULES), kind)
            operands = load(rule, RULE_OPERANDS)
            scratch = load(sheet, SCRATCH)
            if not has_room(sheet, rule) or operands + load(rule, RULE_NUMBERS) > SCRATCH_PART * room:
                return GROW
            numbers = scratch + SCRATCH_PART * room * WORD
            gather(sheet, line, operands, scalars, scratch, numbers)
            first = paste(sheet, load(rule, RULE_STAMP), scratch, numbers)
            locate(sheet, rule + RULE_RESULTS * WORD, first, scratch, numbers, value)
            for i in range(operands):
                ref = load(line, 2 + i)
                if MARKS <= ref < 0:
                    scalars += 1
            store(sheet, N_SCALARS, scalars)
            grad = load(line, 1)
            if load(rule, RULE_SAME) != 0:
                source = values + load(line, 2) * VALUE_WORDS * WORD
                if load(source, GRAD) == grad:
                    owner = load(source, OWNER)
            used = 2 + operands
        elif kind == LEAF:
            slot = load(sheet, N_SLOTS)
            if slot + 1 >= SLOTS_ROOM * room:
                return GROW
            store(load(sheet, SIZES), slot, 0)
            store(sheet, N_SLOTS, slot + 1)
            grad = load(line, 1)
            store(value, FORM, load(line, 2))
            store(value, SLOT, slot)
            store(value, COUNT, 0)
            used = 3
        elif kind == ALIAS:
            source = values + load(line, 2) * VALUE_WORDS * WORD
            for k in range(COTANGENT_WORDS):
                store(value, k, load(source, k))
            grad = load(line, 1)
            used = 4
        elif kind == GIVEN:
            count = load(line, 3)
            n = load(sheet, N_POOL)
            if n + count >= POOL_ROOM * room:
                return GROW
            store(value, FORM, load(line, 1))
            store(value, SLOT, load(line, 2))
            store(value, STARTS, n)
            store(value, COUNT, count)
            for k in range(count):
                store(load(sheet, POOL), n + k, load(line, 4 + k))
            store(sheet, N_POOL, n + count)
            used = 4 + count
        elif kind == EVENT:
            store(value, FORM, -1)
        store(value, OWNER, owner)
        store(value, GRAD, grad)
        store(value, LINE, at)
        store(load(sheet, VISITED), ix, 0)
        ix += 1
        at += used
        store(sheet, AT, at)
        store(sheet, ENTRIES, ix)
    return READY


def advance(sheet: int) -> int:
    """Do the step that the sheet asks for."""
    step = load(sheet, STEP)
    answer: int
    if step == LAY_OUT:
        answer = lay_out(sheet)
    elif step == PREPARE:
        answer = lay_out(sheet)
        if answer == READY:
            answer = prepare(sheet)
    elif DERIVE >= step >= PULL_BACK:
        answer = READY
        if step == DERIVE:
            answer = lay_out(sheet)
            if answer == READY:
                answer = prepare(sheet)
                sow(sheet)
                store(sheet, STEP, PULL_BACK)  # where it goes on when it is called again
        if answer == READY:
            answer = pull_back(sheet)
        if answer == READY:
            list_leaves(sheet)
    else:
        if step == PLACE_AND_LINK:
            store(sheet, NEEDED, place(sheet))
        answer = fit(sheet)
        if answer == 0:
            answer = link(sheet)
    return answer
