"""Column kernels: the canonical order to the last bit, in any layout and split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import COLUMN_CHUNK, KernelText, Operand, Reduction, Stmt
from tests.kernels.harness import (
    TARGETS,
    Index,
    call,
    column_extra,
    column_reference,
    exact_maximum,
    exact_minimum,
    same_bits,
    sample,
    values_of,
)

targets = pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)

FOLDS: dict[str, tuple[Any, Any]] = {
    "sum": (np.add, 0),
    "prod": (np.multiply, 1),
    "amax": (exact_maximum, -np.inf),
    "amin": (exact_minimum, np.inf),
}


def folding(op: str, dtype: str, rank: int, reduce_rank: int, strides: tuple[int, int], stmts: int = 0) -> KernelText:
    operands = (Operand(dtype, strides[0], "in"), Operand(dtype, strides[1], "out"), Operand(dtype, 1, "out"))
    chain = [Stmt("add", (0 if i == 0 else 2 + i, 0), (), dtype) for i in range(stmts)]
    last = 2 + stmts if stmts else 0
    stores = ((last, 2),) if stmts else ()
    return KernelText(
        "column",
        rank,
        reduce_rank,
        operands[: 3 if stmts else 2],
        tuple(chain),
        stores,
        (Reduction(op, (last,), (1,)),),
    )


@targets
@pytest.mark.parametrize("op", list(FOLDS))
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_columns_are_folded_run_by_run(target: Target, op: str, dtype: str) -> None:
    rng = np.random.default_rng(1)
    combine, start = FOLDS[op]
    if dtype.startswith("int") and op.startswith("am"):
        start = getattr(np.iinfo(dtype), "min" if op == "amax" else "max")
    text = folding(op, dtype, 1, 1, (1, 1))
    for reduced, inner in ((0, 5), (1, 1), (3, 63), (255, 64), (256, 65), (257, 130), (600, 17)):
        x = sample(rng, (reduced, inner), dtype)
        out = np.full(inner, 7, dtype)
        extra = column_extra(inner)
        with np.errstate(all="ignore"):
            want = column_reference(combine, start, x)
        for splits in (range(1, extra[2]), ()):  # chunk by chunk, and all chunks as one panel
            out[:] = 7
            assert call(text, [x.T, out], x.T.shape, extra, extra[2], target, splits=splits) == 0
            assert same_bits(out, want), (reduced, inner)


@targets
@pytest.mark.parametrize("stmts", [0, 4, 50])
@pytest.mark.parametrize("strides", [(1, 1), (2, 2), (0, 1)])
def test_every_layout_gives_the_same_bits_and_stores_its_elements(
    target: Target, stmts: int, strides: tuple[int, int]
) -> None:
    rng = np.random.default_rng(2)
    text = folding("sum", "float32", 2, 2, strides, stmts)
    kept, reduced = (3, COLUMN_CHUNK + 9), (20, 30)
    x = rng.standard_normal((*kept, *reduced)).astype("float32")
    if strides[0] == 0:
        x = np.broadcast_to(x[:, :1], x.shape)
    elif strides[0] == 1:
        x = np.ascontiguousarray(x.transpose(2, 3, 0, 1)).transpose(2, 3, 0, 1)
    out = np.zeros((kept[0], 2 * kept[1]), "float32")[:, :: strides[1]][:, : kept[1]]
    stored = np.zeros((*reduced, *kept), "float32").transpose(2, 3, 0, 1)
    operands = [x, out, stored][: 3 if stmts else 2]
    extra = column_extra(kept[1])
    assert call(text, operands, x.shape, extra, kept[0] * extra[2], target) == 0
    value = values_of(text, operands, x.shape)[-1] if stmts else np.ascontiguousarray(x)
    for i in range(kept[0]):
        assert same_bits(out[i], column_reference(np.add, 0, value[i].reshape(kept[1], -1).T))
    if stmts:
        assert same_bits(stored, value)


@targets
def test_items_may_start_and_end_inside_an_outer_index(target: Target) -> None:
    rng = np.random.default_rng(4)
    text = folding("sum", "float32", 2, 1, (1, 1))
    x = rng.standard_normal((3, 10, 1100)).astype("float32")
    extra = column_extra(1100)
    want = np.array([column_reference(np.add, 0, part) for part in x])
    chunks = 3 * extra[2]
    for splits in ((), (1, 17, 18, 19, 40), (chunks - 1,)):
        out = np.zeros((3, 1100), "float32")
        laid_out = x.transpose(0, 2, 1)
        assert call(text, [laid_out, out], laid_out.shape, extra, chunks, target, splits=splits) == 0
        assert same_bits(out, want)


@targets
@pytest.mark.parametrize("op", ["argmax", "argmin"])
def test_arg_reductions_along_columns(target: Target, op: str) -> None:
    operands = (
        Operand("float32", 1, "in"),
        Operand("int64", 0, "index"),
        Operand("int64", 1, "out"),
    )
    text = KernelText("column", 1, 1, operands, (), (), (Reduction(op, (0, 1), (-1, 2)),))
    x = sample(np.random.default_rng(3), (300, 100), "float32")
    x[:, 50:] = np.where(np.isnan(x[:, 50:]), 0, x[:, 50:])
    out = np.zeros(100, "int64")
    extra = column_extra(100)
    assert call(text, [x.T, Index(0, (0, 1)), out], x.T.shape, extra, extra[2], target) == 0
    assert (out == getattr(np, op)(x, axis=0)).all()


@targets
def test_failures_leave_the_kernel(target: Target) -> None:
    operands = (Operand("int32", 1, "in"), Operand("int32", 1, "out"))
    stmts = (Stmt("remainder", (0, 0), (), "int32"),)
    text = KernelText("column", 1, 1, operands, stmts, (), (Reduction("sum", (2,), (1,)),))
    x = np.ones((40, 70), "int32")
    out = np.zeros(70, "int32")
    extra = column_extra(70)
    assert call(text, [x.T, out], x.T.shape, extra, 2, target) == 0
    x[39, 69] = 0
    assert call(text, [x.T, out], x.T.shape, extra, 2, target) == 1


@targets
@pytest.mark.parametrize("stmts", [0, 50])
def test_blocks_leave_partial_results_side_by_side(target: Target, stmts: int) -> None:
    rng = np.random.default_rng(5)
    x = rng.standard_normal((3, 1100, 70)).astype("float32")  # outer kept, reduced, inner kept
    text = folding("sum", "float32", 2, 1, (1, 1), stmts)
    extra = column_extra(70, 512)
    blocks, items = 3, 3 * 3 * extra[2]
    laid_out = x.transpose(0, 2, 1)
    for splits in ((), (1, 4, 5, 11), range(1, items)):
        out = np.full((blocks, 3, 70), 7, "float32")
        stored = np.zeros((3, 1100, 70), "float32")
        operands = [laid_out, out[0], stored.transpose(0, 2, 1)][: 3 if stmts else 2]
        assert call(text, operands, laid_out.shape, extra, items, target, splits, {1: out[0].nbytes}) == 0
        value = values_of(text, operands, laid_out.shape)[-1] if stmts else laid_out
        for k in range(blocks):
            rows = value[:, :, 512 * k : 512 * (k + 1)]
            for i in range(3):
                assert same_bits(out[k, i], column_reference(np.add, 0, rows[i].T))
        if stmts:
            assert same_bits(stored.transpose(0, 2, 1), value)
