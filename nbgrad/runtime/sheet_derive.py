"""Compiled code of first sight: cotangents go back entry by entry. See ``sheet_layout`` for the words.

It stops at a rule that is missing and goes on there when it is called again.
"""

from __future__ import annotations

from nbgrad.runtime.intrinsics import load, store
from nbgrad.runtime.layout import WORD
from nbgrad.runtime.sheet_layout import (
    ACTIVE,
    ALIAS,
    CELL,
    CHOSEN,
    COTANGENT_WORDS,
    COTANGENTS,
    COUNT,
    ENTRIES,
    FORM,
    FOUND_IX,
    FOUND_VALUE,
    FOUND_WORDS,
    GRAD,
    GROW,
    IX,
    KEY,
    KEY_LENGTH,
    KEY_WORDS,
    LEAF,
    LEAVES,
    LINE,
    MISSING,
    N_LEAVES,
    N_POOL,
    NUMBER,
    OWNER,
    READY,
    RESULT_COUNT,
    RESULT_FORM,
    RESULT_STARTS,
    RETAIN,
    ROOM,
    RULE_NUMBERS,
    RULE_OPERANDS,
    RULE_RESULTS,
    RULE_STAMP,
    RULES,
    SCRATCH,
    SCRATCH_PART,
    SCRIPT,
    SEED,
    SEED_FORM,
    SLOT,
    TABLE,
    TABLE_MASK,
    UNSUPPORTED,
    VALUE_WORDS,
    VALUES,
    VISITED,
)
from nbgrad.runtime.sheet_paste import copy_starts, gather, has_room, locate, paste

_GOLDEN = -7046029254386353131  # 2**64 / golden ratio, odd: spreads keys over the table


def prepare(sheet: int) -> int:
    """Clear all cotangents. Where leaves are chosen, mark the entries that cotangents pass on their way to them."""
    cotangents = load(sheet, COTANGENTS)
    active = load(sheet, ACTIVE)
    for ix in range(load(sheet, ENTRIES)):
        store(cotangents + ix * COTANGENT_WORDS * WORD, FORM, -1)
        store(active, ix, 0)
    if load(sheet, CHOSEN) == 0:
        return READY
    values = load(sheet, VALUES)
    for k in range(load(sheet, N_LEAVES)):
        store(active, load(load(sheet, LEAVES), k), 1)
    for ix in range(load(sheet, ENTRIES)):
        value = values + ix * VALUE_WORDS * WORD
        line = load(sheet, SCRIPT) + load(value, LINE) * WORD
        kind = load(line, 0)
        if kind >= 0 and load(value, GRAD) != 0:
            for i in range(load(load(load(sheet, RULES), kind), RULE_OPERANDS)):
                ref = load(line, 2 + i)
                if ref >= 0:
                    source = values + ref * VALUE_WORDS * WORD
                    if load(source, GRAD) != 0 and load(active, load(source, OWNER)) != 0:
                        store(active, ix, 1)
    return READY


def sow(sheet: int) -> None:
    """Write down the cotangent from which a derivative with one seed begins."""
    seed = load(sheet, COTANGENTS) + load(sheet, SEED) * COTANGENT_WORDS * WORD
    store(seed, FORM, load(sheet, SEED_FORM))
    store(seed, SLOT, -1)
    store(seed, COUNT, 0)
    store(sheet, N_LEAVES, 0)
    store(sheet, IX, load(sheet, ENTRIES) - 1)


def list_leaves(sheet: int) -> None:
    """List the leaves that cotangents reached in the scratch region, each with its cotangent."""
    leaves = load(sheet, LEAVES)
    cotangents = load(sheet, COTANGENTS)
    found = load(sheet, SCRATCH)
    for k in range(load(sheet, N_LEAVES)):
        ix = load(leaves, k)
        store(found, FOUND_IX, ix)
        for word in range(COTANGENT_WORDS):
            store(found, FOUND_VALUE + word, load(cotangents + ix * COTANGENT_WORDS * WORD, word))
        found += FOUND_WORDS * WORD


def find_rule(sheet: int, key: int, length: int) -> int:
    """The rule under this key; 0, with CELL set, where the table has none."""
    h = 0
    for k in range(length):
        h = (h ^ load(key, k)) * _GOLDEN
        h ^= h >> 29
    table = load(sheet, TABLE)
    mask = load(sheet, TABLE_MASK)
    cell = h & mask
    while True:
        entry = load(table, cell)
        if entry == 0:
            store(sheet, CELL, cell)
            return 0
        if load(entry, KEY_LENGTH) == length:
            k = 0
            while k < length and load(entry, KEY + k) == load(key, k):
                k += 1
            if k == length:
                rule: int = entry + (KEY + length) * WORD
                return rule
        cell = (cell + 1) & mask


