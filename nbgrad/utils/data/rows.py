"""Many rows of tensors as new tensors in memory, by NumPy: nothing is recorded for a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgrad.calls.base import CALLS
from nbgrad.tensor import Tensor
from nbgrad.trace import from_values, local, record, stacked_values, values
from nbgrad.utils.data.datasets import Subset, TensorDataset

Array = np.ndarray[Any, Any]


def _is_plain(x: Tensor) -> bool:
    """Whether it is a value in the CPU's memory, of which no derivative is wanted."""
    return not x.requires_grad and x.is_cpu


def stacked(batch: Sequence[Tensor]) -> Tensor:
    """``stack(batch)``. RuntimeError where shapes differ."""
    if not all(map(_is_plain, batch)) or len({(x.dtype, x.shape) for x in batch}) > 1:
        joined: Any = record(CALLS["stack"], tuple(batch), (0,))
        return joined  # type: ignore[no-any-return]
    made: Any = from_values(stacked_values(batch), batch[0].dtype)
    return made  # type: ignore[no-any-return]


class _Rows:
    """Rows of one tensor. Where it lies is looked up anew only when it lies elsewhere, or is not settled."""

    def __init__(self, x: Tensor) -> None:
        self._x = x
        self._buffer: object = None
        self._array: Array

    def __call__(self, at: Array) -> Tensor:
        x, trace = self._x, local.trace
        if not _is_plain(x):
            rows: Tensor = x[at.tolist()]
            return rows
        is_settled = x._page is None and x._share is None and trace.watcher is None and not trace.vmaps
        if not is_settled or x._buffer is not self._buffer:
            self._array, self._buffer = values(x), x._buffer if x._page is None and x._share is None else None
        made: Any = from_values(self._array.take(at, 0), x.dtype)  # IndexError where there is no such row
        return made  # type: ignore[no-any-return]


def batches_of(dataset: Any) -> Callable[[Any], list[Tensor]] | None:
    """What gives the batch at some indices as ``default_collate`` would make it of rows, but at once; None if it
    cannot."""
    kind = type(dataset)
    if isinstance(dataset, TensorDataset):
        if kind.__getitem__ is not TensorDataset.__getitem__ or hasattr(dataset, "__getitems__"):
            return None
        columns = [_Rows(x) for x in dataset.tensors]

        def gathered(indices: Any) -> list[Tensor]:
            at = _whole(indices)
            return [rows(at) for rows in columns]

        return gathered
    if kind is Subset and (whole := batches_of(dataset.dataset)) is not None:
        return lambda indices: whole([dataset.indices[i] for i in _whole(indices).tolist()])
    return None


def _whole(indices: Any) -> Array:
    at = np.asarray(indices)
    if at.dtype.kind != "i":
        raise TypeError(f"the indices of rows are integers, got {at.dtype}")
    return at
