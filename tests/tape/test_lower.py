"""Tapes: where results lie, what is copied, what is written in place."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.graph.dtypes import float32, int64
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import slice_at
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import one_by_one
from nbgrad.tape.lower import lower
from nbgrad.tape.tape import Tape
from nbgrad.tape.work import SPLIT
from tests.passes.build import number, permuted, reduced, reshaped, start, value
from tests.passes.runs import assert_close, run_plan, unfused


def tape_of(*roots: Node, padded: bool = True) -> Tape:
    graph = canonicalize(roots)
    return lower(graph, one_by_one(graph), padded=padded)


def forms(tape: Tape) -> list[str]:
    return [i.text.form + "".join([" " + s.op for s in i.text.stmts]) for i in tape.instructions]


def test_a_result_is_computed_where_it_is_wanted() -> None:
    tape = tape_of(apply("tanh", value(3, 4)))
    assert forms(tape) == ["map tanh"]
    assert tape.arena_bytes == 0
    assert sorted(slot for _, slot, _ in tape.relocs) == [0, 1]


def test_a_reshaped_result_needs_no_copy_and_a_permuted_one_does() -> None:
    y = apply("tanh", value(3, 4))
    assert forms(tape_of(reshaped(y, 12))) == ["map tanh"]
    assert forms(tape_of(permuted(y, 1, 0))) == ["map tanh", "map"]


def test_inputs_and_repeated_results_are_copied() -> None:
    x = value(3)
    y = apply("tanh", x)
    assert forms(tape_of(x, y, y)) == ["map tanh", "map", "map"]


def test_a_chain_needs_memory_for_two_values() -> None:
    x = value(1000)
    for _ in range(10):
        x = apply("tanh", x)
    assert tape_of(x).arena_bytes <= 2 * 4032
    assert tape_of(x, padded=False).arena_bytes <= 4032  # each value is made where its input dies


def test_bodies_that_differ_in_their_places_share_a_text() -> None:
    x = value(6, 8)
    rows = [slice_at(x, k, 0, 2) for k in (0, 2, 4)]
    roots = [apply("add", row, rows[k - 1]) for k, row in enumerate(rows)]
    roots += [permuted(x, 1, 0), permuted(rows[1], 1, 0)]
    tape = tape_of(*roots, padded=False)
    assert len({i.text for i in tape.instructions[:3]}) == 1
    assert len({i.at for i in tape.instructions}) == len(tape.instructions)


def test_a_reshape_without_strides_is_copied_once_and_noted() -> None:
    flat = reshaped(permuted(value(3, 4), 1, 0), 12)
    tape = tape_of(apply("tanh", flat), apply("exp", flat))
    assert forms(tape) == ["map", "map tanh", "map exp"]
    assert len(tape.notes) == 1
    assert "reshape" in tape.notes[0]


def test_equal_operators_share_one_text_whatever_the_shape() -> None:
    tape = tape_of(apply("tanh", value(3)), apply("tanh", value(4, 5, at=1)), apply("tanh", value(at=2)))
    assert len({i.text for i in tape.instructions}) == 1


def test_a_long_row_is_reduced_in_blocks_that_are_combined() -> None:
    assert forms(tape_of(reduced("sum", value(20_000), 0))) == ["row", "column"]
    assert forms(tape_of(reduced("sum", value(8_000), 0))) == ["row"]
    assert forms(tape_of(reduced("sum", value(20_000, 3), 0))) == ["column"]


def test_a_long_column_of_few_outputs_gives_threads_something_to_share() -> None:
    tape = tape_of(reduced("sum", value(40_000, 5), 0))
    assert forms(tape) == ["column", "column"]
    assert tape.instructions[0].items == 4
    assert tape.instructions[0].flags == SPLIT
    assert forms(tape_of(reduced("sum", value(40_000, 2000), 0))) == ["column"]


def test_empty_results_run_nothing() -> None:
    tape = tape_of(apply("tanh", value(0, 3)))
    assert tape.instructions == []
    assert tape.out_bytes == [0]


def test_numbers_travel_in_words_of_their_dtype() -> None:
    x = value(3)
    s = apply("cast", number(4), params=("float32",))
    tape = tape_of(x * s + s, apply("slice", x, start(2), params=(0, 1, 1)))
    assert tape.scalars == [(4, float32), (2, int64)]


def test_constants_lie_in_one_block_each_once() -> None:
    x = value(3)
    tape = tape_of((x * 2.0 + 2.0) * -0.0 + 0.0)
    assert len(tape.consts) == 3 * 8
    assert len(tape.const_words) == 4


def test_a_run_time_start_is_a_term_with_bounds() -> None:
    tape = tape_of(apply("slice", value(10, 4), start(1), params=(0, 3, 2)) * 2.0)
    assert [(c, p) for _, p, c in tape.terms] == [(16, 0)]
    (bounds,) = tape.starts
    assert (bounds.terms, bounds.lowest, bounds.highest) == (((1, 1),), 0, 5)


def test_a_write_takes_the_memory_of_a_value_nobody_reads_again() -> None:
    x, w = apply("tanh", value(9)), value(2, at=1)
    put = apply("put_slice", x, w, const(3, int64), params=(0, 2, 1))
    assert forms(tape_of(put * 2.0)) == ["map tanh", "map", "map mul"]
    assert forms(tape_of(put * 2.0, x + 1.0)) == ["map tanh", "map", "map", "map mul", "map add"]


def test_a_write_into_an_input_or_a_result_copies_it() -> None:
    w = value(2, at=1)
    put = apply("put_slice", value(9), w, const(3, int64), params=(0, 2, 1))
    assert forms(tape_of(put)) == ["map", "map"]
    x = apply("tanh", value(9))
    both = [x, apply("put_slice", x, w, const(3, int64), params=(0, 2, 1))]
    assert forms(tape_of(*both)) == ["map tanh", "map", "map"]


def writes() -> dict[str, Node]:
    x = apply("tanh", value(6, 4))
    late = reshaped(permuted(x, 1, 0), 24)  # copied when it is read, which is after the write
    put = apply("put_slice", x, value(2, 4, at=1), const(1, int64), params=(0, 2, 2))
    shifted = apply("put_slice", x, slice_at(x, 0, 0, 5), const(1, int64), params=(0, 5, 1))
    flat = reshaped(x, 24)
    added = apply("scatter_add", flat, iota_node((5,), 0), slice_at(flat, 10, 0, 5))
    return {
        "read later through a copied reshape": reshaped(put, 24) + late,
        "moved within itself": shifted * 2.0,
        "scattered from itself": added * 2.0,
        "written twice": apply("put_slice", put, value(1, 4, at=2), const(5, int64), params=(0, 1, 1)) * 2.0,
        "read through a view afterwards": put * 2.0 + permuted(permuted(x, 1, 0), 1, 0),
    }


@pytest.mark.parametrize("name", list(writes()))
def test_writing_in_place_keeps_what_others_read(name: str) -> None:
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal(s).astype("f") for s in ((6, 4), (2, 4), (1, 4))]
    root = writes()[name]
    assert_close(run_plan(unfused([root]), inputs), interpret([root], inputs))


def test_a_table_is_contiguous() -> None:
    index = value(3, at=1, dtype=int64)
    assert forms(tape_of(apply("take", value(9), index))) == ["map take"]
    assert forms(tape_of(apply("take", slice_at(value(9), 8, 0, 9, -1), index))) == ["map", "map take"]


def test_short_rows_count_as_little_work() -> None:
    (rows,) = tape_of(reduced("amax", value(64, 10), 1)).instructions
    assert (rows.items, rows.splits) == (64, False)
    (long,) = tape_of(reduced("amax", value(64, 4000), 1)).instructions
    assert long.splits
    assert long.cost > 100 * rows.cost
