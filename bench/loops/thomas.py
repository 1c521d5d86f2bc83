"""A tridiagonal system: the sum of the squares of its solution."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from bench.libraries import jax_functions


@njit
def value(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Of a under the diagonal, b on it, c above it, d on the right."""
    n = len(b)
    upper, right, x = np.zeros(n), np.zeros(n), np.empty(n)
    upper[0] = c[0] / b[0]
    right[0] = d[0] / b[0]
    for i in range(1, n):
        pivot = b[i] - a[i] * upper[i - 1]
        upper[i] = c[i] / pivot
        right[i] = (d[i] - a[i] * right[i - 1]) / pivot
    x[n - 1] = right[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = right[i] - upper[i] * x[i + 1]
    total = 0.0
    for i in range(n):
        total += x[i] * x[i]
    return total


@njit
def _solved(a: Any, b: Any, c: Any, d: Any) -> Any:
    n = len(b)
    upper, x = np.empty(n), np.empty(n)
    upper[0] = c[0] / b[0]
    x[0] = d[0] / b[0]
    for i in range(1, n):
        pivot = b[i] - a[i] * upper[i - 1]
        upper[i] = c[i] / pivot
        x[i] = (d[i] - a[i] * x[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        x[i] -= upper[i] * x[i + 1]
    return x


@njit
def by_hand(a: Any, b: Any, c: Any, d: Any) -> Any:
    """The transposed system has the gradient of d; those of the matrix are its products with x."""
    n = len(b)
    x = _solved(a, b, c, d)
    under, above = np.zeros(n), np.zeros(n)
    under[1:] = c[:-1]
    above[:-1] = a[1:]
    gd = _solved(under, b, above, 2.0 * x)
    ga, gb, gc = np.zeros(n), np.empty(n), np.zeros(n)
    total = 0.0
    for i in range(n):
        total += x[i] * x[i]
        gb[i] = -gd[i] * x[i]
        if i > 0:
            ga[i] = -gd[i] * x[i - 1]
        if i < n - 1:
            gc[i] = -gd[i] * x[i + 1]
    return total, (ga, gb, gc, gd)


def in_jax(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Two scans."""
    jnp = jax_functions()
    import jax

    def forward(before: Any, row: Any) -> Any:
        upper, right = before
        a, b, c, d = row
        pivot = b - a * upper
        new = c / pivot, (d - a * right) / pivot
        return new, new

    def back(x: Any, row: Any) -> Any:
        upper, right = row
        x = right - upper * x
        return x, x

    zero = jnp.zeros(())
    _, (upper, right) = jax.lax.scan(forward, (zero, zero), (a.at[0].set(0.0), b, c, d))
    _, x = jax.lax.scan(back, zero, (upper.at[-1].set(0.0), right), reverse=True)
    return (x * x).sum()


def arguments(quick: bool) -> tuple[str, tuple[Any, ...]]:
    n, random = 1_000 if quick else 100_000, np.random.default_rng(0).random
    return f"{n:,} unknowns", (random(n), 4.0 + random(n), random(n), random(n))
