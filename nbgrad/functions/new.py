"""Tensors with the dtype and the device of another one: ``x.new_zeros(2, 3)``."""

from __future__ import annotations

from typing import Any

from nbgrad.functions.creation import empty, full, ones, tensor, zeros
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


def new(self: Tensor, *data: Any, device: Any = None) -> Tensor:
    """A tensor with a copy of a list or an array, or whose values mean nothing where sizes are given, in this one's
    dtype and on its device. ``new_tensor`` and ``new_empty`` say which.

    >>> nbgrad.zeros(1, dtype=nbgrad.int64).new([1.0, 2.0])
    tensor([1, 2])
    >>> nbgrad.zeros(1).new(2, 3).shape
    nbgrad.Size([2, 3])
    """
    first = data[0] if len(data) == 1 else 0
    if getattr(first, "shape", ()) or (isinstance(first, (list, tuple)) and not isinstance(first, Size)):
        return new_tensor(self, first, device=device)
    return new_empty(self, *(data or (0,)), device=device)


for _function in (new, new_tensor, new_full, new_zeros, new_ones, new_empty):
    setattr(Tensor, _function.__name__, _function)
