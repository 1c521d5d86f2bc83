"""Functions that fold dims, and sums and products up to each element."""

from __future__ import annotations

from typing import Any

from nbgrad import functions
from nbgrad.array_api.shapes import Axes
from nbgrad.calls.base import CALLS, one_dim
from nbgrad.errors import ArgumentError
from nbgrad.tensor import Tensor
from nbgrad.trace import record, tensor_of


def all(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """Whether no element along ``axis`` is 0."""
    found, dims, keep = _over("all", x, axis, keepdims)
    return (found != 0).all(dims, keep)


def any(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """Whether an element along ``axis`` is not 0."""
    found, dims, keep = _over("any", x, axis, keepdims)
    return (found != 0).any(dims, keep)


def count_nonzero(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """How many elements along ``axis`` are not 0."""
    found, dims, keep = _over("count_nonzero", x, axis, keepdims)
    return (found != 0).sum(dims, keep)


def cumulative_prod(x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
    """The products of the elements along ``axis`` up to each; with ``include_initial`` a 1 before them."""
    return _cumulative("cumprod", 1, x, axis, dtype, include_initial)


def cumulative_sum(x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
    """The sums of the elements along ``axis`` up to each; with ``include_initial`` a 0 before them."""
    return _cumulative("cumsum", 0, x, axis, dtype, include_initial)


def diff(x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours along ``axis``, ``n`` times."""
    return tensor_of("diff", "x", x).diff(n, axis, prepend, append)


def max(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """The largest element along ``axis``."""
    found, dims, keep = _over("max", x, axis, keepdims)
    return found.amax(dims, keep)


def mean(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """The mean along ``axis``."""
    found, dims, keep = _over("mean", x, axis, keepdims)
    return found.mean(dims, keep)


def min(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """The smallest element along ``axis``."""
    found, dims, keep = _over("min", x, axis, keepdims)
    return found.amin(dims, keep)


def prod(x: Tensor, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """The product along ``axis``; of integers in int64 unless told otherwise."""
    found, dims, keep = _over("prod", x, axis, keepdims)
    if not isinstance(dims, tuple):
        return found.prod(dims, keep, dtype=dtype)
    for d in sorted([one_dim("prod", d, found.ndim) for d in dims], reverse=True):
        found = found.prod(d, keep, dtype=dtype)
    return found


def std(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    """The root of ``var``."""
    found, dims, keep = _over("std", x, axis, keepdims)
    return functions.std(found, dims, correction=correction, keepdim=keep)


def sum(x: Tensor, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """The sum along ``axis``; of integers in int64 unless told otherwise."""
    found, dims, keep = _over("sum", x, axis, keepdims)
    return found.sum(dims, keep, dtype=dtype)


def var(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    """The mean square distance from the mean, where the number of elements counts less by ``correction``."""
    found, dims, keep = _over("var", x, axis, keepdims)
    return functions.var(found, dims, correction=correction, keepdim=keep)


def _over(name: str, x: Tensor, axis: Axes, keepdims: bool) -> tuple[Any, Axes, bool]:
    """What is folded over which dims. An empty tuple means none, where PyTorch takes it for all."""
    found = tensor_of(name, "x", x)
    return (found.unsqueeze(0), 0, False) if axis == () else (found, axis, keepdims)


def _cumulative(call: str, first: int, x: Tensor, axis: int | None, dtype: Any, include_initial: bool) -> Any:
    found = tensor_of(call, "x", x)
    if axis is None and found.ndim != 1:
        raise ArgumentError(f"{call}(): axis is needed for an array that is no vector")
    d = one_dim(call, axis or 0, found.ndim)
    made = record(CALLS[call], (found,), (d, dtype))
    if not include_initial:
        return made
    shape = [1 if k == d else n for k, n in enumerate(made.shape)]
    start = functions.full(shape, first, dtype=made.dtype, device=made.device)
    return record(CALLS["cat"], (start, made), (d,))
