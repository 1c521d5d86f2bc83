"""Lorenz' equations by the method of Runge and Kutta: the squared distance of the last state from the origin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


def slope(x: Any, y: Any, z: Any, s: Any, r: Any, b: Any) -> Any:
    return s * (y - x), x * (r - z) - y, x * y - b * z


_slope = njit(slope)


@njit
def value(start: Any, s: float, r: float, b: float, dt: float, steps: int) -> Any:
    x, y, z = start[0], start[1], start[2]
    for _ in range(steps):
        k1 = _slope(x, y, z, s, r, b)
        k2 = _slope(x + 0.5 * dt * k1[0], y + 0.5 * dt * k1[1], z + 0.5 * dt * k1[2], s, r, b)
        k3 = _slope(x + 0.5 * dt * k2[0], y + 0.5 * dt * k2[1], z + 0.5 * dt * k2[2], s, r, b)
        k4 = _slope(x + dt * k3[0], y + dt * k3[1], z + dt * k3[2], s, r, b)
        x += dt / 6.0 * (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0])
        y += dt / 6.0 * (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1])
        z += dt / 6.0 * (k1[2] + 2.0 * k2[2] + 2.0 * k3[2] + k4[2])
    return x * x + y * y + z * z


@njit
def _back(x: Any, y: Any, z: Any, s: Any, r: Any, b: Any, gx: Any, gy: Any, gz: Any) -> Any:
    """Cotangents of a slope to those of its state and of s, r, b."""
    state = -s * gx + (r - z) * gy + y * gz, s * gx - gy + x * gz, -x * gy - b * gz
    return (*state, (y - x) * gx, x * gy, -z * gz)


@njit
def by_hand(start: Any, s: float, r: float, b: float, dt: float, steps: int) -> Any:
    """States are kept, the four slopes of a step are computed anew on the way back."""
    states = np.empty((steps + 1, 3))
    states[0] = start
    for i in range(steps):
        x, y, z = states[i]
        k1 = _slope(x, y, z, s, r, b)
        k2 = _slope(x + 0.5 * dt * k1[0], y + 0.5 * dt * k1[1], z + 0.5 * dt * k1[2], s, r, b)
        k3 = _slope(x + 0.5 * dt * k2[0], y + 0.5 * dt * k2[1], z + 0.5 * dt * k2[2], s, r, b)
        k4 = _slope(x + dt * k3[0], y + dt * k3[1], z + dt * k3[2], s, r, b)
        for k in range(3):
            states[i + 1, k] = states[i, k] + dt / 6.0 * (k1[k] + 2.0 * k2[k] + 2.0 * k3[k] + k4[k])
    x, y, z = states[-1]
    gx, gy, gz = 2.0 * x, 2.0 * y, 2.0 * z
    gs = gr = gb = gdt = 0.0
    h, w = 0.5 * dt, dt / 6.0
    for i in range(steps - 1, -1, -1):
        x1, y1, z1 = states[i]
        k1 = _slope(x1, y1, z1, s, r, b)
        x2, y2, z2 = x1 + h * k1[0], y1 + h * k1[1], z1 + h * k1[2]
        k2 = _slope(x2, y2, z2, s, r, b)
        x3, y3, z3 = x1 + h * k2[0], y1 + h * k2[1], z1 + h * k2[2]
        k3 = _slope(x3, y3, z3, s, r, b)
        x4, y4, z4 = x1 + dt * k3[0], y1 + dt * k3[1], z1 + dt * k3[2]
        k4 = _slope(x4, y4, z4, s, r, b)
        c4 = _back(x4, y4, z4, s, r, b, w * gx, w * gy, w * gz)
        l3 = 2.0 * w * gx + dt * c4[0], 2.0 * w * gy + dt * c4[1], 2.0 * w * gz + dt * c4[2]
        c3 = _back(x3, y3, z3, s, r, b, l3[0], l3[1], l3[2])
        l2 = 2.0 * w * gx + h * c3[0], 2.0 * w * gy + h * c3[1], 2.0 * w * gz + h * c3[2]
        c2 = _back(x2, y2, z2, s, r, b, l2[0], l2[1], l2[2])
        c1 = _back(x1, y1, z1, s, r, b, w * gx + h * c2[0], w * gy + h * c2[1], w * gz + h * c2[2])
        gdt += (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0]) * gx / 6.0
        gdt += (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1]) * gy / 6.0
        gdt += (k1[2] + 2.0 * k2[2] + 2.0 * k3[2] + k4[2]) * gz / 6.0
        for k in range(3):
            gdt += k3[k] * c4[k] + 0.5 * (k2[k] * c3[k] + k1[k] * c2[k])
        gx += c1[0] + c2[0] + c3[0] + c4[0]
        gy += c1[1] + c2[1] + c3[1] + c4[1]
        gz += c1[2] + c2[2] + c3[2] + c4[2]
        gs += c1[3] + c2[3] + c3[3] + c4[3]
        gr += c1[4] + c2[4] + c3[4] + c4[4]
        gb += c1[5] + c2[5] + c3[5] + c4[5]
    return x * x + y * y + z * z, (np.array([gx, gy, gz]), gs, gr, gb, gdt)


def _step(state: Any, s: Any, r: Any, b: Any, dt: Any) -> Any:
    """One step, of any library's numbers."""

    def moved(slopes: Any, factor: Any) -> Any:
        return [x + factor * k for x, k in zip(state, slopes, strict=True)]

    k1 = slope(*state, s, r, b)
    k2 = slope(*moved(k1, 0.5 * dt), s, r, b)
    k3 = slope(*moved(k2, 0.5 * dt), s, r, b)
    k4 = slope(*moved(k3, dt), s, r, b)
    return moved([a + 2.0 * b + 2.0 * c + d for a, b, c, d in zip(k1, k2, k3, k4, strict=True)], dt / 6.0)


def in_jax(start: Any, s: Any, r: Any, b: Any, dt: Any, steps: int) -> Any:
    import jax

    def step(state: Any, _: Any) -> Any:
        return _step(state, s, r, b, dt), None

    state, _ = jax.lax.scan(step, list(start), length=steps)
    return sum([x * x for x in state])


def in_tensors(steps: int, lib: Any, start: Any, s: Any, r: Any, b: Any, dt: Any) -> Any:
    """A loop of Python's."""
    state = [start[0], start[1], start[2]]
    for _ in range(steps):
        state = _step(state, s, r, b, dt)
    return state[0] * state[0] + state[1] * state[1] + state[2] * state[2]


def arguments(quick: bool, steps: int = 10_000) -> tuple[str, tuple[Any, ...]]:
    steps = 50 if quick else steps
    return f"{steps:,} steps", (np.array([1.0, 1.0, 1.0]), 10.0, 28.0, 8 / 3, 0.0005, steps)
