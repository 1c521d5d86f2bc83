"""Places of elements as numbers: unravel_index and nonzero_static."""

from __future__ import annotations

from math import prod
from typing import Any

from nbgrad.calls.arguments import int_of, ints_of
from nbgrad.errors import ArgumentError, DTypeError, RunError
from nbgrad.functions.creation import full
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
