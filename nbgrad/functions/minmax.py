"""Largest and smallest elements, where they are, and those up to each element: functions with two results."""

from __future__ import annotations

from typing import Any, NamedTuple

from nbgrad.calls.arguments import flag_of, int_of
from nbgrad.calls.base import CALLS
from nbgrad.calls.numpy_names import UNSAID, numpy_names
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import record, tensor_of


class Extreme(NamedTuple):
    """Values and their indices along a dim."""

    values: Tensor
    indices: Tensor


def _extreme(name: str, input: Any, other: Any, keepdim: Any, dim: Any) -> Any:
    x = tensor_of(name, "input", input)
    if other is not None and dim is not None:
        raise DTypeError(f"{name}(): give either a dim or another tensor")
    if not isinstance(other, Tensor):
        other, dim = None, dim if other is None else other
    if dim is None:
        require_dim(name, keepdim)
    if other is not None:
        return record(CALLS[f"{name}imum"], (x, other))
    if dim is None:
        return record(CALLS[f"{name}_all"], (x,))
    statics = (int_of(name, "dim", dim), keepdim is not UNSAID and flag_of(name, "keepdim", keepdim))
    values = record(CALLS[f"{name}_values"], (x,), statics)
    return Extreme(values, record(CALLS[f"{name}_indices"], (x,), statics))


def require_dim(name: str, keepdim: Any) -> None:
    """DTypeError for a ``keepdim`` where there is no dim to keep."""
    if keepdim is not UNSAID:
        raise DTypeError(f"{name}(): 'keepdim' needs a 'dim' that is a number")


@numpy_names
@writes_out("max")
def max(input: Tensor, other: Any = None, keepdim: Any = UNSAID, *, dim: Any = None) -> Any:
    """The largest element; with ``dim``, also as second argument, (values, indices) along it; with another tensor,
    ``maximum``.

    >>> nbgrad.max(nbgrad.tensor([[1, 5], [7, 2]]), dim=1)
    Extreme(values=tensor([5, 7]), indices=tensor([1, 0]))
    """
    return _extreme("max", input, other, keepdim, dim)


@numpy_names
@writes_out("min")
def min(input: Tensor, other: Any = None, keepdim: Any = UNSAID, *, dim: Any = None) -> Any:
    """The smallest element; with ``dim``, also as second argument, (values, indices) along it; with another tensor,
    ``minimum``.

    >>> nbgrad.min(nbgrad.tensor([3.0, 1.0, 2.0]))
    tensor(1.)
    """
    return _extreme("min", input, other, keepdim, dim)


class Range(NamedTuple):
    """The smallest and the largest elements."""

    min: Tensor
    max: Tensor


@numpy_names
@writes_out("aminmax")
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Range:
    """(smallest, largest) elements, of all or along ``dim``; NaN if there is one. Equal elements share the derivative
    evenly. RuntimeError where there are no elements, IndexError where there are none along ``dim``.

    >>> nbgrad.aminmax(nbgrad.tensor([3.0, 1.0, 2.0]))
    Range(min=tensor(1.), max=tensor(3.))
    """
    x = tensor_of("aminmax", "input", input)
    along = None if dim is None else int_of("aminmax", "dim", dim)
    if along is None and not x.numel():
        raise ArgumentError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    statics = along, flag_of("aminmax", "keepdim", keepdim)
    return Range(record(CALLS["amin"], (x,), statics), record(CALLS["amax"], (x,), statics))


def _so_far(name: str, input: Any, dim: Any) -> Extreme:
    x = tensor_of(name, "input", input)
    along = int_of(name, "dim", dim)
    places = record(CALLS[f"{name}_indices"], (x,), (along,))
    return Extreme(record(CALLS["gather"], (x, places), (along, False)), places)


@numpy_names
@writes_out("cummax")
def cummax(input: Tensor, dim: int) -> Extreme:
    """(values, indices) of the largest element along ``dim`` up to each of them; of equal ones the last. NaN is
    largest.

    Gradients go to the places that the values came from. IndexError for a dim that is not there.

    >>> nbgrad.cummax(nbgrad.tensor([1.0, 3.0, 2.0]), 0)
    Extreme(values=tensor([1., 3., 3.]), indices=tensor([0, 1, 1]))
    """
    return _so_far("cummax", input, dim)


@numpy_names
@writes_out("cummin")
def cummin(input: Tensor, dim: int) -> Extreme:
    """(values, indices) of the smallest element along ``dim`` up to each of them; of equal ones the last. NaN is
    smallest.

    Gradients go to the places that the values came from. IndexError for a dim that is not there.

    >>> nbgrad.cummin(nbgrad.tensor([3.0, 1.0, 2.0]), 0)
    Extreme(values=tensor([3., 1., 1.]), indices=tensor([0, 1, 1]))
    """
    return _so_far("cummin", input, dim)


for _function in (max, min, aminmax, cummax, cummin):
    setattr(Tensor, _function.__name__, _function)
