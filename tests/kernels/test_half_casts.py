"""Casts between float32 and halves: every half, and every float32 that is near the middle of two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.graph.dtypes import DType, bfloat16, float16, float32, int16
from nbgrad.graph.half import readable, stored
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import Vec
from tests.kernels.harness import TARGETS
from tests.kernels.probe import probe

Array = np.ndarray[Any, np.dtype[Any]]
targets = pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)
halves = pytest.mark.parametrize("dtype", [float16, bfloat16], ids=str)
ALL_BITS = np.arange(1 << 16, dtype=np.uint16)


def numbers(dtype: DType) -> Array:
    """Every half in float32."""
    return readable(ALL_BITS.view(dtype.numpy), dtype).astype(np.float32)


def floats(dtype: DType) -> Array:
    """Middles between halves with their neighbours, random bits, subnormals."""
    finite = numbers(dtype)[np.isfinite(numbers(dtype))].astype(np.float64)
    ordered = np.unique(finite)
    with np.errstate(over="ignore"):
        middles = ((ordered[1:] + ordered[:-1]) / 2).astype(np.float32)
        around = [np.nextafter(middles, np.float32(to)) for to in (-np.inf, np.inf)]
    rng = np.random.default_rng(0)
    bits = np.concatenate([rng.integers(0, 1 << 32, 100_000), rng.integers(0, 1 << 24, 20_000)]).astype(np.uint32)
    special = np.array([65504, 65519.996, 65520, -65520, 3.3961775e38, 1e-45, np.inf, -np.inf, np.nan], np.float32)
    return np.concatenate([finite.astype(np.float32), middles, *around, bits.view(np.float32), special])


def nearest(x: Array, dtype: DType) -> Array:
    """The bits of the nearest half of float32s, by a search among all of them; of two the even one."""
    all_bits = ALL_BITS[: 0x7C00 if dtype is float16 else 0x7F80]
    sizes = np.append(numbers(dtype)[: all_bits.size].astype(np.float64), 65536.0 if dtype is float16 else 2.0**128)
    size = np.abs(x.astype(np.float64))
    above = np.clip(np.searchsorted(sizes, size), 1, sizes.size - 1)
    low, high = size - sizes[above - 1], sizes[above] - size
    below = above - 1
    found = np.where((low < high) | ((low == high) & (below % 2 == 0)), below, above)
    found = np.where(np.isinf(size) | (size >= sizes[-1]), sizes.size - 1, found)
    return (found | (np.signbit(x) * 0x8000)).astype(np.uint16)


@halves
def test_numpys_conversion_is_to_the_nearest(dtype: DType) -> None:
    x = floats(dtype)
    x = x[~np.isnan(x)]
    np.testing.assert_array_equal(stored(x, dtype).view(np.uint16), nearest(x, dtype))
    back = stored(numbers(dtype), dtype).view(np.uint16)
    is_number = ~np.isnan(numbers(dtype))
    np.testing.assert_array_equal(back[is_number], ALL_BITS[is_number])


@targets
@halves
def test_a_kernel_widens_every_half(target: Target, dtype: DType) -> None:
    code, got = probe(lambda b, v: b.cast(Vec(v.value, dtype), float32), [ALL_BITS.view(np.int16)], "float32", target)
    assert code == 0
    is_number = ~np.isnan(numbers(dtype))
    np.testing.assert_array_equal(got.view(np.uint32)[is_number], numbers(dtype).view(np.uint32)[is_number])
    assert np.isnan(got[~is_number]).all()


@targets
@halves
def test_a_kernel_rounds_to_the_nearest_half(target: Target, dtype: DType) -> None:
    x = floats(dtype)
    code, got = probe(lambda b, v: Vec(b.cast(v, dtype).value, int16), [x], "int16", target)
    assert code == 0
    is_number = ~np.isnan(x)
    np.testing.assert_array_equal(got.view(np.uint16)[is_number], stored(x, dtype).view(np.uint16)[is_number])
    assert np.isnan(readable(got.view(dtype.numpy), dtype)[~is_number]).all()
