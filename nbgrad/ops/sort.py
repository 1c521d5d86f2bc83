"""Sorting: integers in the order of the values, and where each element goes.

``sort_key`` gives an integer for each element, in the order that sorting wants: NaN is larger than all numbers, -0 and
0 are equal. ``order`` gives the places of a row's keys in ascending order, or the first of them; equal keys have the
order they had. So every way of sorting gives the same answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.errors import ArgumentError
from nbgrad.graph.dtypes import DType, float32, float64, int32, int64
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Spec
from nbgrad.ops.batching import leading
from nbgrad.ops.family import elementwise

MOST_SORTED = 1 << 32  # elements along the sorted dim: a place has 32 bits while keys are sorted
_KEYS: dict[DType, DType] = {float32: int32, float64: int64, int64: int64}


def key_dtype(dtype: DType) -> DType:
    """The integers that stand for values of ``dtype``."""
    return _KEYS.get(dtype, int32)


def _key_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(specs[0].shape, key_dtype(specs[0].dtype))


def _key(b: Any, x: Any, descending: bool) -> Any:
    """The bits of a float, with all but the sign turned round where it is negative, are in the order of the floats."""
    dtype = b.dtype_of(x)
    kind = key_dtype(dtype)
    if dtype.is_floating_point:
        bits = b.bitcast(x, kind)
        largest = b.const((1 << (8 * kind.itemsize - 1)) - 1, kind)
        key = b.bit_xor(bits, b.bit_and(b.ashr(bits, 8 * kind.itemsize - 1), largest))
        key = b.select(b.eq(x, b.const(0.0, dtype)), b.const(0, kind), key)
        key = b.select(b.ne(x, x), largest, key)
    else:
        key = b.cast(x, kind)
    return b.bit_not(key) if descending else key


def _key_reference(x: Any, descending: bool) -> Any:
    x = np.asarray(x)
    kind = np.dtype("int64" if x.dtype.itemsize == 8 else "int32")
    if x.dtype.kind == "f":
        bits, largest = x.view(kind), np.iinfo(kind).max
        key = np.where(bits < 0, bits ^ largest, bits)
        key = np.where(x == 0, 0, np.where(np.isnan(x), largest, key))
    else:
        key = x
    key = key.astype(kind)
    return ~key if descending else key


sort_key = elementwise("sort_key", infer=_key_infer, emit=_key, reference=_key_reference)  # params: (descending,)


def _order_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    (keys,) = specs
    if keys.shape[-1] >= MOST_SORTED:
        raise ArgumentError(f"sort: cannot sort {keys.shape[-1]} elements, fewer than {MOST_SORTED} are expected")
    return Spec.of((*keys.shape[:-1], *(params or keys.shape[-1:])), int64)


def _order_reference(keys: Any, kept: int | None = None) -> Any:
    return np.argsort(keys, axis=-1, kind="stable").astype(np.int64)[..., :kept]


order = define(
    Op("order", Kind.LIBRARY, _order_infer, _order_reference, batch=leading)
)  # of integers, along the last dim; params: (), or (how many places are wanted of each row,)
