"""Sorted places by warps: those of NumPy's stable sort, and those of the CPU's kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.kernels.target import host, host_warps
from nbgrad.tape.kernel import KernelText, Operand
from tests.kernels.harness import Array, compiled


def order(keys: Array, target: Any, kept: int) -> Array:
    """The first places of each row's keys, sorted."""
    operands = (Operand(str(keys.dtype), 1, "in"), *[Operand("int64", 1, "out")] * 2)
    rows, length = keys.shape
    out, scratch = (np.full((rows, n), -9, "int64") for n in (kept, 2 * length))
    words = np.array([length, kept, keys.ctypes.data, out.ctypes.data, scratch.ctypes.data], np.int64)
    function, _ = compiled(KernelText("order", 0, 0, operands), target)
    for begin, end in ((1, len(keys)), (0, 1)):
        assert function(words.ctypes.data, begin, end) == 0
    return out


@pytest.mark.parametrize("target", [host(), host_warps()], ids=lambda t: t.level)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("length", [1, 2, 31, 32, 33, 64, 100, 1025])
def test_rows_are_sorted_and_equal_keys_keep_their_order(target: Any, dtype: str, length: int) -> None:
    rng = np.random.default_rng(length)
    limits = np.iinfo(dtype)
    wide = rng.integers(limits.min, limits.max, (3, length), dtype, endpoint=True)
    for keys in (wide, rng.integers(-3, 3, (3, length)).astype(dtype), np.zeros((3, length), dtype)):
        keys[1:, 0], keys[1:, -1] = limits.max, limits.min
        for kept in {1, min(33, length), length}:
            assert (order(keys, target, kept) == np.argsort(keys, axis=1, kind="stable")[:, :kept]).all()
