"""Writing through indices, running sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.kernels.target import host
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, KernelText, Operand
from tests.kernels.harness import TARGETS, Array, compiled, same_bits, sample


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
