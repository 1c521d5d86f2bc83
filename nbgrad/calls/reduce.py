"""Folding dims: sum, mean, prod, extremes and where they are, any and all, var and std, logsumexp."""

from __future__ import annotations

from nbgrad.calls.base import all_dims, call, floating, one_dim, require_number
from nbgrad.errors import DTypeError, DTypeNotImplementedError, ShapeError, TensorIndexError
from nbgrad.graph.dtypes import DType, as_dtype, bool_, int64, uint8
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape
from nbgrad.ops.compare import cast_to
from nbgrad.ops.composite import mean_of
from nbgrad.ops.reduce import reduced_shape, restore
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import reshape_to

Dims = int | tuple[int, ...] | None


def reduced(op: str, x: Node, dims: Shape, keepdim: bool, *params: object) -> Node:
    """``op`` over ``dims``, which stay as 1 with ``keepdim``."""
    y = apply(op, x, params=(dims, *params))
    return reshape_to(y, reduced_shape(x.spec.shape, dims, keepdim))


def accumulated(input: Node, dtype: DType | None) -> Node:
    """``input`` in the dtype of its sum: integers add up in int64."""
    if dtype is not None:
        return cast_to(input, as_dtype(dtype))
    return input if input.spec.dtype.is_inexact else cast_to(input, int64)


