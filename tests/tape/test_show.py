"""The disassembler."""

from __future__ import annotations

from nbgrad.graph.dtypes import float32
from nbgrad.graph.node import apply
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import one_by_one
from nbgrad.tape.lower import lower
from nbgrad.tape.show import show_tape
from tests.passes.build import permuted, reduced, value


def test_a_tape_reads_one_instruction_a_line() -> None:
    x = value(300, 400)
    s = apply("scalar", params=(0, float32))
    graph = canonicalize([reduced("sum", apply("tanh", x * s), 0), permuted(x, 1, 0)])
    text = show_tape(lower(graph, one_by_one(graph), padded=True)).splitlines()
    assert [line.split() for line in text[:4]] == [
        ["0:", "map", "mul", "120000", "items", "shared", "in0", "scalars", "arena+0"],
        ["1:", "map", "tanh", "120000", "items", "shared", "arena+0", "arena+480000"],
        ["2:", "column", "sum", "7", "items", "shared", "arena+480000", "out0"],
        ["3:", "map", "(copy)", "400", "items", "shared", "in0", "out1"],
    ]
    assert text[4].startswith("4 instructions, arena 960")
