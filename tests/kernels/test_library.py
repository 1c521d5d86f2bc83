"""Matrix products through BLAS and writing through indices."""

from __future__ import annotations

import ctypes
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.linalg import cython_blas

from nbgrad.kernels.target import host
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, KernelText, Operand
from tests.kernels.harness import TARGETS, Array, compiled, same_bits, sample


def blas_address(dtype: str) -> int:
    """SciPy's gemm, as its Cython interface exports it."""
    capsule = cython_blas.__pyx_capi__["sgemm" if dtype == "float32" else "dgemm"]
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(get_pointer(capsule, get_name(capsule)))


def gemm_text(dtype: str, rank: int) -> KernelText:
    return KernelText("gemm", rank, 0, tuple(Operand(dtype, 1, role) for role in ("in", "in", "out")))


def multiply(a: Array, b: Array, c: Array, trans: tuple[bool, bool], tile: tuple[int, int], split: bool) -> None:
    """c = a @ b by the kernel; a and b are stored as ``trans`` says."""
    batch = c.shape[:-2]
    m, n = c.shape[-2:]
    k = a.shape[-2] if trans[0] else a.shape[-1]
    size = c.itemsize
    tiles = -(-m // tile[0]), -(-n // tile[1])
    words = [blas_address(str(c.dtype)), m, n, k, *map(int, trans)]
    words += [x.strides[-2] // size for x in (a, b, c)] + [*tile, *tiles, *batch]
    for x in (a, b, c):
        words += [x.ctypes.data, *x.strides[:-2]]
    desc = np.array(words, np.int64)
    function, _ = compiled(gemm_text(str(c.dtype), len(batch)), host())
    items = int(np.prod(batch)) * tiles[0] * tiles[1]
    cuts: Any = range(items + 1) if split else (0, items)
    for begin, end in pairwise(cuts):
        assert function(desc.ctypes.data, begin, end) == 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("trans", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_gemm_multiplies_every_transposition_batch_and_tile(dtype: str, trans: Any, batch: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    m, n, k = 13, 9, 21
    stored_a = rng.standard_normal((*batch, k, m) if trans[0] else (*batch, m, k)).astype(dtype)
    stored_b = rng.standard_normal((*batch, n, k + 2) if trans[1] else (*batch, k, n + 2)).astype(dtype)
    b = stored_b[..., :k] if trans[1] else stored_b[..., :n]
    want = (np.swapaxes(stored_a, -1, -2) if trans[0] else stored_a) @ (np.swapaxes(b, -1, -2) if trans[1] else b)
    results = []
    for tile, split in (((13, 9), False), ((4, 5), False), ((4, 5), True)):
        c = np.full((*batch, m, n), np.nan, dtype)
        multiply(stored_a, b, c, trans, tile, split)
        # k products of a size near 1, each rounded: a few units in the last place of the sum.
        assert np.allclose(c, want, rtol=0, atol=100 * np.finfo(dtype).eps)
        results.append(c)
    assert same_bits(results[1], results[2])


def test_gemm_without_an_inner_dim_gives_zeros() -> None:
    c = np.full((3, 4), np.nan, "float32")
    multiply(np.zeros((3, 0), "float32"), np.zeros((0, 4), "float32"), c, (False, False), (2, 4), False)
    assert (c == 0).all()


def test_a_shared_matrix_may_have_batch_stride_0() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((5, 2, 3)), np.broadcast_to(rng.standard_normal((3, 4)), (5, 3, 4))
    c = np.zeros((5, 2, 4))
    multiply(a, b, c, (False, False), (8, 8), False)
    assert np.allclose(c, a @ b)


def scatter(form: str, dst: Array, index: Array, values: Array, target: Any, count: int | None = None) -> int:
    operands = (Operand(str(dst.dtype), 1, "out"), Operand("int64", 1, "in"), Operand(str(dst.dtype), 1, "in"))
    n = index.size if count is None else count
    words = [n, dst.ctypes.data, dst.size, index.ctypes.data, index.size, values.ctypes.data, values.size]
    function, _ = compiled(KernelText(form, 0, 0, operands), target)
    return int(function(np.array(words, np.int64).ctypes.data, 0, 1))


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "int16"])
def test_scatter_writes_in_source_order(target: Any, dtype: str) -> None:
    rng = np.random.default_rng(3)
    index, values = rng.integers(0, 7, 200), sample(rng, (200,), dtype)
    added, put = np.ones(7, dtype), np.ones(7, dtype)
    want_added, want_put = added.copy(), put.copy()
    with np.errstate(all="ignore"):
        for i, v in zip(index, values, strict=True):
            want_added[i] = want_added[i] + v
            want_put[i] = v
    assert scatter("scatter_add", added, index, values, target) == 0
    assert scatter("scatter_put", put, index, values, target) == 0
    assert same_bits(added, want_added)
    assert same_bits(put, want_put)


def test_scatter_of_bools_replaces_bytes() -> None:
    dst = np.zeros(3, "bool")
    assert scatter("scatter_put", dst, np.array([2]), np.array([True]), host()) == 0
    assert dst.tolist() == [False, False, True]


@pytest.mark.parametrize("form", ["scatter_add", "scatter_put"])
@pytest.mark.parametrize("wrong", [-1, 4, 1 << 50])
def test_an_index_outside_fails_before_its_element_is_written(form: str, wrong: int) -> None:
    dst = np.zeros(4)
    assert scatter(form, dst, np.array([1, wrong, 2]), np.ones(3), host()) == INDEX_OUT_OF_RANGE
    assert dst.tolist() == [0, 1, 0, 0]


def test_scatter_of_nothing_touches_nothing() -> None:
    dst = np.zeros(4)
    assert scatter("scatter_add", dst, np.array([99]), np.ones(1), host(), count=0) == 0
    assert (dst == 0).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
@pytest.mark.parametrize("inner", [1, 5])
def test_cumsum_adds_in_order_and_every_item_alone(dtype: str, inner: int) -> None:
    x = sample(np.random.default_rng(4), (3, 7, inner), dtype)
    out = np.full_like(x, 9)
    words = np.array([7, inner, x.ctypes.data, out.ctypes.data], np.int64)
    operands = (Operand(dtype, 1, "in"), Operand(dtype, 1, "out"))
    function, _ = compiled(KernelText("cumsum", 0, 0, operands), host())
    for begin, end in ((1, 3), (0, 1)):
        assert function(words.ctypes.data, begin, end) == 0
    with np.errstate(all="ignore"):
        assert same_bits(out, np.cumsum(x, axis=1, dtype=dtype))
