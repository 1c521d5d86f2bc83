"""Tensors joined as columns, layers and blocks, and the dims that they get for that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgrad.calls.base import CALLS
from nbgrad.errors import RunError, ShapeError
from nbgrad.functions.several_forms import standing, tensors_of
from nbgrad.graph.dtypes import get_default_dtype, result_type
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import record, tensor_of


def atleast_1d(*tensors: Any) -> Any:
    """A 0-d tensor as a view with one dim, others as they are; of several tensors, or a list of them, a tuple.

    >>> nbgrad.atleast_1d(nbgrad.tensor(3))
    tensor([3])
    """
    return _of_one_or_several("atleast_1d", tensors, lambda x: x if x.dim() else x.reshape(1))


def atleast_2d(*tensors: Any) -> Any:
    """A vector as a view with one row, a 0-d tensor as one with one element, others as they are; of several tensors, or
    a list of them, a tuple.

    >>> nbgrad.atleast_2d(nbgrad.tensor([1, 2]))
    tensor([[1, 2]])
    """
    return _of_one_or_several("atleast_2d", tensors, _rows)


def atleast_3d(*tensors: Any) -> Any:
    """A matrix as a view of shape (n, m, 1), a vector as one of (1, n, 1), a 0-d tensor as one of (1, 1, 1), others as
    they are; of several tensors, or a list of them, a tuple.

    >>> nbgrad.atleast_3d(nbgrad.ones(2)).shape
    nbgrad.Size([1, 2, 1])
    """
    return _of_one_or_several("atleast_3d", tensors, _layers)


def _rows(x: Any) -> Any:
    return x if x.dim() > 1 else x.reshape(1, -1)


def _layers(x: Any) -> Any:
    return x if x.dim() > 2 else _rows(x).unsqueeze(-1)


def _of_one_or_several(name: str, given: tuple[Any, ...], change: Callable[[Any], Any]) -> Any:
    if len(given) == 1 and not isinstance(given[0], (list, tuple)):
        return change(tensor_of(name, "input", given[0]))
    return tuple([change(x) for x in tensors_of(name, "tensors", given[0] if len(given) == 1 else given)])


@writes_out("dstack")
def dstack(tensors: Any) -> Tensor:
    """The tensors, made ``atleast_3d``, one behind the other: ``cat`` along dim 2. RuntimeError for no tensors, and for
    other sizes that differ.

    >>> nbgrad.dstack([nbgrad.tensor([1, 2]), nbgrad.tensor([3, 4])])
    tensor([[[1, 3],
             [2, 4]]])
    """
    return _joined("dstack", tensors, 2, _layers)


@writes_out("column_stack")
def column_stack(tensors: Any) -> Tensor:
    """The tensors beside each other, numbers and vectors as columns: ``cat`` along dim 1. RuntimeError for no tensors,
    and for other sizes that differ.

    >>> nbgrad.column_stack([nbgrad.tensor([1, 2]), nbgrad.tensor([[3, 4], [5, 6]])])
    tensor([[1, 3, 4],
            [2, 5, 6]])
    """
    return _joined("column_stack", tensors, 1, lambda x: x if x.dim() > 1 else x.reshape(-1, 1))


def _joined(name: str, tensors: Any, dim: int, change: Callable[[Any], Any]) -> Tensor:
    parts = tensors_of(name, "tensors", tensors)
    if not parts:
        raise RunError(f"{name} expects a non-empty TensorList")
    return record(CALLS["cat"], tuple([change(x) for x in parts]), (dim,))  # type: ignore[no-any-return]


def block_diag(*tensors: Tensor) -> Tensor:
    """A matrix with the given ones along its diagonal and 0 elsewhere, in their common dtype; a vector is a matrix with
    one row, a number one with one element. RuntimeError for more than two dims.

    >>> nbgrad.block_diag(nbgrad.tensor([[1], [2]]), nbgrad.tensor([3, 4]))
    tensor([[1, 0, 0],
            [2, 0, 0],
            [0, 3, 4]])
    """
    given = tensors_of("block_diag", "tensors", tensors)
    for place, x in enumerate(given):
        if x.dim() > 2:
            raise ShapeError(
                f"block_diag: Input tensors must have 2 or fewer dimensions. Input {place} has {x.dim()} dimensions"
            )
    if not given:
        return record(CALLS["filled"], (), ((1, 0), get_default_dtype(), 0))  # type: ignore[no-any-return]
    dtype = result_type(tuple([standing("tensors", x) for x in given]))
    blocks = [_rows(x.to(dtype)) for x in given]
    width, left, rows = sum([x.shape[1] for x in blocks]), 0, []
    for x in blocks:
        right = width - left - x.shape[1]
        rows.append(record(CALLS["pad"], (x, None), ((left, right), "constant")))
        left += x.shape[1]
    return record(CALLS["cat"], tuple(rows), (0,))  # type: ignore[no-any-return]


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The square matrix that has the elements of ``input``, whatever its dims, on a diagonal and 0 elsewhere.

    >>> nbgrad.diagflat(nbgrad.tensor([[1, 2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    return tensor_of("diagflat", "input", input).reshape(-1).diag(offset)  # type: ignore[no-any-return]
