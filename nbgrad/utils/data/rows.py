"""Many rows of tensors as new tensors in memory, by NumPy: nothing is recorded for a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgrad.calls.base import CALLS
from nbgrad.tensor import Tensor
from nbgrad.trace import from_values, record, values
from nbgrad.utils.data.datasets import Subset, TensorDataset


def _is_plain(x: Tensor) -> bool:
    """Whether it is a value in the CPU's memory, of which no derivative is wanted."""
    return not x.requires_grad and x.is_cpu


def stacked(batch: Sequence[Tensor]) -> Tensor:
    """``stack(batch)``. RuntimeError where shapes differ."""
    if not all(map(_is_plain, batch)) or len({(x.dtype, x.shape) for x in batch}) > 1:
        joined: Any = record(CALLS["stack"], tuple(batch), (0,))
        return joined  # type: ignore[no-any-return]
    made: Any = from_values(np.stack([values(x) for x in batch]), batch[0].dtype)
    return made  # type: ignore[no-any-return]


def _rows(dataset: TensorDataset, indices: list[int]) -> list[Tensor]:
    at = np.array(indices)
    if at.dtype.kind != "i":
        raise TypeError(f"the indices of rows are integers, got {at.dtype}")
    return [_taken(x, at, indices) for x in dataset.tensors]


def _taken(x: Tensor, at: np.ndarray[Any, Any], indices: list[int]) -> Tensor:
    if not _is_plain(x):
        rows: Tensor = x[indices]
        return rows
    made: Any = from_values(values(x).take(at, 0), x.dtype)  # IndexError where there is no such row
    return made  # type: ignore[no-any-return]


def batches_of(dataset: Any) -> Callable[[list[int]], list[Tensor]] | None:
    """What gives the batch at some indices as ``default_collate`` would make it of rows, but at once; None if it
    cannot."""
    kind = type(dataset)
    if isinstance(dataset, TensorDataset):
        plain = kind.__getitem__ is TensorDataset.__getitem__ and not hasattr(dataset, "__getitems__")
        return (lambda indices: _rows(dataset, indices)) if plain else None
    if kind is Subset and (whole := batches_of(dataset.dataset)) is not None:
        return lambda indices: whole([dataset.indices[i] for i in indices])
    return None
