"""Layer norm, GELU and softmax over rows, and back: all between reading x and writing its gradient fits a row."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from bench.floor import COPY, copying
from bench.libraries import AUTOGRAD, COMPILED, JAX, NBGRAD, NBGRAD_COMPILED, NUMBA, TORCH
from bench.measure import Case, Work
from bench.ways import by_autograd, by_backward, by_jax, by_nbgrad_compile, by_torch_compile

EPS = 1e-5
ROOT_HALF, ROOT_2PI = math.sqrt(0.5), math.sqrt(2 * math.pi)


def rows(lib: Any, x: Any, weight: Any, bias: Any, g: Any) -> Any:
    """The function in nbgrad and PyTorch."""
    f = lib.nn.functional
    y = f.layer_norm(x, (x.shape[1],), weight, bias, EPS)
    return (f.softmax(f.gelu(y), dim=-1) * g).sum()


def rows_in_jax(jnp: Any, x: Any, weight: Any, bias: Any, g: Any) -> Any:
    """The same in JAX."""
    import jax

    centred = x - x.mean(1, keepdims=True)
    y = centred * jax.lax.rsqrt((centred * centred).mean(1, keepdims=True) + EPS) * weight + bias
    return (jax.nn.softmax(jax.nn.gelu(y, approximate=False)) * g).sum()


def rows_in_numpy(anp: Any, x: Any, weight: Any, bias: Any, g: Any) -> Any:
    """The same in NumPy, for HIPS autograd."""
    centred = x - anp.mean(x, 1, keepdims=True)
    y = centred / anp.sqrt(anp.mean(centred * centred, 1, keepdims=True) + EPS) * weight + bias
    y = y * 0.5 * (1 + anp.erf(y * ROOT_HALF))
    p = anp.exp(y - anp.max(y, 1, keepdims=True))
    return anp.sum(p / anp.sum(p, 1, keepdims=True) * g)


def _by_hand(arrays: Any, g: Any) -> Work:
    """Row by row, threads in blocks of rows; what a row needs stays in cache."""
    from numba import get_num_threads, njit, prange

    @njit(fastmath={"reassoc", "nsz", "contract"})
    def row(x: Any, weight: Any, bias: Any, g: Any, grad: Any, sums: Any, kept: Any) -> Any:
        hat, y, p = kept
        size = x.size
        one, half = np.float32(1), np.float32(0.5)
        mean = x.sum() / np.float32(size)
        var = np.float32(0)
        for j in range(size):
            var += (x[j] - mean) * (x[j] - mean)
        scale = one / np.float32(math.sqrt(var / np.float32(size) + np.float32(EPS)))
        for j in range(size):
            hat[j] = (x[j] - mean) * scale
            y[j] = hat[j] * weight[j] + bias[j]
            p[j] = y[j] * half * (one + np.float32(math.erf(y[j] * np.float32(ROOT_HALF))))
        top, below, dot = p.max(), np.float32(0), np.float32(0)
        for j in range(size):
            p[j] = math.exp(p[j] - top)
            below += p[j]
            dot += p[j] * g[j]
        dot /= below
        first = second = np.float32(0)
        for j in range(size):
            cdf = half * (one + np.float32(math.erf(y[j] * np.float32(ROOT_HALF))))
            density = np.float32(math.exp(-half * y[j] * y[j])) / np.float32(ROOT_2PI)
            d = p[j] / below * (g[j] - dot) * (cdf + y[j] * density)
            sums[0, j] += d * hat[j]
            sums[1, j] += d
            d *= weight[j]
            grad[j] = d
            first += d
            second += d * hat[j]
        for j in range(size):
            grad[j] = (grad[j] - (first + hat[j] * second) / np.float32(size)) * scale
        return dot

    @njit(parallel=True)
    def run(x: Any, weight: Any, bias: Any, g: Any, grad: Any, sums: Any, kept: Any, totals: Any) -> None:
        for t in prange(len(sums)):
            sums[t] = np.float32(0)
            totals[t] = 0.0
            for i in range(t * len(x) // len(sums), (t + 1) * len(x) // len(sums)):
                totals[t] += row(x[i], weight, bias, g[i], grad[i], sums[t], kept[t])

    x = arrays[0]
    threads, columns = get_num_threads(), x.shape[1]
    grad, totals = np.empty_like(x), np.empty(threads)
    sums, kept = np.empty((threads, 2, columns), np.float32), np.empty((threads, 3, columns), np.float32)

    def work() -> Any:
        run(*arrays, g, grad, sums, kept, totals)
        return totals.sum(), grad, *sums.sum(0)

    return work


def cases(quick: bool) -> list[Case]:
    """4096 rows of 1024."""
    count, columns = (64 if quick else 4096), 1024
    rng = np.random.default_rng(0)
    shapes = (count, columns), (columns,), (columns,), (count, columns)
    *arrays, g = (rng.normal(size=shape).astype(np.float32) for shape in shapes)
    makers = {name: partial(by_backward, name, rows, arrays, [g]) for name in (NBGRAD, TORCH)}
    makers |= {
        NBGRAD_COMPILED: partial(by_nbgrad_compile, rows, arrays, [g]),
        COMPILED: partial(by_torch_compile, rows, arrays, [g]),
        JAX: partial(by_jax, rows_in_jax, arrays, [g]),
        AUTOGRAD: partial(by_autograd, rows_in_numpy, arrays, [g]),
        NUMBA: partial(_by_hand, arrays, g),
        COPY: partial(copying, 3 * g.nbytes),  # x and g are read, the gradient is written
    }
    size = f"{count} x {columns} float32"
    goals = {TORCH: 0.5}
    title = "layer norm, GELU, softmax"
    return [Case(title, size, makers, 1, 1e-3, goals, goals, memory_share=0.7, floor=COPY)]
