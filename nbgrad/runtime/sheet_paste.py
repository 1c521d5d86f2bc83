"""Compiled code of first sight: pasting a stamp, and where the results of a rule lie. See ``sheet_layout``."""

from __future__ import annotations

from ctypes import addressof

from nbgrad.kernels.njit import njit
from nbgrad.kernels.records import WORD, Words
from nbgrad.runtime.sheet_layout import (
    MARKS,
    NUMBERS_ROOM,
    PASTED_ROOM,
    POOL_ROOM,
    SLOTS_ROOM,
    Cotangent,
    Pasted,
    Result,
    Rule,
    Sheet,
    Stamp,
    Value,
)


@njit(nogil=True)
def has_room(sheet: Sheet, rule: Rule) -> bool:
    """Whether one more rule fits in every region."""
    room = sheet.room
    outputs = 0
    inputs = 0
    numbers = 0
    if rule.stamp != 0:
        stamp = Stamp.from_address(rule.stamp)
        outputs = stamp.outputs
        inputs = stamp.inputs
        numbers = stamp.n_numbers
    return (
        sheet.n_slots + outputs < SLOTS_ROOM * room
        and sheet.n_pasted + inputs + 2 < PASTED_ROOM * room
        and sheet.n_numbers + numbers < NUMBERS_ROOM * room
        and sheet.n_pool + rule.starts < POOL_ROOM * room
    )


@njit(nogil=True)
def copy_starts(sheet: Sheet, value: Value | Cotangent, numbers: Words, n: int) -> int:
    """Append the starts of a value to a list of numbers; gives its new length."""
    pool = sheet.pool
    starts = value.starts
    for k in range(value.count):
        numbers[n] = pool[starts + k]
        n += 1
    return n


@njit(nogil=True)
def paste(sheet: Sheet, stamp_address: int, slots: Words, numbers: Words) -> int:
    """Paste a stamp (0: none) on inputs in these slots; the slot of its first output."""
    first = sheet.n_slots
    if stamp_address == 0:
        return first
    stamp = Stamp.from_address(stamp_address)
    outputs = stamp.outputs
    sizes = sheet.sizes
    for k in range(outputs):
        size = stamp.sizes[k]
        sizes[first + k] = size
        sheet.size_bytes += size
    sheet.n_slots = first + outputs
    pasted = Pasted.from_address(sheet.pasted + sheet.n_pasted * WORD)
    inputs = stamp.inputs
    pasted.stamp = stamp_address
    pasted.first = first
    for k in range(inputs):
        pasted.inputs[k] = slots[k]
    sheet.n_pasted += 2 + inputs
    sheet.n_stamps += 1
    n = sheet.n_numbers
    count = stamp.n_numbers
    for k in range(count):
        source = stamp.numbers[k]
        target = sheet.numbers[n + k]
        target.place = numbers[source.place]
        target.dtype = source.dtype
    sheet.n_numbers = n + count
    sheet.n_rows += stamp.n_rows
    sheet.n_words += stamp.n_words
    sheet.arena = max(sheet.arena, stamp.arena)
    return first


@njit(nogil=True)
def locate(sheet: Sheet, result: Result, first: int, slots: Words, numbers: Words, value: Value | Cotangent) -> None:
    """Write down where a result of a rule lies."""
    slot = -1
    if result.output >= 0:
        slot = first + result.output
    elif result.input >= 0:
        slot = slots[result.input]
    count = result.count
    n = sheet.n_pool
    pool = sheet.pool
    for k in range(count):
        pool[n + k] = numbers[result.starts[k]]
    sheet.n_pool = n + count
    value.form = result.form
    value.slot = slot
    value.starts = n
    value.count = count


@njit(nogil=True)
def after(result: Result) -> Result:
    """The next result of a rule."""
    return Result.from_address(addressof(result.starts) + result.count * WORD)


@njit(nogil=True)
def gather(sheet: Sheet, at: int, operands: int, number: int, slots: Words, numbers: Words) -> tuple[int, int]:
    """List the slots and the numbers that the call at this place of the script works on; gives how many of each."""
    values = sheet.values
    script = Words.from_address(sheet.script)
    n_slots = 0
    n = 0
    for i in range(operands):
        ref = script[at + 2 + i]
        if ref >= 0:
            value = values[ref]
            slots[n_slots] = value.slot
            n_slots += 1
            n = copy_starts(sheet, value, numbers, n)
        elif ref >= MARKS:
            numbers[n] = number
            n += 1
            number += 1
    return n_slots, n
