"""Places of elements as numbers: unravel_index, nonzero_static, tril_indices and triu_indices."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from nbgrad.calls.arguments import int_of, ints_of
from nbgrad.errors import ArgumentError, DTypeError, DTypeNotImplementedError, RunError
from nbgrad.functions.creation import full, options, tensor
from nbgrad.functions.data_dependent import nonzero
from nbgrad.graph.dtypes import bool_, int64
from nbgrad.tensor import Tensor
from nbgrad.trace import tensor_of


def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Where in a tensor of ``shape`` the elements at ``indices`` of the flattened tensor stand: int64 places along each
    dim. What lies outside goes round the first dim.

    TypeError for indices that are no integers, ValueError for a negative size.

    >>> nbgrad.unravel_index(nbgrad.tensor([5, 7]), (3, 4))
    (tensor([1, 1]), tensor([1, 3]))
    """
    x = tensor_of("unravel_index", "indices", indices)
    if x.dtype.is_floating_point or x.dtype is bool_:
        raise DTypeError(f"unravel_index(): expected 'indices' to be integer dtype, but got {x.dtype.name}")
    sizes = ints_of("unravel_index", "shape", shape)
    if any(n < 0 for n in sizes):
        raise ArgumentError(f"unravel_index(): 'shape' cannot have negative values, but got {sizes}")
    wide: Any = x.to(int64)
    return tuple([wide // prod(sizes[d + 1 :]) % n for d, n in enumerate(sizes)])


def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The first ``size`` rows of ``nonzero``, and where there are fewer, rows of ``fill_value`` after them.

    RuntimeError for a negative size.

    >>> nbgrad.nonzero_static(nbgrad.tensor([0, 3, 4]), size=3)
    tensor([[ 1],
            [ 2],
            [-1]])
    """
    x = tensor_of("nonzero_static", "input", input)
    rows = int_of("nonzero_static", "size", size)
    if rows < 0:
        raise RunError(f"nonzero_static(): 'size' must be an non-negative integer, got {rows}")
    filled: Any = full(
        (rows, x.dim()), int_of("nonzero_static", "fill_value", fill_value), dtype=int64, device=x.device
    )
    found: Any = nonzero(x)[:rows]
    filled[: found.shape[0]] = found
    return filled  # type: ignore[no-any-return]


def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None, layout: Any = None
) -> Tensor:
    """Rows and columns of the elements on and below a diagonal of a matrix of ``row`` x ``col``, row by row: shape
    (2, n), int64 unless given. RuntimeError for negative sizes.

    >>> nbgrad.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return _triangle("tril_indices", -1, row, col, offset, dtype, device, layout)


def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None, layout: Any = None
) -> Tensor:
    """Rows and columns of the elements on and above a diagonal of a matrix of ``row`` x ``col``, row by row: shape
    (2, n), int64 unless given. RuntimeError for negative sizes.

    >>> nbgrad.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    return _triangle("triu_indices", 1, row, col, offset, dtype, device, layout)


def _triangle(name: str, side: int, row: int, col: int, offset: int, dtype: Any, device: Any, layout: Any) -> Tensor:
    kind = options(name, dtype, device, layout=layout) or int64
    if kind.kind not in "iu":
        raise DTypeNotImplementedError(f"{name}(): not implemented for {kind.name}: expected integers")
    shape = int_of(name, "row", row), int_of(name, "col", col)
    if min(shape) < 0:
        raise RunError(f"{name}(): row and col must be non-negative, got {list(shape)}")
    if max(shape) >= 2**31:
        raise RunError(f"{name}(): a matrix of {list(shape)} is more than memory holds")
    above = max(min(int_of(name, "offset", offset), shape[1]), -shape[0])
    edges = np.clip(np.arange(shape[0]) + above + (side < 0), 0, shape[1])  # the first column above, or behind
    counts = edges if side < 0 else shape[1] - edges
    rows = np.repeat(np.arange(shape[0]), counts)
    columns = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - (counts if side < 0 else shape[1]), counts)
    return tensor(np.stack([rows, columns]), dtype=kind, device=device)
