"""Kernels touch no byte beyond their operands: arrays stand against pages that may not be read or written."""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import KernelText, Operand, Reduction
from tests.kernels.harness import TARGETS, Array, call, column_extra, row_extra
from tests.kernels.test_draft import draft, loaded_together

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks and protects pages")
targets = pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)
DTYPES = ("float32", "float64", "int16", "bool")
PAGE = mmap.PAGESIZE


class Guarded:
    """Arrays of which one end is the end of the readable world."""

    def __init__(self) -> None:
        self._maps: list[Any] = []

    def array(self, n: int, dtype: str, at_end: bool) -> Array:
        """``n`` zeros with a forbidden page right behind (or right before) them."""
        room = mmap.mmap(-1, 4 * PAGE)
        address = ctypes.addressof(ctypes.c_char.from_buffer(room))
        libc = ctypes.CDLL(None)
        for page in (0, 3):
            assert libc.mprotect(ctypes.c_void_p(address + page * PAGE), ctypes.c_size_t(PAGE), 0) == 0
        self._maps.append(room)
        size = n * np.dtype(dtype).itemsize
        return np.frombuffer(room, dtype, n, 3 * PAGE - size if at_end else PAGE)


def survives(work: Callable[[Guarded], None]) -> bool:
    """Whether ``work`` ends well in a child process, where a forbidden access only kills the child."""
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        status = 1
        try:
            work(Guarded())
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def test_a_forbidden_access_is_noticed() -> None:
    def beyond(guarded: Guarded) -> None:
        ctypes.c_char.from_address(guarded.array(4, "float32", True).ctypes.data + 16).value  # noqa: B018

    assert not survives(beyond)


@targets
@pytest.mark.parametrize("stride", [1, 2])
def test_map_stays_inside(target: Target, stride: int) -> None:
    def work(guarded: Guarded) -> None:
        for dtype in DTYPES:
            text = KernelText("map", 1, 0, (Operand(dtype, stride, "in"), Operand(dtype, stride, "out")), (), ((0, 1),))
            for n in (1, 5, 16, 17, 47):
                for at_end in (True, False):
                    step = 1 if stride == 1 else -3
                    x, out = (guarded.array((n - 1) * abs(step) + 1, dtype, at_end)[::step] for _ in range(2))
                    assert call(text, [x, out], [n], target=target) == 0

    assert survives(work)


def test_drafts_made_together_stay_inside() -> None:
    """They call functions that they share to load and store."""
    kernels = loaded_together(
        [
            draft(KernelText("map", 1, 0, (Operand(dtype, 1, "in"), Operand(dtype, 1, "out")), (), ((0, 1),)))
            for dtype in DTYPES
        ]
    )

    def work(guarded: Guarded) -> None:
        for dtype, kernel in zip(DTYPES, kernels, strict=True):
            for n in (1, 5, 16, 17, 47):
                for at_end in (True, False):
                    x, out = (guarded.array(n, dtype, at_end) for _ in range(2))
                    places = [word for a in (x, out) for word in (a.ctypes.data, a.itemsize)]
                    desc = np.array([n, *places], np.int64)
                    assert kernel(desc.ctypes.data, 0, n) == 0

    assert survives(work)


@targets
def test_row_stays_inside(target: Target) -> None:
    def work(guarded: Guarded) -> None:
        for dtype in DTYPES:
            operands = (Operand(dtype, 1, "in"), Operand(dtype, 0, "out"))
            text = KernelText("row", 1, 1, operands, (), (), (Reduction("amax", (0,), (1,)),))
            for n in (1, 10, 33, 100):
                for at_end in (True, False):
                    x, out = guarded.array(3 * n, dtype, at_end).reshape(3, n), guarded.array(3, dtype, at_end)
                    assert call(text, [x, out], x.shape, row_extra(1, n), 3, target) == 0

    assert survives(work)


@targets
def test_column_stays_inside(target: Target) -> None:
    def work(guarded: Guarded) -> None:
        for dtype in DTYPES:
            operands = (Operand(dtype, 1, "in"), Operand(dtype, 1, "out"))
            text = KernelText("column", 1, 1, operands, (), (), (Reduction("amin", (0,), (1,)),))
            for n in (1, 63, 65, 100):
                for at_end in (True, False):
                    x, out = guarded.array(5 * n, dtype, at_end).reshape(5, n), guarded.array(n, dtype, at_end)
                    extra = column_extra(n)
                    assert call(text, [x.T, out], x.T.shape, extra, extra[2], target) == 0

    assert survives(work)
