"""Loads of 16 bytes a lane, against the CPU's kernels."""

from __future__ import annotations

import re

import numpy as np
import pytest

from nbgrad.kernels.ptx import ptx_text
from nbgrad.kernels.target import cuda, host, host_warps
from nbgrad.kernels.traits import with_traits
from nbgrad.tape.kernel import APART, NARROW, KernelText, Operand, Stmt
from tests.kernels.harness import Array, Index, call, same_bits, sample

WARPS = (host_warps(), cuda("sm_80"))


def text_of(dtype: str, rank: int = 1) -> KernelText:
    """out = where(a < b, a, ramp), less = a < b: one operand by elements, one that is turned round, and a ramp."""
    operands = (
        *(Operand(dtype, 1, "in"), Operand(dtype, 2, "in"), Operand("int64", 1, "index")),
        *(Operand(dtype, 1, "out"), Operand("bool", 1, "out")),
    )
    stmts = (Stmt("lt", (0, 1), (), "bool"), Stmt("cast", (2,), (dtype,), dtype), Stmt("where", (5, 0, 6), (), dtype))
    return KernelText("map", rank, 0, operands, stmts, ((7, 3), (5, 4)))


def placed(values: Array, offset: int) -> Array:
    """A row-major copy of ``values`` whose first element is so many elements behind an address of whole words."""
    room = np.zeros(values.size + offset + 64, values.dtype)
    first = -room.ctypes.data % 64 // values.itemsize + offset
    found = room[first : first + values.size].reshape(values.shape)
    found[...] = values
    return found


def results(text: KernelText, shape: tuple[int, ...], offset: int, target: object) -> tuple[Array, Array]:
    dtype, rng = text.operands[0].dtype, np.random.default_rng(offset)
    a, b = sample(rng, shape, dtype), sample(rng, shape, dtype)[..., ::-1]
    out, less = placed(np.zeros(shape, dtype), offset), placed(np.zeros(shape, bool), offset)
    steps = tuple([s // a.itemsize for s in a.strides])
    assert call(text, [placed(a, offset), b, Index(3, steps), out, less], shape, target=target) == 0
    return out, less


@pytest.mark.parametrize(("shape", "offset"), [((300,), 0), ((150,), 1), ((2, 140), 0)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "uint8"])
def test_wide_loads_give_the_bits_of_the_cpu(dtype: str, shape: tuple[int, ...], offset: int) -> None:
    text = text_of(dtype, len(shape))
    wanted = results(text, shape, offset, host())
    for target in WARPS:
        found = results(with_traits(text, (NARROW, APART)), shape, offset, target)
        assert all(same_bits(a, b) for a, b in zip(found, wanted, strict=True))


def test_what_is_written_over_is_read_before() -> None:
    operands = (Operand("float32", 1, "in"), Operand("float32", 1, "out"))
    text = KernelText("map", 1, 0, operands, (Stmt("neg", (0,), (), "float32"),), ((2, 1),))
    for target in WARPS:
        x = placed(np.arange(400, dtype="float32"), 0)
        assert call(text, [x, x], x.shape, target=target) == 0
        assert (x == -np.arange(400)).all()


def test_what_a_mask_guards_is_read_where_it_says_so() -> None:
    operands = (
        *(Operand(dtype, 1, role) for dtype, role in (("float32", "guarded"), ("bool", "in"), ("float32", "out"))),
    )
    text = KernelText("map", 1, 0, operands, (Stmt("guard", (0, 1), (), "float32"),), ((3, 2),))
    x, mask = np.arange(300, dtype="float32"), np.arange(300) % 3 == 0
    for target in WARPS:
        out = placed(np.full(300, np.nan, "float32"), 0)
        assert call(text, [x, mask, out], x.shape, target=target) == 0
        assert (out == np.where(mask, x, 0)).all()


WORDS = {"float32": "v[24][.]b(32|64)", "float64": "v2[.]b64", "int16": "b64", "uint8": "b32"}


@pytest.mark.parametrize(("dtype", "word"), WORDS.items())
def test_a_thread_loads_words(dtype: str, word: str) -> None:
    operands = (Operand(dtype, 1, "in"), Operand(dtype, 1, "in"), Operand(dtype, 1, "out"))
    text = KernelText("map", 1, 0, operands, (Stmt("add", (0, 1), (), dtype),), ((3, 2),))
    for traits, load in ((), "ld[.]global"), ((APART,), "ld[.]global[.]nc"):
        assert re.search(rf"\t{load}[.]{word}", ptx_text([with_traits(text, traits)], "sm_80"))
