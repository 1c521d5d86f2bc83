"""Which rows are short: by sizes and by where operands lie."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.graph.node import Node, apply
from nbgrad.pipeline import Plan
from nbgrad.tape.kernel import SHORT_ROW
from nbgrad.tape.tape import SPLIT
from tests.passes.build import expanded, reduced, reshaped, value
from tests.passes.runs import fused, run_plan, same_bits, unfused


def forms(plan: Plan) -> list[str]:
    assert plan.tape is not None
    return [i.text.form for i in plan.tape.instructions]


def distances(points: int, others: int, dims: int) -> Node:
    """The sums over ``dims`` of (x - w)^2, for all pairs."""
    sizes = points, others, dims
    x = expanded(reshaped(value(points, dims), points, 1, dims), *sizes)
    w = expanded(reshaped(value(others, dims, at=1), 1, others, dims), *sizes)
    z = apply("sub", x, w)
    return reduced("sum", apply("mul", z, z), 2)


@pytest.mark.parametrize("sizes", [(64, 16, 2), (70, 25, 10), (100, 33, SHORT_ROW)])
def test_all_pairs_have_a_lane_for_each_output_and_the_bits_of_rows(sizes: tuple[int, int, int]) -> None:
    points, others, dims = sizes
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(n, dims)).astype(np.float32) for n in (points, others)]
    y = distances(*sizes)
    plan, plain = fused([y]), unfused([y])
    assert forms(plan) == ["short_row"]
    assert "short_row" not in forms(plain)
    assert same_bits(run_plan(plan, arrays), run_plan(plain, arrays))


@pytest.mark.parametrize("sizes", [(63, 16, 4), (64, 15, 4), (64, 16, SHORT_ROW + 1)])
def test_few_outputs_and_longer_rows_stay_rows(sizes: tuple[int, int, int]) -> None:
    assert forms(fused([distances(*sizes)])) == ["row"]


def test_elements_that_lie_apart_for_each_item_stay_rows() -> None:
    x = value(100, 20, 4)
    assert forms(fused([reduced("sum", apply("mul", x, x), 2)])) == ["row"]


def test_elements_that_are_wanted_themselves_stay_rows() -> None:
    y = distances(100, 20, 4)
    (square,) = y.inputs
    assert forms(fused([y, square])) == ["row"]


def test_an_item_is_all_outputs_of_a_point() -> None:
    tape = fused([distances(50_000, 25, 10)]).tape
    assert tape is not None
    (i,) = tape.instructions
    assert i.items == 50_000
    assert i.flags & SPLIT
    assert i.chunk < i.items
