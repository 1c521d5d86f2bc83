"""Row kernels that also fold their elements column by column: the order of the column form, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.kernels.listing import listing
from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import KernelText, Operand, Reduction, Stage, Stmt
from tests.kernels.harness import (
    TARGETS,
    Array,
    Index,
    call,
    column_reference,
    exact_maximum,
    row_extra,
    row_reference,
    same_bits,
    sample,
)

targets = pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)
SHAPES = ((1, 1), (3, 15), (5, 16), (256, 17), (257, 33), (600, 100))


def centring(dtype: str, rank: int, reduce_rank: int, extra: int = 0) -> KernelText:
    """d = x - sum x (and ``extra`` times + x), stored; across the rows: sum of x, sum and amax of d."""
    operands = (
        Operand(dtype, 1, "in"),
        Operand(dtype, 1, "scratch"),
        Operand(dtype, 1, "out"),
        Operand(dtype, 1, "out"),
        Operand(dtype, 1, "scratch"),
        Operand(dtype, 1, "out"),
        Operand(dtype, 1, "scratch"),
        Operand(dtype, 1, "out"),
    )
    # 8: sum of x across, 9: sum x; 10: d, then extra
    more = tuple(Stmt("add", (10 + i, 0), (), dtype) for i in range(extra))
    last = 10 + extra
    columns = (Reduction("sum", (last,), (4, 5), True), Reduction("amax", (last,), (6, 7), True))
    then = Stage((Stmt("sub", (0, 9), (), dtype), *more), ((last, 3),), columns, (), ())
    folds = (Reduction("sum", (0,), (1, 2), True), Reduction("sum", (0,), (-1,)))
    return KernelText("row", rank, reduce_rank, operands, (), (), folds, (), (), (then,))


def expected(x: Array, many: int, extra: int = 0) -> list[Array]:
    """d and the folds across the rows of x (rows, A, B), for each item of ``many`` rows."""
    rows, outer, inner = x.shape
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    top = exact_maximum if x.dtype.kind == "f" else np.maximum
    with np.errstate(all="ignore"):
        d = x - row_reference(np.add, 0, x, row_extra(outer, inner))[:, :, None]
        for _ in range(extra):
            d = d + x
        flat, moved = x.reshape(rows, -1), d.reshape(rows, -1)
        starts = range(0, rows, many)
        return [
            d,
            np.array([column_reference(np.add, 0, flat[i : i + many]) for i in starts]),
            np.array([column_reference(np.add, 0, moved[i : i + many]) for i in starts]),
            np.array([column_reference(top, lowest, moved[i : i + many]) for i in starts]),
        ]


def run(x: Array, rank: int, many: int, target: Target, cut: bool, extra: int = 0) -> list[Array]:
    kept, reduced = x.shape[:rank], x.shape[rank:]
    rows = int(np.prod(kept))
    items = -(-rows // many)
    row = np.zeros(reduced, x.dtype)
    d = np.zeros(x.shape, x.dtype)
    sums = [np.full((items, *reduced), 7, x.dtype) for _ in range(3)]
    places = [Index(64 + 2 * i * row.nbytes // 64 * 64 + 128 * i, (0,) * rank + row.strides) for i in range(3)]
    by_item = [
        np.lib.stride_tricks.as_strided(s, x.shape, (s.strides[0],) + (0,) * (rank - 1) + row.strides) for s in sums
    ]
    operands = [x, places[0], by_item[0], d, places[1], by_item[1], places[2], by_item[2]]
    words = (int(np.prod(reduced[:-1])), reduced[-1], many, rows)
    text = centring(str(x.dtype), rank, len(reduced), extra)
    assert call(text, operands, x.shape, words, items, target, range(1, items) if cut else ()) == 0
    return [d, *[s.reshape(items, -1) for s in sums]]


def check(x: Array, rank: int, many: int, target: Target, extra: int = 0) -> None:
    want = expected(x.reshape(int(np.prod(x.shape[:rank])), -1, x.shape[-1]), many, extra)
    for cut in (False, True):
        for got, value in zip(run(x, rank, many, target, cut, extra), want, strict=True):
            assert same_bits(got, value.reshape(got.shape)), (x.shape, many)


@targets
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_columns_of_what_rows_give_are_folded_run_by_run(target: Target, dtype: str) -> None:
    rng = np.random.default_rng(1)
    for shape in SHAPES:
        x = sample(rng, shape, dtype)
        for many in (256, 512, 1024):
            check(x, 1, many, target)


@targets
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_heavy_stages_fold_the_same_columns(target: Target, dtype: str) -> None:
    rng = np.random.default_rng(2)
    for shape in SHAPES:
        check(sample(rng, shape, dtype), 1, 256, target, extra=90)


@targets
def test_rows_and_kept_dims_may_be_several(target: Target) -> None:
    rng = np.random.default_rng(3)
    check(sample(rng, (300, 3, 33), "float32"), 1, 256, target)
    check(sample(rng, (20, 30, 5, 7), "float64"), 2, 256, target)


def test_the_listing_tells_the_two_directions_apart() -> None:
    shown: Any = listing(centring("float32", 1, 1))
    assert "    scratch1, out2[...] = sum of in0  # over i\n" in shown
    assert "    s1 = sum of in0  # over r\n" in shown


def test_texts_with_both_directions_can_be_sent() -> None:
    text = centring("float32", 1, 1)
    assert KernelText.from_json(text.to_json()) == text
