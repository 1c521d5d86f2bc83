"""Writing through indices, running sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nbgrad.kernels.launch import SCATTER_PLACES, warp_items
from nbgrad.kernels.target import host, host_warps
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, SCATTERS, KernelText, Operand
from tests.kernels.harness import TARGETS, Array, compiled, same_bits, sample


def scatter(form: str, dst: Array, index: Array, values: Array, target: Any, count: int | None = None) -> int:
    """Recurrences add the values, too."""
    kind = str(dst.dtype)
    operands = [Operand(kind, 1, "out"), Operand("int64", 1, "in"), Operand(kind, 1, "in")]
    n = index.size if count is None else count
    words = [n, dst.ctypes.data, dst.size, index.ctypes.data, index.size, values.ctypes.data, values.size]
    if form == "scatter_recurrence":
        before = np.zeros_like(values)
        operands += [Operand(kind, 1, "in"), Operand(kind, 1, "out")]
        words += [values.ctypes.data, before.ctypes.data]
    text = KernelText(form, 0, 0, tuple(operands))
    function, _ = compiled(text, target)
    items = warp_items(text, 1, words) if target.is_warp else 1
    desc = np.array(words, np.int64)
    return max([int(function(desc.ctypes.data, item, item + 1)) for item in range(items)])


WRITTEN: dict[str, Callable[[Any, Any], Any]] = {
    "scatter_add": lambda before, value: before + value,
    "scatter_product": lambda before, value: before * value,
    "scatter_put": lambda before, value: value,
    "scatter_recurrence": lambda before, value: before * value + value,
}


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "int16"])
def test_scatter_writes_in_source_order(target: Any, dtype: str) -> None:
    rng = np.random.default_rng(3)
    index, values = rng.integers(0, 7, 200), sample(rng, (200,), dtype)
    for form, written in WRITTEN.items():
        found, want = np.ones(7, dtype), np.ones(7, dtype)
        with np.errstate(all="ignore"):
            for i, v in zip(index, values, strict=True):
                want[i] = written(want[i], v)
        assert scatter(form, found, index, values, target) == 0
        assert same_bits(found, want)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32"])
def test_the_extreme_of_each_place_stays_and_nan_with_it(target: Any, dtype: str) -> None:
    rng = np.random.default_rng(3)
    index, values = rng.integers(0, 7, 200), sample(rng, (200,), dtype)
    if dtype.startswith("float"):
        values[[17, 90]] = np.nan
    for form, ufunc in (("scatter_max", np.maximum), ("scatter_min", np.minimum)):
        found, want = np.ones(7, dtype), np.ones(7, dtype)
        ufunc.at(want, index, values)
        assert scatter(form, found, index, values, target) == 0
        np.testing.assert_array_equal(found, want)


def test_scatter_of_bools_replaces_bytes() -> None:
    dst = np.zeros(3, "bool")
    assert scatter("scatter_put", dst, np.array([2]), np.array([True]), host()) == 0
    assert dst.tolist() == [False, False, True]


@pytest.mark.parametrize("form", SCATTERS)
@pytest.mark.parametrize("wrong", [-1, 4, 1 << 50])
def test_an_index_outside_fails_before_its_element_is_written(form: str, wrong: int) -> None:
    dst = np.zeros(4)
    assert scatter(form, dst, np.array([1, wrong, 2]), np.ones(3), host()) == INDEX_OUT_OF_RANGE
    assert dst.tolist() == [0, form not in ("scatter_min", "scatter_product"), 0, 0]


def test_scatter_of_nothing_touches_nothing() -> None:
    dst = np.zeros(4)
    assert scatter("scatter_add", dst, np.array([99]), np.ones(1), host(), count=0) == 0
    assert (dst == 0).all()


@pytest.mark.parametrize("form", SCATTERS)
@pytest.mark.parametrize("count", [1, 31, 32, 33, 1000])
def test_warps_share_the_places_of_a_scatter(form: str, count: int) -> None:
    rng = np.random.default_rng(count)
    size = 3 * SCATTER_PLACES + 7
    index, values = rng.integers(0, size, count), sample(rng, (count,), "float32")
    index[: count // 2] = index[0]
    results = [np.ones(size, "float32") for _ in range(2)]
    for dst, target in zip(results, (host(), host_warps()), strict=True):
        assert scatter(form, dst, index, values, target) == 0
    assert same_bits(*results)


def test_warps_hear_of_an_index_outside() -> None:
    for wrong in (-1, 4, 1 << 50):
        assert scatter("scatter_add", np.zeros(4), np.array([1, wrong]), np.ones(2), host_warps()) == INDEX_OUT_OF_RANGE


def test_warps_scatter_nothing_into_nothing() -> None:
    assert scatter("scatter_add", np.zeros(0), np.zeros(0, "int64"), np.ones(0), host_warps()) == 0
    assert scatter("scatter_add", np.zeros(0), np.zeros(1, "int64"), np.ones(1), host_warps()) == INDEX_OUT_OF_RANGE
