"""Sums of products, and sums back to a shape: inner, sum_to_size, rsub."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.arguments import ints_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ShapeError
from nbgrad.functions.several_forms import tensordot
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.tensor.surface import function_of
from nbgrad.trace import tensor_of


@writes_out("inner")
def inner(input: Tensor, other: Tensor) -> Any:
    """The sum of products along the last dims of the two, for all places of their other dims; the product with a 0-d
    tensor. RuntimeError where the last dims differ.

    >>> nbgrad.inner(nbgrad.tensor([[1, 2], [3, 4]]), nbgrad.tensor([1, 10]))
    tensor([21, 43])
    """
    x: Any = tensor_of("inner", "input", input)
    y: Any = tensor_of("inner", "other", other)
    if not (x.dim() and y.dim()):
        return x * y
    if x.shape[-1] != y.shape[-1]:
        raise ShapeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(x.shape)} and {list(y.shape)}"
        )
    return tensordot(x, y, dims=([-1], [-1]))


def sum_to_size(input: Tensor, *size: Any) -> Any:
    """The sums over the dims that a tensor of shape ``size`` has not, or has with one element: what undoes ``expand``.
    RuntimeError where that does not expand to the shape of the tensor.

    >>> nbgrad.ones(2, 3).sum_to_size(2, 1)
    tensor([[3.],
            [3.]])
    """
    x: Any = tensor_of("sum_to_size", "input", input)
    shape = ints_of("sum_to_size", "size", size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
    lead = x.dim() - len(shape)
    if lead < 0 or any(n not in (1, m) for n, m in zip(shape, x.shape[lead:], strict=True)):
        raise ShapeError(f"size {{{list(shape)}}} is not expandable to size {{{list(x.shape)}}}.")
    dims = [*range(lead), *[lead + d for d, n in enumerate(shape) if n != x.shape[lead + d]]]
    return x.sum(dims, keepdim=True).reshape(shape) if dims else x


def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Any:
    """``other - alpha * input``.

    >>> nbgrad.rsub(nbgrad.tensor([1, 2]), 10, alpha=2)
    tensor([8, 6])
    """
    x: Any = tensor_of("rsub", "input", input)
    return function_of(CALLS["sub"])(other, x, alpha=alpha)
