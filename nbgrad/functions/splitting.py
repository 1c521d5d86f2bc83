"""Tensors in pieces, which are views: as NumPy cuts them (tensor_split, hsplit, vsplit, dsplit), and by lengths."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from nbgrad.calls.arguments import dims_of, int_of, ints_of, refused
from nbgrad.calls.base import one_dim
from nbgrad.calls.numpy_names import numpy_names
from nbgrad.errors import DTypeError, RunError, ShapeError
from nbgrad.functions.several_forms import chunk, position_along, split
from nbgrad.graph.dtypes import int64
from nbgrad.tensor import Tensor
from nbgrad.tensor.subscript import slice_of, slice_view
from nbgrad.trace import tensor_of

Pieces = tuple[Tensor, ...]


@numpy_names
def tensor_split(
    input: Tensor,
    indices_or_sections: Any = None,
    dim: int = 0,
    *,
    indices: Any = None,
    sections: Any = None,
    tensor_indices_or_sections: Any = None,
) -> Pieces:
    """``input`` in so many pieces along ``dim``, or cut before each of the given indices; as views.

    Where the size is no multiple, the first pieces are one longer.

    An int64 tensor, 0-d or 1-d, stands for its values. RuntimeError for a 0-d input and for no pieces.

    >>> nbgrad.tensor_split(nbgrad.arange(5), 3)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    >>> nbgrad.tensor_split(nbgrad.arange(5), (1, 4))
    (tensor([0]), tensor([1, 2, 3]), tensor([4]))
    """
    x = tensor_of("tensor_split", "input", input)
    ways = _way("tensor_split", indices_or_sections, indices, sections, tensor_indices_or_sections)
    if not x.dim():
        raise ShapeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    d = one_dim("tensor_split", int_of("tensor_split", "dim", dim), x.dim())
    return _slices(x, _cuts(x.shape[d], ways), d)


def hsplit(input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> Pieces:
    """``input`` in equal pieces, or cut before indices, along its second dim; of a vector along its only one.

    RuntimeError for a 0-d tensor, and where the size of the dim is no multiple.

    >>> nbgrad.hsplit(nbgrad.tensor([[1, 2], [3, 4]]), 2)[0]
    tensor([[1],
            [3]])
    """
    return _split("hsplit", input, 1, (indices_or_sections, indices, sections))


def vsplit(input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> Pieces:
    """``input`` in equal pieces, or cut before indices, along its first dim.

    RuntimeError for fewer than two dims, and where the size of the dim is no multiple.

    >>> nbgrad.vsplit(nbgrad.tensor([[1, 2], [3, 4]]), 2)[0]
    tensor([[1, 2]])
    """
    return _split("vsplit", input, 0, (indices_or_sections, indices, sections))


def dsplit(input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> Pieces:
    """``input`` in equal pieces, or cut before indices, along its third dim.

    RuntimeError for fewer than three dims, and where the size of the dim is no multiple.

    >>> [x.shape for x in nbgrad.dsplit(nbgrad.ones(2, 2, 4), [1])]
    [nbgrad.Size([2, 2, 1]), nbgrad.Size([2, 2, 3])]
    """
    return _split("dsplit", input, 2, (indices_or_sections, indices, sections))


def _split(name: str, input: Tensor, dim: int, ways: tuple[Any, ...]) -> Pieces:
    x = tensor_of(name, "input", input)
    way = _way(name, *ways)
    needed = {"hsplit": 1, "vsplit": 2, "dsplit": 3}[name]
    if x.dim() < needed:
        raise ShapeError(
            f"{name} requires a tensor with at least {needed} dimension, but got a tensor with {x.dim()} dimensions!"
        )
    d = min(dim, x.dim() - 1)
    size = x.shape[d]
    if isinstance(way, int) and (not way or size % way):
        raise ShapeError(
            f"{name} attempted to split along dimension {d}, but the size of the dimension {size} is not divisible by "
            f"the split_size {way}!"
        )
    return _slices(x, _cuts(size, way), d)


def _way(name: str, *ways: Any) -> int | tuple[int, ...]:
    """The number of pieces, or the places of the cuts, by the one way of ``ways`` in which they were given."""
    said = [way for way in ways if way is not None]
    if len(said) != 1:
        raise DTypeError(f"{name}() takes either indices or a number of sections, got {len(said)} of them")
    way = said[0]
    if isinstance(way, Tensor):
        if way.dim() > 1 or way.dtype is not int64:
            raise RunError(
                f"{name}: tensor_indices_or_sections must be a 0-d or 1-d tensor of dtype int64, got {way.dim()} dims "
                f"of {way.dtype.name}"
            )
        way = way.tolist()
    found: int | tuple[int, ...] = dims_of(name, "indices_or_sections", way)
    return found


def _cuts(size: int, way: int | tuple[int, ...]) -> list[tuple[int, int]]:
    """(start, length) of each piece of ``size`` elements."""
    if isinstance(way, int):
        if way <= 0:
            raise RunError(f"number of sections must be larger than 0, got {way}")
        if way >= 2**31:  # empty pieces without end
            raise RunError(f"{way} sections are more than memory holds")
        lengths = [size // way + (k < size % way) for k in range(way)]
        return list(zip(accumulate(lengths[:-1], initial=0), lengths, strict=True))
    ranges = [range(size)[start:stop] for start, stop in zip((0, *way), (*way, size), strict=True)]
    return [(found.start if found else 0, len(found)) for found in ranges]


def _slices(x: Tensor, cuts: list[tuple[int, int]], dim: int) -> Pieces:
    """The parts by (start, length): each a view of its own, which may be written (those of ``split`` may not)."""
    return tuple([slice_view(x, dim, start, length) for start, length in cuts])


@numpy_names
def split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> Pieces:
    """``input`` in pieces of the given lengths along ``dim``: ``split`` that takes a list alone.

    >>> nbgrad.split_with_sizes(nbgrad.arange(5), [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
    if not isinstance(split_sizes, (tuple, list)):
        raise refused("split_with_sizes", "split_sizes", split_sizes, "tuple of ints")
    return split(input, ints_of("split_with_sizes", "split_sizes", split_sizes), dim)


@numpy_names
def unsafe_split(input: Tensor, split_size: int, dim: int = 0) -> Pieces:
    """``split`` in pieces of one length, which may be written: no write can corrupt a gradient here.

    >>> nbgrad.unsafe_split(nbgrad.arange(3), 2)
    (tensor([0, 1]), tensor([2]))
    """
    return _own_views("unsafe_split", input, split(input, int_of("unsafe_split", "split_size", split_size), dim), dim)


@numpy_names
def unsafe_split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> Pieces:
    """``split_with_sizes``, see ``unsafe_split``.

    >>> nbgrad.unsafe_split_with_sizes(nbgrad.arange(3), [1, 2])
    (tensor([0]), tensor([1, 2]))
    """
    return _own_views("unsafe_split_with_sizes", input, split_with_sizes(input, split_sizes, dim), dim)


@numpy_names
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> Pieces:
    """``chunk``, see ``unsafe_split``.

    >>> nbgrad.unsafe_chunk(nbgrad.arange(3), 2)
    (tensor([0, 1]), tensor([2]))
    """
    return _own_views("unsafe_chunk", input, chunk(input, chunks, dim), dim)


def _own_views(name: str, x: Tensor, pieces: Pieces, dim: int) -> Pieces:
    """The same parts of ``x`` as ``pieces``, each a view of its own."""
    d = one_dim(name, int_of(name, "dim", dim), x.dim())
    lengths = [piece.shape[d] for piece in pieces]
    return _slices(x, list(zip(accumulate(lengths[:-1], initial=0), lengths, strict=True)), d)


def sliced(name: str, input: Tensor, dim: int, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    """``input[start:end:step]`` along ``dim``, as a view."""
    d, size = position_along(name, input, dim)
    return slice_view(input, d, *slice_of(slice(start, end, step), size))
