"""Drafts, kernels made in less time: the same bits as the kernels that take their place."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from nbgrad.kernels.compile import compile_kernels
from nbgrad.kernels.engine import Engine
from nbgrad.kernels.target import Target, host, named
from nbgrad.tape.kernel import KernelText, Operand, Reduction, Stmt
from tests.kernels.corpus import sample_texts
from tests.kernels.harness import SIGNATURE, TARGETS, Index, call, column_extra, row_extra, same_bits, sample

SIZES = (0, 1, 15, 16, 17, 31, 33, 64, 65, 1000)
FUNCTIONS = ("exp", "log", "tanh", "erf", "sin", "sqrt", "neg", "abs")

_kept: list[Engine] = []  # code that functions are in

targets = pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)


def loaded_together(texts: list[KernelText]) -> list[Any]:
    """The functions of kernels from one module."""
    engine = Engine()
    engine.load(compile_kernels(texts, host()))
    _kept.append(engine)
    return [SIGNATURE(engine.address(text.symbol)) for text in texts]


def draft(text: KernelText) -> KernelText:
    return dataclasses.replace(text, is_draft=True)


@targets
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", FUNCTIONS)
def test_maps(target: Target, dtype: str, op: str) -> None:
    rng = np.random.default_rng(1)
    operands = (Operand(dtype, 1, "in"), Operand(dtype, 1, "out"))
    text = KernelText("map", 1, 0, operands, (Stmt(op, (0,), (), dtype),), ((2, 1),))
    for n in SIZES:
        x = sample(rng, (n,), dtype)
        outs = [np.zeros(n, dtype) for _ in range(2)]
        for kernel, out in zip((text, draft(text)), outs, strict=True):
            assert call(kernel, [x, out], [n], target=target) == 0
        assert same_bits(*outs)


@targets
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
def test_maps_over_strides_and_rows(target: Target, dtype: str) -> None:
    rng = np.random.default_rng(2)
    operands = (Operand(dtype, 2, "in"), Operand(dtype, 0, "in"), Operand(dtype, 1, "out"))
    text = KernelText("map", 2, 0, operands, (Stmt("mul", (0, 1), (), dtype),), ((3, 2),))
    for shape in ((1, 1), (3, 17), (7, 33), (5, 64)):
        x = sample(rng, shape[::-1], dtype).T
        y = np.broadcast_to(sample(rng, (shape[0], 1), dtype), shape)
        outs = [np.zeros(shape, dtype) for _ in range(2)]
        for kernel, out in zip((text, draft(text)), outs, strict=True):
            assert call(kernel, [x, y, out], shape, target=target) == 0
        assert same_bits(*outs)


@targets
@pytest.mark.parametrize("form", ["row", "column"])
@pytest.mark.parametrize("op", ["sum", "amax", "argmax"])
def test_reductions(target: Target, form: str, op: str) -> None:
    rng = np.random.default_rng(3)
    result = Operand("int64" if op == "argmax" else "float32", int(form == "column"), "out")
    index: tuple[Any, ...] = (Operand("int64", int(form == "row"), "index"),) if op == "argmax" else ()
    operands = (Operand("float32", 1, "in"), *index, result)
    reduction = Reduction(op, (0, 1), (-1, 2)) if op == "argmax" else Reduction(op, (0,), (1,))
    text = KernelText(form, 1, 1, operands, (), (), (reduction,))
    for kept, reduced in ((1, 1), (5, 40), (70, 300), (130, 9)):
        x = sample(rng, (kept, reduced), "float32")
        x = x if form == "row" else np.ascontiguousarray(x.T).T
        outs = [np.zeros(kept, result.dtype) for _ in range(2)]
        for kernel, out in zip((text, draft(text)), outs, strict=True):
            extra = row_extra(1, reduced) if form == "row" else column_extra(kept)
            items = kept if form == "row" else extra[2]
            ramp = [Index(0, (0, 1))] if op == "argmax" else []
            assert call(kernel, [x, *ramp, out], x.shape, extra, items, target) == 0
        assert same_bits(*outs)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "bool"])
def test_drafts_made_together_move_no_more_than_the_live_lanes(dtype: str) -> None:
    rng = np.random.default_rng(4)
    operands = (Operand(dtype, 1, "in"), Operand(dtype, 0, "in"), Operand(dtype, 1, "out"), Operand("bool", 1, "out"))
    added, less = (Stmt(op, (0, 1), (), kind) for op, kind in (("add", dtype), ("lt", "bool")))
    texts = [
        draft(KernelText("map", 1, 0, operands, (added, less), stores))
        for stores in (((4, 2), (5, 3)), ((0, 2), (5, 3)))
    ]
    together = loaded_together(texts)
    for n in SIZES:
        x, y = sample(rng, (n,), dtype), sample(rng, (1,), dtype)
        sums, smaller = np.full(n + 64, 7, dtype), np.full(n + 64, True)
        size = x.itemsize
        words = [n, x.ctypes.data, size, y.ctypes.data, 0, sums.ctypes.data, size, smaller.ctypes.data, 1]
        desc = np.array(words, np.int64)
        for kernel, expected in zip(together, (x + y, x), strict=True):
            assert kernel(desc.ctypes.data, 0, n) == 0
            assert same_bits(sums[:n], expected.astype(dtype))
            assert (smaller[:n] == (x < y)).all()
            assert same_bits(sums[n:], np.full(64, 7, dtype))
            assert smaller[n:].all()


@pytest.mark.parametrize("cpu", ["haswell", "skylake-avx512"])
def test_drafts_of_all_operators_are_made_together_for_each_cpu(cpu: str) -> None:
    """Where LLVM's quick selection of instructions cannot go on it ends the process."""
    drafts = list(dict.fromkeys([draft(text) for text in sample_texts()]))
    for k in range(0, len(drafts), 8):
        code = compile_kernels(drafts[k : k + 8], named(cpu))
        assert all(text.symbol.encode() in code for text in drafts[k : k + 8])


def test_a_draft_is_another_kernel_and_travels_as_text() -> None:
    text = KernelText("map", 1, 0, (Operand("float32", 1, "out"),), (), ((0, 0),))
    assert KernelText.from_json(draft(text).to_json()) == draft(text)
    assert draft(text) != text
    assert draft(text).symbol != text.symbol
    assert hash(draft(text)) != hash(text)


def test_its_code_is_not_the_same() -> None:
    text = KernelText("map", 1, 0, (Operand("float32", 1, "in"), Operand("float32", 1, "out")), (), ((0, 1),))
    symbol, other = text.symbol.encode(), draft(text).symbol.encode()
    assert compile_kernels([text], host()) != compile_kernels([draft(text)], host()).replace(other, symbol)
