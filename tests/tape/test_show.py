"""The disassembler."""

from __future__ import annotations

from nbgrad.graph.dtypes import float32
from nbgrad.graph.node import apply
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import one_by_one
from nbgrad.tape.lower import lower
from nbgrad.tape.show import show_memory, show_tape
from tests.passes.build import permuted, reduced, value


def test_a_tape_reads_one_instruction_a_line() -> None:
    x = value(300, 400)
    s = apply("scalar", params=(0, float32))
    graph = canonicalize([reduced("sum", apply("tanh", x * s), 0), permuted(x, 1, 0)])
    text = show_tape(lower(graph, one_by_one(graph), padded=True)).splitlines()
    assert [line.split() for line in text[:4]] == [
        ["0:", "map", "mul", "120000", "items", "shared", "in0", "scalars", "arena+0"],
        ["1:", "map", "tanh", "120000", "items", "shared", "arena+0", "arena+0"],
        ["2:", "column", "sum", "7", "items", "shared", "arena+0", "out0"],
        ["3:", "map", "(copy)", "400", "items", "shared", "in0", "out1"],
    ]
    assert text[4].startswith("4 instructions, arena 480")


def test_the_memory_at_its_peak_names_who_writes_and_who_reads() -> None:
    x = value(300, 400)
    y = apply("tanh", x)
    z = apply("exp", y)
    graph = canonicalize([z * y, reduced("sum", apply("sin", reduced("sum", x, 1)), 0)])
    text = [line.split() for line in show_memory(lower(graph, one_by_one(graph), padded=True)).splitlines()]
    assert text == [
        ["the", "most", "memory", "at", "instruction", "1"],
        ["480000", "bytes", "0:", "map", "tanh", "to", "2:", "map", "mul"],
        ["480000", "bytes", "1:", "map", "exp", "to", "2:", "map", "mul"],
        ["arena", "960000", "bytes,", "results", "480004", "bytes"],
    ]


def test_a_tape_without_large_temporaries_says_so() -> None:
    graph = canonicalize([value(3, 4) * 2.0])
    assert show_memory(lower(graph, one_by_one(graph), padded=True)).startswith("no large temporaries")
