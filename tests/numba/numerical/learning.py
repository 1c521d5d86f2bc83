"""Losses of small models, and statistics that sort."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tests.numba.numerical.example import example, normal, uniform


@example(normal(6, 3, seed=1), np.array([0, 1, 1, 0, 1, 0]), normal(3, seed=2), 0.1, 0.01)
@njit
def logistic_regression(x, y, w, b, ridge):
    loss = 0.0
    for i in range(x.shape[0]):
        z = b
        for j in range(x.shape[1]):
            z += w[j] * x[i, j]
        loss += max(z, 0.0) - z * y[i] + math.log1p(math.exp(-abs(z)))
    return loss / len(y) + ridge * (w**2).sum()


@example(normal(4, 3, seed=3), np.array([0, 1, 2, 1]), normal(3, 5, seed=4), normal(5, seed=5), normal(5, 3, seed=6))
@njit
def network(x, labels, w1, b1, w2):
    """A layer of tanh, softmax and cross-entropy, in loops."""
    loss = 0.0
    hidden, out = np.empty(w1.shape[1]), np.empty(w2.shape[1])
    for i in range(x.shape[0]):
        for j in range(w1.shape[1]):
            s = b1[j]
            for k in range(w1.shape[0]):
                s += x[i, k] * w1[k, j]
            hidden[j] = math.tanh(s)
        for j in range(w2.shape[1]):
            out[j] = 0.0
            for k in range(w2.shape[0]):
                out[j] += hidden[k] * w2[k, j]
        top = max(out)
        loss += top + math.log(np.exp(out - top).sum()) - out[labels[i]]
    return loss / len(labels)


@example(normal(6, 2, seed=7), normal(3, 2, seed=8), 0.5)
@njit
def soft_k_means(x, centres, temperature):
    """Two rounds of soft assignments; the centres move in place."""
    loss = 0.0
    for _ in range(2):
        weight, total = np.zeros(len(centres)), np.zeros_like(centres)
        loss = 0.0
        for i in range(len(x)):
            d = np.array([((x[i] - centres[k]) ** 2).sum() for k in range(len(centres))])
            p = np.exp((d.min() - d) / temperature)
            p /= p.sum()
            for k in range(len(centres)):
                weight[k] += p[k]
                total[k] += p[k] * x[i]
                loss += p[k] * d[k]
        for k in range(len(centres)):
            centres[k] = total[k] / weight[k]
    return loss + centres[0, 1]


@example(normal(7, seed=9), np.linspace(-1, 1, 4), 0.4)
@njit
def kernel_density(data, points, bandwidth):
    """The logarithm of the likelihood of points."""
    total = 0.0
    for p in points:
        s = 0.0
        for x in data:
            s += math.exp(-0.5 * ((p - x) / bandwidth) ** 2)
        total += math.log(s / (len(data) * bandwidth * math.sqrt(2.0 * math.pi)))
    return total


@example(np.linspace(0, 2, 5) ** 1.3, normal(5, seed=10), 0.9, 0.7, 0.2)
@njit
def gaussian_process(x, y, amplitude, length, noise):
    """Minus the logarithm of the evidence, by an own factorisation."""
    n = len(x)
    k = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            k[i, j] = amplitude**2 * math.exp(-0.5 * ((x[i] - x[j]) / length) ** 2)
        k[i, i] += noise**2
    for j in range(n):  # the factor takes the matrix's place
        for i in range(j):
            k[j, j] -= k[j, i] ** 2
        k[j, j] = math.sqrt(k[j, j])
        for i in range(j + 1, n):
            for m in range(j):
                k[i, j] -= k[i, m] * k[j, m]
            k[i, j] /= k[j, j]
    total = 0.5 * n * math.log(2.0 * math.pi)
    for i in range(n):
        for j in range(i):
            y[i] -= k[i, j] * y[j]
        y[i] /= k[i, i]
        total += 0.5 * y[i] ** 2 + math.log(k[i, i])
    return total


@njit
def insertion_sort(a):
    for i in range(1, len(a)):
        x = a[i]
        j = i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x


@example(normal(7, seed=11), normal(7, seed=12), 0.3)
@njit
def quantile_loss(y, predicted, q):
    """Residuals sorted in place; the quantile between two of them, and the pinball loss."""
    r = y - predicted
    insertion_sort(r)
    at = q * (len(r) - 1)
    k = int(at)
    quantile = r[k] + (at - k) * (r[k + 1] - r[k])
    loss = 0.0
    for v in r:
        loss += q * v if v > 0.0 else (q - 1.0) * v
    return loss + quantile**2


@example(normal(9, seed=23), 0.2, slow=True)
@njit
def trimmed_statistics(x, share):
    """The moments of what is left when the extremes are gone: NumPy's own sort."""
    ordered = np.sort(x)
    cut = int(share * len(x))
    kept = ordered[cut : len(x) - cut]
    return kept.mean() + kept.std() + np.median(x) * share + ordered[-1]


@example(normal(8, seed=14), np.array([0.3, 0.7]), np.array([-0.5, 0.8]), np.array([0.6, 0.9]))
@njit
def mixture(x, weights, means, deviations):
    total = 0.0
    for i in range(len(x)):
        p = 0.0
        for k in range(len(weights)):
            z = (x[i] - means[k]) / deviations[k]
            p += weights[k] * math.exp(-0.5 * z * z) / deviations[k]
        total += math.log(p)
    return total


@example(uniform(5, 4, seed=15), uniform(4, 4, seed=16), slow=True)
@njit
def attention(x, w):
    """Scores, softmax along rows, weighted means: whole arrays."""
    scores = x @ w @ x.T / math.sqrt(x.shape[1])
    out = np.empty_like(x)
    for i in range(len(x)):
        e = np.exp(scores[i] - scores[i].max())
        out[i] = (e / e.sum()) @ x
    return (out**2).sum()