def pull_back_call(sheet: int, value: int, line: int, g: int) -> int:
    """Send the cotangent of a call's result on to its operands."""
    values = load(sheet, VALUES)
    cotangents = load(sheet, COTANGENTS)
    active = load(sheet, ACTIVE)
    chosen = load(sheet, CHOSEN)
    room = load(sheet, ROOM)
    rule = load(load(sheet, RULES), load(line, 0))
    operands = load(rule, RULE_OPERANDS)
    if 2 * operands + 4 + load(rule, RULE_NUMBERS) + load(sheet, N_POOL) > SCRATCH_PART * room:
        return GROW
    slots = load(sheet, SCRATCH)
    numbers = slots + SCRATCH_PART * room * WORD
    key = numbers + SCRATCH_PART * room * WORD
    n_slots, n = gather(sheet, line, operands, load(value, NUMBER), slots, numbers)
    store(slots, n_slots, load(value, SLOT))
    store(slots, n_slots + 1, load(g, SLOT))
    n_slots += 2
    n = copy_starts(sheet, g, numbers, n)
    store(key, 0, load(line, 0))
    store(key, 1, load(g, FORM))
    length = 2
    for i in range(operands):
        ref = load(line, 2 + i)
        if ref >= 0:
            source = values + ref * VALUE_WORDS * WORD
            owner = load(source, OWNER)
            if load(source, GRAD) != 0 and (chosen == 0 or load(active, owner) != 0):
                before = cotangents + owner * COTANGENT_WORDS * WORD
                store(key, length, i)
                store(key, length + 1, load(before, FORM))
                length += 2
                if load(before, FORM) >= 0:
                    store(slots, n_slots, load(before, SLOT))
                    n = copy_starts(sheet, before, numbers, n)
                else:
                    store(slots, n_slots, -1)
                n_slots += 1
    back = find_rule(sheet, key, length)
    if back == 0:
        store(sheet, KEY_WORDS, length)
        return MISSING
    if not has_room(sheet, back):
        return GROW
    first = paste(sheet, load(back, RULE_STAMP), slots, numbers)
    result = back + RULE_RESULTS * WORD
    for k in range(2, length, 2):
        source = values + load(line, 2 + load(key, k)) * VALUE_WORDS * WORD
        if load(result, RESULT_FORM) >= 0:
            target = cotangents + load(source, OWNER) * COTANGENT_WORDS * WORD
            locate(sheet, result, first, slots, numbers, target)
        result += (RESULT_STARTS + load(result, RESULT_COUNT)) * WORD
    return READY


def pull_back(sheet: int) -> int:
    """Send cotangents back entry by entry, from IX on."""
    values = load(sheet, VALUES)
    cotangents = load(sheet, COTANGENTS)
    ix = load(sheet, IX)
    while ix >= 0:
        g = cotangents + ix * COTANGENT_WORDS * WORD
        value = values + ix * VALUE_WORDS * WORD
        here = load(g, FORM) >= 0 and load(value, GRAD) != 0
        if here and load(sheet, CHOSEN) != 0:
            here = load(load(sheet, ACTIVE), ix) != 0
        if here:
            line = load(sheet, SCRIPT) + load(value, LINE) * WORD
            kind = load(line, 0)
            if kind >= 0:
                status: int = pull_back_call(sheet, value, line, g)
                if status != READY:
                    store(sheet, IX, ix)
                    return status
            elif kind == LEAF:
                n = load(sheet, N_LEAVES)
                store(load(sheet, LEAVES), n, ix)
                store(sheet, N_LEAVES, n + 1)
            elif kind == ALIAS and load(line, 3) >= 0:
                owner = load(values + load(line, 3) * VALUE_WORDS * WORD, OWNER)
                target = cotangents + owner * COTANGENT_WORDS * WORD
                if load(target, FORM) >= 0:
                    return UNSUPPORTED
                for k in range(COTANGENT_WORDS):
                    store(target, k, load(g, k))
            else:
                return UNSUPPORTED
            if load(sheet, RETAIN) == 0:
                store(load(sheet, VISITED), ix, 1)
        ix -= 1
    return READY
