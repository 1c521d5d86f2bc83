"""Energies of particles and spins, pictures of rays."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tests.numba.numerical.example import example, normal, uniform

SPREAD = np.array([[i, j] for i in range(3) for j in range(2)]) * 1.1 + 0.1 * uniform(6, 2, seed=1)


@example(np.sign(normal(4, 4, seed=2)), 0.8, uniform(4, 4, seed=3), 2.0)
@njit
def mean_field_ising(spins, coupling, field, temperature):
    """A free energy round a torus."""
    n, m = spins.shape
    total = 0.0
    for i in range(n):
        for j in range(m):
            s = 0.9 * math.tanh(spins[i, j])
            near = math.tanh(spins[i - 1, j]) + math.tanh(spins[i, j - 1])
            total -= coupling * s * near + field[i, j] * s
            p = 0.5 * (1.0 + s)
            total += temperature * (p * math.log(p) + (1.0 - p) * math.log(1.0 - p))
    return total


@njit
def neighbours(x, cutoff):
    """Pairs closer than ``cutoff``, as rows of a list with ends."""
    n = len(x)
    start, pairs = np.zeros(n + 1, np.int64), np.empty(n * n, np.int64)
    count = 0
    for i in range(n):
        for j in range(i + 1, n):
            d = x[i] - x[j]
            if d[0] ** 2 + d[1] ** 2 < cutoff**2:
                pairs[count] = j
                count += 1
        start[i + 1] = count
    return start, pairs[:count]


@example(SPREAD, 1.1, 1.0)
@njit
def lennard_jones(x, epsilon, sigma):
    start, pairs = neighbours(x, 2.5)
    energy = 0.0
    for i in range(len(x)):
        for k in range(start[i], start[i + 1]):
            r2 = 0.0
            for axis in range(x.shape[1]):
                r2 += (x[i, axis] - x[pairs[k], axis]) ** 2
            s6 = (sigma * sigma / r2) ** 3
            energy += 4.0 * epsilon * (s6 * s6 - s6)
    return energy


@example(uniform(4, 3, seed=4), np.array([1.0, -1.0, 0.5, -0.5]), 2.0)
@njit
def ewald(x, charges, alpha):
    """Charges in a periodic box: near pairs, waves, and the part that each has with itself."""
    n = len(charges)
    near = waves = own = 0.0
    for i in range(n):
        own += charges[i] ** 2
        for j in range(i):
            r2 = 0.0
            for k in range(3):
                d = x[i, k] - x[j, k]
                r2 += (d - round(d)) ** 2
            near += charges[i] * charges[j] * math.erfc(alpha * math.sqrt(r2)) / math.sqrt(r2)
    for a in range(3):
        for b in range(-2, 3):
            k2 = 4.0 * math.pi**2 * (a * a + b * b)
            if k2 == 0.0 or (a == 0 and b < 0):
                continue
            c = s = 0.0
            for i in range(n):
                angle = 2.0 * math.pi * (a * x[i, 0] + b * x[i, 1])
                c += charges[i] * math.cos(angle)
                s += charges[i] * math.sin(angle)
            waves += 4.0 * math.pi / k2 * math.exp(-k2 / (4.0 * alpha**2)) * (c * c + s * s)
    return near + waves - alpha / math.sqrt(math.pi) * own


@njit
def hit(origin, ray, centre, radius):
    """The distance along a ray of length 1 to a sphere, or None."""
    to = centre - origin
    along = (to * ray).sum()
    h = radius * radius - (to * to).sum() + along * along
    if h < 0.0:
        return None
    return along - math.sqrt(h)


@example(np.array([0.1, 0.2, 3.0]), 1.0, np.array([0.5, 1.0, -0.8]))
@njit
def ray_sphere(centre, radius, light):
    """A small picture of a lit sphere; rays that miss it see the sky."""
    light = light / np.sqrt((light * light).sum())
    origin = np.zeros(3)
    total = 0.0
    for i in range(-2, 3):
        for j in range(-2, 3):
            ray = np.array([0.2 * i, 0.2 * j, 1.0])
            ray /= np.sqrt((ray * ray).sum())
            t = hit(origin, ray, centre, radius)
            if t is None:
                total += 0.1 * ray[2]
            else:
                normal = (t * ray - centre) / radius
                total += max((normal * light).sum(), 0.05)
    return total


@njit
def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis / np.sqrt((axis * axis).sum())
    c, s = math.cos(angle), math.sin(angle)
    d = 1.0 - c
    return np.array(
        [
            [c + x * x * d, x * y * d - z * s, x * z * d + y * s],
            [y * x * d + z * s, c + y * y * d, y * z * d - x * s],
            [z * x * d - y * s, z * y * d + x * s, c + z * z * d],
        ]
    )


@example(normal(4, 3, seed=5), normal(4, 3, seed=6), np.array([0.2, 1.0, -0.4]), 0.7)
@njit
def aligned(points, targets, axis, angle):
    """How far rotated points lie from where they should."""
    r = rotation(axis, angle)
    total = 0.0
    for i in range(points.shape[0]):
        moved = r @ points[i]
        total += ((moved - targets[i]) ** 2).sum()
    return math.sqrt(total)
