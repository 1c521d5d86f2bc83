"""Compiled code of the baseline tier: pasting a template, and where the results of a rule lie. See ``layout``."""

from __future__ import annotations

from ctypes import addressof

from nbgrad.kernels.njit import njit
from nbgrad.kernels.records import WORD, Words
from nbgrad.runtime.baseline.layout import (
    MARKS,
    NUMBERS_ROOM,
    PASTED_ROOM,
    POOL_ROOM,
    SLOTS_ROOM,
    Cotangent,
    Pasted,
    Program,
    Result,
    Rule,
    Template,
    Value,
)


@njit(nogil=True)
def has_room(program: Program, rule: Rule) -> bool:
    """Whether one more rule fits in every region."""
    room = program.room
    outputs = 0
    inputs = 0
    numbers = 0
    if rule.template != 0:
        template = Template.from_address(rule.template)
        outputs = template.outputs
        inputs = template.inputs
        numbers = template.n_numbers
    return (
        program.n_slots + outputs < SLOTS_ROOM * room
        and program.n_pasted + inputs + 2 < PASTED_ROOM * room
        and program.n_numbers + numbers < NUMBERS_ROOM * room
        and program.n_pool + rule.starts < POOL_ROOM * room
    )


@njit(nogil=True)
def copy_starts(program: Program, value: Value | Cotangent, numbers: Words, n: int) -> int:
    """Append the starts of a value to a list of numbers; gives its new length."""
    pool = program.pool
    starts = value.starts
    for k in range(value.count):
        numbers[n] = pool[starts + k]
        n += 1
    return n


@njit(nogil=True)
def paste(program: Program, template_address: int, slots: Words, numbers: Words) -> int:
    """Paste a template (0: none) on inputs in these slots; the slot of its first output."""
    first = program.n_slots
    if template_address == 0:
        return first
    template = Template.from_address(template_address)
    outputs = template.outputs
    sizes = program.sizes
    for k in range(outputs):
        size = template.sizes[k]
        sizes[first + k] = size
        program.size_bytes += size
    program.n_slots = first + outputs
    pasted = Pasted.from_address(program.pasted + program.n_pasted * WORD)
    inputs = template.inputs
    pasted.template = template_address
    pasted.first = first
    for k in range(inputs):
        pasted.inputs[k] = slots[k]
    program.n_pasted += 2 + inputs
    program.n_templates += 1
    n = program.n_numbers
    count = template.n_numbers
    for k in range(count):
        source = template.numbers[k]
        target = program.numbers[n + k]
        target.place = numbers[source.place]
        target.dtype = source.dtype
    program.n_numbers = n + count
    program.n_rows += template.n_rows
    program.n_words += template.n_words
    program.arena = max(program.arena, template.arena)
    return first


@njit(nogil=True)
def locate(
    program: Program, result: Result, first: int, slots: Words, numbers: Words, value: Value | Cotangent
) -> None:
    """Write down where a result of a rule lies."""
    slot = -1
    if result.output >= 0:
        slot = first + result.output
    elif result.input >= 0:
        slot = slots[result.input]
    count = result.count
    n = program.n_pool
    pool = program.pool
    for k in range(count):
        pool[n + k] = numbers[result.starts[k]]
    program.n_pool = n + count
    value.form = result.form
    value.slot = slot
    value.starts = n
    value.count = count


@njit(nogil=True)
def after(result: Result) -> Result:
    """The next result of a rule."""
    return Result.from_address(addressof(result.starts) + result.count * WORD)


@njit(nogil=True)
def gather(program: Program, at: int, operands: int, number: int, slots: Words, numbers: Words) -> tuple[int, int]:
    """List the slots and the numbers that the call at this place of the bytecode works on; gives how many of each."""
    values = program.values
    bytecode = Words.from_address(program.bytecode)
    n_slots = 0
    n = 0
    for i in range(operands):
        ref = bytecode[at + 2 + i]
        if ref >= 0:
            value = values[ref]
            slots[n_slots] = value.slot
            n_slots += 1
            n = copy_starts(program, value, numbers, n)
        elif ref >= MARKS:
            numbers[n] = number
            n += 1
            number += 1
    return n_slots, n
