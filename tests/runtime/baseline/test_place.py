"""Places of the baseline tier: shared by values that are not there at the same time, never by others."""

from __future__ import annotations

import random

import numpy as np

from nbgrad.runtime.baseline.layout import LEAF, PLACE_AND_LINK
from nbgrad.runtime.baseline.place import SIDE_BY_SIDE_BYTES
from nbgrad.runtime.baseline.program import Program
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.runner_code import baseline_code
from tests.runtime.baseline.test_program import FORM, Negation

BLOCK = 64  # bytes of a value here


def place(program: Program, held: list[int], is_little: bool = False) -> tuple[int, list[int]]:
    """(bytes needed, the place of each slot; None for the tensor from memory and what is ``held``)."""
    if not is_little:
        say_it_is_much(program)
    words, bases = program.bases()
    for slot in (0, *held):
        words[bases + slot] = 1
    program.head.step = PLACE_AND_LINK
    assert baseline_code().advance(program._address) < 0  # there is no memory, so it stops before it links
    return program.head.needed, [-1 - base if base < 0 else -1 for base in words[bases : bases + program.n_slots]]


def say_it_is_much(program: Program) -> None:
    """Let places be worth sharing."""
    program.head.size_bytes += SIDE_BY_SIDE_BYTES


def test_what_is_little_lies_side_by_side() -> None:
    rules = Negation()
    program = Program(rules.table)
    program.bytecode += (LEAF, 0, FORM, *[rules.number, 0, 0] * 3)
    program.lay_out()
    assert place(program, [2], is_little=True) == (2 * BLOCK, [-1, 0, -1, BLOCK])


def test_a_chain_needs_two_places() -> None:
    rules = Negation()
    program = Program(rules.table)
    program.bytecode += (LEAF, 0, FORM)
    for k in range(10):
        program.bytecode += (rules.number, 0, k)
    program.lay_out()
    needed, places = place(program, [10])
    assert needed == 2 * BLOCK
    assert places == [-1, *[0, BLOCK] * 4, 0, -1]


def test_values_that_nobody_reads_give_their_place_at_once() -> None:
    rules = Negation()
    program = Program(rules.table)
    program.bytecode += (LEAF, 0, FORM, *[rules.number, 0, 0] * 5)
    program.lay_out()
    assert place(program, []) == (BLOCK, [-1, 0, 0, 0, 0, 0])


def test_no_two_values_that_live_at_a_time_share_a_place() -> None:
    rng = random.Random(3)
    rules = Negation()
    for _ in range(30):
        program = Program(rules.table)
        program.bytecode += (LEAF, 0, FORM)
        reads = [rng.randrange(k + 1) for k in range(40)]
        for ref in reads:
            program.bytecode += (rules.number, 0, ref)
        program.lay_out()
        held = [slot for slot in range(1, 41) if rng.random() < 0.2]
        needed, places = place(program, held)
        last = {slot: max([k for k, ref in enumerate(reads, 1) if ref == slot], default=slot) for slot in range(1, 41)}
        own = [slot for slot in range(1, 41) if slot not in held]
        assert all(0 <= places[slot] <= needed - BLOCK for slot in own)
        for a in own:
            for b in own:
                if a < b <= last[a]:  # b is made while a is still to be read
                    assert places[a] != places[b]


def test_what_shares_places_is_computed_right() -> None:
    rules = Negation()
    program = Program(rules.table)
    program.bytecode += (LEAF, 0, FORM)
    for k in range(7):
        program.bytecode += (rules.number, 0, k)
    program.lay_out()
    x, out = Buffer.from_numpy(np.array([1, 2, 3], np.float32)), Buffer.alloc(12)
    words, bases = program.bases()
    words[bases], words[bases + 7] = x.address, out.address
    say_it_is_much(program)
    program.run([])
    assert out.array((3,), np.float32).tolist() == [-1, -2, -3]
    assert x.array((3,), np.float32).tolist() == [1, 2, 3]
