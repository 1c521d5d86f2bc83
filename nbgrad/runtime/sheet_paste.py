"""Compiled code of first sight: pasting a stamp, and where the results of a rule lie. See ``sheet_layout``."""

from __future__ import annotations

from nbgrad.runtime.intrinsics import greater, load, store
from nbgrad.runtime.layout import WORD
from nbgrad.runtime.sheet_layout import (
    ARENA,
    COUNT,
    FORM,
    MARKS,
    N_NUMBERS,
    N_PASTED,
    N_POOL,
    N_ROWS,
    N_SLOTS,
    N_STAMPS,
    N_WORDS,
    NUMBER_DTYPE,
    NUMBER_PLACE,
    NUMBER_WORDS,
    NUMBERS,
    NUMBERS_ROOM,
    PASTED,
    PASTED_ROOM,
    POOL,
    POOL_ROOM,
    RESULT_COUNT,
    RESULT_FORM,
    RESULT_INPUT,
    RESULT_OUTPUT,
    RESULT_STARTS,
    ROOM,
    RULE_STAMP,
    RULE_STARTS,
    SIZE_BYTES,
    SIZES,
    SLOT,
    SLOTS_ROOM,
    STAMP_ARENA,
    STAMP_INPUTS,
    STAMP_N_NUMBERS,
    STAMP_N_ROWS,
    STAMP_N_WORDS,
    STAMP_NUMBERS,
    STAMP_OUTPUTS,
    STAMP_SIZES,
    STARTS,
    VALUE_WORDS,
    VALUES,
)


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


def copy_starts(sheet: int, value: int, numbers: int, n: int) -> int:
    """Append the starts of a value to a list of numbers; gives its new length."""
    pool = load(sheet, POOL)
    starts = load(value, STARTS)
    for k in range(load(value, COUNT)):
        store(numbers, n, load(pool, starts + k))
        n += 1
    return n


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
    store(sheet, ARENA, greater(load(sheet, ARENA), load(stamp, STAMP_ARENA)))
    return first


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
