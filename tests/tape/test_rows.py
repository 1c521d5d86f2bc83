"""Kernels that go over their rows several times: operands, memory, costs."""

from __future__ import annotations

import numpy as np

from nbgrad.graph.node import Node, apply
from nbgrad.ops.compare import cast_to
from nbgrad.ops.reduce import restore
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.run import grouped, optimise
from nbgrad.tape.lower import lower
from nbgrad.tape.tape import Tape
from nbgrad.tape.work import SPLIT
from tests.passes.build import expanded, permuted, reduced, value
from tests.passes.runs import fused, run_plan, same_bits, unfused


def tape_of(*roots: Node) -> Tape:
    graph = optimise(canonicalize(roots))
    return lower(graph, grouped(graph), padded=False)


def along(folded: Node, x: Node) -> Node:
    return restore(folded, x.spec.shape, (1,))


def softmax(x: Node) -> Node:
    return apply("softmax", x, params=((1,),))


def assert_bits(roots: list[Node], *shapes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal(shape).astype("float32") for shape in shapes]
    assert same_bits(run_plan(fused(roots), inputs), run_plan(unfused(roots), inputs))


def test_a_softmax_reads_its_input_and_writes_its_result() -> None:
    tape = tape_of(softmax(value(64, 100)))
    (instruction,) = tape.instructions
    assert [o.role for o in instruction.text.operands] == ["in", "scratch", "out"]
    assert len(instruction.text.stages) == 3
    assert tape.arena_bytes == 0


def test_rows_are_shared_by_threads() -> None:
    (instruction,) = tape_of(softmax(value(4096, 100))).instructions
    assert instruction.items == 4096
    assert instruction.flags & SPLIT


def test_an_output_takes_the_place_of_an_input_only_if_no_later_stage_reads_it() -> None:
    """``e`` dies in the loop. Stage 0 writes ``early``, which must not lie where stage 1 still reads ``e``."""
    x, w = value(64, 64), value(64, 64, at=1)
    e = apply("matmul", x, w)
    early = apply("exp", e)
    last = e * along(reduced("sum", early, 1), x)
    roots = [apply("matmul", early, w), apply("matmul", last, w)]
    tape = tape_of(*roots)
    assert [i.text.form for i in tape.instructions] == ["gemm", "row", "gemm", "gemm"]
    assert tape.arena_bytes == 2 * 4 * 64 * 64  # e and early; last lies where e was
    assert_bits(roots, (64, 64), (64, 64))


def test_operands_may_be_views_repeated_and_turned() -> None:
    x, turned, row = value(40, 70), permuted(value(70, 40, at=1), 1, 0), expanded(value(70, at=2), 40, 70)
    y = softmax(x * turned + row) * turned
    assert len(tape_of(y).instructions) == 1
    assert_bits([y, along(reduced("sum", y, 1), x) - row], (40, 70), (70, 40), (70,))


def test_results_of_rows_are_stored_where_others_need_them() -> None:
    x = value(40, 70)
    top = reduced("amax", x, 1)
    total = reduced("sum", apply("exp", x - along(top, x)), 1)
    roots = [total, top + total, x / along(total, x)]
    assert len(tape_of(*roots).instructions) == 1
    assert_bits(roots, (40, 70))


def test_the_first_place_of_a_maximum_is_known_to_later_stages() -> None:
    x = value(40, 70)
    place = apply("argmax", x, params=((1,),))
    roots = [place, x * along(cast_to(place, x.spec.dtype), x)]
    assert len(tape_of(*roots).instructions) == 1
    assert_bits(roots, (40, 70))


def test_columns_are_folded_by_runs_of_rows_and_then_combined() -> None:
    x = value(4096, 200)
    y = softmax(x)
    tape = tape_of(y, reduced("sum", y, 0), reduced("amax", y * y, 0))
    assert [(i.text.form, i.items) for i in tape.instructions] == [("row", 16), ("column", 4)]
    assert tape.arena_bytes < 4 * 4 * 200 * 16


def test_few_rows_give_the_columns_at_once() -> None:
    y = softmax(value(256, 200))
    assert len(tape_of(y, reduced("sum", y, 0)).instructions) == 1


def test_columns_of_rows_have_the_bits_of_columns() -> None:
    """Of one run, of several, in blocks; of rows of several dims; where nothing else of the rows is stored."""
    for shape in ((2, 3), (256, 130), (257, 130), (700, 130), (700, 100), (3000, 5), (1, 40), (40, 1)):
        x = value(*shape)
        y = softmax(x)
        assert_bits([y, reduced("sum", y, 0), reduced("sum", x, 0)], shape)
        assert_bits([reduced("prod", y + 1.0, 0), along(reduced("amax", x, 1), x)], shape)
    x = value(20, 30, 5, 7)
    y = apply("standardize", x, params=((2, 3), 1e-5))
    assert_bits([y, reduced("sum", y, 0, 1), reduced("sum", y, 1)], (20, 30, 5, 7))
