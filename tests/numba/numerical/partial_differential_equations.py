"""Grids in space and steps in time."""

from __future__ import annotations

import numpy as np
from numba import njit

from tests.numba.numerical.example import example, uniform


@example(uniform(5, 6, seed=1), 0.2)
@njit
def heat_explicit(u, rate):
    """Two arrays that change places."""
    new = u.copy()
    for _ in range(6):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                new[i, j] = u[i, j] + rate * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])
        u, new = new, u
    return (u**2).sum()


@example(uniform(8, seed=2), 0.7)
@njit
def crank_nicolson(u, rate):
    """A tridiagonal system in each step, solved in buffers that stay."""
    n = len(u)
    upper, right = np.empty(n), np.empty(n)
    for _ in range(5):
        upper[0] = 0.0
        right[0] = u[0]
        for i in range(1, n - 1):
            d = u[i] + 0.5 * rate * (u[i - 1] - 2.0 * u[i] + u[i + 1])
            pivot = 1.0 + rate + 0.5 * rate * upper[i - 1]
            upper[i] = -0.5 * rate / pivot
            right[i] = (d + 0.5 * rate * right[i - 1]) / pivot
        for i in range(n - 2, 0, -1):
            u[i] = right[i] - upper[i] * u[i + 1]
    return np.sum(u * np.arange(n))


@example(np.sin(np.linspace(0.0, np.pi, 9)), 0.8)
@njit
def wave(u, courant):
    before, now = u.copy(), u.copy()
    for _ in range(12):
        new = np.zeros_like(u)
        new[1:-1] = 2.0 * now[1:-1] - before[1:-1] + courant**2 * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        before, now = now, new
    return now[4] + (now[1:] * now[:-1]).sum()


@example(uniform(9, seed=3, low=-1.0), 0.3)
@njit
def burgers_upwind(u, ratio):
    n = len(u)
    for _ in range(8):
        new = np.empty(n)
        for i in range(n):
            slope = u[i] - u[i - 1] if u[i] > 0.0 else u[(i + 1) % n] - u[i]
            new[i] = u[i] - ratio * u[i] * slope
        u = new
    return np.sum(u**3)


@njit
def van_leer(r):
    return (r + abs(r)) / (1.0 + abs(r))


@example(uniform(10, seed=4), 0.4)
@njit
def limited_advection(u, courant):
    """Fluxes with a limiter: branches on neighbours, with indices that go round."""
    n = len(u)
    flux = np.zeros(n)
    for _ in range(6):
        for i in range(n):
            ahead = u[(i + 1) % n] - u[i]
            behind = u[i] - u[i - 1]
            if abs(ahead) < 1e-12:
                flux[i] = u[i]
            else:
                flux[i] = u[i] + 0.5 * (1.0 - courant) * van_leer(behind / ahead) * ahead
        for i in range(n):
            u[i] -= courant * (flux[i] - flux[i - 1])
    return (u * u).sum()


@example(uniform(5, 5, seed=5), 1.4)
@njit
def poisson_sor(source, omega):
    """Over-relaxation until it has enough."""
    n = len(source)
    u = np.zeros((n, n))
    for _ in range(500):
        change = 0.0
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                r = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] + source[i, j]) - u[i, j]
                u[i, j] += omega * r
                change = max(change, abs(r))
        if change < 1e-15:
            break
    return u.sum() + u[2, 2] ** 2


@example(1.0 + 0.3 * uniform(8, seed=6), 0.1 * uniform(8, seed=7), 9.81, 0.02)
@njit
def shallow_water(h, hu, g, ratio):
    """Steps of Lax and Friedrichs, round a ring."""
    n = len(h)
    for _ in range(6):
        flux = np.empty((2, n))
        flux[0] = hu
        flux[1] = hu**2 / h + 0.5 * g * h**2
        new_h, new_hu = np.empty(n), np.empty(n)
        for i in range(n):
            k = i + 1 if i + 1 < n else 0
            new_h[i] = 0.5 * (h[i - 1] + h[k]) - 0.5 * ratio * (flux[0, k] - flux[0, i - 1])
            new_hu[i] = 0.5 * (hu[i - 1] + hu[k]) - 0.5 * ratio * (flux[1, k] - flux[1, i - 1])
        h[:] = new_h
        hu[:] = new_hu
    return (h**2).sum() + np.sqrt((hu**2).sum())


@njit
def upwind_square(behind, ahead, positive):
    if positive:
        return max(max(behind, 0.0) ** 2, min(ahead, 0.0) ** 2)
    return max(min(behind, 0.0) ** 2, max(ahead, 0.0) ** 2)


@example(np.add.outer(np.linspace(-0.9, 1.1, 5) ** 2, np.linspace(-1.2, 1.0, 5) ** 2) * 1.7 - 0.8)
@njit
def level_set(phi):
    """Back to a distance (Sussman, Smereka and Osher 1994), by upwind differences."""
    start = phi.copy()
    n, m = phi.shape
    for _ in range(4):
        before = phi.copy()
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                sign = start[i, j] / np.sqrt(start[i, j] ** 2 + 0.1)
                up = start[i, j] > 0.0
                gx = upwind_square(before[i, j] - before[i - 1, j], before[i + 1, j] - before[i, j], up)
                gy = upwind_square(before[i, j] - before[i, j - 1], before[i, j + 1] - before[i, j], up)
                phi[i, j] = before[i, j] - 0.2 * sign * (np.sqrt(gx + gy + 1e-6) - 1.0)
    return np.sum(phi * phi)


@example(uniform(3, 4, 4, seed=8), 0.1, 0.05)
@njit
def reaction_diffusion(fields, feed, rate):
    """Three dims: species, rows, columns; only two of three react."""
    for _ in range(4):
        old = fields.copy()
        for i in range(fields.shape[1]):
            for j in range(fields.shape[2]):
                a, b = old[0, i, j], old[1, i, j]
                for s in range(2):
                    mean = 0.25 * (
                        old[s, i - 1, j] + old[s, i, j - 1] + old[s, (i + 1) % 4, j] + old[s, i, (j + 1) % 4]
                    )
                    fields[s, i, j] += rate * (mean - old[s, i, j])
                fields[0, i, j] += feed * (1.0 - a) - a * b * b
                fields[1, i, j] += a * b * b - feed * b
    return fields[0].sum() * fields[1, 2].mean() + fields[2, 0, 0]
