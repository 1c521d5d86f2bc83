"""Python data as arrays: nested sequences, the dtype their numbers ask for, and whether the numbers fit it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgrad.calls.arguments import refused, require_fits
from nbgrad.errors import ArgumentError, DTypeError, NumberError
from nbgrad.graph.dtypes import DType, as_dtype, bfloat16, bool_, get_default_dtype, int64, promote, usual
from nbgrad.number import plain_number
from nbgrad.tensor import Tensor
from nbgrad.trace import values

Array = np.ndarray[Any, np.dtype[Any]]


def array_of(function: str, data: Any, dtype: DType | None) -> tuple[Array, DType]:
    """(array, dtype) of a tensor, an array, anything that gives one, a number, or nested sequences of them.

    Without ``dtype`` that in which all elements meet: Python floats count as the default dtype, ints as int64, bools as
    bool; NumPy scalars, arrays and tensors as what they are. TypeError for what is no number, ValueError for rows of
    different lengths, RuntimeError for a number that does not fit.
    """
    data = plain_number(data)
    if isinstance(data, Tensor):
        return np.array(
            values(data)
        ) if data.is_cuda or data.dtype is bfloat16 else data.detach().numpy(), dtype or data.dtype
    if hasattr(data, "__array__"):
        array = np.asarray(data)
        if array.dtype.kind not in "biufc":
            raise DTypeError(f"{function}(): cannot make a tensor of an array of dtype {array.dtype}: {_KINDS}")
        return array, dtype or as_dtype(array.dtype)
    return _nested_array(function, data, dtype)


_KINDS = "nbgrad has bools, integers, floating point and complex numbers"


def _nested_array(function: str, data: Any, dtype: DType | None) -> tuple[Array, DType]:
    found: set[DType] = set()
    plain = _plain(function, data, found, _depth(data))
    kind = dtype or _meeting(found)
    if not kind.is_complex and any(one.is_complex for one in found):
        raise DTypeError(f"{function}(): must be real numbers for {kind.name}, not complex ones")
    try:
        array = np.asarray(plain, {"f": np.float64, "c": np.complex128}.get(kind.kind))
    except ValueError:
        raise ArgumentError(
            f"{function}(): nested sequences differ in length: every row needs as many elements as the first"
        ) from None
    except OverflowError:
        raise NumberError(f"{function}(): Overflow: an int is too large for {kind.name}") from None
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


def _is_sequence(data: Any) -> bool:
    return isinstance(data, (list, tuple)) or (isinstance(data, Sequence) and not isinstance(data, (str, bytes)))


def _depth(data: Any) -> int:
    """How deep sequences are nested, by the first of each, as PyTorch counts: there tensors are numbers."""
    depth = 0
    while _is_sequence(data):
        depth += 1
        data = data[0] if len(data) else None
    return depth + (data.ndim if isinstance(data, np.ndarray) else 0)


def _plain(function: str, data: Any, found: set[DType], depth: int) -> Any:
    """``data`` as lists of Python numbers, ``depth`` of them deep; the dtypes of its elements join ``found``."""
    if isinstance(data, bool):
        found.add(bool_)
        return data
    if isinstance(data, (np.generic, np.ndarray)):
        if data.dtype.kind not in "biufc":
            raise DTypeError(f"{function}(): cannot make a tensor of NumPy's {data.dtype}: {_KINDS}")
        found.add(as_dtype(data.dtype))
        return data.tolist()
    if isinstance(data, int):
        found.add(int64)
        return data
    if isinstance(data, (float, complex)):
        default = get_default_dtype()
        found.add(default if isinstance(data, float) else default.to_complex())
        return data
    if isinstance(data, Tensor):
        found.add(data.dtype)
        if depth > 0 and data.dim():
            return [_plain(function, x, found, depth - 1) for x in data]
        if data.numel() != 1:
            raise ArgumentError(
                f"{function}(): only one element tensors can be converted to Python scalars; stack them"
            )
        return data.item()
    if _is_sequence(data):
        return [_plain(function, x, found, depth - 1) for x in data]
    raise DTypeError(
        f"{function}(): cannot make a tensor of a {type(data).__name__}: expected numbers, sequences of them, or arrays"
    )


def dtype_of_number(function: str, argument: str, value: Any) -> DType:
    """The dtype of a tensor filled with ``value``: a number, NumPy's or a 0-d tensor, which counts as a Python number.
    TypeError for anything else."""
    if _is_sequence(value) or not (isinstance(value, (bool, int, float, complex)) or hasattr(value, "dtype")):
        raise refused(function, argument, value, "Number")
    if isinstance(value, float):
        return get_default_dtype()
    if type(value) is int:
        return int64
    found: set[DType] = set()
    _plain(function, value, found, 0)
    return usual(_meeting(found))


def number_of(function: str, argument: str, value: Any) -> Any:
    """A Python number from a number or a 0-d tensor or array. TypeError for anything else."""
    if isinstance(value, (Tensor, np.generic, np.ndarray)) and value.ndim == 0:
        value = value.item()
    if not isinstance(value, (int, float)):
        raise refused(function, argument, value, "Number")
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise NumberError(f"{function}(): argument '{argument}' does not fit in 64 bits: {value}")
    return value


def check_fits(array: Array, dtype: DType) -> None:
    """NumberError for a number that does not fit an integer dtype; too large for a floating one, it is infinite."""
    if dtype.kind in "iu" and array.size and array.dtype.kind != "b":
        for number in (array.min(), array.max()):
            require_fits(number.item() if isinstance(number, np.generic) else number, dtype)
