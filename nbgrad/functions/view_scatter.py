"""Copies of a tensor with other values where a view of it looks: select_scatter, slice_scatter, diagonal_scatter and
as_strided_scatter."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.arguments import int_of, ints_of
from nbgrad.calls.numpy_names import numpy_names
from nbgrad.errors import RunError, ShapeError
from nbgrad.functions.splitting import sliced
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import tensor_of


@numpy_names
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of ``input`` with ``src`` as its slice at ``index`` along ``dim``, in the input's dtype.

    RuntimeError where ``src`` has another shape than the slice, IndexError for one that is not there.

    >>> nbgrad.select_scatter(nbgrad.zeros(2, 2), nbgrad.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    copy = _copied("select_scatter", input)
    return _filled("select_scatter", copy, copy.select(dim, index), src)


@writes_out("slice_scatter")
@numpy_names
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy of ``input`` with ``src`` as its elements ``start``, ``start + step``, ... before ``end`` along ``dim``.

    RuntimeError where ``src`` has another shape than these elements.

    >>> nbgrad.slice_scatter(nbgrad.zeros(4), nbgrad.ones(2), start=0, end=4, step=2)
    tensor([1., 0., 1., 0.])
    """
    copy = _copied("slice_scatter", input)
    return _filled("slice_scatter", copy, sliced("slice_scatter", copy, dim, start, end, step), src)


def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy of ``input`` with ``src`` as the diagonal that ``Tensor.diagonal`` shows.

    RuntimeError where ``src`` has another shape than the diagonal.

    >>> nbgrad.diagonal_scatter(nbgrad.zeros(2, 2), nbgrad.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    copy = _copied("diagonal_scatter", input)
    return _filled("diagonal_scatter", copy, copy.diagonal(offset, dim1, dim2), src)


def as_strided_scatter(input: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A copy of ``input`` with ``src`` where ``as_strided`` looks.

    RuntimeError where ``src`` has another shape, where that leads out of the input's elements, and where these do not
    fill their part of memory.

    >>> nbgrad.as_strided_scatter(nbgrad.zeros(4), nbgrad.ones(2), (2,), (2,), 1)
    tensor([0., 1., 0., 1.])
    """
    x = tensor_of("as_strided_scatter", "input", input)
    first = 0
    if storage_offset is not None:
        first = int_of("as_strided_scatter", "storage_offset", storage_offset) - x.storage_offset()
    order = sorted(range(x.dim()), key=lambda d: -x.stride(d))
    rows: Tensor = x.permute(order)
    if not rows.is_contiguous():
        raise RunError(
            f"as_strided_scatter(): the memory of a tensor with strides {x.stride()} has gaps; clone it first"
        )
    copy: Any = rows.clone()
    sizes, steps = [ints_of("as_strided_scatter", n, v) for n, v in (("size", size), ("stride", stride))]
    _filled("as_strided_scatter", copy, copy.as_strided(sizes, steps, first), src)
    if order == list(range(x.dim())):
        return copy  # type: ignore[no-any-return]
    return copy.permute([order.index(d) for d in range(x.dim())]).clone()  # type: ignore[no-any-return]


def _copied(name: str, input: Tensor) -> Any:
    return tensor_of(name, "input", input).clone()


def _filled(name: str, copy: Any, view: Any, src: Tensor) -> Tensor:
    """``copy``, with ``src`` written into its ``view``."""
    given = tensor_of(name, "src", src)
    if given.shape != view.shape:
        raise ShapeError(
            f"{name}(): expected src to have a size equal to the slice of self. src size = {list(given.shape)}, slice "
            f"size = {list(view.shape)}"
        )
    view.copy_(given)
    return copy  # type: ignore[no-any-return]
