"""Functions of numbers as elementwise operators, values and gradients: by nbgrad, by hand in Numba, in JAX and Dr.Jit.

The floor is ``numba.vectorize`` of the same function, which has values alone.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from bench.libraries import DRJIT, ENZYME, JAX, NBGRAD, NBGRAD_COMPILED, NUMBA, VECTORIZED, library
from bench.measure import Case, Work
from bench.ways import by_backward, by_drjit, by_jax, by_nbgrad_compile

ROOT_HALF, ROOT_2PI = math.sqrt(0.5), math.sqrt(2 * math.pi)
ENOUGH: Final = 1e-13
ABSENT: Final = {ENZYME: "its wheels need glibc 2.39, and it calls a function for one element at a time"}


def black_scholes(spot: float, strike: float, time: float, rate: float, volatility: float) -> float:
    deviation = volatility * math.sqrt(time)
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility * volatility) * time) / deviation
    d2 = d1 - deviation
    n1 = 0.5 * (1.0 + math.erf(d1 * ROOT_HALF))
    n2 = 0.5 * (1.0 + math.erf(d2 * ROOT_HALF))
    return spot * n1 - strike * math.exp(-rate * time) * n2


def kepler(mean: float, eccentricity: float) -> float:
    """The eccentric anomaly, by Newton's method."""
    anomaly = mean if eccentricity < 0.8 else math.pi
    for _ in range(50):
        step = (anomaly - eccentricity * math.sin(anomaly) - mean) / (1.0 - eccentricity * math.cos(anomaly))
        anomaly -= step
        if abs(step) < ENOUGH:
            break
    return anomaly


@functools.cache
def _operator(fn: Callable[..., float]) -> Any:
    return library(NBGRAD).elementwise(fn)


def _total(fn: Callable[..., float], lib: Any, *inputs: Any) -> Any:
    return _operator(fn)(*inputs).sum()


def _vectorized(fn: Callable[..., float], inputs: Any) -> Work:
    import numba

    signature = f"float64({', '.join(['float64'] * len(inputs))})"
    values = numba.vectorize([signature], target="parallel")(fn)
    out = np.empty_like(inputs[0])

    def work() -> None:
        values(*inputs, out)

    return work


def _black_scholes_by_hand(inputs: Any) -> Work:
    from numba import njit, prange

    @njit(parallel=True)
    def run(spot: Any, strike: Any, time: Any, rate: Any, volatility: Any, out: Any) -> Any:
        total = 0.0
        for i in prange(spot.size):
            s, k, t, r, v = spot[i], strike[i], time[i], rate[i], volatility[i]
            root = math.sqrt(t)
            d1 = (math.log(s / k) + (r + 0.5 * v * v) * t) / (v * root)
            n1 = 0.5 * (1.0 + math.erf(d1 * ROOT_HALF))
            n2 = 0.5 * (1.0 + math.erf((d1 - v * root) * ROOT_HALF))
            discount = math.exp(-r * t)
            density = math.exp(-0.5 * d1 * d1) / ROOT_2PI
            total += s * n1 - k * discount * n2
            out[0, i] = n1
            out[1, i] = -discount * n2
            out[2, i] = s * density * v / (2.0 * root) + r * k * discount * n2
            out[3, i] = t * k * discount * n2
            out[4, i] = s * density * root
        return total

    out = np.empty((5, inputs[0].size))
    return lambda: (run(*inputs, out), *out)


def _kepler_by_hand(inputs: Any) -> Work:
    from numba import njit, prange

    solved = njit(kepler)

    @njit(parallel=True)
    def run(mean: Any, eccentricity: Any, out: Any) -> Any:
        total = 0.0
        for i in prange(mean.size):
            anomaly = solved(mean[i], eccentricity[i])
            slope = 1.0 / (1.0 - eccentricity[i] * math.cos(anomaly))
            total += anomaly
            out[0, i] = slope
            out[1, i] = math.sin(anomaly) * slope
        return total

    out = np.empty((2, inputs[0].size))
    return lambda: (run(*inputs, out), *out)


