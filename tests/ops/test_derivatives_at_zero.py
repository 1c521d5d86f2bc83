"""Derivatives where an input is 0, infinite or NaN: PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan, pi
from typing import Any

import numpy as np
import pytest

import nbgrad as nb


def gradient(function: Callable[[Any], Any], *numbers: float) -> list[float]:
    x = nb.tensor(list(numbers), dtype=nb.float64, requires_grad=True)
    return nb.autograd.grad(function(x).sum(), x)[0].tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("numbers", "want"),
    [
        ([2.0, nan], [nan, nan]),
        ([1.0, inf], [inf, nan]),
        ([0.0, nan], [nan, 0.0]),
        ([0.0, inf, 2.0], [inf, 0.0, nan]),
        ([0.0, 3.0, 2.0], [6.0, 0.0, 0.0]),
        ([0.0, 0.0, 2.0], [0.0, 0.0, 0.0]),
    ],
)
def test_of_a_product(numbers: list[float], want: list[float]) -> None:
    np.testing.assert_array_equal(gradient(lambda x: x.prod(0), *numbers), want)


def test_of_rows_one_of_which_has_a_zero() -> None:
    np.testing.assert_array_equal(gradient(lambda x: x.reshape(2, 2).prod(1), 0.0, 1.0, inf, 2.0), [1.0, 0.0, 2.0, inf])


def test_the_second_of_a_product_with_zeros_is_exact() -> None:
    x = nb.tensor([0.0, 0.0, 3.0], dtype=nb.float64, requires_grad=True)
    (g,) = nb.autograd.grad(x.prod(), x, create_graph=True)
    (h,) = nb.autograd.grad(g.sum(), x)
    assert h.tolist() == [3.0, 3.0, 0.0]


def test_of_a_long_product_with_zeros() -> None:
    x = np.ones((2, 1500))
    x[0, 7] = x[1, [3, 1200]] = 0
    want = np.zeros_like(x)
    want[0, 7] = 1
    np.testing.assert_array_equal(np.reshape(gradient(lambda t: t.reshape(2, 1500).prod(1), *x.ravel()), x.shape), want)


def test_of_sinc_up_to_the_third() -> None:
    x = nb.tensor([0.0, -0.0, inf, 0.5], dtype=nb.float64, requires_grad=True)
    found = [x.sinc()]
    for _ in range(3):
        found += nb.autograd.grad(found[-1].sum(), x, create_graph=True)
    for y, want in zip(found, (1.0, 0.0, -(pi**2) / 3, 0.0), strict=True):
        np.testing.assert_allclose(y.tolist()[:2], [want, want])


def test_of_copysign() -> None:
    got = gradient(lambda x: nb.copysign(x, nb.tensor(-1.0, dtype=nb.float64)), 2.0, -2.0, 0.0, -0.0, inf, -inf, nan)
    np.testing.assert_array_equal(got, [-1.0, 1.0, 0.0, 0.0, nan, nan, nan])


def test_of_logit() -> None:
    np.testing.assert_array_equal(
        gradient(lambda x: x.logit(), 0.0, -0.0, 1.0, 0.5, -0.5, 2.0, inf, nan),
        [inf, inf, inf, 4.0, nan, nan, nan, nan],
    )
    np.testing.assert_array_equal(
        gradient(lambda x: x.logit(0.25), 0.0, 0.25, 0.5, 1.0, inf), [0.0, 1 / (0.25 * 0.75), 4.0, 0.0, 0.0]
    )
