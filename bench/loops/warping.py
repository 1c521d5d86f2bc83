"""Dynamic time warping: the distance of two series."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from bench.libraries import jax_functions


@njit
def _table(a: Any, b: Any) -> Any:
    n, m = len(a), len(b)
    d = np.full((n + 1, m + 1), np.inf)
    d[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (a[i - 1] - b[j - 1]) ** 2
            d[i, j] = cost + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d


@njit
def value(a: Any, b: Any) -> Any:
    return math.sqrt(_table(a, b)[len(a), len(b)])


@njit
def by_hand(a: Any, b: Any) -> Any:
    """Back along the best path."""
    d = _table(a, b)
    i, j = len(a), len(b)
    distance = math.sqrt(d[i, j])
    ga, gb = np.zeros(i), np.zeros(j)
    while i > 0:
        g = (a[i - 1] - b[j - 1]) / distance
        ga[i - 1] += g
        gb[j - 1] -= g
        up, left, both = d[i - 1, j], d[i, j - 1], d[i - 1, j - 1]
        if up <= left and up <= both:
            i -= 1
        elif left <= both:
            j -= 1
        else:
            i -= 1
            j -= 1
    return distance, (ga, gb)


def in_jax(a: Any, b: Any) -> Any:
    """A scan over diagonals, whose cells do not need each other."""
    jnp = jax_functions()
    import jax

    n, m = len(a), len(b)
    rows = jnp.arange(n + 1)

    def step(before: Any, k: Any) -> Any:
        older, old = before
        columns = k - rows
        shifted = [jnp.concatenate([jnp.full(1, jnp.inf), d[:-1]]) for d in (old, older)]
        least = jnp.minimum(jnp.minimum(shifted[0], old), shifted[1])
        cost = (a[jnp.maximum(rows - 1, 0)] - b[jnp.clip(columns - 1, 0, m - 1)]) ** 2
        new = jnp.where((rows > 0) & (columns > 0) & (columns <= m), cost + least, jnp.inf)
        return (old, new), None

    first = jnp.where(rows == 0, 0.0, jnp.inf), jnp.full(n + 1, jnp.inf)
    (_, last), _ = jax.lax.scan(step, first, jnp.arange(2, n + m + 1))
    return jnp.sqrt(last[n])


def arguments(quick: bool) -> tuple[str, tuple[Any, ...]]:
    n, random = 40 if quick else 500, np.random.default_rng(0).random
    return f"{n} x {n}", (random(n), random(n))
