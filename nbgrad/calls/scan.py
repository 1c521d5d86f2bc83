"""What each element is together with all before it: running products, running sums of exponentials."""

from __future__ import annotations

from nbgrad.calls.base import call, one_dim, require_number
from nbgrad.calls.elementary import logarithm_of_sum
from nbgrad.calls.reduce import accumulated
from nbgrad.errors import DTypeNotImplementedError
from nbgrad.graph.dtypes import DType, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import slice_at


@call(method=True, inplace=True)
def cumprod(input: Node, dim: int, *, dtype: DType | None = None) -> Node:
    """Products of the elements along ``dim`` up to each of them. Integers and bool multiply in int64.

    The derivative is that of products where elements are 0, too. IndexError for a dim that is not there.

    >>> nbgrad.tensor([1.0, 2.0, 3.0, 4.0]).cumprod(0)
    tensor([ 1.,  2.,  6., 24.])
    """
    x = accumulated(input, dtype)
    require_number("cumprod", x)
    d = one_dim("cumprod", dim, x.spec.rank)
    return apply("cumprod", x, params=(d, False)) if x.spec.shape else apply("copy", x)


@call(method=True)
def logcumsumexp(input: Node, dim: int) -> Node:
    """log of the sums of exp(x) along ``dim`` up to each element, computed without overflow. Floating point or complex.

    >>> nbgrad.tensor([0.0, 0.0, 1000.0]).logcumsumexp(0)
    tensor([0.0000e+00, 6.9315e-01, 1.0000e+03])
    """
    if not input.spec.dtype.is_inexact:
        raise DTypeNotImplementedError(f"logcumsumexp: not implemented for {input.spec.dtype.name}")
    d = one_dim("logcumsumexp", dim, input.spec.rank)
    n = input.spec.shape[d] if input.spec.shape else 1
    if n < 2:
        return apply("copy", input)
    return _in_rounds(input, d, n)


@call(function=False, shown="cummax")
def cummax_indices(input: Node, dim: int) -> Node:
    """int64 index of the largest element along ``dim`` up to each: the indices of ``cummax``."""
    return _extreme_so_far("cummax", input, dim)


@call(function=False, shown="cummin")
def cummin_indices(input: Node, dim: int) -> Node:
    """int64 index of the smallest element along ``dim`` up to each: the indices of ``cummin``."""
    x = apply("detach", input)
    return _extreme_so_far("cummin", -x if x.spec.dtype.is_floating_point else apply("bit_not", x), dim)


def _extreme_so_far(name: str, x: Node, dim: int) -> Node:
    """The last place of an element that none before it exceeds; NaN is largest."""
    d = one_dim(name, dim, x.spec.rank)
    if not x.spec.shape:
        return const(0, int64)
    keys = apply("sort_key", x, params=(False,))
    reaches = apply("eq", keys, apply("cummax", keys, params=(d, False)))
    place = apply("where", reaches, iota_node(x.spec.shape, d), const(0, int64))
    return apply("cummax", place, params=(d, False))


def _in_rounds(x: Node, dim: int, n: int) -> Node:
    """Of n elements along ``dim`` each with all before it, in log2(n) rounds, after each of which an element has seen
    twice as far back. Source: Hillis and Steele 1986, "Data parallel algorithms".
    """
    reach = 1
    while reach < n:
        before, here = slice_at(x, 0, dim, n - reach), slice_at(x, reach, dim, n - reach)
        x = apply("cat", slice_at(x, 0, dim, reach), logarithm_of_sum(before, here), params=(dim,))
        reach *= 2
    return x
