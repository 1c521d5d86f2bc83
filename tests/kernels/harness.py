"""Runs one KernelText on NumPy arrays through compiled code, and says in NumPy what it must give.

The references of the reductions follow the orders written in nbgrad/tape/kernel.py, element by element.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

import nbgrad.ops  # noqa: F401  fills the table of operators
from nbgrad.graph.blocks import COLUMN_RUN, ROW_RUN
from nbgrad.graph.op import OPS
from nbgrad.kernels.compile import compile_kernels
from nbgrad.kernels.engine import Engine
from nbgrad.kernels.launch import warp_items
from nbgrad.kernels.target import Target, host, host_warps, named
from nbgrad.tape.kernel import COLUMN_CHUNK, LANES, KernelText
from tests.kernels.ptx.launch import kernel_of

Array = Any

SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


def runnable_targets() -> list[Target]:
    """The host and the older CPUs it can stand in for."""
    order = {"sse2": 0, "avx2": 1, "avx512": 2}
    here = host()
    older = [named(cpu) for cpu in ("haswell", "x86-64")] if here.level in order else []
    return [here, *[t for t in older if order[t.level] < order[here.level] or t.level == "sse2"]]


CPUS = runnable_targets()
TARGETS = [*CPUS, host_warps()]  # the forms of a GPU run here, too


@functools.lru_cache(maxsize=256)
def compiled(text: KernelText, target: Target) -> tuple[Any, Any]:
    """The kernel as a function of the CPU's ABI, and what must be kept for it."""
    if target.is_thread:
        return kernel_of(text, target), None
    engine = Engine()
    engine.load(compile_kernels([text], target))
    address = engine.address(text.symbol)
    assert address
    return SIGNATURE(address), engine


@dataclass
class Index:
    """An "index" operand: start + sum(position * step)."""

    start: int
    steps: tuple[int, ...]


def call(
    text: KernelText,
    operands: Sequence[Array | Index],
    sizes: Sequence[int],
    extra: Sequence[int] = (),
    items: int | None = None,
    target: Target | None = None,
    splits: Sequence[int] = (),
    block_strides: dict[int, int] | None = None,
) -> int:
    """Run the kernel over ``items``, cut at ``splits``; the first failure code, or 0.

    Arrays have one dim for each of ``sizes`` (results of reductions: for each kept one), tables have one.
    """
    words = [*sizes, *extra]
    dims = len(sizes)
    for k, (spec, operand) in enumerate(zip(text.operands, operands, strict=True)):
        if isinstance(operand, Index):
            words += [operand.start, *operand.steps]
        elif spec.role == "table":
            words += [operand.ctypes.data, operand.size, *[0] * max(dims - 1, 0)]
        elif operand.ndim < dims:
            reduced = [(block_strides or {}).get(k, 0)] + [0] * (dims - operand.ndim - 1)
            words += [operand.ctypes.data, *operand.strides, *reduced]
        else:
            words += [operand.ctypes.data, *operand.strides]
    desc = np.array(words, np.int64)
    function, _ = compiled(text, target or host())
    if items is None:
        items = sizes[0] if len(sizes) == 1 else prod(sizes[:-1])
    if target is not None and target.is_warp:
        items = warp_items(text, items, words)
        splits = [min(cut, items) for cut in splits]
    cuts = [0, *splits, items]
    for begin, end in pairwise(cuts):
        code = int(function(desc.ctypes.data, begin, end))
        if code:
            return code
    return 0


def values_of(text: KernelText, operands: Sequence[Array | Index], sizes: Sequence[int]) -> list[Array]:
    """Every value of the kernel over all its elements, by the operators' references."""
    values: list[Array] = []
    for spec, operand in zip(text.operands, operands, strict=True):
        if isinstance(operand, Index):
            grid = np.indices(sizes, dtype=np.int64)
            values.append(operand.start + sum(grid[d] * s for d, s in enumerate(operand.steps)))
        else:
            values.append(np.array(operand) if spec.role == "in" else operand)
    with np.errstate(all="ignore"):
        for stmt in text.stmts:
            args = [values[a] for a in stmt.args]
            reference = EXTREMES.get(stmt.op) or OPS[stmt.op].reference
            values.append(np.asarray(reference(*args, *stmt.params)).astype(stmt.dtype))
    return values


