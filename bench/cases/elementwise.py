"""20 element-by-element operations over a large array, forward and backward, beside a loop written by hand.

The loop does by hand what fusion has to find: it reads x once, keeps everything in between in registers, and writes the
gradient once. It may reorder its sum (which lets LLVM use vectors), so it is the fastest form of the loop we know.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numba import njit, prange

from bench.libraries import DRJIT, NBGRAD, NUMBA, TORCH
from bench.measure import Case, Work
from bench.ways import by_backward, by_drjit

F = np.float32
SCALE, SHIFT, DROP = F(0.9), F(0.1), F(0.3)
LOOSE = {"reassoc", "nsz", "contract"}
PAGE = 4096


def _arithmetic(lib: Any, y: Any) -> Any:
    for _ in range(4):  # 5 operations each
        y = y * 0.9
        y = y + 0.1
        y = y * y
        y = y - 0.3
        y = lib.abs(y)
    return lib.sum(y)


def _transcendental(lib: Any, y: Any) -> Any:
    for _ in range(4):  # 5 operations each
        y = y * 0.9
        y = lib.tanh(y)
        y = y * y
        y = y - 0.3
        y = lib.exp(y)
    return lib.sum(y)


@njit(inline="always")
def _forward(y: Any) -> Any:
    s = y * SCALE + SHIFT
    return s, s * s - DROP


@njit(inline="always")
def _backward(g: Any, s: Any, d: Any) -> Any:
    g = g if d > 0 else (-g if d < 0 else F(0))
    return F(2) * g * s * SCALE


@njit(parallel=True, fastmath=LOOSE)
def _arithmetic_by_hand(x: Any, grad: Any) -> Any:
    total = F(0)
    for i in prange(x.size):
        s0, d0 = _forward(x[i])
        s1, d1 = _forward(abs(d0))
        s2, d2 = _forward(abs(d1))
        s3, d3 = _forward(abs(d2))
        total += abs(d3)
        g = _backward(F(1), s3, d3)
        g = _backward(g, s2, d2)
        g = _backward(g, s1, d1)
        grad[i] = _backward(g, s0, d0)
    return total


@njit(inline="always")
def _forward_te(y: Any) -> Any:
    t = math.tanh(y * SCALE)
    return t, math.exp(t * t - DROP)


@njit(inline="always")
def _backward_te(g: Any, t: Any, e: Any) -> Any:
    return g * e * F(2) * t * (F(1) - t * t) * SCALE


@njit(parallel=True, fastmath=LOOSE)
def _transcendental_by_hand(x: Any, grad: Any) -> Any:
    total = F(0)
    for i in prange(x.size):
        t0, e0 = _forward_te(x[i])
        t1, e1 = _forward_te(e0)
        t2, e2 = _forward_te(e1)
        t3, e3 = _forward_te(e2)
        total += e3
        g = _backward_te(F(1), t3, e3)
        g = _backward_te(g, t2, e2)
        g = _backward_te(g, t1, e1)
        grad[i] = _backward_te(g, t0, e0)
    return total


def _placed(size: int, offset: int) -> Any:
    """An empty float32 array that begins ``offset`` bytes into a page.

    Where NumPy puts two large arrays, they begin at the same offset of a page and not on a cache line: the loop then
    took up to twice as long (a load waits for the store before it when their last 12 address bits agree).
    """
    raw = np.empty(size * 4 + 2 * PAGE, np.uint8)
    begin = -raw.ctypes.data % PAGE + offset
    return raw[begin : begin + 4 * size].view(np.float32)


def _by_hand(loop: Any, numbers: Any) -> Work:
    x, grad = _placed(numbers.size, 0), _placed(numbers.size, PAGE // 2)
    x[:] = numbers

    def work() -> Any:
        return loop(x, grad), grad

    return work


def _case(what: str, chain: Any, loop: Any, goals: Mapping[str, float], numbers: Any) -> Case:
    makers = {name: partial(by_backward, name, chain, [numbers], ()) for name in (NBGRAD, TORCH)}
    makers[DRJIT] = partial(by_drjit, chain, [numbers], ())
    makers[NUMBA] = partial(_by_hand, loop, numbers)
    title = f"20 operations ({what}), forward and backward"
    return Case(title, f"{numbers.size:,} float32", makers, goals=goals, floor=NUMBA, rtol=1e-3)


def cases(quick: bool) -> list[Case]:
    """A chain of arithmetic alone, and one with tanh and exp."""
    numbers = np.random.default_rng(0).random(1 << (18 if quick else 22), dtype=np.float32)
    return [
        _case("arithmetic", _arithmetic, _arithmetic_by_hand, {NUMBA: 1.25, TORCH: 0.25}, numbers),
        _case("with tanh and exp", _transcendental, _transcendental_by_hand, {}, numbers),
    ]
