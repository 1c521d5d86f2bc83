"""Folding keeps every bit."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.graph.dtypes import float32, int32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.show import show
from nbgrad.passes.fold import fold
from tests.passes.build import expanded, lines, permuted, reshaped, value


def folded(*roots: Node) -> list[str]:
    return lines(*fold(roots))


def test_exact_operators_on_constants_are_computed() -> None:
    y = apply("sqrt", const(1.0, float32) / const(3.0, float32))
    (z,) = fold([y])
    assert z.op.name == "const"
    assert z.params[0] == float(np.sqrt(np.float32(1) / np.float32(3)))


@pytest.mark.parametrize("name", ["exp", "sin", "pow"])
def test_elementary_functions_of_constants_are_left_to_the_kernel(name: str) -> None:
    inputs = [const(0.5, float32)] * (2 if name == "pow" else 1)
    assert fold([apply(name, *inputs)])[0].op.name == name


def test_an_operator_that_fails_is_left_to_fail_when_it_runs() -> None:
    y = apply("floor_divide", const(1, int32), const(0, int32))
    assert fold([y]) == [y]


def test_floats_to_integers_are_left_to_the_kernel() -> None:
    y = apply("cast", const(1e30, float32), params=("int32",))
    assert fold([y]) == [y]


@pytest.mark.parametrize(
    ("name", "neutral"),
    [("mul", 1.0), ("div", 1.0), ("add", -0.0), ("sub", 0.0)],
)
def test_neutral_operands_disappear(name: str, neutral: float) -> None:
    x = value(3)
    assert fold([apply(name, x, const(neutral, float32))]) == [x]


@pytest.mark.parametrize(
    ("name", "other"),
    [("add", 0.0), ("sub", -0.0), ("mul", 0.0), ("mul", -1.0), ("div", -1.0)],
)
def test_operands_that_change_a_zero_or_a_nan_stay(name: str, other: float) -> None:
    y = apply(name, value(3), const(other, float32))
    assert fold([y])[0].op.name == name


def test_adding_zero_to_integers_disappears() -> None:
    x = value(3, dtype=int64)
    assert fold([x + 0]) == [x]


def test_a_neutral_operand_that_gives_the_shape_stays() -> None:
    y = value() * expanded(const(1.0, float32), 3)
    assert show(fold([y])).splitlines()[-2] == "%1: f32[3] = expand %0 [3]"


def test_repeated_numbers_are_read_as_numbers() -> None:
    x = value(2, 3)
    assert folded(x + expanded(value(at=1), 2, 3)) == [
        "%0: f32[2,3] = input 0",
        "%1: f32[] = input 1",
        "%2: f32[2,3] = add %0 %1",
        "return %2",
    ]


def test_maps_of_repeated_numbers_are_computed_once() -> None:
    a = expanded(value(), 2, 3)
    assert folded(apply("tanh", a)) == [
        "%0: f32[] = input 0",
        "%1: f32[] = tanh %0",
        "%2: f32[2,3] = expand %1 [2,3]",
        "return %2",
    ]


def test_a_table_stays_an_array() -> None:
    y = apply("take", expanded(value(), 4), value(2, at=1, dtype=int64))
    assert fold([y])[0].inputs[0].op.name == "expand"


def test_views_of_views_are_one_view() -> None:
    x = value(2, 3, 4)
    assert folded(reshaped(reshaped(x, 6, 4), 24))[1:] == ["%1: f32[24] = reshape %0 [24]", "return %1"]
    assert fold([permuted(permuted(x, 2, 0, 1), 1, 2, 0)]) == [x]
    assert folded(expanded(expanded(value(3), 2, 3), 5, 2, 3))[1:] == [
        "%1: f32[5,2,3] = expand %0 [5,2,3]",
        "return %1",
    ]


def test_negating_twice_is_nothing() -> None:
    x = value(3)
    assert fold([apply("neg", -x)]) == [x]
