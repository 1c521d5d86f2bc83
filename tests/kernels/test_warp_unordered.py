"""Sums through indices in any order, of whole numbers: there the order changes no bit."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from nbgrad.kernels.launch import warp_items
from nbgrad.kernels.ptx import ptx_text
from nbgrad.kernels.target import cuda, host_warps
from nbgrad.kernels.traits import with_traits
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, NARROW, UNORDERED, KernelText, Operand
from tests.kernels.harness import Array, call, compiled
from tests.kernels.test_scatter_rows import _Table, added, text_of

WARPS = (host_warps(), cuda("sm_80"))


def add_all(dst: Array, index: Array, values: Array, target: Any) -> int:
    operands = (Operand(str(dst.dtype), 1, "out"), Operand("int64", 1, "in"), Operand(str(dst.dtype), 1, "in"))
    text = with_traits(KernelText("scatter_add", 0, 0, operands), (UNORDERED,))
    words = [index.size, dst.ctypes.data, dst.size, index.ctypes.data, index.size, values.ctypes.data, values.size]
    desc, (function, _) = np.array(words, np.int64), compiled(text, target)
    items = warp_items(text, 1, words)
    return max([int(function(desc.ctypes.data, item, item + 1)) for item in range(items)])


@pytest.mark.parametrize("target", WARPS, ids=["lanes", "ptx"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32"])
def test_elements_are_added_to_their_places(target: Any, dtype: str) -> None:
    rng = np.random.default_rng(3)
    index, values = rng.integers(0, 7, 100), rng.integers(-50, 50, 100).astype(dtype)
    dst = np.arange(7).astype(dtype)
    expected = dst.copy()
    np.add.at(expected, index, values)
    assert add_all(dst, index, values, target) == 0
    assert (dst == expected).all()
    index[98] = 7
    assert add_all(dst, index, values, target) == INDEX_OUT_OF_RANGE


@pytest.mark.parametrize("target", WARPS, ids=["lanes", "ptx"])
def test_rows_are_added_to_their_places(target: Any) -> None:
    rng = np.random.default_rng(4)
    text = with_traits(text_of("float32"), (NARROW, UNORDERED))
    for rows, width in ((9, 40), (5, 130), (3, 1)):
        x = rng.integers(-50, 50, (rows, width)).astype("float32")
        starts, table = rng.integers(0, 150, rows), np.zeros(300, "float32")
        expected = added(table, starts, x)
        operands = [np.broadcast_to(starts[:, None], x.shape), x, _Table(table, width)]
        assert call(text, operands, x.shape, items=1, target=target, splits=[1]) == 0
        assert (table == expected).all()
    starts[1] = 300  # the operands look at it
    assert call(text, operands, x.shape, items=1, target=target) == INDEX_OUT_OF_RANGE


@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_the_memory_adds(arch: str) -> None:
    rows = with_traits(text_of("float64"), (UNORDERED,))
    assert "atom.global.add.f64" in ptx_text([rows], arch)
    assert "atom" not in ptx_text([dataclasses.replace(rows, traits=())], arch)
