"""Maps of parts that lie at some places only, against NumPy: every size, place, dtype, form and target."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from nbgrad.kernels.places import settled
from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import STRIDE_ONE, STRIDE_ZERO, KernelText, Operand, Reduction, Stmt
from tests.kernels.harness import TARGETS, Array, Index, call, same_bits, sample

targets = pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)


def text_of(dtype: str, dims: int = 1, wide: tuple[bool, bool] = (True, False), steps: int = 1) -> KernelText:
    """out = where(part b, b, where(part a, (a + y) ..., y)), the last dim or the one before it divided into parts."""
    ramp = Operand("int64", STRIDE_ONE, "index")
    size, part = Operand("int64", STRIDE_ZERO, "in"), Operand(dtype, STRIDE_ONE, "guarded")
    rest, out = Operand(dtype, STRIDE_ONE, "in"), Operand(dtype, STRIDE_ONE, "out")
    stmts = [
        Stmt("within", (0, 1), (wide[0],), "bool"),
        Stmt("within", (2, 3), (wide[1],), "bool"),
        Stmt("guard", (4, 8), (), dtype),
        Stmt("guard", (5, 9), (), dtype),
        Stmt("add", (10, 6), (), dtype),
    ]
    stmts += [Stmt("mul", (12 + i, 6), (), dtype) for i in range(steps)]
    last = 7 + len(stmts)
    stmts += [Stmt("where", (8, last, 6), (), dtype), Stmt("where", (9, 11, last + 1), (), dtype)]
    return KernelText("map", dims, 0, (ramp, size, ramp, size, part, part, rest, out), tuple(stmts), ((last + 2, 7),))


def expected(a: Array, b: Array, y: Array, first: int, second: int, steps: int = 1) -> Array:
    """What the kernel gives along the last dim."""
    out = y.copy()
    here = slice(first, first + a.shape[-1])
    with np.errstate(all="ignore"):
        value = a + y[..., here]
        for _ in range(steps):
            value = value * y[..., here]
    out[..., here] = value
    out[..., second : second + b.shape[-1]] = b
    return out


def run(text: KernelText, a: Array, b: Array, y: Array, first: int, second: int, target: Target) -> Array:
    n, rows = y.shape[-1], y.shape[:-1]
    out = np.zeros_like(y)
    along = (0,) * len(rows) + (1,)
    sizes = [np.broadcast_to(np.array(x.shape[-1], np.int64), y.shape) for x in (a, b)]
    parts = [_Moved(x, at) for x, at in ((a, first), (b, second))]
    operands = [Index(-first, along), sizes[0], Index(-second, along), sizes[1], *parts, y, out]
    items = n if not rows else int(np.prod(rows))
    assert call(text, operands, list(y.shape), items=items, target=target) == 0
    return out


class _Moved:
    """An array as an operand that begins ``at`` elements before it."""

    def __init__(self, x: Array, at: int) -> None:
        self.ctypes = type("Address", (), {"data": x.ctypes.data - at * x.strides[-1]})
        self.strides, self.ndim = x.strides, x.ndim


@targets
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16"])
def test_parts_lie_where_they_belong_at_every_size(target: Target, dtype: str) -> None:
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 15, 16, 17, 33, 64, 65, 130):
        for before, after in ((0, 0), (1, 1), (2, 0), (0, 3), (7, 5)):
            if before + after < n:
                a = sample(rng, (n - before - after,), dtype)
                b, y = sample(rng, (1,), dtype), sample(rng, (n,), dtype)
                for second in {0, n // 2, n - 1}:
                    got = run(text_of(dtype), a, b, y, before, second, target)
                    assert same_bits(got, expected(a, b, y, before, second)), (n, before, after, second)


@targets
@pytest.mark.parametrize("wide", list(product((True, False), repeat=2)))
def test_what_a_part_is_called_changes_nothing(target: Target, wide: tuple[bool, bool]) -> None:
    rng = np.random.default_rng(2)
    for n, length, other in ((100, 98, 3), (100, 40, 40), (70, 1, 69), (70, 70, 70)):
        a, b, y = sample(rng, (length,), "float32"), sample(rng, (other,), "float32"), sample(rng, (n,), "float32")
        for first, second in ((0, n - other), (n - length, 0), ((n - length) // 2, (n - other) // 2)):
            got = run(text_of("float32", wide=wide), a, b, y, first, second, target)
            assert same_bits(got, expected(a, b, y, first, second)), (n, length, other, first, second)


@targets
@pytest.mark.parametrize("steps", [1, 30, 70])
def test_light_and_heavy_bodies_over_rows(target: Target, steps: int) -> None:
    rng = np.random.default_rng(3)
    for shape in ((3, 40), (1, 5), (2, 3, 33)):
        n = shape[-1]
        a, b, y = (sample(rng, (*shape[:-1], m), "float32") for m in (n - 2, 1, n))
        got = run(text_of("float32", len(shape), steps=steps), a, b, y, 1, n - 1, target)
        assert same_bits(got, expected(a, b, y, 1, n - 1, steps))


@targets
def test_parts_of_rows_are_whole_rows_of_the_kernel(target: Target) -> None:
    """Along an outer dim, a row is in a part or it isn't."""
    rng = np.random.default_rng(4)
    rows, n = 6, 37
    a, b, y = (sample(rng, (m, n), "float64") for m in (4, 1, rows))
    out = np.zeros_like(y)
    ramp, size, *rest = text_of("float64", 2).operands
    still = ramp._replace(stride=STRIDE_ZERO)
    text = KernelText(
        "map", 2, 0, (still, size, still, size, *rest[2:]), text_of("float64", 2).stmts, text_of("float64", 2).stores
    )
    sizes = [np.broadcast_to(np.array(m, np.int64), y.shape) for m in (4, 1)]
    above = [_Above(x, at) for x, at in ((a, 1), (b, 5))]
    assert call(text, [Index(-1, (1, 0)), sizes[0], Index(-5, (1, 0)), sizes[1], *above, y, out], [rows, n]) == 0
    assert same_bits(out, expected(a.T.copy(), b.T.copy(), y.T.copy(), 1, 5).T)


