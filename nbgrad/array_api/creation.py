"""Functions that make arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad import functions
from nbgrad.errors import ArgumentError
from nbgrad.graph.dtypes import get_default_dtype
from nbgrad.tensor import Tensor
from nbgrad.trace import tensor_of


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """The numbers from ``start`` (0 where ``stop`` is not given) up to ``stop``, which is left out."""
    low, high = (0, start) if stop is None else (start, stop)
    return functions.arange(low, high if (high - low) * step > 0 else low, step, dtype=dtype, device=device)


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Tensor:
    """``obj`` as a tensor: numbers, nested sequences, arrays, tensors, what has DLPack. It shares memory where it can,
    unless ``copy`` is True. ValueError where it cannot and ``copy`` is False.

    >>> from nbgrad import array_api as xp
    >>> xp.asarray([1, 2])
    tensor([1, 2])
    """
    if not isinstance(obj, (Tensor, np.ndarray)) and hasattr(obj, "__dlpack__"):
        obj = functions.from_dlpack(obj)
    if copy:
        if isinstance(obj, Tensor):
            return obj.to(obj.device if device is None else device, dtype or obj.dtype, copy=True)
        return functions.tensor(obj, dtype=dtype, device=device)
    made = functions.as_tensor(obj, dtype, device)
    if copy is False and not _shares(made, obj):
        raise ArgumentError("asarray(): copy=False, and this needs a copy")
    return made


def _shares(made: Tensor, obj: Any) -> bool:
    if isinstance(obj, Tensor):
        return made is obj
    return isinstance(obj, np.ndarray) and obj.flags.writeable and made.dtype.numpy == obj.dtype and made.is_cpu


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Any values."""
    return functions.empty(shape, dtype=dtype, device=device)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Tensor:
    """1 on diagonal ``k``, else 0."""
    columns = functions.arange(n_rows if n_cols is None else n_cols, device=device)
    on_diagonal = columns == functions.arange(n_rows, device=device).unsqueeze(1) + k
    return on_diagonal.to(get_default_dtype() if dtype is None else dtype)  # type: ignore[no-any-return]


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """One value everywhere, whose dtype it has unless given."""
    if isinstance(fill_value, Tensor):
        return fill_value.to(device=device, dtype=dtype).expand(shape).clone()  # type: ignore[no-any-return]
    return functions.full(shape if isinstance(shape, tuple) else (shape,), fill_value, dtype=dtype, device=device)


def linspace(
    start: float, stop: float, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: bool = True
) -> Tensor:
    """``num`` numbers in equal steps from ``start`` to ``stop``, which is left out without ``endpoint``."""
    if endpoint or not num:
        return functions.linspace(start, stop, num, dtype=dtype, device=device)
    return functions.linspace(start, stop, num + 1, dtype=dtype, device=device)[:-1]


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> list[Tensor]:
    """Coordinates of all points of a grid, from those along each of its dims."""
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid(): indexing must be 'xy' or 'ij', not {indexing!r}")
    return [*functions.meshgrid(*arrays, indexing=indexing)] if arrays else []


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """1 everywhere."""
    return functions.ones(shape, dtype=dtype, device=device)


def tril(x: Tensor, /, *, k: int = 0) -> Any:
    """What is on diagonal ``k`` and below; 0 above."""
    return tensor_of("tril", "x", x).tril(k)


def triu(x: Tensor, /, *, k: int = 0) -> Any:
    """What is on diagonal ``k`` and above; 0 below."""
    return tensor_of("triu", "x", x).triu(k)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """0 everywhere."""
    return functions.zeros(shape, dtype=dtype, device=device)
