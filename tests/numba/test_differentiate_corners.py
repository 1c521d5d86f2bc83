"""Corners of differentiated functions where a gradient could be wrong without a word."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import pytest
from numba import njit

import nbgrad.numba
from nbgrad.errors import DTypeError
from nbgrad.numba import checkpointed, differentiate, differentiate_hvp, differentiate_vjp


def test_shared_memory_is_refused_also_where_a_write_keeps_the_derivative() -> None:
    @njit
    def shifted(a: Any, b: Any) -> Any:
        a[0] += 5.0
        return b[0] * b[0]

    gradient, x = differentiate(shifted), np.array([1.0, 2.0])
    with pytest.raises(ValueError, match="share memory"):
        gradient(x, x)
    value, (by_a, by_b) = gradient(x, x.copy())
    assert value == 1.0 and by_a.tolist() == [0.0, 0.0] and by_b.tolist() == [2.0, 0.0]
    assert differentiate(njit(lambda a, b: (a * b).sum()))(x, x)[1][0].tolist() == [1.0, 2.0]


def test_a_recurrence_whose_steps_differ_when_they_run_again_is_refused() -> None:
    @njit
    def drawn(u: Any, p: Any, k: Any) -> Any:
        return u + 0.1 * p[0] * np.random.standard_normal()

    @njit
    def written(u: Any, p: Any, k: Any) -> Any:
        p[0] *= 1.01
        return u * p[0]

    last = njit(lambda u, p: u[0])
    p = np.ones(1)
    with pytest.raises(ValueError, match="random numbers"):
        checkpointed(drawn, last)(np.ones(1), p, 9)
    with pytest.raises(ValueError, match="writes to its parameters"):
        checkpointed(written, last)(np.ones(1), p, 9)
    assert p.tolist() == [1.0]


def test_results_with_lists_are_refused() -> None:
    @njit
    def listed(x: Any) -> Any:
        items = [x[0], x[1] * 2.0]
        return items, x.sum()

    with pytest.raises(DTypeError, match="results are floats, arrays of them, and tuples"):
        differentiate_vjp(listed)((np.ones(2),), (0.0, 1.0))


def test_determinants_of_nothing_and_of_singular_matrices() -> None:
    det = differentiate(njit(lambda a: np.linalg.det(a)))
    value, (by_a,) = det(np.empty((0, 0)))
    assert value == 1.0 and by_a.shape == (0, 0)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        det(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]))
    value, (by_a,) = det(np.array([[1.0, 2.0], [2.0, 4.0]]))  # only the last pivot is 0
    np.testing.assert_allclose(by_a, [[4.0, -2.0], [-2.0, 1.0]])


def test_declared_types_are_kept_or_refused() -> None:
    declared = njit("float32(float32)")(lambda x: x * x)
    assert differentiate(declared)(np.float32(0.1))[0] == declared(np.float32(0.1))
    with pytest.raises(DTypeError, match="declared for other types"):
        differentiate(declared)(0.1)
    inner = njit(locals={"y": numba.float32})(lambda x: x * 1.1)
    with pytest.raises(DTypeError, match="locals="):
        differentiate(inner)
    with pytest.raises(DTypeError, match="locals="):
        differentiate(njit(lambda x: inner(x)))(0.1)


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1.0])
def test_norms_of_large_and_small_numbers(scale: float) -> None:
    value, (by_x,) = differentiate(njit(lambda x: np.linalg.norm(x)))(np.array([3.0, -4.0]) * scale)
    np.testing.assert_allclose([value / scale, *by_x], [5.0, 0.6, -0.8], rtol=1e-14)


def test_the_norm_of_zeros_has_derivative_zero() -> None:
    value, (by_x,) = differentiate(njit(lambda x: np.linalg.norm(x)))(np.zeros(2))
    assert value == 0.0 and by_x.tolist() == [0.0, 0.0]


def test_hessians_of_powers_of_negative_numbers() -> None:
    value, (slope,), (product,) = differentiate_hvp(njit(lambda x: x**2.0))((-1.0,), (1.0,))
    assert (value, slope, product) == (1.0, -2.0, 2.0)
    cubes = njit(lambda x, n: (x**n).sum())
    _, _, (by_x, _) = differentiate_hvp(cubes)((np.array([-1.0, 0.0, 2.0]), 3.0), (np.ones(3), 0.0))
    assert by_x.tolist() == [-6.0, 0.0, 12.0]


def test_remainders_whose_quotient_is_nearly_whole() -> None:
    value, (by_a, by_b) = differentiate(njit(lambda a, b: a % b))(1.0, 0.1)
    assert value == 1.0 % 0.1 and (by_a, by_b) == (1.0, -9.0)
    assert differentiate(njit(lambda a, b: np.fmod(a, b)))(-7.5, 2.0) == (math.fmod(-7.5, 2.0), (1.0, 3.0))


def test_parameters_may_have_any_name() -> None:
    assert differentiate(njit(lambda written, stub: written * stub))(2.0, 3.0) == (6.0, (3.0, 2.0))
    assert nbgrad.numba.differentiate(njit(lambda typing, x0: typing * x0))(2.0, 3.0)[0] == 6.0


def test_what_calls_itself_need_not_have_run_before() -> None:
    @njit
    def power(x: float, n: int) -> float:
        if n == 0:
            return 1.0
        return x * power(x, n - 1)

    assert differentiate(power)(2.0, 3) == (8.0, (12.0,))
