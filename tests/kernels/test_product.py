"""Matrix products against sums in NumPy, in the order that is written down, on every target."""

from __future__ import annotations

import ctypes
import dataclasses
import mmap
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import pytest

from nbgrad.kernels.compile import compile_kernels
from nbgrad.kernels.launch import warp_items
from nbgrad.kernels.target import Target, host
from nbgrad.ops.library import PRODUCT_RUN
from nbgrad.tape.kernel import SMALL, KernelText, Operand
from tests.kernels.harness import TARGETS, Array, compiled, same_bits

LANES = 16


def multiply(
    terms: Sequence[tuple[Array, Array]],
    c: Array,
    target: Target,
    onto: Array | None = None,
    then: Array | None = None,
    tile: tuple[int, int] = (256, 192),
    split: bool = False,
    tables: tuple[Array, Array] | None = None,
) -> None:
    """c = onto + a @ b + ... + then by the kernel, whose matrices lie as their strides say; its draft does the same."""
    *batch, m, n = c.shape
    text = KernelText("gemm", len(batch), 0, tuple([Operand(str(c.dtype), 1, r) for r in ("in", "in", "in", "out")]))
    sums = [c if x is None else x for x in (onto, then)] + [c]
    adds = (onto is not None) + 2 * (then is not None)
    words = [m, n, *tile, *[x.strides[-2] for x in sums], adds, len(terms), *batch]
    for x in sums:
        words += [x.ctypes.data, *x.strides[:-2]]
    for a, b in terms:
        words += [a.shape[-1], *a.strides[-2:], *((0, 0) if tables else b.strides[-2:])]
        words += [table.ctypes.data for table in tables] if tables else [0, 0]
        for x in (a, b):
            words += [x.ctypes.data, *x.strides[:-2]]
    desc = np.array(words, np.int64)
    items = prod(batch) * -(-m // tile[0]) * -(-n // tile[1])
    if target.is_warp:
        items = warp_items(text, items, words)
    cuts: Any = range(items + 1) if split else (0, items)
    before, results = c.copy(), []
    drafts = [dataclasses.replace(text, is_draft=True, traits=traits) for traits in ((), (SMALL,))]
    for kernel in (text,) if tables else (*drafts, text):  # drafts know no tables
        np.copyto(c, before)
        function, _ = compiled(kernel, target)
        for begin, end in pairwise(cuts):
            assert function(desc.ctypes.data, begin, end) == 0
        results.append(c.copy())
    assert all(same_bits(result, c) for result in results)


def product(a: Array, b: Array, target: Target, **how: Any) -> Array:
    """The product; what lies around it stays as it was."""
    *batch, m, n = (*a.shape[:-1], b.shape[-1])
    room = np.full((*batch, m + 1, n + 3), -7, a.dtype)
    multiply([(a, b)], room[..., :m, :n], target, **how)
    assert (room[..., m:, :] == -7).all()
    assert (room[..., n:] == -7).all()
    return room[..., :m, :n]


def in_order(a: Array, b: Array, target: Target) -> Array:
    """Runs of products, added one after the other and rounded to float32 each time, then the runs."""
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for first in range(0, a.shape[1], PRODUCT_RUN):
        run = np.zeros_like(total)
        for p in range(first, min(first + PRODUCT_RUN, a.shape[1])):
            if target.has_fma:
                run = (np.multiply.outer(a[:, p].astype(float), b[p].astype(float)) + run).astype(np.float32)
            else:
                run = run + np.multiply.outer(a[:, p], b[p])
        total = run if first == 0 else total + run
    return total


def normal(rng: np.random.Generator, shape: tuple[int, ...], dtype: str = "float32") -> Array:
    return rng.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.level)
@pytest.mark.parametrize("k", [1, LANES - 1, LANES, LANES + 1, PRODUCT_RUN, 2 * PRODUCT_RUN + 5])
def test_products_are_added_in_runs_in_order(target: Target, k: int) -> None:
    rng = np.random.default_rng(k)
    for m, n in ((1, 1), (2, 15), (3, 16), (7, 17), (8, 33), (9, 47), (13, 48), (35, 49), (10, 100)):
        a, b = normal(rng, (m, k)), normal(rng, (k, n))
        want = in_order(a, b, target)
        assert same_bits(product(a, b, target), want)
        assert same_bits(product(a, b.T.copy().T, target), want)


