"""DataLoader: batches of a data set, made here or by workers."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.context import BaseContext
from typing import Any, Final
from warnings import warn

from nbgrad.cuda import is_available
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.generator import Generator
from nbgrad.tensor import Tensor
from nbgrad.utils.data.collate import changed, default_collate, default_convert
from nbgrad.utils.data.datasets import IterableDataset
from nbgrad.utils.data.fetch import fetcher
from nbgrad.utils.data.rows import batches_of
from nbgrad.utils.data.samplers import BatchSampler, RandomSampler, Sampler, SequentialSampler, numbers_of
from nbgrad.utils.data.workers import WorkerIterator

_FIXED: Final = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _Endless(Sampler[None]):
    """What an ``IterableDataset`` is asked with: it knows when to end."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


class DataLoader:
    """Batches of ``dataset``, one epoch for each ``iter``: in its order, with ``shuffle`` in a random one, or as
    ``sampler`` or ``batch_sampler`` say. ``batch_size=None`` gives the items themselves.

    ``num_workers``: how many processes make batches, each ``prefetch_factor`` ahead. They are spawned, unless
    ``multiprocessing_context`` says otherwise, so what they are given has to go through pickle. ValueError for
    arguments that do not go together; what a worker raises is raised here; RuntimeError where a worker dies or
    ``timeout`` seconds pass without a batch.

    >>> [x.tolist() for x in nbgrad.utils.data.DataLoader([1, 2, 3], batch_size=2)]
    [[1, 2], [3]]
    """

    _is_made = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], object] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        if num_workers < 0:
            raise ArgumentError("num_workers option should be non-negative; 0 loads without other processes")
        if timeout < 0:
            raise ArgumentError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ArgumentError("prefetch_factor option could only be specified with num_workers > 0")
        if prefetch_factor is not None and prefetch_factor < 0:
            raise ArgumentError("prefetch_factor option should be non-negative")
        if persistent_workers and num_workers == 0:
            raise ArgumentError("persistent_workers option needs num_workers > 0")
        if isinstance(dataset, IterableDataset):
            given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
            for name, value in given.items():
                if value is not None:
                    raise ArgumentError(
                        f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
                    )
        if sampler is not None and shuffle:
            raise ArgumentError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ArgumentError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ArgumentError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None:
            if isinstance(dataset, IterableDataset):
                sampler = _Endless()
            else:
                sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        if collate_fn is None:
            collate_fn = default_convert if batch_sampler is None else default_collate
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.sampler, self.batch_sampler, self.collate_fn, self.generator = (
            sampler,
            batch_sampler,
            collate_fn,
            generator,
        )
        self.num_workers, self.worker_init_fn, self.persistent_workers = num_workers, worker_init_fn, persistent_workers
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.multiprocessing_context = _context(multiprocessing_context, num_workers)
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        self.timeout, self.in_order = timeout, in_order
        self._iterator: WorkerIterator | None = None
        self._is_made = True

    def __setattr__(self, name: str, value: Any) -> None:
        if self._is_made and name in _FIXED:
            raise ArgumentError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def index_sampler(self) -> Iterable[Any]:
        """What gives the tasks: indices of batches, or of items."""
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self) -> Iterator[Any]:
        # Drawn also where nobody needs it: how many workers there are changes no other random number.
        self.seed = int(numbers_of(self.generator).integers(1 << 62))
        batches = self._by_workers() if self.num_workers else self._here()
        if not self.pin_memory:
            return batches
        if not is_available():
            warn("pin_memory is set, but there is no GPU: memory is not pinned", stacklevel=2)
            return batches
        return map(_pinned, batches)

    def _here(self) -> Iterator[Any]:
        if self.timeout:
            raise AssertionError("timeout needs num_workers > 0")
        whole = batches_of(self.dataset) if self.collate_fn is default_collate else None
        if whole is not None and isinstance(self.batch_sampler, BatchSampler):
            return map(whole, self.batch_sampler.arrays())  # goes on after a batch that raised
        fetch = fetcher(self.dataset, self.batch_sampler is not None, self.collate_fn, self.drop_last)
        return map(fetch, self.index_sampler)

    def _by_workers(self) -> Iterator[Any]:
        if not self.persistent_workers:
            return WorkerIterator(self)
        if self._iterator is None or not self._iterator.alive:
            self._iterator = WorkerIterator(self)
            return self._iterator
        return self._iterator.again()

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self.index_sampler)  # type: ignore[arg-type]
        count, size = len(self.dataset), self.batch_size or 1  # type: ignore[arg-type]
        return count // size if self.drop_last else -(-count // size)


def _context(given: Any, num_workers: int) -> BaseContext | None:
    if given is None:
        return None
    if num_workers == 0:
        raise ArgumentError("multiprocessing_context can only be used with num_workers > 0")
    methods = multiprocessing.get_all_start_methods()
    if isinstance(given, str):
        if given not in methods:
            raise ArgumentError(f"multiprocessing_context should be one of {methods!r}, but got {given!r}")
        return multiprocessing.get_context(given)
    if not isinstance(given, BaseContext):
        raise DTypeError(f"multiprocessing_context should be a context or the name of a start method, got {given}")
    return given


def _pinned(batch: Any) -> Any:
    return changed(batch, lambda x: x.pin_memory() if isinstance(x, Tensor) or hasattr(x, "pin_memory") else x)
