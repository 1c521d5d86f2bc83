"""Black-Scholes prices of European calls with all their sensitivities: exp, log and erf over large float64 arrays."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from bench.floor import COPY, copying
from bench.libraries import COMPILED, DRJIT, NUMBA
from bench.measure import Case, Work
from bench.ways import by_drjit, gradients

RANGES = ((80, 120), (80, 120), (0.1, 2), (0.0, 0.05), (0.1, 0.5))  # spot, strike, time, rate, volatility
ROOT_HALF, ROOT_2PI = math.sqrt(0.5), math.sqrt(2 * math.pi)


def _normal_cdf(lib: Any, x: Any) -> Any:
    return 0.5 * (1.0 + lib.erf(x * ROOT_HALF))


def total_price(lib: Any, spot: Any, strike: Any, time: Any, rate: Any, vol: Any) -> Any:
    """The sum of the prices: its gradients are delta, theta, rho, vega and the slope in the strike of each option."""
    deviation = vol * lib.sqrt(time)
    d1 = (lib.log(spot / strike) + (rate + 0.5 * vol * vol) * time) / deviation
    d2 = d1 - deviation
    price = spot * _normal_cdf(lib, d1) - strike * lib.exp(-rate * time) * _normal_cdf(lib, d2)
    return lib.sum(price)


def _by_hand(arrays: Any) -> Work:
    """The formulas of the sensitivities, from a textbook."""
    from numba import njit, prange

    @njit(parallel=True)
    def run(spot: Any, strike: Any, time: Any, rate: Any, vol: Any, out: Any) -> Any:
        total = 0.0
        for i in prange(spot.size):
            s, k, t, r, v = spot[i], strike[i], time[i], rate[i], vol[i]
            root = math.sqrt(t)
            d1 = (math.log(s / k) + (r + 0.5 * v * v) * t) / (v * root)
            d2 = d1 - v * root
            n1 = 0.5 * (1 + math.erf(d1 * ROOT_HALF))
            n2 = 0.5 * (1 + math.erf(d2 * ROOT_HALF))
            discounted = k * math.exp(-r * t)
            density = math.exp(-0.5 * d1 * d1) / ROOT_2PI
            total += s * n1 - discounted * n2
            out[0, i] = n1
            out[1, i] = -discounted / k * n2
            out[2, i] = s * density * v / (2 * root) + r * discounted * n2
            out[3, i] = t * discounted * n2
            out[4, i] = s * density * root
        return total

    out = np.empty((5, arrays[0].size))
    return lambda: (run(*arrays, out), *out)


def cases(quick: bool) -> list[Case]:
    """One million options, five sensitivities each."""
    size = 20_000 if quick else 1_000_000
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(low, high, size) for low, high in RANGES]
    makers = {
        **gradients(total_price, arrays),
        DRJIT: partial(by_drjit, total_price, arrays, ()),
        NUMBA: partial(_by_hand, arrays),
        COPY: partial(copying, 10 * arrays[0].nbytes),
    }
    return [
        Case(
            "option prices and all sensitivities",
            f"{size:,} float64",
            makers,
            goals={COMPILED: 0.5},
            compiled_goals={COMPILED: 0.5},
            floor=COPY,
            rtol=1e-9,
        )
    ]
