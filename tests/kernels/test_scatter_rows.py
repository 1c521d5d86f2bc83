"""Rows added to rows of a table, against NumPy: every width, dtype, chunk and target, in the order of the rows."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.kernels.launch import SCATTER_ELEMENTS
from nbgrad.kernels.target import Target, cuda, host_warps
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, STRIDE_ONE, STRIDE_OTHER, STRIDE_ZERO, KernelText, Operand, Stmt
from tests.kernels.harness import TARGETS, Array, call, same_bits, sample

targets = pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)


class _Table:
    """The table as an operand: its length, then the columns of a chunk."""

    def __init__(self, table: Array, chunk: int) -> None:
        self.ctypes, self.strides, self.ndim = table.ctypes, (table.size, chunk), 2


def text_of(dtype: str, steps: int = 0, stride: int = STRIDE_ONE, zeros: bool = False) -> KernelText:
    """table[start[i] + j] += x[i, j], multiplied ``steps`` times with itself."""
    operands = (
        Operand("int64", STRIDE_ZERO, "in"),
        Operand(dtype, stride, "in"),
        Operand(dtype, STRIDE_ONE, "scatter"),
    )
    stmts = tuple([Stmt("mul", (1 if k == 0 else 2 + k, 1), (), dtype) for k in range(steps)])
    form = "scatter_rows_of_zeros" if zeros else "scatter_rows"
    return KernelText(form, 2, 0, operands, stmts, ((0, 2), (2 + steps if steps else 1, 2)))


def added(table: Array, starts: Array, x: Array) -> Array:
    out = table.copy()
    with np.errstate(all="ignore"):
        for start, row in zip(starts, x, strict=True):
            out[start : start + row.size] += row
    return out


def run(text: KernelText, table: Array, starts: Array, x: Array, target: Target, chunk: int = 64) -> int:
    n = x.shape[1]
    chunk = min(chunk, n)
    spread = np.broadcast_to(starts[:, None], x.shape)
    return call(text, [spread, x, _Table(table, chunk)], x.shape, items=-(-n // chunk), target=target)


@targets
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16"])
@pytest.mark.parametrize("zeros", [False, True])
def test_every_width_and_chunk(target: Target, dtype: str, zeros: bool) -> None:
    rng = np.random.default_rng(1)
    for n in (1, 4, 15, 16, 17, 33, 64, 65, 200):
        for chunk in (16, 64, 1000):
            starts = rng.integers(0, 5, 30) * n
            x, table = sample(rng, (30, n), dtype), sample(rng, (5 * n,), dtype)
            expected = added(np.zeros_like(table) if zeros else table, starts, x)
            assert run(text_of(dtype, zeros=zeros), table, starts, x, target, chunk) == 0
            assert same_bits(table, expected), (n, chunk)


@targets
def test_rows_that_overlap_are_added_one_after_the_other(target: Target) -> None:
    rng = np.random.default_rng(2)
    starts = np.array([0, 1, 7, 3, 3, 60, 0])
    x, table = sample(rng, (7, 40), "float32"), np.zeros(100, "f")
    expected = added(table, starts, x)
    assert run(text_of("float32"), table, starts, x, target, chunk=1000) == 0
    assert same_bits(table, expected)


@targets
@pytest.mark.parametrize("steps", [1, 5, 60])
def test_what_is_added_is_made_on_the_way(target: Target, steps: int) -> None:
    rng = np.random.default_rng(3)
    starts = np.array([20, 0, 20, 40])
    x, table = (rng.random((4, 20)).astype("f") for _ in range(2))
    table = table.reshape(-1)
    value = x.copy()
    for _ in range(steps):
        value = value * x
    expected = added(table, starts, value)
    assert run(text_of("float32", steps), table, starts, x, target) == 0
    assert same_bits(table, expected)


@targets
def test_values_in_any_layout(target: Target) -> None:
    rng = np.random.default_rng(4)
    starts = np.array([33, 0, 66])
    for stride, x in (
        (STRIDE_OTHER, rng.random((33, 3)).T),
        (STRIDE_OTHER, rng.random((3, 66))[:, ::-2]),
        (STRIDE_ZERO, np.broadcast_to(rng.random((3, 1)), (3, 33))),
    ):
        table = np.zeros(99)
        expected = added(table, starts, x)
        assert run(text_of("float64", stride=stride), table, starts, x, target) == 0
        assert same_bits(table, expected)


@targets
def test_a_row_that_leaves_the_table_is_refused(target: Target) -> None:
    x, table = np.ones((3, 20), "f"), np.zeros(100, "f")
    for wrong in (-1, 81, 100, 1 << 40, -(1 << 62), (1 << 63) - 1):
        assert run(text_of("float32"), table, np.array([80, wrong, 0]), x, target) == INDEX_OUT_OF_RANGE
    assert run(text_of("float32"), np.zeros(10, "f"), np.array([0, 0, 0]), x, target) == INDEX_OUT_OF_RANGE


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("splits", [(), (1, 2)])
def test_warps_have_stretches_of_the_table_and_rows_may_lie_across_two(zeros: bool, splits: tuple[int, ...]) -> None:
    rng = np.random.default_rng(8)
    size, n = 2 * SCATTER_ELEMENTS + 100, 40
    starts = rng.integers(0, size // n, 60) * n if zeros else rng.integers(0, size - n, 60)
    starts[:9] = SCATTER_ELEMENTS // n * n  # across the end of the first stretch
    x, table = sample(rng, (60, n), "float32"), sample(rng, (size // n * n if zeros else size,), "float32")
    expected = added(np.zeros_like(table) if zeros else table, starts, x)
    spread = np.broadcast_to(starts[:, None], x.shape)
    for target in (host_warps(), cuda("sm_80")):
        written = table.copy()
        operands = [spread, x, _Table(written, n)]
        assert call(text_of("float32", zeros=zeros), operands, x.shape, items=1, target=target, splits=splits) == 0
        assert same_bits(written, expected)
