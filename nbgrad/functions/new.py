"""Tensors with the dtype and the device of another one: ``x.new_zeros(2, 3)``."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.errors import DTypeError
from nbgrad.functions.creation import empty, full, ones, sizes_of, tensor, zeros
from nbgrad.graph.dtypes import get_default_dtype
from nbgrad.tensor import Size, Tensor


def _options(self: Tensor, dtype: Any, device: Any) -> dict[str, Any]:
    return {"dtype": self.dtype if dtype is None else dtype, "device": self.device if device is None else device}


def new_tensor(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, layout: Any = None
) -> Tensor:
    """A tensor with a copy of ``data``, in this one's dtype and on its device unless given.

    >>> nbgrad.zeros(1, dtype=nbgrad.int64).new_tensor([1.0, 2.0])
    tensor([1, 2])
    """
    return tensor(data, **_options(self, dtype, device), requires_grad=requires_grad, layout=layout)


def new_full(
    self: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
) -> Tensor:
    """A tensor of ``fill_value``s, in this one's dtype and on its device unless given.

    >>> nbgrad.zeros(1).new_full((2,), 7)
    tensor([7., 7.])
    """
    return full(size, fill_value, **_options(self, dtype, device), requires_grad=requires_grad, layout=layout)


def new_zeros(
    self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **named: Any
) -> Tensor:
    """A tensor of zeros, in this one's dtype and on its device unless given.

    >>> nbgrad.zeros(1, dtype=nbgrad.bool).new_zeros(2)
    tensor([False, False])
    """
    return zeros(*size, **_options(self, dtype, device), requires_grad=requires_grad, **named)


def new_ones(
    self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **named: Any
) -> Tensor:
    """A tensor of ones, in this one's dtype and on its device unless given.

    >>> nbgrad.zeros(1, dtype=nbgrad.int64).new_ones(2)
    tensor([1, 1])
    """
    return ones(*size, **_options(self, dtype, device), requires_grad=requires_grad, **named)


def new_empty(
    self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **named: Any
) -> Tensor:
    """A tensor whose values mean nothing, in this one's dtype and on its device unless given.

    >>> nbgrad.zeros(1).new_empty(2, 3).shape
    nbgrad.Size([2, 3])
    """
    return empty(*size, **_options(self, dtype, device), requires_grad=requires_grad, **named)


def of_data_or_sizes(name: str, data: tuple[Any, ...], dtype: Any, device: Any = None) -> Tensor:
    """What older programs make: of a list or an array a tensor with a copy, of sizes one whose values mean nothing.
    TypeError where it is called ``name`` with something else."""
    first: Any = data[0] if len(data) == 1 else None
    if isinstance(first, (list, tuple, np.ndarray)) or np.ndim(first):
        return (
            empty(first, dtype=dtype, device=device)
            if isinstance(first, Size)
            else tensor(first, dtype=dtype, device=device)
        )
    if not all(hasattr(n, "__index__") for n in data):
        what = ", ".join(type(n).__name__ for n in data)
        raise DTypeError(f"{name}(): expected a sequence, an array or sizes, got {what}; tensor() takes a number")
    return empty(*(data or (0,)), dtype=dtype, device=device)


def new(self: Tensor, *data: Any, device: Any = None) -> Tensor:
    """A tensor with a copy of a list or an array, or whose values mean nothing where sizes are given, in this one's
    dtype and on its device. ``new_tensor`` and ``new_empty`` say which.

    >>> nbgrad.zeros(1, dtype=nbgrad.int64).new([1.0, 2.0])
    tensor([1, 2])
    >>> nbgrad.zeros(1).new(2, 3).shape
    nbgrad.Size([2, 3])
    """
    if len(data) == 1 and isinstance(data[0], Tensor):
        return new_tensor(self, data[0], device=device)
    return of_data_or_sizes("new", data, **_options(self, None, device))


def _made(cls: type[Tensor], *data: Any, **named: Any) -> Tensor:
    """``Tensor([1.0, 2.0])``, ``Tensor(2, 3)``; ``Tensor(x)`` shows the memory of ``x``. Other classes may say what
    they are made of."""
    if cls.__new__ is not object.__new__:
        return type.__call__(cls, *data, **named)  # type: ignore[no-any-return]
    made: Any = _plain(*data, **named)
    if cls is not Tensor:
        made = Tensor._make_subclass(cls, made)
        if cls.__init__ is not object.__init__:
            made.__init__(*data, **named)
    return made  # type: ignore[no-any-return]


def given_by_name(name: str, data: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """What is given as ``data`` or ``size``, as it is without a name."""
    if [*named] == ["data"] and not data:
        return (named["data"],)
    return sizes_of(name, data, named) if named else data


def _plain(*data: Any, device: Any = None, **named: Any) -> Tensor:
    data = given_by_name("Tensor", data, named)
    if len(data) == 1 and isinstance(data[0], Tensor):
        return data[0].view(data[0].shape)  # type: ignore[no-any-return]
    return of_data_or_sizes("Tensor", data, get_default_dtype(), device)


_plain.__name__ = _plain.__qualname__ = "Tensor"  # as errors of arguments call it
setattr(type(Tensor), "__call__", _made)  # noqa: B010  (mypy refuses the plain assignment)


for _function in (new, new_tensor, new_full, new_zeros, new_ones, new_empty):
    setattr(Tensor, _function.__name__, _function)
