"""Which results may be made in the memory of an input: parameters and their state, which a step writes anew."""

from __future__ import annotations

from typing import NamedTuple

from nbgrad.graph.dtypes import by_name
from nbgrad.graph.op import OPS
from nbgrad.tape.block import output_slot
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
    end = len(t.steps)
    begun: dict[int, int] = {}  # the first step that uses each result, by slot
    read: dict[int, int] = {}  # the last one that uses each input, by position
    for i, step in enumerate(t.steps):
        for block in [ref.block for _, ref, _ in step.mentions if ref.block is not None]:
            if block.slot >= 0:
                read[t.input_positions[block.slot]] = i
            else:
                begun.setdefault(block.slot, i)
    offers = [offer for step in t.steps for offer in step.offers]
    same = {(out.slot, t.input_positions[into.slot]) for out, into in offers if into.slot >= 0}
    safe = 1 + max([i for i, step in enumerate(t.steps) if may_fail(step.text)], default=-1)
    found = Donations([], [], [])
    taken: set[int] = set()
    for slot, position in t.donations.items():
        first, last = begun.get(slot, end), read.get(position, -1)
        free = last < first or (last == first and (slot, position) in same)
        if first < end and free and first >= safe and position not in taken:
            taken.add(position)
            found.donated.append((output_slot(slot), position))
            found.begins.append(first)
        else:
            found.parted.append((output_slot(slot), position))
    return found


def may_fail(text: KernelText) -> bool:
    """Whether a kernel may find an index out of range, or a division of integers by zero."""
    stmts = [stmt for _, stage in text.stages for stmt in (*stage.stmts, *stage.finish)]
    library = OPS.get(text.form)
    if text.form.startswith("scatter_rows") or (library is not None and library.can_fail):
        return True
    return any(op.can_fail and op.fails_on(by_name(s.dtype)) for s in stmts if (op := OPS.get(s.op)) is not None)