class _Above(_Moved):
    def __init__(self, x: Array, at: int) -> None:
        super().__init__(x, 0)
        self.ctypes = type("Address", (), {"data": x.ctypes.data - at * x.strides[0]})


@targets
def test_reductions_of_parts(target: Target) -> None:
    """A row kernel has no core: every vector asks."""
    ramp, size, _, _, part, _, rest, _ = text_of("float64").operands
    total = Operand("float64", STRIDE_ZERO, "out")
    stmts = (
        Stmt("within", (0, 1), (True,), "bool"),
        Stmt("guard", (2, 5), (), "float64"),
        Stmt("where", (5, 6, 3), (), "float64"),
    )
    text = KernelText("row", 0, 1, (ramp, size, part, rest, total), stmts, (), (Reduction("amax", (7,), (4,)),))
    rng = np.random.default_rng(5)
    for n in (3, 31, 64, 100):
        a, y, out = sample(rng, (n - 2,), "float64"), sample(rng, (n,), "float64"), np.zeros(())
        operands = [Index(-1, (1,)), np.broadcast_to(np.array(n - 2), (n,)), _Moved(a, 1), y, out]
        assert call(text, operands, [n], (1, n, 1, 1), items=1, target=target) == 0
        assert same_bits(out, np.array(np.concatenate([y[:1], a, y[-1:]]).max()))


@pytest.fixture
def page() -> Iterator[Array]:
    """float32 in memory of its own: to touch what lies before or behind it kills the process."""
    size = mmap.PAGESIZE
    area = mmap.mmap(-1, 3 * size)
    start = np.frombuffer(area, np.uint8).ctypes.data
    protect = ctypes.CDLL(None).mprotect
    for at in (0, 2 * size):
        assert protect(ctypes.c_void_p(start + at), ctypes.c_size_t(size), 0) == 0
    yield np.frombuffer(area, np.float32, size // 4, size)
    for at in (0, 2 * size):
        protect(ctypes.c_void_p(start + at), ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_WRITE)


@targets
@pytest.mark.parametrize("length", [1, 3, 50, 1000])
def test_nothing_around_a_part_is_read(target: Target, length: int, page: Array) -> None:
    y = np.ones(length + 40, "f")
    for a in (page[:length], page[-length:]):
        a[:] = np.arange(length)
        got = run(text_of("float32", steps=0), a, y[:1], y, 20, 0, target)
        assert same_bits(got, expected(a, y[:1], y, 20, 0, steps=0))


def test_what_is_known_in_the_core() -> None:
    text = text_of("float32")
    assert settled(text) == {8: True, 9: False}
    both = KernelText("map", 1, 0, text.operands, (*text.stmts[:2], Stmt("bit_and", (8, 9), (), "bool")))
    assert settled(both) == {8: True, 9: False, 10: False}
