"""The compiled half of first sight: lay a script out, differentiate it, link its stamps into one tape.

See ``sheet_layout`` for the words. Everything can be called again after GROW (regions are full) and MISSING (a rule
for a derivative is wanted): it goes on where it stopped.
"""

from __future__ import annotations

from numba import njit

from nbgrad.kernels.target import Target
from nbgrad.runtime.intrinsics import load, store
from nbgrad.runtime.layout import COST, FLAGS, ITEMS, OFFSET, ROW_WORDS, SPLIT, TABLE_WORDS, WORD
from nbgrad.runtime.native import native_code
from nbgrad.runtime.pool_kernels import options
from nbgrad.runtime.runner_limits import SPLIT_PS
from nbgrad.runtime.sheet_layout import (
    ACTIVE,
    ALIAS,
    ARENA,
    AT,
    BASES,
    BLOCK,
    CELL,
    CHOSEN,
    COTANGENT_WORDS,
    COTANGENTS,
    COUNT,
    DESC,
    ENTRIES,
    EVENT,
    FORM,
    FROM_ARENA,
    FROM_OUTPUT,
    GIVEN,
    GRAD,
    GROW,
    IX,
    KEY,
    KEY_LENGTH,
    KEY_WORDS,
    LAY_OUT,
    LEAF,
    LEAVES,
    LINE,
    MARKS,
    MEMORY,
    MISSING,
    N_LEAVES,
    N_NUMBERS,
    N_PASTED,
    N_POOL,
    N_ROWS,
    N_SCALARS,
    N_SLOTS,
    N_STAMPS,
    N_WORDS,
    NUMBER,
    NUMBER_DTYPE,
    NUMBER_PLACE,
    NUMBER_WORDS,
    NUMBERS,
    NUMBERS_ROOM,
    OWN,
    OWNER,
    PASTED,
    PASTED_ROOM,
    POOL,
    POOL_ROOM,
    PREPARE,
    PULL_BACK,
    READY,
    RELOC_OFFSET,
    RELOC_OUTPUT,
    RELOC_PLACE,
    RELOC_WORD,
    RELOC_WORDS,
    RESULT_COUNT,
    RESULT_FORM,
    RESULT_INPUT,
    RESULT_OUTPUT,
    RESULT_STARTS,
    RETAIN,
    ROOM,
    RULE_NUMBERS,
    RULE_OPERANDS,
    RULE_RESULTS,
    RULE_SAME,
    RULE_STAMP,
    RULE_STARTS,
    RULES,
    SCRATCH,
    SCRATCH_PART,
    SCRIPT,
    SCRIPT_END,
    SIZE_BYTES,
    SIZES,
    SLOT,
    SLOTS_ROOM,
    STAMP_ARENA,
    STAMP_INPUTS,
    STAMP_N_NUMBERS,
    STAMP_N_RELOCS,
    STAMP_N_ROWS,
    STAMP_N_TERMS,
    STAMP_N_WORDS,
    STAMP_NUMBERS,
    STAMP_OUTPUTS,
    STAMP_RELOCS,
    STAMP_ROWS,
    STAMP_SIZES,
    STAMP_TERMS,
    STAMP_WORDS,
    STARTS,
    STEP,
    TABLE,
    TABLE_MASK,
    TAPE,
    UNSUPPORTED,
    VALUE_WORDS,
    VALUES,
    VISITED,
)

_GOLDEN = -7046029254386353131  # 2**64 / golden ratio, odd: spreads keys over the table


@njit(**options)  # type: ignore[untyped-decorator]
def has_room(sheet: int, rule: int) -> bool:
    """Whether one more rule fits in every region."""
    room = load(sheet, ROOM)
    stamp = load(rule, RULE_STAMP)
    outputs = 0
    inputs = 0
    numbers = 0
    if stamp != 0:
        outputs = load(stamp, STAMP_OUTPUTS)
        inputs = load(stamp, STAMP_INPUTS)
        numbers = load(stamp, STAMP_N_NUMBERS)
    fits: bool = (
        load(sheet, N_SLOTS) + outputs < SLOTS_ROOM * room
        and load(sheet, N_PASTED) + inputs + 2 < PASTED_ROOM * room
        and load(sheet, N_NUMBERS) + numbers < NUMBERS_ROOM * room
        and load(sheet, N_POOL) + load(rule, RULE_STARTS) < POOL_ROOM * room
    )
    return fits


@njit(**options)  # type: ignore[untyped-decorator]
def copy_starts(sheet: int, value: int, numbers: int, n: int) -> int:
    """Append the starts of a value to a list of numbers; gives its new length."""
    pool = load(sheet, POOL)
    starts = load(value, STARTS)
    for k in range(load(value, COUNT)):
        store(numbers, n, load(pool, starts + k))
        n += 1
    return n


