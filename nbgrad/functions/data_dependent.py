"""Functions the shape of whose result may depend on values, at which they look as ``item`` does."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.calls.arguments import flag_of, int_of
from nbgrad.calls.base import CALLS, one_dim
from nbgrad.calls.numpy_names import numpy_names
from nbgrad.errors import DTypeError, RunError, ShapeError
from nbgrad.graph.dtypes import bool_, float32, float64, int32, int64
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.tensor.subscript import get_item
from nbgrad.tensor.surface import function_of
from nbgrad.trace import from_values, record, tensor_of, values

_where = function_of(CALLS["where"])


@writes_out("nonzero")
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Where elements are not 0, in row-major order: int64 indices, a row for each such element.

    With ``as_tuple`` a vector for each dim instead, as an index expression takes them.

    >>> nbgrad.nonzero(nbgrad.tensor([[0, 1], [2, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    x = tensor_of("nonzero", "input", input)
    if flag_of("nonzero", "as_tuple", as_tuple):
        return tuple([_index(found, x) for found in np.nonzero(np.atleast_1d(values(x)))])
    return _index(np.argwhere(values(x)), x)


def argwhere(input: Tensor) -> Tensor:
    """Where elements are not 0: ``nonzero``, a row for each such element.

    >>> nbgrad.argwhere(nbgrad.tensor([0.0, 3.0, 4.0]))
    tensor([[1],
            [2]])
    """
    found: Tensor = nonzero(tensor_of("argwhere", "input", input))
    return found


@writes_out("where")
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """``input`` where the bool ``condition`` is True, otherwise ``other``; both broadcast and promote. Of a condition
    alone, of any dtype, where it is not 0: ``nonzero`` with ``as_tuple``.

    The derivative reaches only the branch that was taken.

    >>> nbgrad.where(nbgrad.tensor([True, False]), 1.0, nbgrad.tensor([5.0, 6.0]))
    tensor([1., 6.])
    >>> nbgrad.where(nbgrad.tensor([True, False, True]))
    (tensor([0, 2]),)
    """
    if input is None and other is None:
        return nonzero(tensor_of("where", "condition", condition), as_tuple=True)
    return _where(condition, input, other)


@writes_out("masked_select")
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements of ``input`` where the bool ``mask`` is True, as a vector; both broadcast. RuntimeError for another
    dtype of the mask.

    >>> nbgrad.masked_select(nbgrad.tensor([1.0, 2.0, 3.0]), nbgrad.tensor([True, False, True]))
    tensor([1., 3.])
    """
    x, where = tensor_of("masked_select", "input", input), tensor_of("masked_select", "mask", mask)
    if where.dtype is not bool_:
        raise RunError(f"masked_select: expected BoolTensor for mask, got {where.dtype.name}")
    shape = np.broadcast_shapes(tuple(x.shape), tuple(where.shape)) if _broadcast(x, where) else ()
    chosen: Tensor = get_item(x.expand(shape).reshape(-1), where.expand(shape).reshape(-1))
    return chosen


