"""Short rows with a lane for each output: the bits of the form "row"."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import SHORT_ROW, SHORT_ROWS, KernelText, Operand, Reduction, Stage, Stmt
from tests.kernels.harness import CPUS, Array, Index, call, row_extra, same_bits, sample

cpus = pytest.mark.parametrize("target", CPUS, ids=lambda t: t.cpu)

# How x, which differs from item to item, w, which does not, and late c lie along the outputs of an item: strides.
LYING: dict[str, tuple[int, int, int]] = {"short_row": (0, 2, 1), "row": (1, 1, 0)}


def pairs(form: str, op: str, dtype: str) -> KernelText:
    """out = op(x - w) * c and the sum itself, for all pairs of rows x and w."""
    x, w, c = LYING[form]
    role = "held" if form == "short_row" else "in"
    out = Operand(dtype, c, "out")
    operands = (Operand(dtype, x, "in"), Operand(dtype, w, role), out, out, Operand(dtype, c, "late"))
    first = Stmt("sub", (0, 1), (), dtype)
    return KernelText(
        form, 2, 1, operands, (first,), (), (Reduction(op, (5,), (2,)),), (Stmt("mul", (6, 4), (), dtype),), ((7, 3),)
    )


def run(text: KernelText, arrays: list[Array], length: int, target: Target, splits: Any = ()) -> list[Array]:
    """Both results, between canaries: nothing beside them may be written."""
    x, w, c = arrays
    items, outputs = len(x), len(w)
    sizes = (items, outputs, length)
    whole = [np.full((items + 2, outputs), 7, x.dtype) for _ in range(2)]
    spread = [np.broadcast_to(x[:, None, :], sizes), np.broadcast_to(w, sizes)]
    kept = [*[out[1:-1] for out in whole], np.broadcast_to(c, sizes[:2])]
    count = items if text.form == "short_row" else items * outputs
    with np.errstate(all="ignore"):
        assert call(text, [*spread, *kept], sizes, row_extra(1, length), count, target, splits) == 0
    assert all((out[[0, -1]] == 7).all() for out in whole)
    return [out[1:-1] for out in whole]


@cpus
@pytest.mark.parametrize(
    ("op", "dtype"), [("sum", "float64"), ("sum", "float32"), ("amax", "float32"), ("prod", "int32"), ("amin", "int64")]
)
def test_short_rows_have_the_bits_of_rows(op: str, dtype: str, target: Target) -> None:
    rng = np.random.default_rng(7)
    for length, outputs, items in ((1, 16, 3), (2, 17, 70), (3, 40, 2), (10, 25, 131), (15, 9, 5), (16, 64, 4)):
        arrays = [sample(rng, shape, dtype) for shape in ((items, length), (outputs, length), (outputs,))]
        wanted = run(pairs("row", op, dtype), arrays, length, target)
        assert np.unique(wanted[0]).size > 1
        for splits in ((), (1,), (1, items - 1)):
            got = run(pairs("short_row", op, dtype), arrays, length, target, splits)
            assert all(map(same_bits, got, wanted)), (length, outputs, items)


@cpus
def test_a_draft_has_the_same_bits(target: Target) -> None:
    rng = np.random.default_rng(8)
    arrays = [sample(rng, shape, "float32") for shape in ((66, 7), (21, 7), (21,))]
    wanted = run(pairs("row", "sum", "float32"), arrays, 7, target)
    got = run(replace(pairs("short_row", "sum", "float32"), is_draft=True), arrays, 7, target)
    assert all(map(same_bits, got, wanted))


@cpus
def test_a_division_by_zero_fails_the_kernel(target: Target) -> None:
    text = pairs("short_row", "sum", "int64")
    text = replace(text, stmts=(Stmt("floor_divide", (0, 1), (), "int64"),))
    arrays = [np.ones((3, 4), np.int64), np.ones((18, 4), np.int64), np.ones(18, np.int64)]
    assert (run(text, arrays, 4, target)[0] == 4).all()
    arrays[1][17, 3] = 0
    with pytest.raises(AssertionError, match="== 0"):
        run(text, arrays, 4, target)


def staged(form: str, dtype: str) -> KernelText:
    """e = (x - max x)^2, kept; out = e / sum e + place, beside the sum, and the place of the greatest, of rows."""
    apart = 2 if form == "short_row" else 1
    beside = 1 if form == "short_row" else 0
    operands = (
        Operand(dtype, apart, "in"),
        Operand(dtype, 1, "scratch"),
        Operand(dtype, apart, "out"),
        Operand(dtype, beside, "out"),
        Operand("int64", 0 if form == "short_row" else 1, "index"),
        Operand("int64", beside, "out"),
    )
    greatest = (Reduction("amax", (0,), (-1,)), Reduction("argmax", (0, 4), (-1, 5)))  # 6, 7
    squares = (Stmt("sub", (0, 6), (), dtype), Stmt("mul", (8, 8), (), dtype))
    middle = Stage(squares, ((9, 1),), (Reduction("sum", (9,), (3,)),), (Stmt("add", (10, 10), (), dtype),), ())
    number = (Stmt("cast", (7,), (dtype,), dtype), Stmt("cast", (4,), (dtype,), dtype))
    last = Stage(
        (*number, Stmt("sub", (12, 13), (), dtype), Stmt("mul", (1, 11), (), dtype), Stmt("add", (14, 15), (), dtype)),
        ((16, 2),),
        (),
        (),
        (),
    )
    return KernelText(form, 1, 1, operands, (), (), greatest, (), (), (middle, last))


@cpus
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("is_draft", [False, True])
def test_rows_of_several_stages_have_the_bits_of_rows(dtype: str, is_draft: bool, target: Target) -> None:
    rng = np.random.default_rng(9)
    for length, outputs in ((1, 16), (2, 17), (3, 64), (7, 65), (16, 129), (SHORT_ROW, 200)):
        x = sample(rng, (outputs, length), dtype)
        found = []
        for form, items in (("row", outputs), ("short_row", -(-outputs // SHORT_ROWS))):
            text = replace(staged(form, dtype), is_draft=is_draft)
            out, total, place = (
                np.full((outputs + 1, length), 7, dtype),
                np.full(outputs + 1, 7, dtype),
                np.full(outputs + 1, 7),
            )
            operands = [x, Index(0, (0, x.itemsize)), out[:-1], total[:-1], Index(0, (0, 1)), place[:-1]]
            splits = (1,) if items > 1 else ()
            with np.errstate(all="ignore"):
                assert call(text, operands, (outputs, length), row_extra(1, length), items, target, splits) == 0
            assert (out[-1] == 7).all()
            assert total[-1] == place[-1] == 7
            found.append([out, total, place])
        assert all(map(same_bits, *found)), (length, outputs)
