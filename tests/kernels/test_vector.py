"""Every operation of the vector builder against NumPy, on every target, to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nbgrad.graph.dtypes import by_name, float32, float64, int32, int64
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import literal
from tests.kernels.harness import TARGETS, Array, exact_maximum, exact_minimum, same_bits, sample
from tests.kernels.probe import probe

targets = pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)
FLOATS = ("float32", "float64")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
NUMBERS = (*INTEGERS, *FLOATS)
ALL = ("bool", *NUMBERS)
N = 403


def fused(a: Array, b: Array, c: Array) -> Array:
    """fma by exact rational arithmetic where all are finite; the plain formula tells the rest."""
    from fractions import Fraction

    result = a * b + c
    for i in range(a.size):
        if np.isfinite(a[i]) and np.isfinite(b[i]) and np.isfinite(c[i]):
            exact = Fraction(float(a[i])) * Fraction(float(b[i])) + Fraction(float(c[i]))
            if exact:
                result[i] = _nearest(exact, a.dtype)
    return result


def _nearest(exact: Any, dtype: Any) -> Any:
    """The float nearest to a fraction, halves to even."""
    if dtype == np.float64:
        try:
            return float(exact)
        except OverflowError:
            return np.inf if exact > 0 else -np.inf
    first = np.float32(float(exact))  # rounded twice: one of its neighbours may be nearer
    if not np.isfinite(first):
        return first
    from fractions import Fraction

    around = [np.nextafter(first, np.float32(-np.inf)), first, np.nextafter(first, np.float32(np.inf))]
    finite = [x for x in around if np.isfinite(x)]
    return min(finite, key=lambda x: (abs(Fraction(float(x)) - exact), int(x.view(np.int32)) & 1))


CASES: dict[str, tuple[int, tuple[str, ...], Callable[..., Array], str | None]] = {
    # name: (operands, dtypes, NumPy's answer, dtype of the result where it differs)
    "add": (2, NUMBERS, np.add, None),
    "sub": (2, NUMBERS, np.subtract, None),
    "mul": (2, NUMBERS, np.multiply, None),
    "div": (2, FLOATS, np.divide, None),
    "neg": (1, NUMBERS, np.negative, None),
    "abs": (1, NUMBERS, np.abs, None),
    "fma": (3, FLOATS, fused, None),
    "sqrt": (1, FLOATS, np.sqrt, None),
    "minimum": (2, ALL, exact_minimum, None),
    "maximum": (2, ALL, exact_maximum, None),
    "floor": (1, FLOATS, np.floor, None),
    "ceil": (1, FLOATS, np.ceil, None),
    "trunc": (1, FLOATS, np.trunc, None),
    "round": (1, FLOATS, np.rint, None),
    "copysign": (2, FLOATS, np.copysign, None),
    "fmod": (2, FLOATS, np.fmod, None),
    "lt": (2, ALL, np.less, "bool"),
    "le": (2, ALL, np.less_equal, "bool"),
    "gt": (2, ALL, np.greater, "bool"),
    "ge": (2, ALL, np.greater_equal, "bool"),
    "eq": (2, ALL, np.equal, "bool"),
    "ne": (2, ALL, np.not_equal, "bool"),
    "bit_and": (2, ("bool", *INTEGERS), np.bitwise_and, None),
    "bit_or": (2, ("bool", *INTEGERS), np.bitwise_or, None),
    "bit_xor": (2, ("bool", *INTEGERS), np.bitwise_xor, None),
    "bit_not": (1, ("bool", *INTEGERS), np.invert, None),
}


@targets
@pytest.mark.parametrize("name", list(CASES))
def test_an_operation_has_numpys_bits(target: Target, name: str) -> None:
    operands, dtypes, reference, result = CASES[name]
    rng = np.random.default_rng(1)
    for dtype in dtypes:
        args = [sample(rng, (N,), dtype) for _ in range(operands)]
        code, got = probe(lambda b, *x: getattr(b, name)(*x), args, result or dtype, target)
        with np.errstate(all="ignore"):
            want = reference(*args).astype(result or dtype)
        assert code == 0
        assert same_bits(got, want), dtype


@targets
@pytest.mark.parametrize("dtype", FLOATS)
def test_rounding_is_exact_for_halves_large_and_tiny_values(target: Target, dtype: str) -> None:
    edge = 2.0 ** (23 if dtype == "float32" else 52)
    near = np.arange(-8, 9) / 4
    x = np.concatenate([near, edge + near, edge / 2 + near, -edge + near, 4 * edge + near]).astype(dtype)
    x = np.concatenate([x, np.array([0.0, -0.0, 5e-324, -1e-40, 1e-310, np.inf, -np.inf, np.nan], dtype)])
    for name, reference in (("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc), ("round", np.rint)):
        _, got = probe(lambda b, v, name=name: getattr(b, name)(v), [x], dtype, target)
        assert same_bits(got, reference(x)), name


@targets
@pytest.mark.parametrize("dtype", FLOATS)
def test_fmod_is_exact_over_the_whole_range(target: Target, dtype: str) -> None:
    rng = np.random.default_rng(2)
    limits = np.finfo(dtype)
    tiny, low = float(limits.smallest_subnormal), float(limits.tiny)
    scale = np.array([tiny, 3 * tiny, 1000 * tiny, low, 1.5 * low, 1.0, 0.1, 1e10, float(limits.max) / 2, limits.max])
    x = np.repeat(scale, 10) * np.tile(np.linspace(0.1, 1.0, 10), 10)
    y = rng.choice(scale, x.size) * rng.choice([1.0, -1.0, 0.7], x.size)
    x, y = (x * rng.choice([1, -1], x.size)).astype(dtype), y.astype(dtype)
    code, got = probe(lambda b, u, v: b.fmod(u, v), [x, y], dtype, target)
    with np.errstate(all="ignore"):
        assert same_bits(got, np.fmod(x, y))
    assert code == 0


@targets
def test_select_takes_lanes_by_the_mask(target: Target) -> None:
    rng = np.random.default_rng(3)
    for dtype in ALL:
        mask, a, b = sample(rng, (N,), "bool"), sample(rng, (N,), dtype), sample(rng, (N,), dtype)
        _, got = probe(lambda builder, *x: builder.select(*x), [mask, a, b], dtype, target)
        assert same_bits(got, np.where(mask, a, b))


@targets
def test_shifts_count_the_low_bits_of_the_amount(target: Target) -> None:
    rng = np.random.default_rng(4)
    for dtype in INTEGERS:
        bits = 8 * np.dtype(dtype).itemsize
        x, n = sample(rng, (N,), dtype), rng.integers(0, 100, N).astype(dtype)
        by = (n.astype("int64") % bits).astype(dtype)
        unsigned = x.view(f"uint{bits}")
        want = {
            "shl": x << by,
            "lshr": (unsigned >> by.astype(unsigned.dtype)).view(dtype),
            "ashr": (x.view(f"int{bits}") >> by.astype(f"int{bits}")).view(dtype),
        }
        for name, answer in want.items():
            _, got = probe(lambda b, u, v, name=name: getattr(b, name)(u, v), [x, n], dtype, target)
            assert same_bits(got, answer), (name, dtype)
        _, got = probe(lambda b, u: b.lshr(u, 3), [x], dtype, target)
        assert same_bits(got, (unsigned >> 3).view(dtype))


@targets
def test_bitcasts_keep_the_bits(target: Target) -> None:
    rng = np.random.default_rng(5)
    for a, b in ((float32, int32), (float64, int64)):
        x = sample(rng, (N,), a.name)
        _, got = probe(lambda builder, v, b=b: builder.bitcast(v, b), [x], b.name, target)
        assert (got == x.view(b.name)).all()
        _, back = probe(lambda builder, v, a=a: builder.bitcast(v, a), [got], a.name, target)
        assert (back.view(b.name) == got).all()


@targets
def test_constants_are_exact_in_every_dtype(target: Target) -> None:
    x = np.zeros(3, "float64")
    for dtype, value in (
        ("float32", 0.1),
        ("float32", -0.0),
        ("float32", np.nan),
        ("float32", 3.4028234663852886e38),
        ("float64", 0.1),
        ("float64", 5e-324),
        ("float64", -np.inf),
        ("int64", -(1 << 63)),
        ("uint8", 255),
        ("bool", True),
    ):
        code, got = probe(lambda b, v, d=dtype, c=value: b.const(c, by_name(d)), [x], dtype, target)
        assert code == 0
        assert same_bits(got, np.full(3, value, dtype))
    assert literal(0x9E3779B9, int32) == str(0x9E3779B9 - (1 << 32))


@targets
def test_fail_if_heeds_live_lanes_only(target: Target) -> None:
    for n in (1, 15, 17, 40):
        x = np.ones(n, "float32")
        fails = lambda b, v: (b.fail_if(b.eq(v, b.const(0, float32)), 7), v)[1]  # noqa: E731
        assert probe(fails, [x], "float32", target)[0] == 0
        x[-1] = 0
        assert probe(fails, [x], "float32", target)[0] == 7


@targets
def test_a_shared_function_has_the_bits_of_an_inlined_one(target: Target) -> None:
    """The first uses are inlined, the others call one copy; a chain long enough has both."""
    rng = np.random.default_rng(6)
    x = rng.standard_normal(N).astype("float32")

    def many(b: Any, v: Any) -> Any:
        for _ in range(20):
            v = b.function("tanh", v)
        return v

    want = x
    for _ in range(20):
        _, want = probe(lambda b, v: b.function("tanh", v), [want], "float32", target)
    assert same_bits(probe(many, [x], "float32", target)[1], want)
