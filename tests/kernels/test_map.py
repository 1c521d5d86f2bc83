"""Map kernels against NumPy: every stride class, size, split and target, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, KernelText, Operand, Stmt
from tests.kernels.harness import TARGETS, Array, Index, call, same_bits, sample, values_of

SIZES = (0, 1, 15, 16, 17, 31, 32, 33, 64, 65, 1000)

targets = pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)


def chain(dtype: str = "float32", strides: tuple[int, int, int] = (1, 1, 1), length: int = 3) -> KernelText:
    """out = ((a + b) * b - a) ..., ``length`` statements long."""
    operands = tuple(Operand(dtype, s, role) for s, role in zip(strides, ("in", "in", "out"), strict=True))
    ops = ("add", "mul", "sub", "maximum")
    stmts = [Stmt(ops[i % 4], (0 if i == 0 else 2 + i, 1 if i % 3 else 0), (), dtype) for i in range(length)]
    return KernelText("map", 1, 0, operands, tuple(stmts), ((2 + length, 2),))


def lay_out(x: Array, stride: int) -> Array:
    """``x`` laid out with the inner stride class: 0 one element for all, 1 consecutive, 2 backwards and apart, 3
    consecutive backwards."""
    if stride == 0:
        first = x[..., :1].copy() if x.shape[-1] else np.zeros((*x.shape[:-1], 1), x.dtype)
        return np.broadcast_to(first, x.shape)
    if stride == 1:
        return x.copy()
    if stride == 3:
        return np.ascontiguousarray(x[..., ::-1])[..., ::-1]
    room = np.zeros((*x.shape[:-1], 3 * max(x.shape[-1], 1)), x.dtype)
    apart = room[..., ::-3][..., : x.shape[-1]]
    apart[...] = x
    return apart


@targets
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "int16", "uint8"])
@pytest.mark.parametrize("strides", [(1, 1, 1), (1, 0, 1), (2, 1, 1), (0, 0, 1), (1, 2, 2), (3, 1, 1), (1, 3, 2)])
def test_map_gives_numpys_bits_for_every_stride_class(target: Target, dtype: str, strides: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    text = chain(dtype, strides)  # type: ignore[arg-type]
    for n in SIZES:
        a, b = (lay_out(sample(rng, (n,), dtype), s) for s in strides[:2])
        out = lay_out(np.zeros(n, dtype), strides[2])
        assert call(text, [a, b, out], [n], target=target) == 0
        assert same_bits(out, values_of(text, [a, b, out], [n])[-1])


@targets
@pytest.mark.parametrize("length", [1, 8, 60])
def test_light_and_heavy_bodies_give_the_same_for_any_split(target: Target, length: int) -> None:
    rng = np.random.default_rng(2)
    text = chain(length=length)
    n = 333
    a, b = sample(rng, (2, n), "float32")
    expected = values_of(text, [a, b, a], [n])[-1]
    for splits in ((), (1,), (16,), (17, 18, 50), (100, 200, 300, 332)):
        out = np.zeros(n, "float32")
        assert call(text, [a, b, out], [n], target=target, splits=splits) == 0
        assert same_bits(out, expected)


@targets
@pytest.mark.parametrize("shape", [(3, 5), (4, 1), (1, 40), (0, 7), (7, 0), (2, 3, 33), (2, 1, 3, 17)])
def test_rows_are_walked_in_any_layout(target: Target, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    stmts = (Stmt("mul", (0, 1), (), "float32"), Stmt("add", (4, 2), (), "float32"))
    operands = (
        Operand("float32", 1, "in"),
        Operand("float32", 2, "in"),
        Operand("float32", 0, "in"),
        Operand("float32", 1, "out"),
    )
    text = KernelText("map", len(shape), 0, operands, stmts, ((5, 3),))
    a = np.flip(sample(rng, shape, "float32"), 0)
    b = sample(rng, shape[::-1], "float32").T
    c = np.broadcast_to(sample(rng, (*shape[:-1], 1), "float32"), shape)
    items = int(np.prod(shape[:-1]))
    for splits in ((), (items // 2,)):
        out = np.full(shape, 7, "float32")
        assert call(text, [a, b, c, out], shape, items=items, splits=splits, target=target) == 0
        assert same_bits(out, values_of(text, [a, b, c, out], shape)[-1])


@targets
def test_rank_0_computes_one_element(target: Target) -> None:
    operands = (Operand("float64", 0, "in"), Operand("float64", 0, "out"))
    text = KernelText("map", 0, 0, operands, (Stmt("add", (0, 0), (), "float64"),), ((2, 1),))
    out = np.zeros((), "float64")
    assert call(text, [np.full((), 1.5), out], [], items=1, target=target) == 0
    assert out == 3.0


@targets
def test_bools_are_bytes_in_memory_and_any_byte_but_0_is_true(target: Target) -> None:
    operands = (Operand("bool", 1, "in"), Operand("bool", 2, "in"), Operand("bool", 1, "out"))
    text = KernelText("map", 1, 0, operands, (Stmt("bit_and", (0, 1), (), "bool"),), ((3, 2),))
    for n in SIZES:
        a = np.arange(n, dtype="uint8") % 3
        b = np.repeat(np.arange(n, dtype="uint8") % 5, 2)[::2]
        out = np.full(n, 9, "uint8")
        assert call(text, [a, b, out], [n], target=target) == 0
        assert (out == ((a != 0) & (b != 0))).all()


@targets
def test_an_output_may_be_the_memory_of_an_input(target: Target) -> None:
    rng = np.random.default_rng(4)
    for length in (3, 60):
        text = chain(length=length)
        for n in (5, 64, 100):
            a, b = sample(rng, (2, n), "float32")
            expected = values_of(text, [a.copy(), b, a], [n])[-1]
            assert call(text, [a, b, a], [n], target=target) == 0
            assert same_bits(a, expected)


@targets
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "bool"])
def test_nothing_is_written_beside_the_output(target: Target, stride: int, dtype: str) -> None:
    operands = (Operand(dtype, 1, "in"), Operand(dtype, stride, "out"))
    text = KernelText("map", 1, 0, operands, (), ((0, 1),))
    for n in (1, 3, 16, 17, 33):
        room = np.full(40 + n * stride, 1, dtype)
        out = room[20 : 20 + n * stride : stride]
        assert call(text, [np.zeros(n, dtype), out], [n], target=target) == 0
        assert (out == 0).all()
        out[:] = 1
        assert (room == 1).all()


@targets
def test_index_operands_are_numbers_without_memory(target: Target) -> None:
    operands = (Operand("int64", 2, "index"), Operand("int64", 0, "index"), Operand("int64", 1, "out"))
    text = KernelText("map", 2, 0, operands, (Stmt("mul", (0, 1), (), "int64"),), ((3, 2),))
    out = np.zeros((3, 21), "int64")
    indices = [Index(5, (100, -3)), Index(2, (7, 0))]
    assert call(text, [*indices, out], out.shape, target=target) == 0
    i, j = np.indices(out.shape)
    assert (out == (5 + 100 * i - 3 * j) * (2 + 7 * i)).all()


def taking(dtype: str) -> KernelText:
    operands = (Operand(dtype, 1, "table"), Operand("int64", 1, "in"), Operand(dtype, 1, "out"))
    return KernelText("map", 1, 0, operands, (Stmt("take", (0, 1), (), dtype),), ((3, 2),))


@targets
@pytest.mark.parametrize("dtype", ["float32", "float64", "bool", "int16"])
def test_take_gathers_and_refuses_indices_outside_the_table(target: Target, dtype: str) -> None:
    rng = np.random.default_rng(5)
    table = sample(rng, (50,), dtype)
    for n in SIZES:
        index = rng.integers(0, 50, n)
        out = np.zeros(n, dtype)
        assert call(taking(dtype), [table, index, out], [n], target=target) == 0
        assert same_bits(out, table[index])
        for wrong in (-1, 50, 1 << 40, -(1 << 62)):
            if n:
                bad = index.copy()
                bad[rng.integers(n)] = wrong
                assert call(taking(dtype), [table, bad, out], [n], target=target) == INDEX_OUT_OF_RANGE
    empty = np.zeros(0, dtype)
    assert call(taking(dtype), [empty, np.zeros(1, "int64"), np.zeros(1, dtype)], [1], target=target) == 2


@targets
def test_values_that_do_not_move_are_computed_once_a_row(target: Target) -> None:
    """Also when computing them can fail: a row of no elements must not be looked at."""
    operands = (Operand("int64", 0, "in"), Operand("int64", 0, "in"), Operand("int64", 1, "out"))
    text = KernelText("map", 2, 0, operands, (Stmt("trunc_divide", (0, 1), (), "int64"),), ((3, 2),))
    a = np.broadcast_to(np.arange(4)[:, None] * 10, (4, 5))
    b = np.broadcast_to(np.arange(4)[:, None], (4, 5))
    out = np.zeros((4, 5), "int64")
    assert call(text, [a[1:], b[1:], out[1:]], (3, 5), target=target) == 0
    assert (out[1:] == 10).all()
    assert call(text, [a, b, out], (4, 5), target=target) == 1
    assert call(text, [a[:, :0], b[:, :0], out[:, :0]], (4, 0), target=target) == 0


def rows_of(dtype: str, swapped: bool = False) -> KernelText:
    """out[i, j] = table[start[i] + j]."""
    operands = (
        Operand(dtype, 1, "table"),
        Operand("int64", 0, "in"),
        Operand("int64", 1, "index"),
        Operand(dtype, 1, "out"),
    )
    stmts = (Stmt("add", (2, 1) if swapped else (1, 2), (), "int64"), Stmt("take", (0, 4), (), dtype))
    return KernelText("map", 2, 0, operands, stmts, ((5, 3),))


@targets
@pytest.mark.parametrize("dtype", ["float32", "float64", "bool", "int16"])
def test_rows_of_a_table_are_read_whole_and_refused_where_they_leave_it(target: Target, dtype: str) -> None:
    rng = np.random.default_rng(6)
    for n in (1, 7, 16, 17, 40, 64, 100):
        table = sample(rng, (5 * n,), dtype)
        starts = np.array([3 * n, 0, 4 * n, 1], np.int64)
        spread = np.broadcast_to(starts[:, None], (4, n))
        out = np.zeros((4, n), dtype)
        for swapped in (False, True):
            given = [table, spread, Index(0, (0, 1)), out]
            assert call(rows_of(dtype, swapped), given, (4, n), target=target) == 0
            assert same_bits(out, table[starts[:, None] + np.arange(n)])
        for wrong in (-1, 4 * n + 1, 1 << 40, -(1 << 62), (1 << 63) - 1):
            starts[2] = wrong
            assert call(rows_of(dtype), [table, spread, Index(0, (0, 1)), out], (4, n), target=target) == 2


@targets
def test_a_ramp_may_begin_anywhere(target: Target) -> None:
    table = np.arange(100, dtype="f")
    out = np.zeros((2, 40), "f")
    starts = np.broadcast_to(np.array([[10], [20]]), (2, 40))
    assert call(rows_of("float32"), [table, starts, Index(5, (3, 1)), out], (2, 40), target=target) == 0
    assert (out == np.array([[15], [28]]) + np.arange(40)).all()
