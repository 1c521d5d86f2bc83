"""The compiled half of the baseline tier: lay a bytecode out, differentiate it, link its templates into one tape.

See ``layout`` for the memory. Everything can be called again after GROW (regions are full) and MISSING (a rule
for a derivative is wanted): it goes on where it stopped.
"""

from __future__ import annotations

from ctypes import addressof

from nbgrad.kernels.njit import njit
from nbgrad.kernels.records import WORD, Words
from nbgrad.runtime.baseline.derive import list_leaves, prepare, pull_back, sow
from nbgrad.runtime.baseline.layout import (
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
    Program,
    Result,
    Rule,
)
from nbgrad.runtime.baseline.link import fit, link
from nbgrad.runtime.baseline.paste import gather, has_room, locate, paste
from nbgrad.runtime.baseline.place import place


@njit(nogil=True)
def lay_out(program: Program) -> int:
    """Give every entry of the bytecode its value, and paste the templates of its calls."""
    bytecode = Words.from_address(program.bytecode)
    rules = Words.from_address(program.rules)
    end = program.bytecode_end
    at = program.at
    ix = program.entries
    values = program.values
    room = program.room
    while at < end:
        if ix >= room:
            return GROW
        value = values[ix]
        kind = bytecode[at]
        owner = ix
        grad = 0
        used = 1
        scalars = program.n_scalars
        value.number = scalars
        if kind >= 0:
            rule = Rule.from_address(rules[kind])
            operands = rule.operands
            if not has_room(program, rule) or operands + rule.numbers > SCRATCH_PART * room:
                return GROW
            slots = Words.from_address(program.scratch)
            numbers = Words.from_address(program.scratch + SCRATCH_PART * room * WORD)
            gather(program, at, operands, scalars, slots, numbers)
            first = paste(program, rule.template, slots, numbers)
            locate(program, Result.from_address(addressof(rule.results)), first, slots, numbers, value)
            for i in range(operands):
                if MARKS <= bytecode[at + 2 + i] < 0:
                    scalars += 1
            program.n_scalars = scalars
            grad = bytecode[at + 1]
            if rule.same != 0:
                source = values[bytecode[at + 2]]
                if source.grad == grad:
                    owner = source.owner
            used = 2 + operands
        elif kind == LEAF:
            slot = program.n_slots
            if slot + 1 >= SLOTS_ROOM * room:
                return GROW
            program.sizes[slot] = 0
            program.n_slots = slot + 1
            grad = bytecode[at + 1]
            value.form = bytecode[at + 2]
            value.slot = slot
            value.count = 0
            used = 3
        elif kind == ALIAS:
            source = values[bytecode[at + 2]]
            value.form = source.form
            value.slot = source.slot
            value.starts = source.starts
            value.count = source.count
            grad = bytecode[at + 1]
            used = 4
        elif kind == GIVEN:
            count = bytecode[at + 3]
            n = program.n_pool
            if n + count >= POOL_ROOM * room:
                return GROW
            value.form = bytecode[at + 1]
            value.slot = bytecode[at + 2]
            value.starts = n
            value.count = count
            pool = program.pool
            for k in range(count):
                pool[n + k] = bytecode[at + 4 + k]
            program.n_pool = n + count
            used = 4 + count
        elif kind == EVENT:
            value.form = -1
        value.owner = owner
        value.grad = grad
        value.line = at
        program.visited[ix] = 0
        ix += 1
        at += used
        program.at = at
        program.entries = ix
    return READY


@njit(nogil=True)
def advance(address: int) -> int:
    """Do the step that the program asks for."""
    program = Program.from_address(address)
    step = program.step
    if step == PLACE_AND_LINK or step > DERIVE:
        if step == PLACE_AND_LINK:
            program.needed = place(program)
        short = fit(program)
        return link(program) if short == 0 else short
    if step != PULL_BACK:
        answer = lay_out(program)
        if answer != READY or step == LAY_OUT:
            return answer
        prepare(program)
        if step == PREPARE:
            return READY
        sow(program)
        program.step = PULL_BACK  # where it goes on when it is called again
    answer = pull_back(program)
    if answer == READY:
        list_leaves(program)
    return answer
