"""Interpolation, quadrature, series and special functions."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tests.numba.numerical.example import example, normal, uniform


@example(uniform(7, seed=1), uniform(4, seed=2, low=0.02, high=0.95))
@njit
def cubic_spline(y, points):
    """A natural spline on [0, 1]: its set-up, then its values."""
    n = len(y)
    m, c = np.zeros(n), np.zeros(n)
    for i in range(1, n - 1):
        w = 4.0 - c[i - 1]
        c[i] = 1.0 / w
        m[i] = (6.0 * (y[i + 1] - 2.0 * y[i] + y[i - 1]) - m[i - 1]) / w
    for i in range(n - 2, 0, -1):
        m[i] -= c[i] * m[i + 1]
    total = 0.0
    for p in points:
        x = p * (n - 1)
        i = min(int(x), n - 2)
        t = x - i
        total += (1 - t) * y[i] + t * y[i + 1]
        total += (((1 - t) ** 3 - (1 - t)) * m[i] + (t**3 - t) * m[i + 1]) / 6
    return total


@example(normal(5, 2, seed=3), 0.3)
@njit
def de_casteljau(points, t):
    """The squared distance of a point on a Bezier curve from (1, 1)."""
    q = points.copy()
    for r in range(1, len(q)):
        for i in range(len(q) - r):
            q[i] = (1.0 - t) * q[i] + t * q[i + 1]
    return (q[0, 0] - 1.0) ** 2 + (q[0, 1] - 1.0) ** 2


@example(np.array([0.0, 0.4, 1.1, 1.5]), normal(4, seed=4), 0.7, complex_step=True, rtol=1e-11)
@njit
def barycentric(nodes, values, x):
    upper = lower = 0.0
    for i in range(len(nodes)):
        w = 1.0
        for j in range(len(nodes)):
            if j != i:
                w /= nodes[i] - nodes[j]
        w /= x - nodes[i]
        upper += w * values[i]
        lower += w
    return upper / lower


@njit
def legendre_rule(n):
    """Nodes by Newton's method on the recursion of the polynomials."""
    nodes, weights = np.empty(n), np.empty(n)
    for i in range(n):
        x = math.cos(math.pi * (i + 0.75) / (n + 0.5))
        while True:
            p0, p1 = 1.0, x
            for k in range(2, n + 1):
                p0, p1 = p1, ((2 * k - 1) * x * p1 - (k - 1) * p0) / k
            slope = n * (x * p1 - p0) / (x * x - 1.0)
            step = p1 / slope
            x -= step
            if abs(step) < 1e-15:
                break
        nodes[i] = x
        weights[i] = 2.0 / ((1.0 - x * x) * slope * slope)
    return nodes, weights


@example(0.2, 1.7, 1.3)
@njit
def gauss_legendre(a, b, rate):
    nodes, weights = legendre_rule(6)
    x = 0.5 * (b - a) * nodes + 0.5 * (a + b)
    return 0.5 * (b - a) * np.sum(weights * np.exp(-rate * x) * np.sin(x))


@njit
def bell(x, width):
    return math.exp(-((x / width) ** 2)) / (1.0 + x * x)


@example(-1.0, 2.0, 0.8, 20)
@njit
def simpson(a, b, width, n):
    h = (b - a) / n
    total = bell(a, width) + bell(b, width)
    for i in range(1, n):
        total += (4 if i % 2 else 2) * bell(a + i * h, width)
    return total * h / 3


@njit
def simpson_rule(a, b, width):
    return (b - a) / 6.0 * (bell(a, width) + 4.0 * bell(0.5 * (a + b), width) + bell(b, width))


@njit
def refined(a, b, width, whole, tolerance, depth):
    m = 0.5 * (a + b)
    left, right = simpson_rule(a, m, width), simpson_rule(m, b, width)
    error = left + right - whole
    if depth == 0 or abs(error) < 15.0 * tolerance:
        return left + right + error / 15.0
    return refined(a, m, width, left, 0.5 * tolerance, depth - 1) + refined(
        m, b, width, right, 0.5 * tolerance, depth - 1
    )


@example(-1.0, 2.0, 0.3)
@njit
def adaptive_quadrature(a, b, width):
    """By recursion, where the error is."""
    return refined(a, b, width, simpson_rule(a, b, width), 1e-6, 12)


@example(0.1, 1.4, 2.0)
@njit
def romberg(a, b, power):
    levels = 6
    r = np.zeros((levels, levels))
    h = b - a
    r[0, 0] = 0.5 * h * (a**power * math.cos(a) + b**power * math.cos(b))
    for i in range(1, levels):
        h *= 0.5
        total = 0.0
        for k in range(1, 2**i, 2):
            x = a + k * h
            total += x**power * math.cos(x)
        r[i, 0] = 0.5 * r[i - 1, 0] + h * total
        for j in range(1, i + 1):
            r[i, j] = r[i, j - 1] + (r[i, j - 1] - r[i - 1, j - 1]) / (4**j - 1)
    return r[-1, -1]


@example(2.3, 0.5)
@njit
def bessel_series(x, scale):
    term = total = scale
    k = 1
    while abs(term) > 1e-17 * abs(total):
        term *= -x * x / (4.0 * k * k)
        total += term
        k += 1
    return total


@example(1.7, 3.2)
@njit
def incomplete_gamma(a, x):
    """Lentz's method for the continued fraction of Q(a, x) Gamma(a)."""
    tiny = 1e-300
    b = x + 1.0 - a
    c, d = 1.0 / tiny, 1.0 / b
    h = d
    for i in range(1, 200):
        an = -i * (i - a)
        b += 2.0
        d = an * d + b
        if abs(d) < tiny:
            d = tiny
        c = b + an / c
        if abs(c) < tiny:
            c = tiny
        d = 1.0 / d
        factor = d * c
        h *= factor
        if abs(factor - 1.0) < 1e-16:
            break
    return math.exp(-x + a * math.log(x)) * h


@example(normal(6, seed=5), 0.37, complex_step=True, rtol=1e-12)
@njit
def clenshaw(c, x):
    """A Chebyshev series."""
    b1 = b2 = 0.0 * x
    for k in range(len(c) - 1, 0, -1):
        b1, b2 = 2.0 * x * b1 - b2 + c[k], b1
    return x * b1 - b2 + c[0]


@example(normal(5, seed=6), 1.3, complex_step=True, rtol=1e-12)
@njit
def horner(c, x):
    """A polynomial times its derivative."""
    p = d = 0.0 * x
    for a in c:
        d = d * x + p
        p = p * x + a
    return p * d
