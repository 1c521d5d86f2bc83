"""The instruction of rows added to a table: what it clears, whose memory it takes, how threads share it."""

from __future__ import annotations

import pytest

from nbgrad.graph.dtypes import float32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node, iota_node
from nbgrad.ops.view import expand_to, reshape_to
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.run import grouped, optimise
from nbgrad.tape.kernel import STRIDE_ONE, STRIDE_ZERO
from nbgrad.tape.lower import lower
from nbgrad.tape.tape import Tape
from nbgrad.tape.work import SPLIT
from tests.passes.build import value

N = 12


def written(table: Node, width: int, *, scaled: bool = True) -> Node:
    index = input_node(0, Spec.of((N,), int64))
    start = index * width if scaled else index
    places = expand_to(reshape_to(start, (N, 1)), (N, width)) + iota_node((N, width), 1)
    x = value(N, width, at=1)
    return apply("scatter_add", table, reshape_to(places, (N * width,)), reshape_to(x, (N * width,)))


def zeros(n: int, zero: float = 0.0) -> Node:
    return expand_to(const(zero, float32), (n,))


def tape_of(*roots: Node) -> Tape:
    graph = optimise(canonicalize(roots))
    return lower(graph, grouped(graph), padded=False)


def forms(tape: Tape) -> list[str]:
    return [i.text.form for i in tape.instructions if i.text.form != "map" or not i.text.stmts]


def test_zeros_are_no_instruction_where_one_thread_clears_them_soon() -> None:
    assert forms(tape_of(written(zeros(7 * 64), 64))) == ["scatter_rows_of_zeros"]
    assert forms(tape_of(written(zeros(7 * 128), 128))) == ["scatter_rows_of_zeros"]


def test_a_large_table_of_short_rows_is_cleared_by_all_threads() -> None:
    tape = tape_of(written(zeros(1 << 20), 64))
    assert forms(tape) == ["map", "scatter_rows"]
    (clearing,) = [i for i in tape.instructions if i.text.form == "map" and not i.text.stmts]
    assert clearing.flags & SPLIT


@pytest.mark.parametrize("table", [zeros(7 * 20, -0.0), value(7 * 20, at=2)])
def test_any_other_table_is_copied_first(table: Node) -> None:
    assert forms(tape_of(written(table, 20))) == ["map", "scatter_rows"]


def test_a_table_that_nobody_reads_later_is_written_where_it_lies() -> None:
    table = value(7 * 20, at=2) * 2.0
    tape = tape_of(written(table, 20) * 3.0)
    assert "map" not in forms(tape)


def test_threads_share_columns_only_where_rows_cannot_overlap() -> None:
    aligned = tape_of(written(zeros(7 * 200), 200)).instructions[-1]
    assert (aligned.items, bool(aligned.flags & SPLIT)) == (4, True)
    anywhere = tape_of(written(zeros(7 * 200), 200, scaled=False)).instructions[-1]
    assert (anywhere.text.form, anywhere.items, anywhere.flags) == ("scatter_rows", 1, 0)
    uneven = tape_of(written(zeros(7 * 200 + 1), 200)).instructions[-1]
    assert (uneven.text.form, uneven.items) == ("scatter_rows", 1)


def test_an_index_is_read_once_a_row() -> None:
    text = tape_of(written(zeros(7 * 20), 20)).instructions[-1].text
    assert [(o.role, o.stride) for o in text.operands] == [
        ("in", STRIDE_ZERO),
        ("in", STRIDE_ONE),
        ("scatter", STRIDE_ONE),
    ]