def exact_maximum(a: Array, b: Array) -> Array:
    """IEEE 754-2019 maximum: NaN passes on and -0 < +0 (NumPy gives either zero)."""
    return np.where(a == b, np.where(np.signbit(a), b, a), np.maximum(a, b))


def exact_minimum(a: Array, b: Array) -> Array:
    return np.where(a == b, np.where(np.signbit(a), a, b), np.minimum(a, b))


EXTREMES = {"maximum": exact_maximum, "minimum": exact_minimum}


def row_extra(outer: int, inner: int, rows: int | None = None, columns: int | None = None) -> tuple[int, ...]:
    """The four extra words of a row kernel, for blocks of ``rows`` x ``columns``."""
    rows = rows or max(outer, 1)
    columns = columns or max(inner, 1)
    segments = max(-(-inner // columns), 1)
    return rows, columns, segments, segments * max(-(-outer // rows), 1)


def row_reference(combine: Any, identity: Any, x: Array, extra: Sequence[int]) -> Array:
    """x is (outputs, A, B); gives (outputs, blocks)."""
    rows, columns, segments, blocks = extra
    outputs, outer, inner = x.shape
    result = np.full((outputs, blocks), identity, x.dtype)
    for o in range(outputs):
        for block in range(blocks):
            first, start = (block // segments) * rows, (block % segments) * columns
            runs, lanes = np.full(LANES, identity, x.dtype), np.full(LANES, identity, x.dtype)
            for a in range(first, min(first + rows, outer)):
                for j in range(start, min(start + columns, inner), LANES):
                    if j > start and (j - start) % ROW_RUN == 0:
                        runs, lanes = combine(runs, lanes), np.full(LANES, identity, x.dtype)
                    part = x[o, a, j : min(j + LANES, start + columns, inner)]
                    lanes[: part.size] = combine(lanes[: part.size], part)
            lanes = combine(runs, lanes)
            half = LANES // 2
            while half:
                lanes[:half] = combine(lanes[:half], lanes[half : 2 * half])
                half //= 2
            result[o, block] = lanes[0]
    return result


def column_reference(combine: Any, identity: Any, x: Array) -> Array:
    """x is (reduced, inner); gives (inner,)."""
    total = np.full(x.shape[1], identity, x.dtype)
    for first in range(0, x.shape[0], COLUMN_RUN):
        run = np.full(x.shape[1], identity, x.dtype)
        for r in range(first, min(first + COLUMN_RUN, x.shape[0])):
            run = combine(run, x[r])
        total = combine(total, run)
    return total


def column_extra(inner: int, length: int = 1 << 40) -> tuple[int, ...]:
    """The extra words of a column kernel whose blocks have ``length`` reduced elements; usually there is one block."""
    return COLUMN_RUN, COLUMN_CHUNK, max(-(-inner // COLUMN_CHUNK), 1), length


def same_bits(a: Array, b: Array) -> bool:
    """Equal to the last bit, signs of zeros included; NaNs are all alike."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return bool((a == b).all())
    equal = (a == b) & (np.signbit(a) == np.signbit(b))
    return bool((equal | (np.isnan(a) & np.isnan(b))).all())


def sample(rng: np.random.Generator, shape: Sequence[int], dtype: str) -> Array:
    """Values of every kind that ``dtype`` has, special ones among them."""
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype.startswith("float"):
        x = (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).astype(dtype)
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, 2.5], dtype)
        return np.where(rng.random(shape) < 0.1, rng.choice(special, shape), x)
    limits = np.iinfo(dtype)
    wide = rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    near = rng.integers(0 if limits.min == 0 else -5, 6, shape).astype(dtype)
    special = np.array([limits.min, limits.max], dtype)
    x = np.where(rng.random(shape) < 0.6, near, wide)
    return np.where(rng.random(shape) < 0.05, rng.choice(special, shape), x)