def _broadcast(x: Tensor, other: Tensor) -> bool:
    """True; ShapeError where shapes do not go together."""
    for n, m in zip(reversed(x.shape), reversed(other.shape), strict=False):
        if n != m and 1 not in (n, m):
            raise ShapeError(f"masked_select: shapes {list(x.shape)} and {list(other.shape)} do not broadcast")
    return True


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The values that occur, in ascending order whatever ``sorted`` says; with ``dim``, the slices along it.

    ``return_inverse`` adds where among them each element stands, ``return_counts`` how often each occurs. A NaN equals
    no other. Gradients go to the first of equal elements.

    >>> nbgrad.unique(nbgrad.tensor([3, 1, 3, 2]), return_counts=True)
    (tensor([1, 2, 3]), tensor([1, 1, 2]))
    """
    x = tensor_of("unique", "input", input)
    flag_of("unique", "sorted", sorted)
    wanted = flag_of("unique", "return_inverse", return_inverse), flag_of("unique", "return_counts", return_counts)
    d = None if dim is None else one_dim("unique", int_of("unique", "dim", dim), x.dim())
    rows = x.reshape(-1) if d is None else x
    if d is not None and 0 in (*x.shape[:d], *x.shape[d + 1 :]):
        raise ShapeError(
            f"unique(): There are 0 sized dimensions, and they aren't selected, so unique cannot be applied: "
            f"{list(x.shape)}"
        )
    if d is None and not x.dtype.is_complex:
        first, inverse, counts = _runs(rows)
    else:
        _, first, inverse, counts = np.unique(
            values(rows), return_index=True, return_inverse=True, return_counts=True, axis=d, equal_nan=False
        )
    places = inverse.reshape(tuple(x.shape) if d is None else -1)
    chosen = record(CALLS["index_select"], (rows, _index(first, x)), (d or 0,))
    extra = [_index(found, x) for found, asked in zip((places, counts), wanted, strict=True) if asked]
    return (chosen, *extra) if extra else chosen


def _runs(row: Tensor) -> tuple[Any, Any, Any]:
    """(the first place of each value of a vector, in ascending order; where among these each element stands; how many
    there are of each)."""
    order, numbers = values(record(CALLS["argsort"], (row,), (0, False, True))), values(row)
    in_order = numbers[order]
    begins = np.ones(len(order), bool)
    np.not_equal(in_order[1:], in_order[:-1], out=begins[1:])
    inverse = np.empty_like(order)
    inverse[order] = np.cumsum(begins) - 1
    return order[begins], inverse, np.diff(np.flatnonzero(begins), append=len(order))


@numpy_names
def repeat_interleave(input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: Any = None) -> Tensor:
    """Each element along ``dim`` as often as ``repeats`` says, one after the other; of the flattened input for None.

    ``repeats`` is an int, or an integer tensor with one number for all or for each; at a tensor's values it looks.
    Without it, ``input`` holds the numbers, and the result says which element stands where. RuntimeError for numbers
    below 0 or too few of them.

    >>> nbgrad.repeat_interleave(nbgrad.tensor([1, 2, 3]), nbgrad.tensor([0, 1, 2]))
    tensor([2, 3, 3])
    """
    x = tensor_of("repeat_interleave", "input", input)
    if repeats is None:
        which: Tensor = _index(np.repeat(np.arange(x.numel()), _counts(x)), x)
        return which
    along = None if dim is None else int_of("repeat_interleave", "dim", dim)
    if not isinstance(repeats, Tensor):
        times = int_of("repeat_interleave", "repeats", repeats)
        return _sized(record(CALLS["repeat_each"], (x,), (times, along)), along, output_size)
    rows = x.reshape(-1) if along is None or not x.dim() else x
    d = one_dim("repeat_interleave", along or 0, rows.dim())
    counts = _counts(repeats)
    if counts.size not in (1, rows.size(d)):
        raise RunError(
            f"repeats must have the same size as input along dim, but got repeats of {counts.size} elements and input "
            f"of {rows.size(d)}"
        )
    places = _index(np.repeat(np.arange(rows.size(d)), counts), x)
    return _sized(record(CALLS["index_select"], (rows, places), (d,)), along, output_size)


def _counts(repeats: Tensor) -> Any:
    """The numbers of repetitions."""
    if repeats.dim() > 1:
        raise RunError("repeat_interleave only accept 1D vector as repeat")
    if repeats.dtype not in (int32, int64):
        raise DTypeError(f"repeats has to be Long or Int tensor, not {repeats.dtype.name}")
    counts = np.atleast_1d(values(repeats))
    if (counts < 0).any():
        raise RunError("repeats can not be negative")
    return counts


def _sized(result: Tensor, dim: int | None, size: Any) -> Tensor:
    """``result``, whose size along ``dim`` is what the caller said it would be."""
    found = result.size(dim or 0)
    if size is not None and found != size:
        raise RunError(f"repeat_interleave: output_size {size} is not the size of the result, {found}")
    return result


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 on occurs in a vector of integers, at which it looks; or the sums of their
    ``weights``, whose derivatives pass. RuntimeError for other shapes and dtypes, for numbers below 0, and weights of
    another shape.

    >>> nbgrad.bincount(nbgrad.tensor([1, 3, 1]), minlength=5)
    tensor([0, 2, 0, 1, 0])
    """
    x, least = tensor_of("bincount", "input", input), int_of("bincount", "minlength", minlength)
    if x.dim() != 1 or x.dtype.is_floating_point or x.dtype is bool_:
        raise RunError(f"bincount only supports 1-d non-negative integral inputs, got {x._spec}")
    if least < 0:
        raise RunError("minlength should be >= 0")
    found = values(x)
    if found.size and found.min() < 0:
        raise RunError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return _index(np.bincount(found, minlength=least), x)  # type: ignore[no-any-return]
    if tensor_of("bincount", "weights", weights).shape != x.shape:
        raise RunError("weights should be 1-d and have the same length as input")
    kind = weights.dtype if weights.dtype is float32 else float64
    size = max(int(found.max()) + 1 if found.size else 0, least)
    sums = record(CALLS["filled"], (), ((size,), kind, 0)).to(x.device)
    total: Tensor = sums.index_add(0, x.to(int64), weights.to(kind))
    return total


def _index(found: Any, like: Tensor) -> Any:
    """Positions or numbers as an int64 tensor, where ``like`` lives."""
    return from_values(np.ascontiguousarray(found, np.int64).reshape(np.shape(found)), int64, place=like._spec.place)


for _function in (nonzero, argwhere, masked_select, unique, repeat_interleave, bincount):
    setattr(Tensor, _function.__name__, _function)
