"""LU factors in place, without pivots: the logarithm of a determinant."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from bench.libraries import jax_functions


@njit
def factor(a: Any) -> None:
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


@njit
def value(a: Any) -> Any:
    a = a.copy()
    factor(a)
    total = 0.0
    for i in range(a.shape[0]):
        total += math.log(abs(a[i, i]))
    return total


@njit
def by_hand(a: Any) -> Any:
    """The transposed inverse, a row of it for each column of the inverse, from the factors."""
    n = len(a)
    a = a.copy()
    factor(a)
    total, g = 0.0, np.zeros((n, n))
    for i in range(n):
        total += math.log(abs(a[i, i]))
    for column in range(n):
        x = g[column]
        x[column] = 1.0
        for i in range(column + 1, n):
            s = 0.0
            for k in range(column, i):
                s += a[i, k] * x[k]
            x[i] -= s
        for i in range(n - 1, -1, -1):
            s = x[i]
            for k in range(i + 1, n):
                s -= a[i, k] * x[k]
            x[i] = s / a[i, i]
    return total, (g,)


def in_jax(a: Any) -> Any:
    """By LAPACK's factors, with pivots."""
    return jax_functions().linalg.slogdet(a)[1]


def arguments(quick: bool) -> tuple[str, tuple[Any, ...]]:
    n = 12 if quick else 120
    return f"{n} x {n}", (np.random.default_rng(0).random((n, n)) + n * np.eye(n),)
