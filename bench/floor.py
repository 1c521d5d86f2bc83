"""The least that a case can cost on this machine: its memory traffic, or its matrix products and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from bench.measure import Work

COPY: Final = "floor: copying"
GEMMS: Final = "floor: bare GEMMs"


def copying(traffic_bytes: int) -> Work:
    """A copy that reads and writes ``traffic_bytes`` in all, on all threads."""
    from numba import njit, prange

    @njit(parallel=True)
    def copy(source: Any, target: Any) -> None:
        for i in prange(source.size):
            target[i] = source[i]

    source = np.ones(traffic_bytes // 16)
    target = np.zeros_like(source)
    return lambda: copy(source, target)


def gemms(products: Iterable[tuple[int, int, int]], dtype: Any = np.float32) -> Work:
    """The products (rows, inner, columns), one after the other, by NumPy's BLAS into memory that is there."""
    rng = np.random.default_rng(0)
    operands = [
        (rng.random((n, k)).astype(dtype), rng.random((k, m)).astype(dtype), np.empty((n, m), dtype))
        for n, k, m in products
    ]

    def work() -> None:
        for a, b, out in operands:
            np.matmul(a, b, out=out)

    return work
