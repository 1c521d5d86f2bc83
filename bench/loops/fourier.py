"""A Fourier transform by hand, radix 2, in place: a weighted spectrum."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from bench.libraries import jax_functions


@njit
def _transform(re: Any, im: Any) -> None:
    n = len(re)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    length = 2
    while length <= n:
        angle = -2.0 * math.pi / length
        for s in range(0, n, length):
            for k in range(length // 2):
                c, w = math.cos(angle * k), math.sin(angle * k)
                p, q = s + k, s + k + length // 2
                ur, ui = re[q] * c - im[q] * w, re[q] * w + im[q] * c
                re[q], im[q] = re[p] - ur, im[p] - ui
                re[p], im[p] = re[p] + ur, im[p] + ui
        length *= 2


@njit
def value(x: Any, weights: Any) -> Any:
    re, im = x.copy(), np.zeros_like(x)
    _transform(re, im)
    total = 0.0
    for i in range(len(x)):
        total += weights[i] * (re[i] ** 2 + im[i] ** 2) + re[i]
    return total


@njit
def by_hand(x: Any, weights: Any) -> Any:
    """The cotangent of x is the real part of the transform of the conjugate cotangents."""
    re, im = x.copy(), np.zeros_like(x)
    _transform(re, im)
    total, gw = 0.0, np.empty_like(x)
    for i in range(len(x)):
        gw[i] = re[i] ** 2 + im[i] ** 2
        total += weights[i] * gw[i] + re[i]
        re[i], im[i] = 2.0 * weights[i] * re[i] + 1.0, -2.0 * weights[i] * im[i]
    _transform(re, im)
    return total, (re, gw)


def in_jax(x: Any, weights: Any) -> Any:
    """By its own transform."""
    jnp = jax_functions()
    z = jnp.fft.fft(x)
    return (weights * (z.real**2 + z.imag**2) + z.real).sum()


def arguments(quick: bool) -> tuple[str, tuple[Any, ...]]:
    n, random = 1 << (6 if quick else 14), np.random.default_rng(0).random
    return f"{n:,} points", (random(n), random(n))