@pytest.mark.parametrize("target", [t for t in TARGETS if t.has_fma], ids=lambda t: t.level)
def test_float64_is_rounded_once_for_each_product(target: Target) -> None:
    rng = np.random.default_rng(5)
    a, b = normal(rng, (3, 7), "float64"), normal(rng, (7, 9), "float64")
    want = np.zeros((3, 9))
    for i, j in np.ndindex(3, 9):
        for p in range(7):
            want[i, j] = float(Fraction(a[i, p]) * Fraction(b[p, j]) + Fraction(want[i, j]))
    assert same_bits(product(a, b, target), want)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.level)
def test_panels_cover_any_number_of_columns(target: Target) -> None:
    rng = np.random.default_rng(6)
    a, lanes = normal(rng, (5, 3)), target.lanes(4)
    for n in [vectors * lanes + more for vectors in range(1, 9) for more in (-1, 0)]:
        b = normal(rng, (3, n))
        want = in_order(a, b, target)
        for right in (b, b.T.copy().T):
            assert same_bits(product(a, right, target, tile=(5, n)), want), n


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.level)
def test_strides_tiles_and_splits_change_no_bit(dtype: str, target: Target) -> None:
    rng = np.random.default_rng(1)
    m, n, k = 45, 70, 300
    a, b = normal(rng, (m, k), dtype), normal(rng, (k, n), dtype)
    want = product(a, b, target)
    bound = k * np.finfo(dtype).eps * (abs(a).astype(float) @ abs(b))  # Higham 2002, section 3.1
    assert (abs(want - a.astype(float) @ b.astype(float)) <= bound).all()
    reversed_a = a[::-1, ::-1].copy()[::-1, ::-1]
    spread_a = np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3]
    wide_b = np.concatenate([b, b], 1)[:, :n]
    for left in (a.T.copy().T, reversed_a, spread_a):
        assert same_bits(product(left, b, target), want)
    for right in (b.T.copy().T, wide_b, b[::-1].copy()[::-1]):
        assert same_bits(product(a, right, target), want)
        assert same_bits(product(a, right, target, tile=(8, 48), split=True), want)
        assert same_bits(product(a, right, target, tile=(7, 5)), want)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.level)
@pytest.mark.parametrize("k", [60, PRODUCT_RUN, 2 * PRODUCT_RUN + 3])
def test_few_rows_by_a_factor_that_lies_by_columns_have_the_bits_of_any_product(
    dtype: str, target: Target, k: int
) -> None:
    rng = np.random.default_rng(k)
    lanes = target.lanes(np.dtype(dtype).itemsize)
    for m in {*range(lanes - 1, lanes + 2), 2 * lanes, 3 * lanes - 1, 3 * lanes, 3 * lanes + 1}:
        for n in (8 * lanes + 1, 9 * lanes - 1, 192, 200):
            a, b = normal(rng, (m, k), dtype), normal(rng, (k, n), dtype)
            y, row = normal(rng, (m, n), dtype), normal(rng, (n,), dtype)
            a[m - 1, k // 2], b[3, n - 1] = np.nan, -np.inf
            turned, want = b.T.copy().T, product(a, b, target)
            assert same_bits(product(a, turned, target), want)
            assert same_bits(product(np.concatenate([a, a], 1)[:, :k], turned, target), want)
            assert same_bits(product(a, turned, target, tile=(256, 6 * lanes), split=True), want)
            assert same_bits(product(a, turned, target, then=np.broadcast_to(row, (m, n))), want + row)
            onto = product(a, b, target, onto=y)
            assert same_bits(product(a, turned, target, onto=y), onto)
            if k <= PRODUCT_RUN:
                both = want + y
                multiply([(a, turned)], y, target, then=y)
                assert same_bits(y, both)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.level)
