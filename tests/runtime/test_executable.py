"""Tapes with machine code: numbers, errors, several threads."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.errors import RunError, TensorIndexError
from nbgrad.graph.dtypes import float32, int32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Spec
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import input_node, scalar_node
from nbgrad.runtime import executable
from nbgrad.runtime.buffers import Buffer
from tests.memory_pool import pool_stats
from tests.passes.build import number, start, value
from tests.passes.runs import fused, run_plan, unfused
from tests.threads import in_threads


def at_line(op: str, *inputs: Node) -> Node:
    return apply(op, *inputs, site="train.py:7")


@pytest.mark.parametrize("make", [unfused, fused])
def test_an_integer_division_by_zero_names_the_operation_and_the_line(make: object) -> None:
    x = input_node(0, Spec.of((3,), int32))
    plan = make([at_line("floor_divide", const(1, int32), x + 1) * 2])  # type: ignore[operator]
    with pytest.raises(RunError, match=r"(?s)floor_divide.*ZeroDivisionError.*train\.py:7"):
        run_plan(plan, [np.array([0, -1, 2], np.int32)])
    assert run_plan(plan, [np.array([0, 1, -3], np.int32)])[0].tolist() == [2, 0, -2]


@pytest.mark.parametrize("make", [unfused, fused])
def test_an_index_out_of_range_names_the_operation_and_the_line(make: object) -> None:
    x, i = value(5), input_node(1, Spec.of((2,), int64))
    plan = make([at_line("take", x, i)])  # type: ignore[operator]
    with pytest.raises(TensorIndexError, match=r"(?s)take: index out of range.*train\.py:7"):
        run_plan(plan, [np.zeros(5, "f"), np.array([0, 5])])


def test_a_scatter_out_of_range_is_refused() -> None:
    x, i, v = value(5), input_node(1, Spec.of((2,), int64)), value(2, at=2)
    with pytest.raises(TensorIndexError, match="scatter_add"):
        run_plan(unfused([apply("scatter_add", x, i, v)]), [np.zeros(5, "f"), np.array([0, -1]), np.ones(2, "f")])


@pytest.mark.parametrize("begin", [-1, 6, 1 << 40])
def test_a_slice_start_outside_the_array_is_refused(begin: int) -> None:
    plan = unfused([apply("slice", value(8), start(), params=(0, 3, 1))])
    with pytest.raises(TensorIndexError, match="expected 0 to 5"):
        run_plan(plan, [np.zeros(8, "f")], [begin])
    assert run_plan(plan, [np.arange(8, dtype="f")], [5])[0].tolist() == [5, 6, 7]


def test_a_start_that_is_no_integer_is_refused() -> None:
    plan = unfused([apply("slice", value(8), start(), params=(0, 3, 1))])
    with pytest.raises(RunError, match="not an integer"):
        run_plan(plan, [np.zeros(8, "f")], [1.5])


def test_one_program_takes_any_numbers() -> None:
    s = apply("cast", number(), params=("float32",))
    plan = unfused([value(2) * s + apply("cast", scalar_node(1, int64), params=("float32",))])
    x = np.ones(2, "f")
    for a, b in ((0.5, 3), (-2.0, 0), (1e300, 1)):
        with np.errstate(over="ignore"):
            expected = x * np.float32(a) + np.float32(b)
        np.testing.assert_array_equal(run_plan(plan, [x], [a, b])[0], expected)


def test_positions_that_nothing_reads_may_hold_anything() -> None:
    plan = unfused([value(2, at=1) * 2.0])
    (out,) = plan.run([None, Buffer.from_numpy(np.ones(2, "f"))], [])  # type: ignore[list-item]
    assert out.array((2,), np.float32).tolist() == [2.0, 2.0]


def test_several_threads_run_one_program_at_once() -> None:
    s = apply("cast", number(), params=("float32",))
    plan = fused([apply("sin", apply("sin", value(2000)) * s)])
    x = np.linspace(0, 1, 2000, dtype="f")
    wrong = []

    def work(k: int) -> None:
        expected = run_plan(plan, [x], [float(k)])[0].tobytes()
        for _ in range(200):
            if run_plan(plan, [x], [float(k)])[0].tobytes() != expected:
                wrong.append(k)

    in_threads(work, range(4))
    assert not wrong
    assert run_plan(plan, [x], [2.0])[0][5] == pytest.approx(np.sin(np.sin(x[5]) * 2), rel=1e-5)
    assert plan.roots[0].spec.dtype is float32


def test_numbers_in_one_tuple_are_checked_and_packed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiled function's numbers are the same object at each call, where they never change."""
    packed: list[object] = []
    original = executable.pack_into
    monkeypatch.setattr(executable, "pack_into", lambda *given: (packed.append(given[-1]), original(*given)))
    plan = unfused([apply("slice", value(8), start(), params=(0, 3, 1)) * cast_to(number(1), float32)])
    x = [np.arange(8, dtype="f")]
    same: tuple[float | int, ...] = (5, 2.0)
    for numbers in (same, same, (1, 2.0), [1, 3.0], [1, 3.0], same):
        assert run_plan(plan, x, numbers)[0].tolist() == [(numbers[0] + i) * numbers[1] for i in range(3)]
    assert len(packed) == 5
    with pytest.raises(TensorIndexError):
        run_plan(plan, x, (6, 2.0))
    assert run_plan(plan, x, same)[0].tolist() == [10, 12, 14]


def test_threads_with_tuples_of_their_own_get_their_own_numbers() -> None:
    plan = unfused([value(3) * cast_to(number(), float32)])
    wrong: list[object] = []

    def run(factor: float) -> None:
        for _ in range(50):
            found = run_plan(plan, [np.ones(3, "f")], (factor,))[0].tolist()
            if found != [factor] * 3:
                wrong.append(found)

    in_threads(run, [float(k) for k in range(4)])
    assert not wrong


def results_of_runs(n: int, runs: int, hold: bool) -> tuple[list[int], list[list[float]]]:
    """(addresses of a program's results, what all of them that are held show in the end)"""
    plan = fused([value(n) + 1.0])
    addresses, held = [], []
    for k in range(runs):
        (out,) = plan.run([Buffer.from_numpy(np.full(n, k, "f"))], [])
        addresses.append(out.address)
        held.append(out)
        if not hold:
            held = held[-1:]
    return addresses, [out.array((n,), np.float32).tolist() for out in held]


def test_small_results_of_the_run_before_the_last_are_used_again() -> None:
    addresses, _ = results_of_runs(3, 6, hold=False)
    assert addresses[2:] == addresses[:2] * 2
    assert addresses[0] != addresses[1]  # that is what the next run often reads


def test_a_result_that_somebody_holds_is_never_written_again() -> None:
    addresses, shown = results_of_runs(3, 9, hold=True)
    assert len({*addresses}) == 9
    assert shown == [[k + 1.0] * 3 for k in range(9)]


def test_a_program_holds_on_to_no_large_result() -> None:
    n = executable.SMALL_RESULTS // 4 + 1
    plan = fused([value(n) + 1.0])
    before = pool_stats().used_bytes
    for _ in range(4):
        plan.run([Buffer.from_numpy(np.ones(n, "f"))], [])
    assert pool_stats().used_bytes - before < executable.SMALL_RESULTS
