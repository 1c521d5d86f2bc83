"""Prices of options."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tests.numba.numerical.example import example, normal


@example(100.0, 95.0, 0.03, 0.25, 1.0, step=1e-6, rtol=1e-5)
@njit
def american_put(spot, strike, rate, volatility, time):
    """A binomial tree: each node chooses between waiting and taking, so differences need short steps."""
    n = 30
    dt = time / n
    up = math.exp(volatility * math.sqrt(dt))
    q = (math.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    discount = math.exp(-rate * dt)
    v = np.empty(n + 1)
    for i in range(n + 1):
        v[i] = max(strike - spot * up ** (2 * i - n), 0.0)
    for t in range(n - 1, -1, -1):
        for i in range(t + 1):
            v[i] = max(discount * (q * v[i + 1] + (1.0 - q) * v[i]), strike - spot * up ** (2 * i - t))
    return v[0]


@njit
def normal_cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@example(100.0, 110.0, 1.5, 0.02, 0.3)
@njit
def black_scholes(spot, strike, time, rate, volatility):
    deviation = volatility * math.sqrt(time)
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / deviation
    return spot * normal_cdf(d1) - strike * math.exp(-rate * time) * normal_cdf(d1 - deviation)


@example(normal(6, 8, 2, seed=1), 100.0, 101.0, 0.04, 1.5, 0.05, 0.3, -0.6)
@njit
def heston_euler(z, spot, strike, v0, speed, level, vol_of_vol, correlation):
    """Paths from given normals; the variance is kept from below zero."""
    paths, steps = z.shape[0], z.shape[1]
    dt = 1.0 / steps
    total = 0.0
    for p in range(paths):
        x, v = math.log(spot), v0
        for k in range(steps):
            root = math.sqrt(max(v, 1e-8) * dt)
            w = correlation * z[p, k, 0] + math.sqrt(1.0 - correlation * correlation) * z[p, k, 1]
            x += -0.5 * v * dt + root * z[p, k, 0]
            v += speed * (level - v) * dt + vol_of_vol * root * w
        total += max(math.exp(x) - strike, 0.0)
    return total / paths


@example(normal(5, 6, seed=2), 100.0, 99.0, 0.2, 0.01)
@njit
def asian_barrier(z, spot, strike, volatility, rate):
    """The mean of each path that stays above a barrier; others are left with ``continue``."""
    dt = 1.0 / z.shape[1]
    total = 0.0
    for p in range(z.shape[0]):
        s, mean, alive = spot, 0.0, True
        for k in range(z.shape[1]):
            s *= math.exp((rate - 0.5 * volatility**2) * dt + volatility * math.sqrt(dt) * z[p, k])
            if s < 80.0:
                alive = False
                break
            mean += s
        if not alive:
            continue
        total += max(mean / z.shape[1] - strike, 0.0)
    return math.exp(-rate) * total / z.shape[0]


@example(np.array([0.01, 0.015, 0.02, 0.022]), np.array([0.5, 1.0, 2.0, 5.0]), 1.5, 3.0)
@njit
def bond_price(yields, times, coupon, maturity):
    """A curve looked up between its points, by ``np.searchsorted``."""
    price, t = 0.0, maturity
    while t > 0.0:
        k = min(max(np.searchsorted(times, t), 1), len(times) - 1)
        w = (t - times[k - 1]) / (times[k] - times[k - 1])
        r = (1.0 - w) * yields[k - 1] + w * yields[k]
        price += coupon * math.exp(-r * t)
        t -= 0.7
    return price
