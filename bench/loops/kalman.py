"""The likelihood of positions by a Kalman filter with a position and a speed, written out in numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from bench.libraries import jax_functions


@njit
def value(zs: Any, q: float, r: float, dt: float) -> Any:
    x0, x1, p00, p01, p11, total = 0.0, 0.0, 1.0, 0.0, 1.0, 0.0
    for i in range(len(zs)):
        x0 = x0 + dt * x1
        a00 = p00 + dt * (2.0 * p01 + dt * p11) + q * dt**3 / 3.0
        a01 = p01 + dt * p11 + q * dt**2 / 2.0
        a11 = p11 + q * dt
        s = a00 + r
        e = zs[i] - x0
        total -= 0.5 * (math.log(2.0 * math.pi * s) + e * e / s)
        k0, k1 = a00 / s, a01 / s
        x0 += k0 * e
        x1 += k1 * e
        p00, p01, p11 = (1.0 - k0) * a00, (1.0 - k0) * a01, a11 - k1 * a01
    return total


@njit
def by_hand(zs: Any, q: float, r: float, dt: float) -> Any:
    """Six numbers of each step are kept; ``gx`` is the cotangent of ``x``."""
    n = len(zs)
    kept = np.empty((n, 6))
    x0, x1, p00, p01, p11, total = 0.0, 0.0, 1.0, 0.0, 1.0, 0.0
    for i in range(n):
        x0 = x0 + dt * x1
        a00 = p00 + dt * (2.0 * p01 + dt * p11) + q * dt**3 / 3.0
        a01 = p01 + dt * p11 + q * dt**2 / 2.0
        a11 = p11 + q * dt
        s = a00 + r
        e = zs[i] - x0
        kept[i, 0], kept[i, 1], kept[i, 2], kept[i, 3], kept[i, 4], kept[i, 5] = x1, p01, p11, a00, a01, e
        total -= 0.5 * (math.log(2.0 * math.pi * s) + e * e / s)
        k0, k1 = a00 / s, a01 / s
        x0 += k0 * e
        x1 += k1 * e
        p00, p01, p11 = (1.0 - k0) * a00, (1.0 - k0) * a01, a11 - k1 * a01
    gz = np.empty(n)
    gq = gr = gdt = gx0 = gx1 = gp00 = gp01 = gp11 = 0.0
    for i in range(n - 1, -1, -1):
        x1, p01, p11, a00, a01, e = kept[i]
        s = a00 + r
        k0, k1 = a00 / s, a01 / s
        gk0 = gx0 * e - gp00 * a00 - gp01 * a01
        gk1 = gx1 * e - gp11 * a01
        ge = gx0 * k0 + gx1 * k1 - e / s
        gs = -0.5 * (1.0 / s - (e / s) ** 2) - (gk0 * k0 + gk1 * k1) / s
        ga00 = gp00 * (1.0 - k0) + gk0 / s + gs
        ga01 = gp01 * (1.0 - k0) - gp11 * k1 + gk1 / s
        ga11 = gp11
        gz[i] = ge
        gr += gs
        gx0 -= ge
        gq += ga00 * dt**3 / 3.0 + ga01 * dt**2 / 2.0 + ga11 * dt
        gdt += gx0 * x1 + ga00 * (2.0 * p01 + 2.0 * dt * p11 + q * dt**2) + ga01 * (p11 + q * dt) + ga11 * q
        gx1 += dt * gx0
        gp00, gp01, gp11 = ga00, 2.0 * dt * ga00 + ga01, dt * dt * ga00 + dt * ga01 + ga11
    return total, (gz, gq, gr, gdt)


def in_jax(zs: Any, q: Any, r: Any, dt: Any) -> Any:
    jnp = jax_functions()
    import jax

    def step(state: Any, z: Any) -> Any:
        x0, x1, p00, p01, p11, total = state
        x0 = x0 + dt * x1
        a00 = p00 + dt * (2.0 * p01 + dt * p11) + q * dt**3 / 3.0
        a01 = p01 + dt * p11 + q * dt**2 / 2.0
        a11 = p11 + q * dt
        s = a00 + r
        e = z - x0
        total = total - 0.5 * (jnp.log(2.0 * math.pi * s) + e * e / s)
        k0, k1 = a00 / s, a01 / s
        return (x0 + k0 * e, x1 + k1 * e, (1.0 - k0) * a00, (1.0 - k0) * a01, a11 - k1 * a01, total), None

    zero, one = jnp.zeros(()), jnp.ones(())
    state, _ = jax.lax.scan(step, (zero, zero, one, zero, one, zero), zs)
    return state[-1]


def arguments(quick: bool) -> tuple[str, tuple[Any, ...]]:
    n = 500 if quick else 20_000
    return f"{n:,} positions", (np.random.default_rng(0).random(n), 0.3, 0.5, 0.1)
