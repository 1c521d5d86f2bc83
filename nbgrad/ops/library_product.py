"""Matrix products that a GPU's library multiplies, and which those are: by dtype and shape alone, in every tier."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from nbgrad.graph.dtypes import DType
from nbgrad.graph.op import LIBRARY, Op, Params, lookup
from nbgrad.graph.spec import Shape, Spec

TAKEN: Final = ("float32", "float64")
# A run without a graph enqueues each call of a library by itself, some 3 us on the host; our kernels make a tile of
# 16 x 64 with one warp, which adds up all of k. So a library takes what keeps a GPU busy for longer than its call, and
# from less work on what has long sums and few tiles. Reckoned, not measured yet.
LEAST_FLOPS: Final = 1 << 25
LONG_SUM: Final = 1024
LONG_FLOPS: Final = 1 << 22
MOST_CALLS: Final = 64  # of one product, whose batch dims may need one for each index along all but the longest


def _swapped(shape: Shape, flips: bool) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2]) if flips else shape


def _infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    factors = [Spec.of(_swapped(s.shape, flips), s.dtype) for s, flips in zip(specs, params, strict=True)]
    return lookup("matmul").infer(tuple(factors), ())


def _reference(a: Any, b: Any, flips_a: bool, flips_b: bool) -> Any:
    return np.matmul(np.swapaxes(a, -1, -2) if flips_a else a, np.swapaxes(b, -1, -2) if flips_b else b)


# params: whether each factor is given transposed. Users never write it, so it isn't in the table of operators.
LIBRARY_MATMUL: Final = Op("library_matmul", LIBRARY, _infer, _reference)


def is_taken(dtype: DType, batch: Shape, m: int, n: int, k: int) -> bool:
    """Whether a library multiplies matrices (m, k) and (k, n), so many at a time."""
    count = prod(batch)
    flops = 2 * m * n * k * count
    if dtype.name not in TAKEN or not flops or count // max([1, *batch]) > MOST_CALLS:
        return False
    return flops >= LEAST_FLOPS or (k >= LONG_SUM and flops >= LONG_FLOPS)
