"""One batch of many items: what stands at one place in all of them becomes a tensor."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from nbgrad.errors import DTypeError, ShapeError
from nbgrad.functions import as_tensor, tensor
from nbgrad.graph.dtypes import float64
from nbgrad.tensor import Tensor
from nbgrad.utils.data.rows import stacked

_TEXTS = (str, bytes)


def default_collate(batch: Any) -> Any:
    """A batch of items that are alike: tensors and arrays are stacked, numbers become a tensor, texts stay a list, and
    containers keep their form, but that a tuple becomes a list.

    RuntimeError where sizes differ, TypeError for items of another kind.

    >>> nbgrad.utils.data.default_collate([{"x": 0.5, "y": 1}, {"x": 1.5, "y": 2}])
    {'x': tensor([0.5000, 1.5000], dtype=nbgrad.float64), 'y': tensor([1, 2])}
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stacked(batch)
    if isinstance(first, np.ndarray):
        if first.dtype.kind in "SUO":
            raise _unknown(first.dtype)
        return stacked([as_tensor(x) for x in batch])
    if isinstance(first, np.bool_ | np.number):
        return tensor(np.array(batch))
    if isinstance(first, float):
        return tensor(batch, dtype=float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, _TEXTS):
        return batch
    if isinstance(first, Mapping):
        return _same_mapping(first, {key: default_collate([item[key] for item in batch]) for key in first})
    if not isinstance(first, Sequence):
        raise _unknown(type(first))
    is_named = isinstance(first, tuple) and hasattr(first, "_fields")
    if not is_named and any(len(item) != len(first) for item in batch):
        raise ShapeError("each element in list of batch should be of equal size")
    columns = [default_collate(column) for column in zip(*batch, strict=False)]
    return type(first)(*columns) if is_named else _same_sequence(first, columns)


def default_convert(data: Any) -> Any:
    """``data`` with its arrays and NumPy's numbers as tensors, which share their memory; what is neither stays.

    >>> nbgrad.utils.data.default_convert({"x": np.array([1, 2]), "name": "a"})
    {'x': tensor([1, 2]), 'name': 'a'}
    """
    return changed(data, _converted)


def _converted(x: Any) -> Any:
    is_array = isinstance(x, np.ndarray) and x.dtype.kind not in "SUO"
    if is_array or isinstance(x, np.bool_ | np.number):
        return as_tensor(x)
    return x


def changed(data: Any, change: Callable[[Any], Any]) -> Any:
    """``data`` with ``change`` of all that its containers hold."""
    if isinstance(data, Mapping):
        return _same_mapping(data, {key: changed(data[key], change) for key in data})
    if isinstance(data, Sequence) and not isinstance(data, _TEXTS):
        items = [changed(x, change) for x in data]
        return type(data)(*items) if hasattr(data, "_fields") else _same_sequence(data, items)
    return change(data)


def _same_mapping(like: Mapping[Any, Any], items: dict[Any, Any]) -> Any:
    """``items`` as what ``like`` is, where that can be made of them."""
    try:
        if not isinstance(like, MutableMapping):
            return type(like)(items)  # type: ignore[call-arg]
        clone = copy.copy(like)
        clone.update(items)
        return clone
    except TypeError:
        return items


def _same_sequence(like: Sequence[Any], items: list[Any]) -> Any:
    if isinstance(like, tuple):
        return items  # as PyTorch has it
    try:
        if not isinstance(like, MutableSequence):
            return type(like)(items)  # type: ignore[call-arg]
        clone = copy.copy(like)
        for i, item in enumerate(items):
            clone[i] = item
        return clone
    except TypeError:
        return items


def _unknown(kind: Any) -> DTypeError:
    return DTypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {kind}"
    )
