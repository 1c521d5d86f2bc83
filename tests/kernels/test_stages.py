"""Row kernels of several stages: values and sums by the references, kept rows, layouts, splits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.graph.blocks import SCRATCH_BYTES
from nbgrad.kernels.listing import listing
from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import KernelText, Operand, Reduction, Stage, Stmt
from tests.kernels.harness import (
    TARGETS,
    Array,
    Index,
    call,
    exact_maximum,
    row_extra,
    row_reference,
    same_bits,
    sample,
)

targets = pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)
dtypes = pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
SIZES = (1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100, 1000)


def normalising(dtype: str, rank: int = 1, reduce_rank: int = 1, stride: int = 1, extra: int = 0) -> KernelText:
    """m = sum x * late; d = x - m, kept; q = sum d * d, top = max d; out = d * q; last = out - x.

    ``extra`` additions make the middle stage heavy.
    """
    operands = (
        Operand(dtype, stride, "in"),
        Operand(dtype, 0, "late"),
        Operand(dtype, 1, "out"),
        Operand(dtype, 0, "out"),
        Operand(dtype, 1, "scratch"),
        Operand(dtype, 1, "out"),
        Operand(dtype, 0, "out"),
    )
    # 7: sum x, 8: m; 9: d, then extra, then d * d
    square = 10 + extra
    more = tuple(Stmt("add", (8 + i, 0), (), dtype) for i in range(1, extra + 1))
    middle = Stage(
        (Stmt("sub", (0, 8), (), dtype), *more, Stmt("mul", (square - 1, square - 1), (), dtype)),
        ((square - 1, 4),),
        (Reduction("sum", (square,), (-1,)), Reduction("amax", (square - 1,), (3,))),
        (Stmt("add", (square + 1, square + 2), (), dtype),),
        ((square + 3, 6),),
    )
    scaled = Stage((Stmt("mul", (4, square + 1), (), dtype),), ((square + 4, 2),), (), (), ())
    last = Stage((Stmt("sub", (2, 0), (), dtype),), ((square + 5, 5),), (), (), ())
    mean = (Stmt("mul", (7, 1), (), dtype),)
    folds = (Reduction("sum", (0,), (-1,)),)
    return KernelText("row", rank, reduce_rank, operands, (), (), folds, mean, (), (middle, scaled, last))


def folded(combine: Any, identity: Any, x: Array, rank: int) -> Array:
    """(*kept,) of x by the canonical order."""
    outputs, inner = int(np.prod(x.shape[:rank])), x.shape[-1]
    flat = x.reshape(outputs, -1, inner)
    return row_reference(combine, identity, flat, row_extra(flat.shape[1], inner)).reshape(x.shape[:rank])


def expected(x: Array, late: Array, rank: int, extra: int = 0) -> list[Array]:
    """out, top, last, sum of d * d and top."""
    along = (slice(None),) * rank + (None,) * (x.ndim - rank)
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    with np.errstate(all="ignore"):
        m = folded(np.add, 0, x, rank) * late
        d = x - m[along]
        for _ in range(extra):
            d = d + x
        top = folded(exact_maximum if x.dtype.kind == "f" else np.maximum, lowest, d, rank)
        q = folded(np.add, 0, d * d, rank)
        out = d * q[along]
        return [out, top, out - x, q + top]


def run(text: KernelText, x: Array, late: Array, rank: int, target: Target, splits: tuple[int, ...] = ()) -> Any:
    kept = x.shape[:rank]
    outs = [np.zeros(x.shape, x.dtype), np.zeros(kept, x.dtype), np.zeros(x.shape, x.dtype), np.zeros(kept, x.dtype)]
    reduced = np.zeros(x.shape[rank:], x.dtype)
    scratch = Index(128, (0,) * rank + reduced.strides)
    extra = row_extra(int(np.prod(x.shape[rank:-1])), x.shape[-1])
    operands = [x, late, outs[0], outs[1], scratch, outs[2], outs[3]]
    items = int(np.prod(kept))
    assert call(text, operands, x.shape, extra, items, target, [s for s in splits if s < items]) == 0
    return outs


def check(text: KernelText, x: Array, rank: int, target: Target, extra: int = 0) -> None:
    late = sample(np.random.default_rng(9), x.shape[:rank], str(x.dtype))
    want = expected(x, late, rank, extra)
    for splits in ((), (1, 2)):
        for got, value in zip(run(text, x, late, rank, target, splits), want, strict=True):
            assert same_bits(got, value), x.shape


@targets
@dtypes
def test_later_stages_see_complete_sums_and_what_was_kept_of_the_row(target: Target, dtype: str) -> None:
    rng = np.random.default_rng(1)
    for n in SIZES:
        check(normalising(dtype), sample(rng, (3, n), dtype), 1, target)


@targets
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_heavy_stages_have_the_same_bits(target: Target, dtype: str) -> None:
    rng = np.random.default_rng(2)
    for n in SIZES:
        check(normalising(dtype, extra=40), sample(rng, (3, n), dtype), 1, target, extra=40)


@targets
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_of_several_dims_are_kept_whole(target: Target, dtype: str) -> None:
    rng = np.random.default_rng(3)
    for rank, shape in ((0, (40,)), (0, (5, 33)), (1, (3, 4, 17)), (2, (2, 3, 3, 2, 35))):
        text = normalising(dtype, rank, len(shape) - rank)
        check(text, sample(rng, shape, dtype), rank, target)


@targets
@pytest.mark.parametrize("stride", [0, 2])
def test_strided_and_repeated_rows_have_the_same_bits(target: Target, stride: int) -> None:
    rng = np.random.default_rng(4)
    x = sample(rng, (3, 70), "float32")
    x = np.broadcast_to(x[:, :1], x.shape) if stride == 0 else np.ascontiguousarray(x[:, ::-1].T).T[:, ::-1]
    check(normalising("float32", stride=stride), x, 1, target)


@targets
def test_the_whole_scratch_may_be_used(target: Target) -> None:
    n = SCRATCH_BYTES // 8
    operands = (Operand("float64", 1, "in"), Operand("float64", 1, "scratch"), Operand("float64", 1, "out"))
    scaled = Stage((Stmt("mul", (1, 3), (), "float64"),), ((4, 2),), (), (), ())
    folds = (Reduction("amax", (0,), (-1,)),)
    text = KernelText("row", 1, 1, operands, (), ((0, 1),), folds, (), (), (scaled,))
    x = np.random.default_rng(5).standard_normal((2, n))
    out = np.zeros_like(x)
    assert call(text, [x, Index(0, (0, 8)), out], x.shape, row_extra(1, n), 2, target) == 0
    assert same_bits(out, x * x.max(1, keepdims=True))


def test_texts_of_several_stages_can_be_sent_and_told_apart() -> None:
    text = normalising("float32")
    assert KernelText.from_json(text.to_json()) == text
    fewer = KernelText("row", 1, 1, text.operands, (), (), text.reductions, text.finish, (), text.then[:2])
    assert fewer.symbol != text.symbol
    assert hash(fewer) != hash(text)


def test_the_listing_shows_each_stage() -> None:
    shown = listing(normalising("float32")).splitlines()
    assert shown[1:] == [
        "  in0 = in f32  # consecutive",
        "  late1 = late f32  # the same along the row",
        "  out2 = out f32  # consecutive",
        "  out3 = out f32  # the same along the row",
        "  scratch4 = scratch f32  # kept of a row",
        "  out5 = out f32  # consecutive",
        "  out6 = out f32  # the same along the row",
        "  for each element [i0, r0]:",
        "    s0 = sum of in0  # over r",
        "  then for each output [i0]:",
        "    t0 = mul(s0, late1)  # f32",
        "  then for each element [i0, r0]:",
        "    t1 = sub(in0, t0)  # f32",
        "    t2 = mul(t1, t1)  # f32",
        "    scratch4[...] = t1",
        "    s1 = sum of t2  # over r",
        "    s2 = out3 = amax of t1  # over r",
        "  then for each output [i0]:",
        "    t3 = add(s1, s2)  # f32",
        "    out6[...] = t3",
        "  then for each element [i0, r0]:",
        "    t4 = mul(scratch4, s1)  # f32",
        "    out2[...] = t4",
        "  then for each element [i0, r0]:",
        "    t5 = sub(out2, in0)  # f32",
        "    out5[...] = t5",
    ]
