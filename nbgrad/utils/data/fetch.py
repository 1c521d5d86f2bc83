"""From what a sampler gives to a batch, here or in a worker."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from nbgrad.utils.data.collate import default_collate
from nbgrad.utils.data.datasets import IterableDataset, items_of
from nbgrad.utils.data.rows import batches_of


def fetcher(dataset: Any, batched: bool, collate: Callable[[Any], Any], drop_last: bool) -> Callable[[Any], Any]:
    """A function from an index, or a list of them if ``batched``, to what the loader gives.

    It raises StopIteration where an ``IterableDataset`` has no more.
    """
    if isinstance(dataset, IterableDataset):
        items = iter(dataset)
        if not batched:
            return lambda index: collate(next(items))

        def next_batch(indices: list[Any]) -> Any:
            batch = [*islice(items, len(indices))]
            if not batch or (drop_last and len(batch) < len(indices)):
                raise StopIteration
            return collate(batch)

        return next_batch
    if not batched:
        return lambda index: collate(dataset[index])
    whole = batches_of(dataset) if collate is default_collate else None
    return whole or (lambda indices: collate(items_of(dataset, indices)))
