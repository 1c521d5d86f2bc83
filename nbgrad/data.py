"""Python data as arrays: nested sequences, the dtype their numbers ask for, and whether the numbers fit it."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.errors import ArgumentError, DTypeError, RunError
from nbgrad.graph.dtypes import DType, as_dtype, bool_, get_default_dtype, int64, promote
from nbgrad.tensor import Tensor

Array = np.ndarray[Any, np.dtype[Any]]


def nested_array(data: Any, dtype: DType | None) -> tuple[Array, DType]:
    """(array, dtype) of numbers and nested sequences of them; without ``dtype``, that in which all elements meet.

    Python floats count as the default dtype, ints as int64, bools as bool; NumPy scalars, arrays and tensors inside
    count as what they are. ValueError for rows of different lengths, RuntimeError for a number that does not fit.
    """
    found: set[DType] = set()
    plain = _plain(data, found)
    try:
        array = np.asarray(plain)
    except ValueError:
        raise ArgumentError(
            "tensor: nested sequences differ in length: every row needs as many elements as the first"
        ) from None
    kind = dtype or _meeting(found)
    check_fits(array, kind)
    return array, kind


def _meeting(found: set[DType]) -> DType:
    if not found:
        return get_default_dtype()
    kinds = sorted(found, key=lambda d: d.rank)
    kind = kinds[0]
    for other in kinds[1:]:
        kind = promote(kind, other)
    return kind


def _plain(data: Any, found: set[DType]) -> Any:
    """``data`` as lists of Python numbers; the dtypes of its elements join ``found``."""
    if isinstance(data, bool):
        found.add(bool_)
        return data
    if isinstance(data, (np.generic, np.ndarray)):
        found.add(as_dtype(data.dtype))
        return data.tolist()
    if isinstance(data, int):
        found.add(int64)
        return data
    if isinstance(data, float):
        found.add(get_default_dtype())
        return data
    if isinstance(data, Tensor):
        found.add(data.dtype)
        return data.tolist()
    if isinstance(data, (list, tuple, range)):
        return [_plain(x, found) for x in data]
    raise DTypeError(f"tensor: cannot make a tensor of {type(data).__name__!r}")


def dtype_of_number(value: Any) -> DType:
    """The dtype of a tensor filled with ``value``."""
    found: set[DType] = set()
    _plain(value, found)
    return _meeting(found)


def check_fits(array: Array, dtype: DType) -> None:
    """RuntimeError for a number outside the range of an integer dtype (unsigned ones take negatives, which wrap)."""
    if array.dtype.kind in "Ou":  # NumPy's answer to integers of more than 64 bits
        raise ArgumentError("Overflow when unpacking long long: the number does not fit in 64 bits")
    if dtype.kind not in "iu" or not array.size or array.dtype.kind == "b":
        return
    info = np.iinfo(dtype.numpy)
    low = -info.max if dtype.kind == "u" else info.min
    least, most = array.min(), array.max()
    if not (np.isfinite(least) and np.isfinite(most) and low <= int(least) and int(most) <= info.max):
        raise RunError(f"value cannot be converted to type {dtype.name} without overflow")
