"""Data sets: read by index, or one item after the other; parts and combinations of them."""

from __future__ import annotations

import math
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Generic, TypeVar
from warnings import warn

from nbgrad.calls.arguments import refused
from nbgrad.errors import ArgumentError
from nbgrad.generator import Generator, default_generator
from nbgrad.tensor import Tensor
from nbgrad.utils.data.samplers import numbers_of

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """Items by index: a class of the user's has ``__getitem__`` and ``__len__``, and, to read many at once,
    ``__getitems__(indices)``, which gives a list."""

    def __getitem__(self, index: Any) -> T:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Any]) -> Dataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T]):
    """Items one after the other: a class of the user's has ``__iter__``. In a worker it is a copy, which finds its
    share by ``get_worker_info``."""

    @abstractmethod
    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other: Dataset[Any]) -> Dataset[Any]:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Row i of each tensor. AssertionError where they have not the same number of rows.

    A ``DataLoader`` takes the rows of a batch from each tensor in one operation.

    >>> nbgrad.utils.data.TensorDataset(nbgrad.arange(3), nbgrad.ones(3, 2))[1]
    (tensor(1), tensor([1., 1.]))
    """

    def __init__(self, *tensors: Tensor) -> None:
        for x in tensors:
            if not isinstance(x, Tensor):
                raise refused("TensorDataset", "tensors", x, "Tensor")
        if any(tensors[0].size(0) != x.size(0) for x in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple([x[index] for x in self.tensors])

    def __len__(self) -> int:
        return len(self.tensors[0])


class StackDataset(Dataset[Any]):
    """Item i of each data set, as a tuple or, of keywords, as a dict. ValueError where there are none, where they are
    of different lengths, and for both ways at once.

    >>> nbgrad.utils.data.StackDataset(x=[1, 2], y=[3, 4])[0]
    {'x': 1, 'y': 3}
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ArgumentError("StackDataset: data sets are given by position or by keyword, not both")
        if not (args or kwargs):
            raise ArgumentError("At least one dataset should be passed")
        self.datasets: Any = args or kwargs
        lengths = {len(dataset) for dataset in args or kwargs.values()}
        if len(lengths) > 1:
            raise ArgumentError("Size mismatch between datasets")
        (self._length,) = lengths

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {key: dataset[index] for key, dataset in self.datasets.items()}
        return tuple([dataset[index] for dataset in self.datasets])

    def __getitems__(self, indices: list[int]) -> list[Any]:
        named = isinstance(self.datasets, dict)
        columns = [items_of(dataset, indices) for dataset in (self.datasets.values() if named else self.datasets)]
        if any(len(column) != len(indices) for column in columns):
            raise ArgumentError("Nested dataset's output size mismatch.")
        rows = zip(*columns, strict=True)
        return [dict(zip(self.datasets, row, strict=True)) for row in rows] if named else [*rows]

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[Any]):
    """One data set after the other. AssertionError for none, and for an ``IterableDataset``.

    >>> nbgrad.utils.data.ConcatDataset([[1, 2], [3]])[-1]
    3
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(accumulate(map(len, self.datasets)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        if idx < -len(self):
            raise ArgumentError("absolute value of index should not exceed dataset length")
        if idx >= len(self):
            raise IndexError(f"index {idx} is out of range of {len(self)} items")
        place = idx % len(self)
        which = bisect_right(self.cumulative_sizes, place)
        return self.datasets[which][place - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset[Any]):
    """One ``IterableDataset`` after the other. AssertionError, when it is read, for one of another kind."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def _checked(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self) -> Iterator[Any]:
        for dataset in self._checked():
            yield from dataset

    def __len__(self) -> int:
        return sum(map(len, self._checked()))


class Subset(Dataset[T]):
    """The items of ``dataset`` at ``indices``. A subclass with its own ``__getitem__`` needs ``__getitems__``, too:
    NotImplementedError.

    >>> nbgrad.utils.data.Subset("abc", [2, 0])[0]
    'c'
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(f"{kind.__name__} overrides __getitem__ but not __getitems__")
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, idx: Any) -> Any:
        return self.dataset[[self.indices[i] for i in idx] if isinstance(idx, list) else self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[Any]:
        return items_of(self.dataset, [self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def items_of(dataset: Any, indices: Iterable[int]) -> list[Any]:
    """The items at ``indices``, at once where the data set can."""
    at_once = getattr(dataset, "__getitems__", None)
    return at_once(indices) if callable(at_once) else [dataset[i] for i in indices]


def random_split(
    dataset: Any, lengths: Sequence[float], generator: Generator | None = default_generator
) -> list[Subset[Any]]:
    """``dataset`` in parts of these lengths, each item in one, drawn from ``generator``.

    Lengths that add up to 1 are shares; what is left when they are rounded down goes to the first parts, one each.
    ValueError where a share is not between 0 and 1 or the lengths do not add up.

    >>> [len(part) for part in nbgrad.utils.data.random_split(range(10), [0.25, 0.75])]
    [3, 7]
    """
    total: float = sum(lengths)
    count = len(dataset)
    sizes: list[Any] = [*lengths]
    if math.isclose(total, 1) and total <= 1:
        for i, share in enumerate(lengths):
            if not 0 <= share <= 1:
                raise ArgumentError(f"Fraction at index {i} is not between 0 and 1")
        sizes = [math.floor(count * share) for share in lengths]
        for i in range(count - sum(sizes)):
            sizes[i % len(sizes)] += 1
        for i, size in enumerate(sizes):
            if not size:
                warn(f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=2)
    if sum(sizes) != count:
        raise ArgumentError("Sum of input lengths does not equal the length of the input dataset!")
    order = numbers_of(generator).permutation(count).tolist()
    return [Subset(dataset, order[end - size : end]) for size, end in zip(sizes, accumulate(sizes), strict=True)]
