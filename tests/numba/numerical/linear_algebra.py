"""Systems of equations and factors of matrices, in place and by iteration."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from bench.loops import factors, thomas
from tests.numba.numerical.example import example, normal, uniform

N = 5
SQUARE = uniform(N, N, seed=1) + N * np.eye(N)
SYMMETRIC = SQUARE + SQUARE.T

example(SQUARE, name="lu_in_place")(factors.value)


@example(np.asfortranarray(SQUARE))
@njit
def lu_of_columns(a):
    factors.factor(a)
    return a[-1, -1] * a[0, 0]


@njit
def lower_factor(a):
    n = len(a)
    lower = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= lower[i, k] * lower[j, k]
            if i == j:
                lower[i, i] = math.sqrt(s)
            else:
                lower[i, j] = s / lower[j, j]
    return lower


@example(SYMMETRIC, normal(N), slow=True)
@njit
def cholesky(a, b):
    """b^T A^-1 b + log det A."""
    lower = lower_factor(a)
    y = np.empty_like(b)
    for i in range(len(b)):
        y[i] = (b[i] - np.sum(lower[i, :i] * y[:i])) / lower[i, i]
    return np.sum(y * y) + 2.0 * np.sum(np.log(np.diag(lower)))


@example(uniform(6, 3, seed=2), normal(6, seed=3), slow=True)
@njit
def householder_qr(a, b):
    """The squared residual of least squares, by reflections in place."""
    m, n = a.shape
    for k in range(n):
        alpha = 0.0
        for i in range(k, m):
            alpha += a[i, k] ** 2
        alpha = -math.copysign(math.sqrt(alpha), a[k, k])
        v = a[k:, k].copy()
        v[0] -= alpha
        scale = 2.0 / (v * v).sum()
        for j in range(k, n):
            a[k:, j] -= scale * (v * a[k:, j]).sum() * v
        b[k:] -= scale * (v * b[k:]).sum() * v
    return (b[n:] ** 2).sum()


example(uniform(9, seed=4), 4.0 + uniform(9, seed=5), uniform(9, seed=6), uniform(9, seed=7), name="thomas")(
    thomas.value
)


@example(SYMMETRIC, normal(N, seed=8), slow=True)
@njit
def conjugate_gradient(a, b):
    """Fewer steps than unknowns: of a matrix that differences make unsymmetric, more would not be alike in number."""
    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    old = np.sum(r * r)
    for _ in range(len(b) - 1):
        q = np.zeros_like(b)
        for i in range(len(b)):
            for j in range(len(b)):
                q[i] += a[i, j] * p[j]
        alpha = old / np.sum(p * q)
        x += alpha * p
        r -= alpha * q
        new = np.sum(r * r)
        if new < 1e-24:
            break
        p = r + new / old * p
        old = new
    return np.sum(x * b)


@example(SQUARE, normal(N, seed=9))
@njit
def jacobi(a, b):
    n = len(b)
    x, new = np.zeros(n), np.zeros(n)
    for _ in range(40):
        for i in range(n):
            s = b[i]
            for j in range(n):
                if j != i:
                    s -= a[i, j] * x[j]
            new[i] = s / a[i, i]
        x, new = new, x
    return x.max() + x @ x


@example(SQUARE, normal(N, seed=10))
@njit
def gauss_seidel(a, b):
    n = len(b)
    x = np.zeros(n)
    while True:
        change = 0.0
        for i in range(n):
            s = b[i]
            for j in range(n):
                if j == i:
                    continue
                s -= a[i, j] * x[j]
            change = max(change, abs(s / a[i, i] - x[i]))
            x[i] = s / a[i, i]
        if change < 1e-13:
            break
    return np.sum(np.abs(x))


@example(normal(5, 5, seed=11), normal(5, seed=12))
@njit
def pivoted_elimination(a, b):
    n = len(b)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            for j in range(n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            b[i] -= f * b[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= a[i, j] * b[j]
        b[i] /= a[i, i]
    return np.prod(b)


@example(normal(4, 3, seed=13))
@njit
def gram_schmidt(a):
    """Orthonormal columns in place: the modified method."""
    r = np.zeros((a.shape[1], a.shape[1]))
    for j in range(a.shape[1]):
        r[j, j] = np.sqrt((a[:, j] ** 2).sum())
        a[:, j] /= r[j, j]
        for k in range(j + 1, a.shape[1]):
            r[j, k] = (a[:, j] * a[:, k]).sum()
            a[:, k] -= r[j, k] * a[:, j]
    return a[0, 0] + a[1, 1] * a[2, 2] + r[0, 1] * r[1, 2] + r[2, 2]


@njit
def product(a, b):
    out = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(b.shape[0]):
                out[i, j] += a[i, k] * b[k, j]
    return out


@example(uniform(3, 3, seed=14), 11)
@njit
def matrix_power(a, n):
    """By squaring, along the bits of n."""
    result = np.eye(len(a))
    while n > 0:
        if n & 1:
            result = product(result, a)
        a = product(a, a)
        n >>= 1
    return np.log(result.sum())


@example(2.0 * uniform(3, 3, seed=15), slow=True)
@njit
def matrix_exponential(a):
    """A Pade approximant of degree 3, scaled and squared."""
    n, halvings = len(a), 0
    norm = np.abs(a).sum(axis=1).max()
    while norm > 0.1:
        norm *= 0.5
        halvings += 1
    a = a / 2.0**halvings
    a2 = product(a, a)
    u = product(a, 60.0 * np.eye(n) + a2)
    v = 120.0 * np.eye(n) + 12.0 * a2
    result = np.linalg.solve(v - u, v + u)
    for _ in range(halvings):
        result = product(result, result)
    return result[0, 1] + result[2, 2] + np.trace(result)


@example(SYMMETRIC)
@njit
def power_iteration(a):
    """The largest eigenvalue, as a Rayleigh quotient."""
    x = np.ones(len(a))
    for _ in range(60):
        y = product(a, x.reshape((-1, 1)))[:, 0]
        x = y / np.sqrt(np.sum(y * y))
    return np.sum(x * product(a, x.reshape((-1, 1)))[:, 0])


@example(uniform(4, seed=16), uniform(4, seed=17), complex_step=True, rtol=1e-12)
@njit
def dot(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s
