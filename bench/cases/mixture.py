"""Log-likelihood of a Gaussian mixture with diagonal covariances, and its gradients: broadcasts that want fusing."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from bench.libraries import COMPILED, NUMBA, NUMPY
from bench.measure import Case, Work
from bench.ways import gradients

LOG_2PI = math.log(2 * math.pi)


def log_likelihood(lib: Any, logits: Any, means: Any, log_scales: Any, points: Any) -> Any:
    """Shapes: logits (K,), means and log_scales (K, d), points (n, d)."""
    z = (points[:, None, :] - means) * lib.exp(-log_scales)
    density = -0.5 * (z * z).sum(2) - log_scales.sum(1) - 0.5 * LOG_2PI * points.shape[1]
    return lib.logsumexp(density + (logits - lib.logsumexp(logits, 0)), 1).sum()


def _numpy(logits: Any, means: Any, log_scales: Any, points: Any) -> Work:
    """With expectations over components in closed form, as statistics books derive them."""

    def work() -> Any:
        inverse = np.exp(-log_scales)
        z = (points[:, None, :] - means) * inverse
        density = -0.5 * (z * z).sum(2) - log_scales.sum(1) - 0.5 * LOG_2PI * points.shape[1]
        share = np.exp(logits - logits.max())
        share /= share.sum()
        terms = density + np.log(share)
        top = terms.max(1, keepdims=True)
        weights = np.exp(terms - top)
        sums = weights.sum(1, keepdims=True)
        weights /= sums
        weighted = weights[:, :, None] * z
        grad_means = weighted.sum(0) * inverse
        grad_scales = (weighted * z).sum(0) - weights.sum(0)[:, None]
        return (np.log(sums) + top).sum(), weights.sum(0) - len(points) * share, grad_means, grad_scales

    return work


def _by_hand(logits: Any, means: Any, log_scales: Any, points: Any) -> Work:
    """Point by point: nothing of size n x K x d is ever written."""
    from numba import get_num_threads, njit, prange

    @njit
    def part(shift: Any, means: Any, inverse: Any, points: Any, grads: Any) -> Any:
        components, dims = means.shape
        terms, total = np.empty(components), 0.0
        for i in range(points.shape[0]):
            for k in range(components):
                terms[k] = shift[k]
                for j in range(dims):
                    z = (points[i, j] - means[k, j]) * inverse[k, j]
                    terms[k] -= 0.5 * z * z
            top, below = terms.max(), 0.0
            for k in range(components):
                terms[k] = math.exp(terms[k] - top)
                below += terms[k]
            total += top + math.log(below)
            for k in range(components):
                weight = terms[k] / below
                grads[0, k, 0] += weight
                for j in range(dims):
                    z = (points[i, j] - means[k, j]) * inverse[k, j]
                    grads[1, k, j] += weight * z * inverse[k, j]
                    grads[2, k, j] += weight * z * z
        return total

    @njit(parallel=True)
    def run(shift: Any, means: Any, inverse: Any, points: Any, grads: Any, totals: Any) -> None:
        for t in prange(len(grads)):
            begin, end = t * len(points) // len(grads), (t + 1) * len(points) // len(grads)
            grads[t] = 0.0
            totals[t] = part(shift, means, inverse, points[begin:end], grads[t])

    threads = get_num_threads()
    grads, totals = np.empty((threads, 3, *means.shape)), np.empty(threads)

    def work() -> Any:
        share = np.exp(logits - logits.max())
        share /= share.sum()
        shift = np.log(share) - log_scales.sum(1) - 0.5 * LOG_2PI * points.shape[1]
        run(shift, means, np.exp(-log_scales), points, grads, totals)
        weights, grad_means, grad_scales = grads.sum(0)
        return totals.sum(), weights[:, 0] - len(points) * share, grad_means, grad_scales - weights[:, :1]

    return work


def cases(quick: bool) -> list[Case]:
    """10,000 points in 10 dimensions, 25 components."""
    n, d, components = (500 if quick else 10_000), 10, 25
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=components), rng.normal(size=(components, d)), 0.3 * rng.normal(size=(components, d))
    points = rng.normal(size=(n, d))
    makers = {
        **gradients(log_likelihood, inputs, [points]),
        NUMPY: partial(_numpy, *inputs, points),
        NUMBA: partial(_by_hand, *inputs, points),
    }
    size = f"{n:,} points, {d} dimensions, {components} components, float64"
    goals = {COMPILED: 0.4}
    return [Case("Gaussian mixture log-likelihood", size, makers, 1, 1e-8, goals, goals, floor=NUMBA)]
