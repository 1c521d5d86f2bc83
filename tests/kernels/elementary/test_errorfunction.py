"""erf: special values, where its two formulas meet, saturation."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels.elementary.errorfunction_table import ERF
from tests.kernels.elementary.measure import around, assert_within, evaluate

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])


@DTYPES
def test_erf_of_special_values(dtype: str) -> None:
    x = np.array([np.inf, -np.inf, np.nan, 7.0, -7.0, 1e30], dtype)
    np.testing.assert_array_equal(evaluate("erf", x), np.array([1.0, -1.0, np.nan, 1.0, -1.0, 1.0], dtype))


@DTYPES
def test_erf_where_the_stretches_meet(dtype: str) -> None:
    width = ERF[by_name(dtype)].width
    meeting = (np.arange(16) + 0.5) * width
    assert_within("erf", around(np.concatenate([meeting, -meeting]), dtype, steps=60), ulps=0.85)


@DTYPES
def test_erf_within_its_stretches(dtype: str) -> None:
    top = ERF[by_name(dtype)].top
    count = 1_000_000 if dtype == "float32" else 3000
    assert_within("erf", np.random.default_rng(0).uniform(-top, top, count).astype(dtype), ulps=0.85)


@DTYPES
def test_erf_where_it_saturates(dtype: str) -> None:
    top = ERF[by_name(dtype)].top
    x = (top * np.random.default_rng(1).uniform(0.7, 1.1, 2000)).astype(dtype)
    assert_within("erf", x, ulps=0.75)


@DTYPES
def test_erf_is_odd(dtype: str) -> None:
    x = np.random.default_rng(2).uniform(0.0, 7.0, 5000).astype(dtype)
    np.testing.assert_array_equal(evaluate("erf", -x), -evaluate("erf", x))
