"""Matrices mirrored: up and down, left and right, along their diagonal."""

from __future__ import annotations

from nbgrad.errors import ShapeError
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
