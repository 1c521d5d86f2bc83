"""Recursions along time: filters, hidden states, alignments, likelihoods."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from bench.loops import kalman, warping
from tests.numba.numerical.example import example, normal, uniform

example(uniform(7, seed=1), 0.3, 0.5, 0.1, name="kalman")(kalman.value)


@njit
def bearing(x):
    """An angle and a distance seen, and their derivatives by the state."""
    r2 = x[0] ** 2 + x[1] ** 2
    r = np.sqrt(r2)
    seen = np.array([np.arctan2(x[1], x[0]), r])
    slope = np.zeros((2, 4))
    slope[0, 0], slope[0, 1] = -x[1] / r2, x[0] / r2
    slope[1, 0], slope[1, 1] = x[0] / r, x[1] / r
    return seen, slope


@example(
    normal(4, 2, seed=2) * 0.1 + 1.2,
    np.array([1.0, 2.0, 0.3, 0.1]),
    0.05,
    np.array([0.02, 0.1]),
    slow=True,
)
@njit
def extended_kalman(zs, x, q, noise):
    """Matrices of NumPy in each step, an inverse among them."""
    move = np.eye(4)
    move[0, 2] = move[1, 3] = 0.1
    p = np.eye(4)
    total = 0.0
    for t in range(zs.shape[0]):
        x = move @ x
        p = move @ p @ move.T + q * np.eye(4)
        seen, h = bearing(x)
        s = h @ p @ h.T + np.diag(noise)
        gain = p @ h.T @ np.linalg.inv(s)
        e = zs[t] - seen
        total += 0.5 * np.log(np.linalg.det(s)) + 0.5 * (e @ np.linalg.solve(s, e))
        x = x + gain @ e
        p = (np.eye(4) - gain @ h) @ p
    return total


@njit
def log_sum_exp(v):
    top = v.max()
    s = 0.0
    for x in v:
        s += math.exp(x - top)
    return top + math.log(s)


@example(uniform(6, seed=3), normal(3, 3, seed=4), normal(3, seed=5))
@njit
def hmm_forward(observed, transition, means):
    """All in logarithms."""
    n = len(means)
    alpha = -0.5 * (observed[0] - means) ** 2 - math.log(n)
    rows = np.empty_like(transition)
    for i in range(n):
        rows[i] = transition[i] - log_sum_exp(transition[i])
    for t in range(1, len(observed)):
        new = np.empty(n)
        for j in range(n):
            new[j] = log_sum_exp(alpha + rows[:, j]) - 0.5 * (observed[t] - means[j]) ** 2
        alpha = new
    return log_sum_exp(alpha)


@example(normal(6, seed=6), np.log(uniform(3, 3, seed=7, low=0.1)), normal(3, seed=8))
@njit
def viterbi(observed, transition, means):
    """The score of the best path, and the mean that its last state has."""
    n = len(means)
    score = -((observed[0] - means) ** 2)
    for t in range(1, len(observed)):
        new = np.full(n, -np.inf)
        for j in range(n):
            for i in range(n):
                s = score[i] + transition[i, j]
                if s > new[j]:
                    new[j] = s
            new[j] -= (observed[t] - means[j]) ** 2
        score = new
    return score.max() + 0.1 * means[np.argmax(score)]


example(normal(5, seed=9), normal(7, seed=10), name="dynamic_time_warping")(warping.value)


@example(np.array([0, 2, 1, 3, 2]), np.array([2, 1, 1, 0]), uniform(4, 4, seed=11), 0.6, 0.4)
@njit
def soft_edit_distance(a, b, substitution, gap, temperature):
    """Minima are soft; letters are integers that choose the costs."""
    row = gap * np.arange(len(b) + 1)
    for i in range(len(a)):
        before = row.copy()
        row[0] = before[0] + gap
        for j in range(len(b)):
            ways = (before[j] + substitution[a[i], b[j]], before[j + 1] + gap, row[j] + gap)
            low = min(ways)
            s = 0.0
            for w in ways:
                s += math.exp((low - w) / temperature)
            row[j + 1] = low - temperature * math.log(s)
    return row[-1]


@example(normal(8, seed=12), 0.1, 0.2, 0.7, complex_step=True, rtol=1e-11)
@njit
def garch(e, omega, alpha, beta):
    h = omega / (1.0 - alpha - beta)
    total = 0.0
    for t in range(len(e)):
        total -= 0.5 * (np.log(h) + e[t] ** 2 / h)
        h = omega + alpha * e[t] ** 2 + beta * h
    return total


@example(normal(12, seed=13), np.array([0.5, -0.2]), np.array([0.3]), 0.7)
@njit
def arma(y, phi, theta, sigma):
    """Conditional likelihood; residuals are kept for the moving average."""
    p, q, n = len(phi), len(theta), len(y)
    e = np.zeros(n)
    total = 0.0
    for t in range(n):
        mean = 0.0
        for k in range(min(p, t)):
            mean += phi[k] * y[t - 1 - k]
        for k in range(min(q, t)):
            mean += theta[k] * e[t - 1 - k]
        e[t] = y[t] - mean
        total -= math.log(sigma) + 0.5 * (e[t] / sigma) ** 2
    return total


@example(normal(9, seed=14), np.array([0.6, 0.1, -0.3]))
@njit
def robust_residuals(y, phi):
    """Huber's loss of an autoregression."""
    total = 0.0
    for t in range(len(phi), len(y)):
        r = y[t] - np.dot(phi, np.ascontiguousarray(y[t - len(phi) : t][::-1]))
        total += 0.5 * r * r if abs(r) < 1.0 else abs(r) - 0.5
    return total


@example(uniform(12, seed=15) + 2.0, 0.4, 0.2, 0.3, 4)
@njit
def holt_winters(y, alpha, beta, gamma, period):
    level, trend = y[0], y[1] - y[0]
    season = np.ones(period)
    loss = 0.0
    for t in range(1, len(y)):
        s = season[t % period]
        loss += (y[t] - (level + trend) * s) ** 2
        new = alpha * y[t] / s + (1.0 - alpha) * (level + trend)
        trend = beta * (new - level) + (1.0 - beta) * trend
        season[t % period] = gamma * y[t] / new + (1.0 - gamma) * s
        level = new
    return loss / (len(y) - 1)