@call(method=True, by_dim="dim_IntList")
def sum(input: Node, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Node:
    """Sum over ``dim`` (all dims for None). Integers and bool add up in int64.

    >>> nbgrad.ones(2, 3).sum(dim=1)
    tensor([3., 3.])
    """
    x = accumulated(input, dtype)
    op = "amax" if x.spec.dtype is bool_ else "sum"  # whether something is True
    return reduced(op, x, all_dims("sum", dim, input.spec.rank), keepdim)


@call(method=True)
def nansum(input: Node, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Node:
    """Sum over ``dim`` (all dims for None) of what is not NaN. Integers and bool add up in int64; complex numbers are
    refused.

    >>> nbgrad.tensor([1.0, nbgrad.nan, 2.0]).nansum()
    tensor(3.)
    """
    kind = input.spec.dtype
    if kind.is_complex or (kind.is_floating_point and dtype is not None and as_dtype(dtype).is_complex):
        raise DTypeNotImplementedError("nansum does not support complex inputs")
    return sum(_without_nan(input), dim, keepdim, dtype=dtype)


@call(method=True)
def nanmean(input: Node, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Node:
    """The mean over ``dim`` of what is not NaN; NaN where nothing else is. Floating point only. The derivative by a NaN
    is 0.

    >>> nbgrad.tensor([1.0, nbgrad.nan, 2.0]).nanmean()
    tensor(1.5000)
    """
    x = accumulated(input, dtype)
    for what, kind in (("input", input.spec.dtype), ("output", x.spec.dtype)):
        if not kind.is_inexact:
            raise DTypeError(f"nanmean(): expected {what} to have floating point or complex dtype but got {kind.name}")
    count = sum(cast_to(apply("eq", x, x), x.spec.dtype), dim, keepdim)
    return nansum(x, dim, keepdim) / count


def _without_nan(x: Node) -> Node:
    if not x.spec.dtype.is_floating_point:
        return x
    return apply("where", apply("eq", x, x), x, const(0, x.spec.dtype))


@call(method=True, inplace=True)
def cumsum(input: Node, dim: int, *, dtype: DType | None = None) -> Node:
    """Sums of the elements along ``dim`` up to each of them. Integers and bool add up in int64.

    >>> nbgrad.tensor([1.0, 2.0, 3.0]).cumsum(0)
    tensor([1., 3., 6.])
    """
    x = accumulated(input, dtype)
    require_number("cumsum", x)
    d = one_dim("cumsum", dim, x.spec.rank)
    return apply("cumsum", x, params=(d, False)) if x.spec.shape else apply("copy", x)


@call(method=True, by_dim="dim")
def mean(input: Node, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Node:
    """Sum over ``dim`` divided by the number of elements; NaN where there is none. Floating point only."""
    x = input if dtype is None else cast_to(input, as_dtype(dtype))
    if not x.spec.dtype.is_inexact:
        raise DTypeError(f"mean: input dtype must be floating point or complex, got {x.spec.dtype.name}; give dtype=")
    dims = all_dims("mean", dim, x.spec.rank)
    return reshape_to(mean_of(x, dims), reduced_shape(x.spec.shape, dims, keepdim))


@call(method=True, by_dim="dim_int")
def prod(input: Node, dim: int | None = None, keepdim: bool = False, *, dtype: DType | None = None) -> Node:
    """Product over one ``dim``, or over all for None. Integers and bool multiply in int64."""
    x = accumulated(input, dtype)
    op = "amin" if x.spec.dtype is bool_ else "prod"  # whether all is True
    return reduced(op, x, all_dims("prod", dim, input.spec.rank), keepdim)


def _some_dims(name: str, x: Node, dim: Dims) -> Shape:
    """The dims of a reduction without identity: none of them may be empty."""
    dims = all_dims(name, dim, x.spec.rank)
    if x.spec.size == 0:
        if dim is None or dim == ():
            error = TensorIndexError if name in ("argmax", "argmin") else ShapeError
            raise error(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                "Specify the reduction dim with the 'dim' argument."
            )
        for d in dims:
            if x.spec.shape[d] == 0:
                raise TensorIndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
    return dims


@call(method=True)
def amax(input: Node, dim: Dims = None, keepdim: bool = False) -> Node:
    """Largest element over ``dim``, NaN if there is one; equal elements share the derivative evenly."""
    return reduced("amax", input, _some_dims("amax", input, dim), keepdim)


@call(method=True)
def amin(input: Node, dim: Dims = None, keepdim: bool = False) -> Node:
    """Smallest element over ``dim``, NaN if there is one; equal elements share the derivative evenly."""
    return reduced("amin", input, _some_dims("amin", input, dim), keepdim)


def evenly(y: Node, x: Node, dims: Shape) -> Node:
    """``y``, found among the elements of ``x`` over ``dims``: those equal to it share the derivative evenly, as in
    PyTorch NaN equals NaN."""
    if not x.spec.dtype.is_floating_point:
        return y
    whole = restore(y, x.spec.shape, dims)
    both_nan = apply("bit_and", apply("ne", x, x), apply("ne", whole, whole))
    here = apply("bit_or", apply("eq", x, whole), both_nan)
    shared = apply("sum", apply("where", here, x, const(0, x.spec.dtype)), params=(dims,))
    return apply("rebase_history", shared / apply("sum", cast_to(here, x.spec.dtype), params=(dims,)), y)


def _extreme_of_all(op: str, name: str, input: Node) -> Node:
    dims = _some_dims(name, input, None)
    return evenly(apply(op, input, params=(dims,)), input, dims)


def _position(op: str, input: Node, dim: int | None, keepdim: bool) -> Node:
    if input.spec.dtype is bool_:
        raise DTypeError(f"{op}(): does not support bool input")
    return reduced(op, input, _some_dims(op, input, dim), keepdim)


@call(method=True)
def argmax(input: Node, dim: int | None = None, keepdim: bool = False) -> Node:
    """int64 index of the first largest element along ``dim`` (into the flattened input for None); NaN is largest."""
    return _position("argmax", input, dim, keepdim)


@call(method=True)
def argmin(input: Node, dim: int | None = None, keepdim: bool = False) -> Node:
    """int64 index of the first smallest element along ``dim`` (into the flattened input for None); NaN is smallest."""
    return _position("argmin", input, dim, keepdim)


def _chosen(op: str, arg: str, name: str, input: Node, dim: int, keepdim: bool) -> Node:
    """The extreme along ``dim`` with the derivative of the one element that ``arg`` points at."""
    dims = _some_dims(name, input, one_dim(name, dim, input.spec.rank))
    value = apply(op, input, params=(dims,))
    if input.spec.dtype.is_floating_point and dims:
        shape = input.spec.shape
        at = restore(apply(arg, input, params=(dims,)), shape, dims)
        here = apply("eq", iota_node(shape, dims[0]), at)
        picked = apply("sum", apply("where", here, input, const(0, input.spec.dtype)), params=(dims,))
        value = apply("rebase_history", picked, value)
    return reshape_to(value, reduced_shape(input.spec.shape, dims, keepdim))


def _index(arg: str, name: str, input: Node, dim: int, keepdim: bool) -> Node:
    dims = _some_dims(name, input, one_dim(name, dim, input.spec.rank))
    return reduced(arg, input if input.spec.dtype is not bool_ else cast_to(input, uint8), dims, keepdim)


@call(function=False, shown="max")
def max_values(input: Node, dim: int, keepdim: bool = False) -> Node:
    """Largest element along ``dim``: the values of ``max(input, dim)``; the first of equals takes the derivative."""
    return _chosen("amax", "argmax", "max", input, dim, keepdim)


@call(function=False, shown="max")
def max_indices(input: Node, dim: int, keepdim: bool = False) -> Node:
    """int64 index of the first largest element along ``dim``: the indices of ``max(input, dim)``."""
    return _index("argmax", "max", input, dim, keepdim)


@call(function=False, shown="min")
def min_values(input: Node, dim: int, keepdim: bool = False) -> Node:
    """Smallest element along ``dim``: the values of ``min(input, dim)``; the first of equals takes the derivative."""
    return _chosen("amin", "argmin", "min", input, dim, keepdim)


@call(function=False, shown="min")
def min_indices(input: Node, dim: int, keepdim: bool = False) -> Node:
    """int64 index of the first smallest element along ``dim``: the indices of ``min(input, dim)``."""
    return _index("argmin", "min", input, dim, keepdim)


@call(function=False, shown="max", grad_fn="Max:1")
def max_all(input: Node) -> Node:
    """Largest of all elements: ``max(input)``; equal elements share the derivative evenly, those that are NaN too."""
    return _extreme_of_all("amax", "max", input)


@call(function=False, shown="min", grad_fn="Min:1")
def min_all(input: Node) -> Node:
    """Smallest of all elements: ``min(input)``; equal elements share the derivative evenly, those that are NaN too."""
    return _extreme_of_all("amin", "min", input)


def _quantified(name: str, op: str, input: Node, dim: Dims, keepdim: bool) -> Node:
    """``op`` over the elements as truth values; over no dims for (), as in PyTorch."""
    dims = () if dim == () else all_dims(name, dim, input.spec.rank)
    y = reduced(op, cast_to(input, bool_), dims, keepdim)
    return cast_to(y, uint8) if input.spec.dtype is uint8 else y


@call(method=True, by_dim="dim")
def any(input: Node, dim: Dims = None, keepdim: bool = False) -> Node:
    """Whether some element is not 0; False where there is none. bool, or uint8 for uint8."""
    return _quantified("any", "amax", input, dim, keepdim)


@call(method=True, by_dim="dim")
def all(input: Node, dim: Dims = None, keepdim: bool = False) -> Node:
    """Whether no element is 0; True where there is none. bool, or uint8 for uint8."""
    return _quantified("all", "amin", input, dim, keepdim)


@call(method=True)
def count_nonzero(input: Node, dim: Dims = None) -> Node:
    """How many elements are not 0; int64."""
    counted = cast_to(cast_to(input, bool_), int64)
    return apply("sum", counted, params=(all_dims("count_nonzero", dim, input.spec.rank),))


def _spread(op: str, input: Node, dim: Dims, keepdim: bool, correction: float | None) -> Node:
    if not input.spec.dtype.is_inexact:
        raise DTypeError(f"{op}: only floating point and complex inputs are supported, got {input.spec.dtype.name}")
    if input.spec.dtype.is_complex:
        spread = _spread("var", apply("real", input), dim, keepdim, correction)
        spread = spread + _spread("var", apply("imag", input), dim, keepdim, correction)
        return spread if op == "var" else apply("sqrt", spread)
    return reduced(op, input, all_dims(op, dim, input.spec.rank), keepdim, 1 if correction is None else correction)


@call(method=True)
def var(input: Node, dim: Dims = None, *, correction: float | None = None, keepdim: bool = False) -> Node:
    """sum((x - mean)^2) / (n - correction) over ``dim``, in two passes; the correction is 1 for None."""
    return _spread("var", input, dim, keepdim, correction)


@call(method=True)
def std(input: Node, dim: Dims = None, *, correction: float | None = None, keepdim: bool = False) -> Node:
    """Square root of ``var``; the derivative is 0 where the deviation is 0."""
    return _spread("std", input, dim, keepdim, correction)


@call(method=True)
def logsumexp(input: Node, dim: Dims, keepdim: bool = False) -> Node:
    """log(sum(exp(x))) over ``dim``, computed without overflow. RuntimeError for no dims, as in PyTorch."""
    if dim == () and input.spec.shape:
        raise ShapeError("logsumexp(): dim must name at least one dim; for all of them give tuple(range(x.dim()))")
    x = floating("logsumexp", input)
    return reduced("logsumexp", x, all_dims("logsumexp", dim, x.spec.rank), keepdim)
