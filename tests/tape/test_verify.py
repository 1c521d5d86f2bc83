"""The rules of a tape, and that what breaks them is found before it runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nbgrad.graph.node import apply
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import NO_DONATIONS
from nbgrad.passes.run import grouped, optimise
from nbgrad.tape.lower import lower, written
from nbgrad.tape.tape import Tape
from nbgrad.tape.verify import InvalidTape, verify_steps, verify_tape
from tests.passes.build import reduced, value


def tape() -> Tape:
    graph = optimise(canonicalize([reduced("sum", value(20, 30) * 2.0, 1) + value(20, at=1)]))
    return lower(graph, grouped(graph), padded=False)


def test_a_lowered_tape_is_valid() -> None:
    verify_tape(tape())


def test_an_operand_that_lies_nowhere_is_found() -> None:
    whole = tape()
    for lost in range(len(whole.relocs)):
        relocs = whole.relocs[:lost] + whole.relocs[lost + 1 :]
        with pytest.raises(InvalidTape, match=r"instruction 0, row .*has no memory"):
            verify_tape(replace(whole, relocs=relocs))


def test_a_finish_that_reads_what_it_may_not_is_found() -> None:
    whole = tape()
    (i,) = whole.instructions
    operands = tuple([o._replace(role="index") if o.role == "late" else o for o in i.text.operands])
    wrong = i._replace(text=replace(i.text, operands=operands))
    with pytest.raises(InvalidTape, match=r"the finish add reads operand .*, which is index"):
        verify_tape(replace(whole, instructions=[wrong]))


def test_memory_that_is_read_before_anybody_wrote_it_is_found() -> None:
    graph = optimise(canonicalize([apply("matmul", apply("matmul", value(6, 6), value(6, 6, at=1)), value(6, 6))]))
    t = written(graph, grouped(graph), padded=False, donations=NO_DONATIONS)
    verify_steps(t.steps, graph)
    with pytest.raises(InvalidTape, match=r"instruction 0, gemm matmul: reads memory that nobody has written"):
        verify_steps(t.steps[1:], graph)
    with pytest.raises(InvalidTape, match=r"results \[1\] are never written"):
        verify_steps(t.steps, graph * 2)
