"""Matrices mirrored: up and down, left and right, along their diagonal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.calls.arguments import int_of, ints_of
from nbgrad.calls.base import one_dim
from nbgrad.errors import ShapeError
from nbgrad.graph.layout import contiguous_format
from nbgrad.tensor import Tensor
from nbgrad.trace import tensor_of


def flipud(input: Tensor) -> Tensor:
    """The order of the elements along the first dim reversed, as a copy. RuntimeError for a 0-d tensor.

    >>> nbgrad.flipud(nbgrad.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]])
    """
    return _flipped("flipud", input, 0)


def fliplr(input: Tensor) -> Tensor:
    """The order of the elements along the second dim reversed, as a copy. RuntimeError for fewer than two dims.

    >>> nbgrad.fliplr(nbgrad.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]])
    """
    return _flipped("fliplr", input, 1)


def rot90(input: Tensor, k: int = 1, dims: Sequence[int] | None = None) -> Tensor:
    """``input`` turned by ``k`` right angles in the plane of two ``dims`` (0 and 1 for None), from the first to the
    second. A copy in row-major order, of which the two dims are swapped after an odd number of turns. (A turned input
    that is not row-major keeps its order in PyTorch.)

    >>> nbgrad.rot90(nbgrad.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    x: Tensor = tensor_of("rot90", "input", input)
    wanted, rank = (0, 1) if dims is None else ints_of("rot90", "dims", dims), x.dim()
    turns = int_of("rot90", "k", k) % 4
    if len(wanted) != 2:
        raise ShapeError(f"rot90: expected total rotation dims == 2, but got dims = {len(wanted)}")
    if rank < 2:
        raise ShapeError(f"rot90: expected total dims >= 2, but got total dims = {rank}")
    a, b = [one_dim("rot90", d, rank) for d in wanted]
    if a == b:
        raise ShapeError(f"rot90: expected rotation dims to be different, but got {wanted[0]} and {wanted[1]}")
    turned: Any = x.flip(((), (b,), (a, b), (a,))[turns]) if turns else x.clone(memory_format=contiguous_format)
    return turned.transpose(a, b) if turns % 2 else turned  # type: ignore[no-any-return]


def _flipped(name: str, input: Tensor, dim: int) -> Tensor:
    x = tensor_of(name, "input", input)
    if x.dim() <= dim:
        raise ShapeError(f"{name}(): Input must be >= {dim + 1}-d.")
    return x.flip(dim)  # type: ignore[no-any-return]


def adjoint(input: Tensor) -> Tensor:
    """The last two dims swapped, and complex numbers conjugated: ``mH``. RuntimeError for a vector.

    >>> nbgrad.adjoint(nbgrad.ones(4, 2, 3)).shape
    nbgrad.Size([4, 3, 2])
    """
    x: Tensor = tensor_of("adjoint", "input", input)
    return x.mH
