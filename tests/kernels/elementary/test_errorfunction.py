"""erf: special values, where its formulas meet, saturation; e^(-x^2), which its derivative shares with it."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

from nbgrad.kernels.compile import llvm_text
from nbgrad.kernels.elementary.errorfunction import NEAR, TOP
from nbgrad.kernels.elementary.errorfunction_table import ERF
from nbgrad.tape.kernel import KernelText, Operand, Stmt
from tests.kernels.elementary.measure import around, assert_within, evaluate

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])
TOPS: Final = {"float32": ERF.top, "float64": TOP}
MEETING: Final = {"float32": ERF.near * np.array([1.0, 2.0, 4.0, 8.0]), "float64": np.array([NEAR, TOP])}


@DTYPES
def test_erf_of_special_values(dtype: str) -> None:
    x = np.array([np.inf, -np.inf, np.nan, 7.0, -7.0, 1e30], dtype)
    np.testing.assert_array_equal(evaluate("erf", x), np.array([1.0, -1.0, np.nan, 1.0, -1.0, 1.0], dtype))


@DTYPES
def test_erf_where_its_formulas_meet(dtype: str) -> None:
    meeting = MEETING[dtype]
    assert_within("erf", around(np.concatenate([meeting, -meeting]), dtype, steps=60), ulps=0.85)


@DTYPES
def test_erf_below_saturation(dtype: str) -> None:
    count = 1_000_000 if dtype == "float32" else 3000
    assert_within("erf", np.random.default_rng(0).uniform(-TOPS[dtype], TOPS[dtype], count).astype(dtype), ulps=0.85)


def test_erf_of_float64_above_where_its_formulas_meet() -> None:
    """There errors are largest: e^(-x^2) has those of x^2."""
    assert_within("erf", np.random.default_rng(3).uniform(NEAR, 1.3 * NEAR, 3000), ulps=0.85)


@DTYPES
def test_erf_where_it_saturates(dtype: str) -> None:
    x = (TOPS[dtype] * np.random.default_rng(1).uniform(0.7, 1.1, 2000)).astype(dtype)
    assert_within("erf", x, ulps=0.75)


@DTYPES
def test_erf_is_odd(dtype: str) -> None:
    x = np.random.default_rng(2).uniform(0.0, 7.0, 5000).astype(dtype)
    np.testing.assert_array_equal(evaluate("erf", -x), -evaluate("erf", x))


def exps(stmts: tuple[Stmt, ...]) -> int:
    """How many exps a kernel over float64 has: nothing else in it shifts bits."""
    operands = Operand("float64", 1, "in"), *[Operand("float64", 1, "out")] * len(stmts)
    stores = tuple((len(operands) + k, 1 + k) for k in range(len(stmts)))
    return llvm_text(KernelText("map", 1, 0, operands, stmts, stores)).count("lshr <")


def test_erf_and_its_derivative_share_an_exp() -> None:
    """Derivatives have it as e^(-(x x)); what others ask for is another number."""
    square, minus, bell, erf = [
        Stmt(op, args, (), "float64") for op, args in (("mul", (0, 0)), ("neg", (5,)), ("exp", (6,)), ("erf", (0,)))
    ]
    one = exps((square, minus, bell, bell))
    assert exps((square, minus, bell, erf)) == one > 0
    assert exps((square, minus, Stmt("exp", (5,), (), "float64"), erf)) == 2 * one