@pytest.mark.parametrize("k", [PRODUCT_RUN // 2 + 1, PRODUCT_RUN + 3])
def test_rows_copied_from_a_factor_that_lies_by_columns_have_the_bits_of_any_product(
    dtype: str, target: Target, k: int
) -> None:
    """Rows of 2048 bytes, whose lines share few places of a cache: tiles with whole blocks only, and others."""
    rng = np.random.default_rng(k)
    n = 9 * target.lanes(np.dtype(dtype).itemsize) + 1
    wide, b = normal(rng, (k, 2048 // np.dtype(dtype).itemsize), dtype), normal(rng, (k, n), dtype)
    wide[k // 2, 3] = np.nan
    for first, m in ((0, 1), (0, 15), (1, 16), (0, 17), (5, 33), (0, 64), (3, 127), (0, 128), (0, 150)):
        turned = wide[:, first : first + m].T
        want = product(turned.copy(), b, target)
        assert same_bits(product(turned, b, target), want)
        assert same_bits(product(turned, b, target, tile=(40, n), split=True), want)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.level)
@pytest.mark.parametrize("k", [1, 40, PRODUCT_RUN + 3])
def test_a_product_adds_to_what_is_there(target: Target, k: int) -> None:
    rng = np.random.default_rng(k)
    for m, n in ((1, 1), (5, 16), (11, 50)):
        a, b, x = normal(rng, (m, k)), normal(rng, (k, n)), normal(rng, (m, n))
        first, rest = a[:, :PRODUCT_RUN], a[:, PRODUCT_RUN:]
        want = x + in_order(first, b[:PRODUCT_RUN], target)
        if rest.size:
            want = want + in_order(rest, b[PRODUCT_RUN:], target)
        wide = np.concatenate([x, x], 1)[:, :n]
        assert same_bits(product(a, b, target, onto=wide), want)
        multiply([(a, b)], x, target, onto=x)
        assert same_bits(x, want)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.level)
@pytest.mark.parametrize("k", [1, 40, PRODUCT_RUN + 3])
def test_what_comes_last_is_added_to_the_whole_sum(target: Target, k: int) -> None:
    rng = np.random.default_rng(k)
    for m, n in ((1, 1), (5, 16), (11, 50)):
        a, b, y, row = normal(rng, (m, k)), normal(rng, (k, n)), normal(rng, (m, n)), normal(rng, (n,))
        want = in_order(a, b, target)
        assert same_bits(product(a, b, target, then=np.broadcast_to(row, (m, n))), want + row)
        assert same_bits(product(a, b, target, then=np.concatenate([y, y], 1)[:, :n]), want + y)
        if k <= PRODUCT_RUN:
            both = want + y
            multiply([(a, b)], y, target, then=y)
            assert same_bits(y, both)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.level)
@pytest.mark.parametrize("tile", [(256, 192), (8, 48), (7, 5)])
def test_terms_are_added_one_after_the_other(target: Target, tile: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    for m, n, lengths in ((1, 1, (1, 2)), (5, 17, (PRODUCT_RUN + 1, 3, PRODUCT_RUN)), (21, 50, (4, 4, 4, 4, 5))):
        terms = [(normal(rng, (m, k)), normal(rng, (k, n))) for k in lengths]
        lie = [(a.T.copy().T, b) if i % 2 else (a, b.T.copy().T) for i, (a, b) in enumerate(terms)]
        x, y = normal(rng, (m, n)), normal(rng, (m, n))
        products = [in_order(a, b, target) for a, b in terms]
        for onto, then in ((None, None), (None, y), (x, None), (x, y)):
            if onto is not None and lengths[0] > PRODUCT_RUN:
                continue
            want = sum(products[1:], products[0] if onto is None else onto + products[0])
            want = want if then is None else want + then
            c = np.full((m, n), -7, "float32")
            multiply(lie, c, target, onto=onto, then=then, tile=tile, split=True)
            assert same_bits(c, want)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.level)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("k", [1, 40, PRODUCT_RUN + 3])
def test_tables_tell_where_the_elements_of_a_factor_lie(target: Target, dtype: str, k: int) -> None:
    """Columns in runs of 1, 15, 16, 17 and many consecutive elements."""
    rng = np.random.default_rng(k)
    pool = normal(rng, (4000,), dtype)
    for m, n in ((1, 1), (5, 15), (9, 17), (33, 50), (7, 100)):
        rows = rng.permutation(1000)[:k]
        for run in (1, 15, 16, 17, 200):
            columns = np.array([j % run + 2 * run * (j // run) for j in range(n)]) % 3000
            a, b = normal(rng, (m, k), dtype), pool[rows[:, None] + columns]
            tables = (rows * pool.itemsize, columns * pool.itemsize)
            room = pool[: k * n].reshape(k, n) if k * n <= pool.size else np.broadcast_to(pool[:n], (k, n))
            c = np.empty((m, n), dtype)
            multiply([(a, room)], c, target, tables=tables)
            assert same_bits(c, product(a, b, target))
            multiply([(a, room)], c, target, tables=tables, tile=(8, 48), split=True)
            assert same_bits(c, product(a, b, target))


def test_many_rows_take_the_panels_from_a_copy() -> None:
    """Rows of B that are far apart are copied where many rows of A pay for it, and read where they lie otherwise."""
    rng = np.random.default_rng(2)
    b = normal(rng, (200, 2000))[:, 3:99]
    a = normal(rng, (70, 200))
    many = product(a, b, host())
    assert same_bits(many, in_order(a, b, host()))
    assert same_bits(product(a[:30], b, host()), many[:30])


@pytest.mark.parametrize("batch", [(3,), (2, 3)])
def test_batches_may_repeat_a_matrix(batch: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    a, b = normal(rng, (*batch, 9, 5)), np.broadcast_to(normal(rng, (5, 20)), (*batch, 5, 20))
    for split in (False, True):
        y = product(a, b, host(), split=split)
        for at in np.ndindex(*batch):
            assert same_bits(y[at], in_order(a[at], b[at], host()))


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.level)
def test_nan_infinity_and_zeros_stay_in_their_row_and_column(target: Target) -> None:
    a, b = np.ones((9, 20), "float32"), np.ones((20, 18), "float32")
    a[3, 4], a[5, 0], b[2, 7] = np.nan, np.inf, -np.inf
    y = product(a, b, target)
    assert same_bits(y, in_order(a, b, target))
    assert np.isfinite(y[[0, 1, 2, 4, 6, 7, 8]][:, np.arange(18) != 7]).all()
    assert same_bits(
        product(np.full((1, 3), -0.0, "float32"), np.ones((3, 1), "float32"), target), np.zeros((1, 1), "float32")
    )


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.level)
def test_no_element_outside_the_factors_is_read(target: Target) -> None:
    """The last rows of both factors end where the memory of the process does."""
    page = mmap.PAGESIZE
    inside = -(-70 * 512 * 4 // page) * page
    area = mmap.mmap(-1, inside + page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    libc = ctypes.CDLL(None)
    assert libc.mprotect(ctypes.c_void_p(start + inside), ctypes.c_size_t(page), 0) == 0
    rng = np.random.default_rng(4)
    for m, n, k in ((5, 17, 3), (40, 19, 30), (3, 2, 21)):
        for shape, strides in (((k, n), (4 * n, 4)), ((k, n), (4, 4 * k))):
            b = np.ndarray(shape, "float32", area, inside - 4 * k * n, strides)
            b[:] = normal(rng, shape)
            a = normal(rng, (m, k))
            assert same_bits(product(a, b, target), in_order(a, b.copy(), target))
            del b
    for m in (3, 9, 21, 128):  # by columns, which are copied
        turned = np.ndarray((70, 512), "float32", area, inside - 70 * 512 * 4)[:, 512 - m :]
        turned[:] = normal(rng, turned.shape)
        b = normal(rng, (70, 60))
        assert same_bits(product(turned.T, b, target), in_order(turned.T.copy(), b, target))
        del turned
    assert libc.mprotect(ctypes.c_void_p(start + inside), ctypes.c_size_t(page), 3) == 0


def test_products_of_one_dtype_are_compiled_together() -> None:
    roles = ("in", "in", "in", "out")
    text = KernelText("gemm", 0, 0, tuple([Operand("float32", 1, role) for role in roles]))
    texts = [text, dataclasses.replace(text, rank=1), dataclasses.replace(text, is_draft=True)]
    code = compile_kernels(texts, host())
    assert all(kernel.symbol.encode() in code for kernel in texts)
