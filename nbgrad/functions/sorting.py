"""Public functions that sort: values and their places along a dim."""

from __future__ import annotations

from typing import Any, NamedTuple

import nbgrad.calls.first_places  # noqa: F401  defines it
from nbgrad.calls.arguments import flag_of, float_of, int_of
from nbgrad.calls.base import CALLS
from nbgrad.calls.numpy_names import UNSAID, numpy_names
from nbgrad.errors import ArgumentError, DTypeError, DTypeNotImplementedError, RunError, TensorIndexError
from nbgrad.functions.creation import full
from nbgrad.functions.minmax import require_dim
from nbgrad.functions.several_forms import position_along
from nbgrad.graph.dtypes import bool_, int64
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import record, tensor_of


class Sorted(NamedTuple):
    """Values along a dim, and the places where they were."""

    values: Tensor
    indices: Tensor


@numpy_names
@writes_out("sort")
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Sorted:
    """(values, indices) of ``input`` in ascending order along ``dim``; the indices are int64.

    NaN comes last (first with ``descending``). Equal elements keep their order, whatever ``stable`` says. Gradients go
    to the places that the values came from. IndexError for a dim that is not there.

    >>> nbgrad.sort(nbgrad.tensor([2.0, 3.0, 1.0]))
    Sorted(values=tensor([1., 2., 3.]), indices=tensor([2, 0, 1]))
    """
    x = tensor_of("sort", "input", input)
    statics = int_of("sort", "dim", dim), flag_of("sort", "descending", descending), flag_of("sort", "stable", stable)
    _along("sort", x, statics[0])
    return _at(x, record(CALLS["argsort"], (x,), statics), statics[0])


@writes_out("msort")
def msort(input: Tensor) -> Tensor:
    """The values of ``input`` in ascending order along its first dim.

    >>> nbgrad.msort(nbgrad.tensor([[2, 1], [1, 3]]))
    tensor([[1, 1],
            [2, 3]])
    """
    return sort(tensor_of("msort", "input", input), 0).values


@numpy_names
@writes_out("topk")
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Sorted:
    """(values, indices) of the ``k`` largest elements along ``dim``, the largest first; else the smallest.

    Of equal elements those that come first are taken; NaN is larger than all numbers. They are sorted, whatever
    ``sorted`` says. RuntimeError for a ``k`` below 0 or above the size of the dim.

    >>> nbgrad.topk(nbgrad.tensor([1.0, 4.0, 2.0, 3.0]), 2)
    Sorted(values=tensor([4., 3.]), indices=tensor([1, 3]))
    """
    x = tensor_of("topk", "input", input)
    count, along = int_of("topk", "k", k), int_of("topk", "dim", dim)
    descending = flag_of("topk", "largest", largest)
    flag_of("topk", "sorted", sorted)
    _, size = _along("topk", x, along)
    if not 0 <= count <= size:
        raise ArgumentError(f"topk(): selected index k out of range: got {count}, expected 0 to {size}")
    return _at(x, record(CALLS["first_places"], (x,), (along, descending, count)), along)


@numpy_names
@writes_out("kthvalue")
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Sorted:
    """(value, index) of the ``k``-th smallest element along ``dim``, counted from 1; the dim stays with ``keepdim``.

    RuntimeError for a ``k`` below 1 or above the size of the dim, IndexError for a dim of size 0; NotImplementedError
    for bools and complex numbers in dims.

    >>> nbgrad.kthvalue(nbgrad.tensor([3.0, 1.0, 2.0]), 2)
    Sorted(values=tensor(2.), indices=tensor(2))
    """
    x = tensor_of("kthvalue", "input", input)
    count, along, keep = (
        int_of("kthvalue", "k", k),
        int_of("kthvalue", "dim", dim),
        flag_of("kthvalue", "keepdim", keepdim),
    )
    d, size = _of_some("kthvalue", x, along)
    if not 1 <= count <= size:
        raise ArgumentError(f"kthvalue(): selected number k out of range for dimension {d}: got {count}")
    if x.dim() and (x.dtype is bool_ or x.is_complex()):
        raise DTypeNotImplementedError(f"kthvalue: not implemented for {x.dtype.name}")
    order = record(CALLS["first_places"], (x,), (along, False, count))
    return _without_dim(_at(x, order.narrow(d, count - 1, 1).clone() if x.dim() else order, along), d, keep)


