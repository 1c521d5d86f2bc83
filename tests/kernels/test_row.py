"""Row kernels: the canonical order to the last bit, blocks, layouts, identities and NaN rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import KernelText, Operand, Reduction, Stmt
from tests.kernels.harness import (
    TARGETS,
    Array,
    call,
    exact_maximum,
    exact_minimum,
    row_extra,
    row_reference,
    same_bits,
    sample,
    values_of,
)

targets = pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)

COMBINE: dict[str, Any] = {"sum": np.add, "prod": np.multiply, "amax": exact_maximum, "amin": exact_minimum}


def identity(op: str, dtype: str) -> Any:
    if op in ("sum", "prod"):
        return int(op == "prod")
    lowest = op == "amax"
    if dtype == "bool":
        return not lowest
    if dtype.startswith("float"):
        return -np.inf if lowest else np.inf
    return np.iinfo(dtype).min if lowest else np.iinfo(dtype).max


def folding(op: str, dtype: str, rank: int, reduce_rank: int, stride: int = 1, stmts: int = 0) -> KernelText:
    """out = op(x), or op of a chain over x that is also stored."""
    operands = (Operand(dtype, stride, "in"), Operand(dtype, 0, "out"), Operand(dtype, 1, "out"))
    chain = [Stmt("add", (0 if i == 0 else 2 + i, 0), (), dtype) for i in range(stmts)]
    last = 2 + stmts if stmts else 0
    stores = ((last, 2),) if stmts else ()
    return KernelText(
        "row", rank, reduce_rank, operands[: 3 if stmts else 2], tuple(chain), stores, (Reduction(op, (last,), (1,)),)
    )


def fold(text: KernelText, x: Array, rank: int, blocks: tuple[int, ...], target: Target, splits: Any = ()) -> Array:
    """Run ``text`` over x; gives (*kept, blocks)."""
    kept = x.shape[:rank]
    partial = np.zeros((*kept, blocks[3]), x.dtype)
    operands = [x, partial[..., 0]]
    if text.stores:
        operands.append(np.zeros(x.shape, x.dtype))
    items = int(np.prod(kept)) * blocks[3]
    strides = {1: partial.strides[-1]}
    code = call(text, operands, x.shape, blocks, items, target, [s for s in splits if s < items], strides)
    assert code == 0
    if text.stores:
        assert same_bits(operands[2], values_of(text, operands, x.shape)[-1])
    return partial


def expected(op: str, x: Array, rank: int, blocks: tuple[int, ...]) -> Array:
    outputs = int(np.prod(x.shape[:rank]))
    inner = x.shape[-1]
    outer = int(np.prod(x.shape[rank:-1]))
    with np.errstate(all="ignore"):
        flat = row_reference(COMBINE[op], identity(op, str(x.dtype)), x.reshape(outputs, outer, inner), blocks)
    return flat.reshape(*x.shape[:rank], blocks[3])


@targets
@pytest.mark.parametrize("op", ["sum", "prod", "amax", "amin"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "uint8", "bool"])
def test_rows_are_folded_in_the_canonical_order(target: Target, op: str, dtype: str) -> None:
    if dtype == "bool" and op in ("sum", "prod"):
        return
    rng = np.random.default_rng(1)
    text = folding(op, dtype, 1, 1)
    for n in (0, 1, 10, 31, 32, 33, 100, 512, 513, 1000, 2080):
        x = sample(rng, (3, n), dtype)
        blocks = row_extra(1, n)
        got = fold(text, x, 1, blocks, target, splits=(1,))
        want = expected(op, x, 1, blocks)
        assert same_bits(got, want), n


@targets
@pytest.mark.parametrize("stmts", [0, 4, 50, 850])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_light_and_heavy_bodies_follow_the_order_and_store_their_elements(
    target: Target, dtype: str, stmts: int
) -> None:
    rng = np.random.default_rng(2)
    for rank, shape in ((0, (100,)), (0, (5, 70)), (1, (3, 70)), (2, (2, 3, 4, 5, 33)), (1, (4, 6, 32))):
        x = rng.standard_normal(shape).astype(dtype)
        text = folding("sum", dtype, rank, len(shape) - rank, stmts=stmts)
        value = values_of(text, [x, x, x], shape)[-1] if stmts else x
        blocks = row_extra(int(np.prod(shape[rank:-1])), shape[-1])
        got = fold(text, x, rank, blocks, target)
        assert same_bits(got, expected("sum", value, rank, blocks))


@targets
@pytest.mark.parametrize(("rows", "columns"), [(1, 32), (2, 64), (3, 1000), (5, 96)])
def test_blocks_give_partial_results_that_do_not_depend_on_the_split(target: Target, rows: int, columns: int) -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((2, 7, 3, 100)).astype("float32")
    blocks = row_extra(21, 100, rows, min(columns, 100))
    text = folding("sum", "float32", 1, 3)
    whole = fold(text, x, 1, blocks, target)
    assert same_bits(whole, expected("sum", x, 1, blocks))
    assert same_bits(fold(text, x, 1, blocks, target, splits=(1, 2, 5)), whole)


@targets
@pytest.mark.parametrize("stride", [0, 2, 3])
def test_the_layout_does_not_change_a_sum(target: Target, stride: int) -> None:
    rng = np.random.default_rng(4)
    x = rng.standard_normal((3, 4, 77)).astype("float32")
    if stride == 0:
        x = np.broadcast_to(x[..., :1], x.shape)
    if stride == 3:
        laid_out = np.ascontiguousarray(x[..., ::-1])[..., ::-1]
    else:
        laid_out = x if stride == 0 else np.ascontiguousarray(x[:, ::-1, ::-1].T).T[:, ::-1, ::-1]
    blocks = row_extra(4, 77)
    got = fold(folding("sum", "float32", 1, 2, stride), laid_out, 1, blocks, target)
    assert same_bits(got, expected("sum", np.ascontiguousarray(x), 1, blocks))


def arg_text(op: str, dtype: str, with_value: bool) -> KernelText:
    operands = (
        Operand(dtype, 1, "in"),
        Operand("int64", 1, "index"),
        Operand("int64", 0, "out"),
        Operand(dtype, 0, "out"),
    )
    reduction = Reduction(op, (0, 1), (3 if with_value else -1, 2))
    return KernelText("row", 1, 1, operands, (), (), (reduction,))


@targets
@pytest.mark.parametrize("op", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8", "bool"])
def test_arg_reductions_give_the_first_extreme_and_the_first_nan(target: Target, op: str, dtype: str) -> None:
    from tests.kernels.harness import Index

    rng = np.random.default_rng(5)
    for n in (1, 3, 32, 33, 100, 500):
        x = sample(rng, (6, n), dtype)
        if x.dtype.kind == "f":
            x[3:] = np.where(np.isnan(x[3:]), 0, x[3:])
            x[5] = -np.inf if op == "argmax" else np.inf
        x[4] = x[4, 0]
        index, value = np.zeros(6, "int64"), np.zeros(6, dtype)
        operands = [x, Index(0, (0, 1)), index, value]
        assert call(arg_text(op, dtype, True), operands, x.shape, row_extra(1, n), 6, target) == 0
        assert (index == getattr(np, op)(x, axis=1)).all()
        assert same_bits(value, np.take_along_axis(x, index[:, None], 1)[:, 0])
        index[:] = -1
        assert call(arg_text(op, dtype, False), operands, x.shape, row_extra(1, n), 6, target) == 0
        assert (index == getattr(np, op)(x, axis=1)).all()


@targets
def test_several_reductions_share_one_loop(target: Target) -> None:
    operands = (Operand("float32", 1, "in"), Operand("float32", 0, "out"), Operand("float32", 0, "out"))
    square = (Stmt("mul", (0, 0), (), "float32"),)
    text = KernelText("row", 1, 1, operands, square, (), (Reduction("amax", (0,), (1,)), Reduction("sum", (3,), (2,))))
    x = np.random.default_rng(6).standard_normal((3, 50)).astype("float32")
    high, total = np.zeros(3, "float32"), np.zeros(3, "float32")
    assert call(text, [x, high, total], x.shape, row_extra(1, 50), 3, target) == 0
    assert same_bits(high, x.max(axis=1))
    assert same_bits(total, expected("sum", x * x, 1, row_extra(1, 50))[:, 0])


@targets
def test_a_value_per_row_is_computed_once_for_the_row(target: Target) -> None:
    operands = (Operand("float32", 1, "in"), Operand("float32", 0, "in"), Operand("float32", 0, "out"))
    stmts = (Stmt("mul", (1, 1), (), "float32"), Stmt("mul", (0, 3), (), "float32"))
    text = KernelText("row", 1, 2, operands, stmts, (), (Reduction("sum", (4,), (2,)),))
    rng = np.random.default_rng(7)
    x = rng.standard_normal((3, 4, 40)).astype("float32")
    scale = np.broadcast_to(rng.standard_normal((3, 4, 1)).astype("float32"), x.shape)
    out = np.zeros(3, "float32")
    assert call(text, [x, scale, out], x.shape, row_extra(4, 40), 3, target) == 0
    assert same_bits(out, expected("sum", x * (scale * scale), 1, row_extra(4, 40))[:, 0])
