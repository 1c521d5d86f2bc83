"""What row kernels make of their reductions' results: values by the references, in every width and split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.graph.op import OPS
from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import KernelText, Operand, Reduction, Stmt
from tests.kernels.harness import TARGETS, Array, Index, call, row_extra, same_bits, sample

targets = pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)
REDUCTIONS = ("sum", "prod", "amax", "amin")


def one_reduction(op: str, dtype: str) -> KernelText:
    """(value, late) -> op of value, stored; value op of late, with one late value a row; both by one more map."""
    operands = (
        Operand(dtype, 1, "in"),
        Operand(dtype, 0, "out"),
        Operand(dtype, 0, "late"),
        Operand(dtype, 0, "late"),
        Operand(dtype, 0, "out"),
        Operand(dtype, 0, "out"),
    )
    finish = (Stmt("mul", (6, 2), (), dtype), Stmt("sub", (7, 3), (), dtype))
    stores = ((7, 4), (8, 5))
    return KernelText("row", 1, 1, operands, (), (), (Reduction(op, (0,), (1,)),), finish, stores)


def plain(text: KernelText) -> KernelText:
    """The same reductions into the same operands, and nothing after them."""
    return KernelText(text.form, text.rank, text.reduce_rank, text.operands[:2], text.stmts, (), text.reductions)


def canary(n: int, dtype: str) -> tuple[Array, Array]:
    """(whole, the part that a kernel may write)."""
    whole = np.full(n + 2, 7).astype(dtype)
    return whole, whole[1:-1]


def call_rows(text: KernelText, operands: list[Any], shape: tuple[int, int], target: Target, cut: bool = False) -> int:
    kept, reduced = shape
    return call(text, operands, shape, row_extra(1, reduced), kept, target, range(1, kept) if cut else ())


@targets
@pytest.mark.parametrize("op", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "int16", "uint8"])
def test_maps_of_results_have_the_bits_of_maps_that_run_later(target: Target, op: str, dtype: str) -> None:
    rng = np.random.default_rng(1)
    text = one_reduction(op, dtype)
    for kept, reduced in ((1, 3), (5, 40), (70, 300), (130, 9)):
        x = sample(rng, (kept, reduced), dtype)
        late, scale = sample(rng, (kept,), dtype), np.broadcast_to(sample(rng, (1,), dtype), (kept,))
        expected = np.zeros(kept, dtype)
        assert call_rows(plain(text), [x, expected], x.shape, target) == 0
        for cut in (False, True):
            wholes, outs = zip(*[canary(kept, dtype) for _ in range(3)], strict=True)
            operands = [x, outs[0], late, scale, outs[1], outs[2]]
            assert call_rows(text, operands, x.shape, target, cut) == 0
            with np.errstate(all="ignore"):
                product = np.multiply(expected, late)
                for got, want in zip(outs, (expected, product, product - scale), strict=True):
                    assert same_bits(got, want)
            assert all(w[0] == 7 == w[-1] for w in wholes)


@targets
@pytest.mark.parametrize("op", ["argmax", "argmin"])
def test_the_finish_sees_the_index_of_an_arg_reduction(target: Target, op: str) -> None:
    operands = (
        Operand("float32", 1, "in"),
        Operand("int64", 1, "index"),
        Operand("int64", 0, "out"),
    )
    finish = (Stmt("mul", (3, 3), (), "int64"),)
    text = KernelText("row", 1, 1, operands, (), (), (Reduction(op, (0, 1), (-1, -1)),), finish, ((4, 2),))
    x = np.random.default_rng(2).standard_normal((100, 40)).astype("float32")
    whole, out = canary(100, "int64")
    assert call_rows(text, [x, Index(0, (0, 1)), out], x.shape, target) == 0
    assert (out == getattr(np, op)(x, axis=1) ** 2).all()
    assert whole[0] == 7 == whole[-1]


@targets
def test_results_of_several_reductions_meet_and_none_is_stored(target: Target) -> None:
    operands = (Operand("float32", 1, "in"), Operand("float32", 0, "out"))
    square = (Stmt("mul", (0, 0), (), "float32"),)
    folds = (Reduction("amax", (0,), (-1,)), Reduction("amin", (2,), (-1,)))
    text = KernelText("row", 1, 1, operands, square, (), folds, (Stmt("sub", (3, 4), (), "float32"),), ((5, 1),))
    x = np.random.default_rng(3).standard_normal((67, 50)).astype("float32")
    out = np.zeros(67, "float32")
    assert call_rows(text, [x, out], x.shape, target) == 0
    assert same_bits(out, x.max(axis=1) - (x * x).min(axis=1))


@targets
@pytest.mark.parametrize("name", ["exp", "log", "tanh", "sin", "erf", "sigmoid", "sqrt", "floor"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_one_output_at_a_time_has_the_bits_of_many(target: Target, name: str, dtype: str) -> None:
    """A row kernel and a map kernel compute the same function: of amax, which is exact in any order."""
    x = sample(np.random.default_rng(4), (200, 3), dtype)
    operands = (Operand(dtype, 1, "in"), Operand(dtype, 0, "out"))
    finish = (Stmt(name, (2,), (), dtype),)
    text = KernelText("row", 1, 1, operands, (), (), (Reduction("amax", (0,), (-1,)),), finish, ((3, 1),))
    outs = np.zeros((2, 200), dtype)
    assert call_rows(text, [x, outs[0]], x.shape, target) == 0
    lanes = (Operand(dtype, 1, "in"), Operand(dtype, 1, "out"))
    many = KernelText("map", 1, 0, lanes, (Stmt(name, (0,), (), dtype),), ((2, 1),))
    assert call(many, [x.max(axis=1), outs[1]], (200,), (), 200, target) == 0
    assert same_bits(*outs)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(outs[0], OPS[name].reference(x.max(axis=1)), rtol=1e-5)


@targets
def test_a_failing_map_of_results_leaves_the_kernel(target: Target) -> None:
    operands = (Operand("int32", 1, "in"), Operand("int32", 0, "out"))
    finish = (Stmt("remainder", (2, 2), (), "int32"),)
    text = KernelText("row", 1, 1, operands, (), (), (Reduction("amax", (0,), (-1,)),), finish, ((3, 1),))
    x = np.ones((70, 40), "int32")
    out = np.zeros(70, "int32")
    assert call_rows(text, [x, out], x.shape, target) == 0
    x[69] = 0
    assert call_rows(text, [x, out], x.shape, target) == 1


def test_a_finish_travels_as_text() -> None:
    text = one_reduction("sum", "float32")
    assert KernelText.from_json(text.to_json()) == text
    assert text.symbol != plain(text).symbol
    assert text.kept_operands == [1, 2, 3, 4, 5]
