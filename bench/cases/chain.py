"""500 operations on 16 floats, recorded and differentiated: what an operation costs with nothing to compute."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from bench.libraries import JAX, NUMBA, TORCH
from bench.measure import Case, Work
from bench.ways import gradients

OPERATIONS, SIZE = 500, 16


def chain(lib: Any, x: Any, w: Any) -> Any:
    """The function for every library."""
    y = x
    for _ in range(OPERATIONS // 4):
        y = y * 1.01
        y = y + 0.1
        y = lib.tanh(y)
        y = y * w
    return y.sum()


def _by_hand(x: Any, w: Any) -> Work:
    from numba import njit

    @njit
    def run(x: Any, w: Any) -> Any:
        steps, size = OPERATIONS // 4, x.size
        kept = np.empty((steps, size), np.float32)  # the results of tanh
        grad_x, grad_w = np.ones_like(x), np.zeros_like(w)
        y = x.copy()
        for k in range(steps):
            for i in range(size):
                t = np.float32(math.tanh(y[i] * np.float32(1.01) + np.float32(0.1)))
                kept[k, i] = t
                y[i] = t * w[i]
        for k in range(steps - 1, -1, -1):
            for i in range(size):
                t = kept[k, i]
                grad_w[i] += grad_x[i] * t
                grad_x[i] *= w[i] * (np.float32(1) - t * t) * np.float32(1.01)
        return y.sum(), grad_x, grad_w

    return lambda: run(x, w)


def cases(quick: bool) -> list[Case]:
    """The chain for every library."""
    numbers = np.linspace(-1, 1, SIZE, dtype=np.float32)
    arrays = numbers, np.cos(numbers)
    return [
        Case(
            "chain of 500 operations, forward and backward",
            f"{SIZE} float32",
            {**gradients(chain, arrays), NUMBA: partial(_by_hand, *arrays)},
            per=OPERATIONS,
            goals={TORCH: 0.15},
            compiled_goals={JAX: 1.0},
            floor=NUMBA,
        )
    ]
