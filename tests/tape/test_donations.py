"""Results in the memory of inputs."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply
from nbgrad.passes.absorb import absorb
from nbgrad.passes.group import one_by_one
from nbgrad.passes.run import grouped
from nbgrad.tape.lower import lower
from nbgrad.tape.sums import MOST_TERMS
from nbgrad.tape.tape import Tape
from tests.passes.build import permuted, reduced, reshaped, value
from tests.passes.runs import fused, run_plan


def tape_of(roots: list[Node], donations: dict[int, int]) -> Tape:
    return lower(roots, grouped(roots, donations), padded=False, donations=donations)


def test_a_result_may_take_the_memory_of_what_its_kernel_reads_at_the_same_places() -> None:
    p, g = value(5, 7), value(5, 7, at=1)
    tape = tape_of([p - g * 0.1], {0: 0})
    assert (tape.donations, tape.parted, tape.commit) == ([(0, 0)], [], 0)


def test_two_results_of_a_kernel_take_an_input_each() -> None:
    p, m, g = value(9), value(9, at=1), value(9, at=2)
    mean = m * 0.9 + g
    assert sorted(tape_of([p - mean, mean], {0: 0, 1: 1}).donations) == [(0, 0), (1, 1)]


def test_no_two_results_take_the_same_input() -> None:
    p, g = value(9), value(9, at=1)
    tape = tape_of([p - g, p + g], {0: 0, 1: 0})
    assert len(tape.donations) == 1
    assert len(tape.parted) == 1


def test_an_input_that_is_read_at_other_places_is_left_alone() -> None:
    p = value(6, 6)
    assert tape_of([p + permuted(p, 1, 0)], {0: 0}).parted == [(0, 0)]
    assert tape_of([permuted(p, 1, 0) * 2.0], {0: 0}).parted == [(0, 0)]


def test_an_input_of_another_size_is_left_alone() -> None:
    p, g = value(1), value(9, at=1)
    assert tape_of([g + apply("expand", p, params=((9,),))], {0: 0}).parted == [(0, 0)]


def test_who_reads_the_input_comes_first() -> None:
    p, g = value(4, 4), value(4, 4, at=1)
    after = apply("matmul", apply("exp", value(4, 4, at=2)), p)
    tape = tape_of([p - g, after], {0: 0})
    assert tape.donations == [(0, 0)]
    assert tape.commit == len(tape.instructions) - 1


def test_an_input_that_is_read_later_is_left_alone() -> None:
    p, g = value(4, 4), value(4, 4, at=1)
    new = p - apply("matmul", g, g)
    tape = tape_of([new, apply("matmul", new, p)], {0: 0})
    assert (tape.donations, tape.parted) == ([], [(0, 0)])


def test_an_input_is_left_alone_where_something_may_fail_later() -> None:
    p, g, i = value(8), value(8, at=1), value(3, at=2, dtype=int64)
    new = p - g
    tape = tape_of([new, apply("take", new, i)], {0: 0})
    assert tape.parted == [(0, 0)]


def test_what_may_fail_comes_first() -> None:
    p, g, i = value(8), value(8, at=1), value(3, at=2, dtype=int64)
    tape = tape_of([p - g, apply("take", reshaped(g, 8), i)], {0: 0})
    assert tape.donations == [(0, 0)]
    assert tape.commit == 1


def test_a_product_is_added_in_place() -> None:
    p, a, b = value(6, 5), value(6, 3, at=1), value(3, 5, at=2)
    tape = tape_of(absorb([p + apply("matmul", a, b)]), {0: 0})
    assert tape.donations == [(0, 0)]


def test_a_product_is_not_made_in_its_own_factor() -> None:
    a, b = value(4, 4), value(4, 4, at=1)
    assert tape_of([apply("matmul", a, b)], {0: 0}).parted == [(0, 0)]


def test_what_a_sum_adds_last_is_left_alone_where_the_sum_takes_the_memory_of_what_it_begins_with() -> None:
    """The first of its products is written before what comes last is read."""
    count = MOST_TERMS + 2
    total = apply("matmul", value(6, 3), value(3, 5, at=1))
    for at in range(2, 2 * count, 2):
        total = apply("add", total, apply("matmul", value(6, 3, at=at), value(3, 5, at=at + 1)))
    roots = [apply("add", total, value(6, 5, at=2 * count))]
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal(shape).astype("f") for shape in [(6, 3), (3, 5)] * count + [(6, 5)]]
    (expected,) = run_plan(fused(roots), inputs)
    plan = fused(roots, donations={0: 2 * count})
    assert plan.tape is not None
    assert plan.tape.parted == [(0, 2 * count)]
    (got,) = run_plan(plan, inputs)
    assert got.tobytes() == expected.tobytes()


def test_the_unfused_tape_has_ties_too() -> None:
    p, g = value(5, 7), value(5, 7, at=1)
    roots = [p - g * 0.5]
    assert lower(roots, one_by_one(roots), padded=True, donations={0: 0}).donations == [(0, 0)]


@pytest.mark.parametrize("n", [1, 7, 8, 17, 1000])
def test_rows_written_where_they_were_read(n: int) -> None:
    p = value(3, n)
    total = reduced("sum", p, 1)
    roots = [p - apply("expand", reshaped(total, 3, 1), params=((3, n),))]
    array = np.arange(3 * n, dtype="f").reshape(3, n)
    (expected,) = run_plan(fused(roots), [array])
    (got,) = run_plan(fused(roots, donations={0: 0}), [array])
    assert got.tobytes() == expected.tobytes()