@numpy_names
@writes_out("median", where=lambda given: given.get("dim") is not None)
def median(input: Tensor, dim: int | None = None, keepdim: Any = UNSAID) -> Any:
    """The median element: of two in the middle the lower one. NaN where there is one. Equal elements share the
    derivative evenly.

    With ``dim``, (values, indices) along it; the dim stays with ``keepdim``.

    >>> nbgrad.median(nbgrad.tensor([4.0, 1.0, 3.0, 2.0]))
    tensor(2.)
    """
    x = tensor_of("median", "input", input)
    if dim is None:
        require_dim("median", keepdim)
        if not x.numel() and x.is_floating_point():
            return x.sum() * float("nan")
        _of_some("median", x.reshape(-1), 0)
        return record(CALLS["median_all"], (x,))
    along, keep = int_of("median", "dim", dim), keepdim is not UNSAID and flag_of("median", "keepdim", keepdim)
    d, size = _of_some("median", x, along)
    order = record(CALLS["argsort"], (x,), (along, False, False))
    if not x.dim():
        return _at(x, order, along)
    middle = order.narrow(d, (size - 1) // 2, 1)
    if x.is_floating_point():  # NaN stands last: the first of them is wanted
        count = record(CALLS["eq"], (x, x)).sum(d, True)
        middle = order.gather(d, record(CALLS["where"], (count < size, count, (size - 1) // 2)))
    return _without_dim(_at(x, middle, along), d, keep)


@numpy_names
@writes_out("nanmedian", where=lambda given: given.get("dim") is not None)
def nanmedian(input: Tensor, dim: int | None = None, keepdim: Any = UNSAID) -> Any:
    """The median of the elements that are not NaN: of two in the middle the lower one. NaN where nothing else is. Equal
    elements share the derivative evenly.

    With ``dim``, (values, indices) along it; the dim stays with ``keepdim``.

    >>> nbgrad.nanmedian(nbgrad.tensor([4.0, nbgrad.nan, 3.0, 2.0]))
    tensor(3.)
    """
    x = tensor_of("nanmedian", "input", input)
    if dim is None or not x.is_floating_point():
        if dim is None:
            require_dim("nanmedian", keepdim)
        if dim is not None or not x.numel() or not x.is_floating_point():
            return median(x) if dim is None else median(x, dim, keepdim is not UNSAID and keepdim)
        return record(CALLS["nanmedian_all"], (x,))
    along, keep = int_of("nanmedian", "dim", dim), keepdim is not UNSAID and flag_of("nanmedian", "keepdim", keepdim)
    d, _ = _of_some("nanmedian", x, along)
    order = record(CALLS["argsort"], (x,), (along, False, False))
    if not x.dim():
        return _at(x, order, along)
    count = record(CALLS["eq"], (x, x)).sum(d, True)
    middle = order.gather(d, ((count - 1) // 2).clamp_min(0))
    return _without_dim(_at(x, middle, along), d, keep)


_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


@numpy_names
@writes_out("quantile")
def quantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The value below which a share ``q`` of the elements along ``dim`` lies; of all elements for None.

    ``q`` is a number in [0, 1] or a vector of them in the input's dtype, which gives a new first dim. Between two
    elements ``interpolation`` chooses: linear, lower, higher, midpoint or nearest. NaN where there is one.

    RuntimeError for shares outside [0, 1], no elements, other dtypes than float32 and float64 or two of them.

    >>> nbgrad.quantile(nbgrad.tensor([4.0, 1.0, 3.0, 2.0]), nbgrad.tensor([0.0, 0.5]))
    tensor([1.0000, 2.5000])
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation)


@numpy_names
@writes_out("nanquantile")
def nanquantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """``quantile`` of the elements that are not NaN; NaN where there is none.

    >>> nbgrad.nanquantile(nbgrad.tensor([nbgrad.nan, 1.0, 2.0]), 0.5)
    tensor(1.5000)
    """
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation)


def _quantile(name: str, input: Tensor, q: Any, dim: Any, keepdim: Any, interpolation: Any) -> Tensor:
    x = tensor_of(name, "input", input)
    if not x.is_floating_point() or x.dtype.is_half:
        raise DTypeError(f"{name}() input tensor must be either float or double dtype, got {x.dtype.name}")
    if interpolation not in _INTERPOLATIONS:
        raise RunError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    shares = _shares(name, x, q)
    keep = flag_of(name, "keepdim", keepdim)
    rows, d = (x.reshape(-1), 0) if dim is None or not x.dim() else (x, int_of(name, "dim", dim))
    d, size = _along(name, rows, d)
    if not size:
        raise RunError(f"{name}() input tensor must be non-empty")
    in_order = sort(rows, d).values.movedim(d, 0)
    if name == "nanquantile":
        last = record(CALLS["eq"], (in_order, in_order)).sum(0) - 1  # NaN is the largest
        ranks = shares.reshape(-1, *[1] * last.dim()) * last.clamp_min(0)
        found = _between(lambda places: in_order.gather(0, places), ranks, ranks, interpolation)
    else:
        last = in_order[size - 1]
        ranks = shares * (size - 1)
        found = _between(
            lambda places: in_order.index_select(0, places), ranks, ranks.reshape(-1, *[1] * last.dim()), interpolation
        )
        found = record(CALLS["where"], (record(CALLS["isnan"], (last,)), last, found))
    if keep:
        found = found.reshape(found.shape[0], *[1] * x.dim()) if dim is None or not x.dim() else found.unsqueeze(d + 1)
    result: Tensor = found if isinstance(q, Tensor) and q.dim() else found[0]
    return result


def _shares(name: str, x: Tensor, q: Any) -> Tensor:
    """``q`` as a vector in the dtype of ``x``."""
    if isinstance(q, Tensor):
        if q.dim() > 1:
            raise RunError(f"{name}() q must be a scalar or 1D tensor, got {q.dim()}D")
        if q.dtype is not x.dtype:
            raise DTypeError(f"{name}() q tensor must be same dtype as the input tensor, got {q.dtype.name}")
        given: Tensor = q.reshape(-1)
        if not bool(((given >= 0) & (given <= 1)).all()):
            raise RunError(f"{name}() q values must be in the range [0, 1]")
    else:
        share = float_of(name, "q", q)
        if not 0 <= share <= 1:
            raise RunError(f"{name}() q must be in the range [0, 1] but got {q}")
        given = full((1,), share, dtype=x.dtype, device=x.device)
    return given


def _between(pick: Any, ranks: Tensor, wide: Tensor, interpolation: str) -> Tensor:
    """The values at ``ranks``. ``pick`` gives those at whole places; ``wide`` are the ranks in a shape that goes with
    these values."""

    def at(places: Tensor) -> Any:
        return pick(places.to(int64))

    if interpolation == "nearest":
        return at(ranks.round())  # type: ignore[no-any-return]
    low, high = at(ranks.floor()), at(ranks.ceil())
    if interpolation in ("lower", "higher"):
        return low if interpolation == "lower" else high  # type: ignore[no-any-return]
    if interpolation == "midpoint":
        return low.lerp(high, 0.5)  # type: ignore[no-any-return]
    return low.lerp(high, wide - wide.floor())  # type: ignore[no-any-return]


def _along(name: str, x: Tensor, dim: int) -> tuple[int, int]:
    """(dim counted from 0, its size); a 0-d tensor counts as one element along one dim."""
    return position_along(name, x.reshape(1) if not x.dim() else x, dim)


def _of_some(name: str, x: Tensor, dim: int) -> tuple[int, int]:
    """The same; IndexError where there is no element."""
    d, size = _along(name, x, dim)
    if not size:
        raise TensorIndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
    return d, size


def _at(x: Tensor, places: Tensor, dim: int) -> Sorted:
    return Sorted(record(CALLS["gather"], (x, places), (dim, False)), places)


def _without_dim(found: Sorted, d: int, keep: bool) -> Sorted:
    if keep or not found.values.dim():
        return found
    return Sorted(found.values.squeeze(d).clone(), found.indices.squeeze(d).clone())  # no views


for _function in (sort, msort, topk, kthvalue, median, nanmedian, nanquantile, quantile):
    setattr(Tensor, _function.__name__, _function)
