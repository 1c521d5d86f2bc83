"""The pieces that elementary functions share."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels.elementary import parts
from nbgrad.kernels.target import host
from tests.kernels.elementary.measure import around, every_exponent
from tests.kernels.probe import probe

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])
BITS = {"float32": np.int32, "float64": np.int64}


def _run(emit, *inputs, result=None):  # type: ignore[no-untyped-def]
    code, out = probe(emit, list(inputs), result or str(inputs[0].dtype), host())
    assert code == 0
    return out


@DTYPES
def test_split_exponent_puts_the_number_together_again(dtype: str) -> None:
    x = np.abs(every_exponent(dtype, 3000))
    x = np.concatenate([x[np.isfinite(x) & (x > 0.0)], around(np.sqrt(0.5) * 2.0 ** np.arange(-20, 20), dtype)])
    k = _run(lambda b, v: parts.split_exponent(b, v)[0], x)
    m = _run(lambda b, v: parts.split_exponent(b, v)[1], x)
    np.testing.assert_array_equal(np.ldexp(m.astype(np.longdouble), k.astype(int)).astype(dtype), x)
    assert np.all((m >= np.sqrt(0.5) * (1 - 1e-7)) & (m < np.sqrt(2.0) * (1 + 1e-7)))


@DTYPES
def test_scale_by_power_reaches_every_exponent(dtype: str) -> None:
    bias, bits = parts.LAYOUT[by_name(dtype)].bias, BITS[dtype]
    k = np.arange(-bias - 70, bias + 10).astype(bits)
    y = np.full(k.size, 1.25, dtype)
    scaled = _run(lambda b, v, n: parts.scale_by_power(b, v, b.add(n, b.const(2 * bias, b.dtype_of(n)))), y, k)
    with np.errstate(over="ignore", under="ignore"):
        np.testing.assert_array_equal(scaled, np.ldexp(y, k.astype(np.int32)))


@DTYPES
def test_nearest_multiple_is_a_whole_number_with_its_bits(dtype: str) -> None:
    x = np.random.default_rng(0).uniform(-900.0, 900.0, 2000).astype(dtype)
    k = _run(lambda b, v: parts.nearest_multiple(b, v, 1.0, 5)[0], x)
    low = _run(lambda b, v: parts.nearest_multiple(b, v, 1.0, 5)[1], x, result=np.dtype(BITS[dtype]).name)
    np.testing.assert_array_equal(k, np.round(x))
    np.testing.assert_array_equal(low & 0xFFF, (np.round(x).astype(int) + 5) & 0xFFF)


@DTYPES
@pytest.mark.parametrize("how", [parts.two_sum, parts.fast_two_sum])
def test_two_sum_keeps_everything(how, dtype: str) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(1)
    x, y = (np.ldexp(rng.uniform(-1.0, 1.0, 500), rng.integers(-30, 30, 500)).astype(dtype) for _ in range(2))
    if how is parts.fast_two_sum:
        x, y = np.where(np.abs(x) >= np.abs(y), x, y), np.where(np.abs(x) >= np.abs(y), y, x)
    s = _run(lambda b, v, w: how(b, v, w)[0], x, y)
    e = _run(lambda b, v, w: how(b, v, w)[1], x, y)
    for sum_, error, a, c in zip(s, e, x, y, strict=True):
        assert Fraction(float(sum_)) + Fraction(float(error)) == Fraction(float(a)) + Fraction(float(c))


@DTYPES
def test_clamp_passes_nan_and_holds_infinities(dtype: str) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.5, -3.0, 3.0], dtype)
    expected = np.array([np.nan, 2.0, -1.0, 0.5, -1.0, 2.0], dtype)
    np.testing.assert_array_equal(_run(lambda b, v: parts.clamp(b, v, -1.0, 2.0), x), expected)
