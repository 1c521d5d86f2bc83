"""Functions that look for elements, put them in order, and make sets of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nbgrad import functions
from nbgrad.array_api.promotion import together
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError
from nbgrad.graph.dtypes import int64
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import from_values, record, tensor_of, values

_argmax, _argmin, _argsort, _searched = (
    function_of(CALLS[name]) for name in ("argmax", "argmin", "argsort", "searchsorted")
)


class UniqueAll(NamedTuple):
    """Values that occur, where each is first, which of them each element is, and how often they occur."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """Values that occur, and how often."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """Values that occur, and which of them each element is."""

    values: Tensor
    inverse_indices: Tensor


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """Where the largest element along ``axis`` is, the first of equal ones."""
    return _argmax(x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """Where the smallest element along ``axis`` is, the first of equal ones."""
    return _argmin(x, axis, keepdims)


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """The places of the elements along ``axis`` in order."""
    return _argsort(x, axis, descending, stable)


def nonzero(x: Tensor, /) -> Any:
    """Where elements are not 0: an array of indices for each dim. ValueError for an array without dims."""
    if not tensor_of("nonzero", "x", x).ndim:
        raise ArgumentError("nonzero(): an array without dims has no indices")
    return functions.nonzero(x, as_tuple=True)


def searchsorted(x1: Tensor, x2: Tensor, /, *, side: str = "left", sorter: Tensor | None = None) -> Any:
    """Where in the sorted vector ``x1`` the elements of ``x2`` belong."""
    row, wanted = together(x1, x2)
    return _searched(row, wanted, side=side, sorter=sorter)


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements along ``axis`` in order."""
    return functions.sort(x, axis, descending, stable)[0]


def unique_all(x: Tensor, /) -> UniqueAll:
    """The values that occur in ascending order, and all that can be said of them. A NaN equals no other."""
    found, inverse, counts = functions.unique(x, return_inverse=True, return_counts=True)
    _, first = np.unique(values(x.detach().reshape(-1)), return_index=True, equal_nan=False)
    indices: Any = from_values(first, int64, place=x._spec.place)
    return UniqueAll(found, indices, inverse, counts)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """The values that occur in ascending order, and how often."""
    return UniqueCounts(*functions.unique(x, return_counts=True))


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """The values that occur in ascending order, and which of them each element is."""
    return UniqueInverse(*functions.unique(x, return_inverse=True))


def unique_values(x: Tensor, /) -> Tensor:
    """The values that occur in ascending order."""
    found: Tensor = functions.unique(x)
    return found


def where(condition: Tensor, x1: Any, x2: Any, /) -> Any:
    """``x1`` where ``condition`` is True, else ``x2``."""
    return record(CALLS["where"], (condition, *together(x1, x2)))
