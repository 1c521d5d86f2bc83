"""In which order the items of a data set are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any, Generic, TypeVar

import numpy as np

from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.functions import as_tensor, multinomial
from nbgrad.generator import Generator, default_generator
from nbgrad.graph.dtypes import float64

T = TypeVar("T", covariant=True)

Array = np.ndarray[Any, Any]


def numbers_of(generator: Generator | None) -> np.random.Generator:
    """NumPy's random numbers for the next place in the stream: an order is needed here, not a tensor."""
    seed, place = (default_generator if generator is None else generator).take()
    return np.random.default_rng([seed % (1 << 64), place])


def _count(name: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ArgumentError(f"{name} should be a positive integer value, but got {name}={value}")
    return value


class Sampler(Generic[T]):
    """Gives indices, or lists of them: a class of the user's has ``__iter__`` and, for ``len(loader)``, ``__len__``."""

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """0 to ``len(data_source) - 1``."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def _order(self) -> Array:
        return np.arange(len(self.data_source))

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The indices in random order, again and again if ``num_samples`` are more than there are; or each time any of
    them, with ``replacement``. TypeError for a ``replacement`` that is no bool, ValueError for less than one sample.

    >>> sorted(nbgrad.utils.data.RandomSampler("abc"))
    [0, 1, 2]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        if not isinstance(replacement, bool):
            raise DTypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._num_samples = num_samples
        _count("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def _order(self) -> Array:
        count, rng = len(self.data_source), numbers_of(self.generator)
        if self.replacement:
            return rng.integers(count, size=self.num_samples)
        rounds = [rng.permutation(count)[:left] for left in range(self.num_samples, 0, -count)]
        return rounds[0] if len(rounds) == 1 else np.concatenate(rounds)

    def __iter__(self) -> Iterator[int]:
        yield from self._order().tolist()

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """``indices`` in random order."""

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        for i in numbers_of(self.generator).permutation(len(self.indices)).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """``num_samples`` indices, each as often as its weight says. ValueError for arguments that make no sense, and what
    ``multinomial`` raises for weights that cannot be drawn from.

    >>> list(nbgrad.utils.data.WeightedRandomSampler([0.0, 2.0], 3))
    [1, 1, 1]
    """

    def __init__(
        self, weights: Any, num_samples: int, replacement: bool = True, generator: Generator | None = None
    ) -> None:
        self.num_samples = _count("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ArgumentError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.dim() != 1:
            raise ArgumentError(f"weights should be a 1d sequence but given weights have shape {self.weights.shape}")
        self.replacement, self.generator = replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of ``batch_size`` of what ``sampler`` gives; the last may be shorter, unless ``drop_last``.

    >>> list(nbgrad.utils.data.BatchSampler(range(5), 2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        self.sampler, self.batch_size = sampler, _count("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ArgumentError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        least = self.batch_size if self.drop_last else 1
        while len(batch := [*islice(indices, self.batch_size)]) >= least:
            yield batch

    def arrays(self) -> Iterator[Any]:
        """The same as arrays, where the order is known as one."""
        if type(self) is not BatchSampler or type(self.sampler) not in (SequentialSampler, RandomSampler):
            yield from self
            return
        order = self.sampler._order()  # type: ignore[attr-defined]
        end = len(order) // self.batch_size * self.batch_size if self.drop_last else len(order)
        for start in range(0, end, self.batch_size):
            yield order[start : start + self.batch_size]

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return (count if self.drop_last else count + self.batch_size - 1) // self.batch_size


class DistributedSampler(Sampler[int]):
    """The share of process ``rank`` of ``num_replicas``: every ``num_replicas``-th index, in an order that ``seed`` and
    the epoch of ``set_epoch`` give, or in their own without ``shuffle``.

    All shares have one length: the first indices come again to fill them up, or with ``drop_last`` the last are left
    out. ValueError for a ``rank`` that is none of them, and where the two are left out: nbgrad has no process groups.

    >>> list(nbgrad.utils.data.DistributedSampler(range(5), 2, 1, shuffle=False))
    [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise ArgumentError("DistributedSampler: there is no process group to ask: give num_replicas and rank")
        if not 0 <= rank < num_replicas:
            raise ArgumentError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank, self.epoch = dataset, num_replicas, rank, 0
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        count = len(dataset)
        self.num_samples = count // num_replicas if drop_last else -(-count // num_replicas)
        self.total_size = self.num_samples * num_replicas

    def set_epoch(self, epoch: int) -> None:
        """Give the next iteration the order of ``epoch``; all processes the same."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = np.random.default_rng(self.seed + self.epoch).permutation(count) if self.shuffle else np.arange(count)
        return iter(np.resize(order, self.total_size)[self.rank :: self.num_replicas].tolist())

    def __len__(self) -> int:
        return self.num_samples
