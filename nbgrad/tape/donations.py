"""Which results may be made in the memory of an input: parameters and their state, which a step writes anew."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from nbgrad.passes.donations import can_fail
from nbgrad.tape.block import output_index
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.kernel import KernelText


class Donations(NamedTuple):
    """(result, input) that can be one memory; those that were to be, but cannot; the instructions that begin such
    results.
    """

    donated: list[tuple[int, int]]
    parted: list[tuple[int, int]]
    begins: list[int]


def find_donations(t: TapeBuilder) -> Donations:
    """Which of ``t.donations`` hold.

    Nobody may read the input's old value later than the result is begun; the instruction that begins it may read it at
    the places that it writes. Behind that instruction none may fail: who is told of a failure finds all inputs as they
    were.
    """
    end = len(t.instructions)
    if not t.donations:
        return Donations([], [], [])
    begun, read = _uses(t)
    into_inputs = [(at, out.slot, into.slot) for at, out, into in t.in_place if into.slot >= 0]
    same = {(at, slot, t.input_positions[place]) for at, slot, place in into_inputs if slot in t.donations}
    safe = 1 + max([i for i, instruction in enumerate(t.instructions) if may_fail(instruction.text)], default=-1)
    found = Donations([], [], [])
    taken: set[int] = set()
    for slot, position in t.donations.items():
        first, last = begun.get(slot, end), read.get(position, -1)
        free = last < first or (last == first and (first, slot, position) in same)
        if first < end and free and first >= safe and position not in taken:
            taken.add(position)
            found.donated.append((output_index(slot), position))
            found.begins.append(first)
        else:
            found.parted.append((output_index(slot), position))
    return found


def _uses(t: TapeBuilder) -> tuple[dict[int, int], dict[int, int]]:
    """(first instruction that uses each result, by slot; last one that uses each input, by position)."""
    starts = [instruction.at for instruction in t.instructions]
    begun: dict[int, int] = {}
    read: dict[int, int] = {}
    for word, block, _ in t.relocs:
        at = bisect_right(starts, word) - 1
        if block.slot >= 0:
            position = t.input_positions[block.slot]
            read[position] = max(read.get(position, -1), at)
        else:
            begun[block.slot] = min(begun.get(block.slot, at), at)
    return begun, read


def may_fail(text: KernelText) -> bool:
    """Whether a kernel may find an index out of range, or a division of integers by zero."""
    stmts = [stmt for _, stage in text.stages for stmt in (*stage.stmts, *stage.finish)]
    return can_fail(text.form, False) or any(can_fail(s.op, s.dtype.startswith("float")) for s in stmts)
