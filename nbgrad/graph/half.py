"""float16 and bfloat16 in NumPy: what lies in memory, and the float32 that it stands for.

What becomes a half is rounded to float32 first, whatever it was, as PyTorch does; then to the nearest half, ties to
even. NaN stays NaN; what is too large becomes infinite.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from nbgrad.graph.dtypes import DType
from nbgrad.graph.quiet import quietly

Array = np.ndarray[Any, np.dtype[Any]]

BFLOAT16_NAN = 0x7FC0


def readable(array: Array, dtype: DType) -> Array:
    """The numbers of an ``array`` as it lies in memory, in a dtype that NumPy computes with: bfloat16 as float32."""
    if dtype.name != "bfloat16":
        return array
    return (array.astype(np.uint32) << np.uint32(16)).view(np.float32)


def stored(array: Array, dtype: DType) -> Array:
    """Numbers of any dtype of NumPy's as they lie in memory for ``dtype``."""
    return quietly(_stored, array, dtype)


def _stored(array: Array, dtype: DType) -> Array:
    if not dtype.is_half:
        return array.astype(dtype.numpy, copy=False)
    single = np.asarray(array).astype(np.float32)
    if dtype.name == "float16":
        return single.astype(np.float16)
    bits = single.view(np.uint32)
    rounded = bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))
    return np.where(np.isnan(single), np.uint32(BFLOAT16_NAN), rounded >> np.uint32(16)).astype(np.uint16)


def rounded(value: float, dtype: DType) -> float:
    """``value`` as an element of a half ``dtype`` has it."""
    return float(readable(stored(np.asarray(value), dtype), dtype))


class Limits(NamedTuple):
    """Of a floating dtype: its largest number, the step from 1 to the next, its smallest normal number, and the decimal
    resolution."""

    max: float
    eps: float
    tiny: float
    resolution: float


@functools.cache
def range_of(dtype: DType) -> tuple[float, float]:
    """The smallest and the largest number of a dtype that is not bool; of a complex one, of its parts."""
    if dtype.is_inexact:
        most = limits(dtype.to_real()).max
        return -most, most
    found = np.iinfo(dtype.numpy)
    return int(found.min), int(found.max)


@functools.cache
def limits(dtype: DType) -> Limits:
    """What numbers a floating dtype holds."""
    if dtype.name == "bfloat16":
        return Limits(2.0**128 - 2.0**120, 2.0**-7, 2.0**-126, 0.01)
    found = np.finfo(dtype.numpy)
    return Limits(float(found.max), float(found.eps), float(found.tiny), 10.0**-found.precision)
