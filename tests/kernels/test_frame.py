"""How wide a kernel works, and that nobody can tell from its answer."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from nbgrad.graph.dtypes import float32, float64
from nbgrad.kernels import ir
from nbgrad.kernels.compile import llvm_text
from nbgrad.kernels.frame import choose_lanes, is_light
from nbgrad.kernels.shared import SharedFunctions
from nbgrad.kernels.target import CUDA_ARCHES, cuda, named
from nbgrad.kernels.thread import ThreadBuilder
from nbgrad.tape.kernel import LANES, ROOMY, KernelText, Operand, Stmt
from tests.kernels.harness import TARGETS, call, same_bits, sample, values_of


def mixed(seed: int, length: int) -> KernelText:
    """A random body over float32, float64, int64, int32 and bool values, each statement cast to what it needs."""
    rng = np.random.default_rng(seed)
    dtypes = ["float32", "float64", "int64", "int32", "bool"]
    operands = [Operand(d, int(rng.integers(3)), "in") for d in dtypes]
    kinds = [*dtypes, *dtypes]  # the outputs' values are not read
    operands += [Operand(d, 1, "out") for d in dtypes]
    stmts: list[Stmt] = []

    def add(op: str, args: tuple[int, ...], dtype: str, params: tuple[Any, ...] = ()) -> int:
        stmts.append(Stmt(op, args, params, dtype))
        kinds.append(dtype)
        return len(kinds) - 1

    def pick() -> int:
        choices = [*range(5), *range(10, len(kinds))]
        return int(choices[rng.integers(len(choices))])

    for _ in range(length):
        a, b = pick(), pick()
        if kinds[a] != kinds[b]:
            b = add("cast", (b,), kinds[a], (kinds[a],)) if not unsafe(kinds[b], kinds[a]) else a
        if kinds[a] == "bool":
            c = pick()
            add("where", (a, c, c), kinds[c]) if rng.random() < 0.5 else add("bit_xor", (a, b), "bool")
        elif rng.random() < 0.3:
            add(str(rng.choice(["lt", "eq", "ne", "ge"])), (a, b), "bool")
        else:
            add(str(rng.choice(["add", "sub", "mul", "maximum", "minimum"])), (a, b), kinds[a])
    last = {d: max(i for i, kind in enumerate(kinds) if kind == d and (i < 5 or i >= 10)) for d in dtypes}
    return KernelText("map", 1, 0, tuple(operands), tuple(stmts), tuple((last[d], 5 + i) for i, d in enumerate(dtypes)))


def unsafe(source: str, to: str) -> bool:
    """Casts whose answer C leaves open; test_casts.py has them."""
    return source.startswith("float") and to.startswith("int")


@pytest.mark.parametrize("seed", range(12))
def test_mixed_dtypes_share_one_width_and_every_target_gives_numpys_bits(seed: int) -> None:
    text = mixed(seed, 5 + 4 * seed)
    rng = np.random.default_rng(seed)
    n = 77
    inputs = []
    for operand in text.operands[:5]:
        x = sample(rng, (3 * n,), operand.dtype)
        inputs.append(np.broadcast_to(x[:1], n) if operand.stride == 0 else x[:n] if operand.stride == 1 else x[::-3])
    outs = [np.zeros(n, o.dtype) for o in text.operands[5:]]
    values = values_of(text, [*inputs, *outs], [n])
    for target in TARGETS:
        assert call(text, [*inputs, *outs], [n], target=target, splits=(13, 40)) == 0
        for (value, _), out in zip(text.stores, outs, strict=True):
            assert same_bits(out, np.broadcast_to(values[value], n)), (target.cpu, out.dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_elementary_functions_have_the_same_bits_at_every_width(dtype: str) -> None:
    """Drafts have fewer lanes, and float32 functions beside float64 work may have."""
    rng = np.random.default_rng(1)
    x = (rng.standard_normal(500) * 10).astype(dtype)
    names = ("exp", "sin", "tanh", "log", "cos")
    operands = (Operand(dtype, 1, "in"), *[Operand(dtype, 1, "out") for _ in names])
    stmts = tuple([Stmt(name, (0,), (), dtype) for name in names])
    stores = tuple([(len(operands) + i, 1 + i) for i in range(len(names))])
    plain = KernelText("map", 1, 0, operands, stmts, stores)
    other = "float64" if dtype == "float32" else "float32"
    noise = [Stmt("cast", (0,), (other,), other), *[Stmt("add", (11, 11), (), other) for _ in range(20)]]
    beside = KernelText("map", 1, 0, operands, (*stmts, *noise), stores)
    results = []
    for target in TARGETS:
        texts = plain, beside, dataclasses.replace(plain, is_draft=True), dataclasses.replace(beside, is_draft=True)
        assert target.is_warp or len({choose_lanes(text, target) for text in texts}) > 1
        for text in texts:
            outs = [np.zeros_like(x) for _ in names]
            assert call(text, [x, *outs], [x.size], target=target) == 0
            results.append(np.array(outs))
    assert all(same_bits(r, results[0]) for r in results)


def test_the_commonest_element_size_sets_the_width() -> None:
    target = named("haswell")
    f32 = KernelText("map", 1, 0, tuple(Operand(d, 1, "in") for d in ("float32", "float32", "int64")))
    f64 = KernelText("map", 1, 0, tuple(Operand(d, 1, "in") for d in ("float32", "float64", "int64")))
    assert (choose_lanes(f32, target), choose_lanes(f64, target)) == (8, 4)


def test_chains_of_cheap_statements_get_two_registers_side_by_side() -> None:
    operands = (Operand("float32", 1, "in"), Operand("float32", 1, "out"))
    chain = tuple([Stmt("add", (0, 0), (), "float32")] * 10)
    for cpu, lanes in (("haswell", 16), ("skylake-avx512", LANES)):
        assert choose_lanes(KernelText("map", 1, 0, operands, chain), named(cpu)) == lanes
        costly = (*chain, Stmt("exp", (0,), (), "float32"))
        assert choose_lanes(KernelText("map", 1, 0, operands, costly), named(cpu)) == lanes // 2


@pytest.mark.parametrize(
    ("dtype", "cpu", "heavy", "single"),
    [
        ("float32", "haswell", 16, 8),
        ("float64", "x86-64", 8, 2),
        ("float64", "haswell", 16, 4),
        ("float64", "skylake-avx512", 16, 8),
    ],
)
def test_heavy_bodies_over_all_elements_have_wide_vectors(dtype: str, cpu: str, heavy: int, single: int) -> None:
    """Chains of elementary functions, where they have no short rows and are not to be made quickly."""
    operands = (Operand(dtype, 1, "in"), Operand(dtype, 1, "out"))
    chain = tuple([Stmt("exp", (0,), (), dtype)] * 10)
    flat, target = KernelText("map", 1, 0, operands, chain), named(cpu)
    assert choose_lanes(flat, target) == heavy
    assert choose_lanes(KernelText("row", 0, 1, operands, chain), target) == heavy
    assert choose_lanes(KernelText("row", 1, 1, operands, chain), target) == single
    assert choose_lanes(dataclasses.replace(flat, is_draft=True), target) == single


@pytest.mark.parametrize(
    ("dtype", "cpu", "wide", "single"),
    [
        ("float32", "x86-64", 16, 4),
        ("float32", "haswell", 32, 8),
        ("float32", "skylake-avx512", 32, 16),
        ("float64", "haswell", 16, 4),
    ],
)
def test_heavy_bodies_over_long_rows_have_wide_vectors(dtype: str, cpu: str, wide: int, single: int) -> None:
    operands = (Operand(dtype, 1, "in"), Operand(dtype, 1, "out"))
    chain = tuple([Stmt("exp", (0,), (), dtype)] * 10)
    rows, target = KernelText("map", 2, 0, operands, chain), named(cpu)
    roomy = dataclasses.replace(rows, traits=(ROOMY,))
    assert choose_lanes(rows, target) == single
    assert choose_lanes(roomy, target) == wide
    assert roomy.draft == rows.draft
    assert choose_lanes(dataclasses.replace(roomy, stmts=chain[:1]), target) == single


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_wide_vectors_over_rows_of_any_length_give_the_same_bits(dtype: str) -> None:
    """Rows lie apart in memory; what is beside them stays as it was."""
    names = ("sigmoid", "tanh", "sigmoid", "exp", "tanh")
    operands = (Operand(dtype, 1, "in"), Operand(dtype, 1, "out"))
    stmts = tuple([Stmt(name, (0 if i == 0 else 1 + i,), (), dtype) for i, name in enumerate(names)])
    rows = KernelText("map", 2, 0, operands, stmts, ((1 + len(names), 1),))
    roomy = dataclasses.replace(rows, traits=(ROOMY,))
    rng = np.random.default_rng(2)
    for inner in (1, 31, 64, 77, 128):
        x = (rng.standard_normal((3, inner)) * 5).astype(dtype)
        results = []
        for target in TARGETS:
            for text in (rows, roomy):
                around = np.full((3, inner + 40), 7, dtype)
                assert call(text, [x, around[:, :inner]], [3, inner], target=target, splits=(1,)) == 0
                assert (around[:, inner:] == 7).all()
                results.append(around)
        assert all(same_bits(r, results[0]) for r in results)


def test_heavy_bodies_of_float64_call_all_functions() -> None:
    def calls(dtype: str) -> int:
        chain = tuple([Stmt("exp", (k,), (), dtype) for k in (0, *range(2, 8))])
        operands = (Operand(dtype, 1, "in"), Operand(dtype, 1, "out"))
        text = llvm_text(KernelText("map", 1, 0, operands, chain, ((8, 1),)), named("haswell"))
        return text.count("call <16 x") - text.count("call <16 x double> @llvm") - text.count("call <16 x float> @llvm")

    assert (calls("float64"), calls("float32")) == (7, 0)


def test_functions_of_a_zero_are_of_its_dtype() -> None:
    """A thread's constants are written alike in both."""
    module = ir.Module("test")
    function = ir.Function(module, ir.FunctionType(ir.VOID, []), "f")
    b = ThreadBuilder(ir.IRBuilder(function), LANES, cuda(CUDA_ARCHES[0]), SharedFunctions(module))
    for dtype in (float32, float64):
        zero = b.const(0.0, dtype)
        assert b.function("exp", zero).dtype is dtype
        assert b.function("exp", zero) is b.function("exp", zero)  # computed before


def test_heavy_bodies_are_not_doubled() -> None:
    operands = (Operand("float32", 1, "in"), Operand("float32", 1, "out"))
    chain = tuple([Stmt("add", (0, 0), (), "float32")] * 50)
    assert is_light(KernelText("map", 1, 0, operands, chain[:10]), 2)
    assert not is_light(KernelText("map", 1, 0, operands, chain), 2)