def _black_scholes_in_arrays(lib: Any, spot: Any, strike: Any, time: Any, rate: Any, volatility: Any) -> Any:
    deviation = volatility * lib.sqrt(time)
    d1 = (lib.log(spot / strike) + (rate + 0.5 * volatility * volatility) * time) / deviation
    n1 = 0.5 * (1.0 + lib.erf(d1 * ROOT_HALF))
    n2 = 0.5 * (1.0 + lib.erf((d1 - deviation) * ROOT_HALF))
    return lib.sum(spot * n1 - strike * lib.exp(-rate * time) * n2)


def _step(lib: Any, anomaly: Any, mean: Any, eccentricity: Any) -> Any:
    residual = anomaly - eccentricity * lib.sin(anomaly) - mean
    return residual / (1.0 - eccentricity * lib.cos(anomaly))


def _kepler_in_jax(lib: Any, mean: Any, eccentricity: Any) -> Any:
    """Its loops of unknown length have no reverse mode; a step of Newton's at the solution has the derivative."""
    import jax

    def step(state: Any) -> Any:
        anomaly, _ = state
        change = _step(lib, anomaly, *fixed)
        return anomaly - change, lib.abs(change).max()

    fixed = jax.lax.stop_gradient((mean, eccentricity))
    first = lib.where(fixed[1] < 0.8, fixed[0], math.pi)
    anomaly, _ = jax.lax.while_loop(lambda state: state[1] >= ENOUGH, step, (first, lib.inf))
    return (anomaly - _step(lib, anomaly, mean, eccentricity)).sum()


def _kepler_in_drjit(dj: Any, mean: Any, eccentricity: Any) -> Any:
    """The same: each element leaves the loop when it has enough."""

    def step(anomaly: Any, change: Any) -> Any:
        change = _step(dj, anomaly, *fixed)
        return anomaly - change, change

    fixed = dj.detach(mean), dj.detach(eccentricity)
    first = dj.select(fixed[1] < 0.8, fixed[0], math.pi)
    anomaly, _ = dj.while_loop((first, type(first)(1.0)), lambda _, change: dj.abs(change) >= ENOUGH, step)
    return dj.sum(anomaly - _step(dj, anomaly, mean, eccentricity))


def _case(title: str, fn: Callable[..., float], by_hand: Any, in_jax: Any, in_drjit: Any, inputs: Any) -> Case:
    makers = {
        NBGRAD: partial(by_backward, NBGRAD, partial(_total, fn), inputs, ()),
        NBGRAD_COMPILED: partial(by_nbgrad_compile, partial(_total, fn), inputs, ()),
        JAX: partial(by_jax, in_jax, inputs, ()),
        DRJIT: partial(by_drjit, in_drjit, inputs, ()),
        NUMBA: partial(by_hand, inputs),
        VECTORIZED: partial(_vectorized, fn, inputs),
    }
    size = f"{inputs[0].size:,} float64"
    return Case(title, size, makers, rtol=1e-9, goals={NUMBA: 1.0}, floor=VECTORIZED, absent=ABSENT)


def cases(quick: bool) -> list[Case]:
    """Black and Scholes, and a loop with an early exit."""
    rng, size = np.random.default_rng(0), 2_000 if quick else 200_000
    ranges = ((80, 120), (80, 120), (0.1, 2), (0.0, 0.05), (0.1, 0.5))
    options = [rng.uniform(low, high, size) for low, high in ranges]
    orbits = [rng.uniform(0.0, 2.0 * math.pi, size // 10), rng.uniform(0.0, 0.95, size // 10)]
    formula, title = _black_scholes_in_arrays, "Black and Scholes by nbgrad.elementwise"
    return [
        _case(title, black_scholes, _black_scholes_by_hand, formula, formula, options),
        _case("Kepler by nbgrad.elementwise", kepler, _kepler_by_hand, _kepler_in_jax, _kepler_in_drjit, orbits),
    ]