@njit(**options)  # type: ignore[untyped-decorator]
def paste(sheet: int, stamp: int, slots: int, numbers: int) -> int:
    """Paste a stamp (0: none) on inputs in these slots; the slot of its first output."""
    first: int = load(sheet, N_SLOTS)
    if stamp == 0:
        return first
    outputs = load(stamp, STAMP_OUTPUTS)
    sizes = load(sheet, SIZES)
    for k in range(outputs):
        size = load(stamp, STAMP_SIZES + k)
        store(sizes, first + k, size)
        store(sheet, SIZE_BYTES, load(sheet, SIZE_BYTES) + size)
    store(sheet, N_SLOTS, first + outputs)
    at = load(sheet, N_PASTED)
    pasted = load(sheet, PASTED)
    inputs = load(stamp, STAMP_INPUTS)
    store(pasted, at, stamp)
    store(pasted, at + 1, first)
    for k in range(inputs):
        store(pasted, at + 2 + k, load(slots, k))
    store(sheet, N_PASTED, at + 2 + inputs)
    store(sheet, N_STAMPS, load(sheet, N_STAMPS) + 1)
    n = load(sheet, N_NUMBERS)
    source = load(stamp, STAMP_NUMBERS)
    target = load(sheet, NUMBERS) + n * NUMBER_WORDS * WORD
    count = load(stamp, STAMP_N_NUMBERS)
    for _ in range(count):
        store(target, NUMBER_PLACE, load(numbers, load(source, NUMBER_PLACE)))
        store(target, NUMBER_DTYPE, load(source, NUMBER_DTYPE))
        source += NUMBER_WORDS * WORD
        target += NUMBER_WORDS * WORD
    store(sheet, N_NUMBERS, n + count)
    store(sheet, N_ROWS, load(sheet, N_ROWS) + load(stamp, STAMP_N_ROWS))
    store(sheet, N_WORDS, load(sheet, N_WORDS) + load(stamp, STAMP_N_WORDS))
    store(sheet, ARENA, load(sheet, ARENA) + load(stamp, STAMP_ARENA))
    return first


@njit(**options)  # type: ignore[untyped-decorator]
def locate(sheet: int, result: int, first: int, slots: int, numbers: int, value: int) -> None:
    """Write down where a result of a rule lies."""
    slot = -1
    if load(result, RESULT_OUTPUT) >= 0:
        slot = first + load(result, RESULT_OUTPUT)
    elif load(result, RESULT_INPUT) >= 0:
        slot = load(slots, load(result, RESULT_INPUT))
    count = load(result, RESULT_COUNT)
    n = load(sheet, N_POOL)
    pool = load(sheet, POOL)
    for k in range(count):
        store(pool, n + k, load(numbers, load(result, RESULT_STARTS + k)))
    store(sheet, N_POOL, n + count)
    store(value, FORM, load(result, RESULT_FORM))
    store(value, SLOT, slot)
    store(value, STARTS, n)
    store(value, COUNT, count)


@njit(**options)  # type: ignore[untyped-decorator]
def gather(sheet: int, line: int, operands: int, number: int, slots: int, numbers: int) -> tuple[int, int]:
    """List the slots and the numbers that a call works on; gives how many of each."""
    values = load(sheet, VALUES)
    n_slots = 0
    n = 0
    for i in range(operands):
        ref = load(line, 2 + i)
        if ref >= 0:
            value = values + ref * VALUE_WORDS * WORD
            store(slots, n_slots, load(value, SLOT))
            n_slots += 1
            n = copy_starts(sheet, value, numbers, n)
        elif ref >= MARKS:
            store(numbers, n, number)
            n += 1
            number += 1
    return n_slots, n


@njit(**options)  # type: ignore[untyped-decorator]
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


@njit(**options)  # type: ignore[untyped-decorator]
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


@njit(**options)  # type: ignore[untyped-decorator]
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


@njit(**options)  # type: ignore[untyped-decorator]
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


@njit(**options)  # type: ignore[untyped-decorator]
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


@njit(**options)  # type: ignore[untyped-decorator]
def copy_words(source: int, target: int, count: int) -> None:
    for k in range(count):
        store(target, k, load(source, k))


@njit(**options)  # type: ignore[untyped-decorator]
def link(sheet: int) -> int:
    """Make one tape of what was pasted, bound to memory. Whether some instruction is worth several threads."""
    bases = load(sheet, BASES)
    sizes = load(sheet, SIZES)
    memory = load(sheet, MEMORY)
    for slot in range(load(sheet, N_SLOTS)):
        if load(bases, slot) == 0:
            store(bases, slot, memory)
            memory += load(sizes, slot)
    row = load(sheet, TAPE)
    desc = load(sheet, DESC)
    own = load(sheet, OWN)
    block = load(sheet, BLOCK)
    item = load(sheet, PASTED)
    words_before = 0
    shares = 0
    for _ in range(load(sheet, N_STAMPS)):
        stamp = load(item, 0)
        first = load(item, 1)
        inputs = load(stamp, STAMP_INPUTS)
        n_words = load(stamp, STAMP_N_WORDS)
        copy_words(load(stamp, STAMP_ROWS), row, load(stamp, STAMP_N_ROWS) * ROW_WORDS)
        for _ in range(load(stamp, STAMP_N_ROWS)):
            store(row, OFFSET, load(row, OFFSET) + words_before)
            if load(row, FLAGS) & SPLIT != 0 and load(row, ITEMS) * load(row, COST) >= SPLIT_PS:
                shares = 1
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
        own += load(stamp, STAMP_ARENA)
        block += load(stamp, STAMP_N_NUMBERS) * WORD
        item += (2 + inputs) * WORD
    return shares


@njit(**options)  # type: ignore[untyped-decorator]
def advance(sheet: int) -> int:
    """Do the step that the sheet asks for."""
    step = load(sheet, STEP)
    answer: int
    if step == LAY_OUT:
        answer = lay_out(sheet)
    elif step == PREPARE:
        answer = prepare(sheet)
    elif step == PULL_BACK:
        answer = pull_back(sheet)
    else:
        answer = link(sheet)
    return answer


def object_code(target: Target, name: str) -> bytes:
    """Object code that defines ``name(sheet)``."""
    return native_code(target, {name: advance})
