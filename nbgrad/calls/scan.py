"""What each element is together with all before it: running products, running sums of exponentials."""

from __future__ import annotations

from nbgrad.calls.base import call, one_dim
from nbgrad.calls.reduce import accumulated
from nbgrad.errors import DTypeNotImplementedError
from nbgrad.graph.dtypes import DType
from nbgrad.graph.node import Node, apply
from nbgrad.ops.view import slice_at


@call(method=True, inplace=True)
def cumprod(input: Node, dim: int, *, dtype: DType | None = None) -> Node:
    """Products of the elements along ``dim`` up to each of them. Integers and bool multiply in int64.

    The derivative is that of products where elements are 0, too. IndexError for a dim that is not there.

    >>> nbgrad.tensor([1.0, 2.0, 3.0, 4.0]).cumprod(0)
    tensor([ 1.,  2.,  6., 24.])
    """
    x = accumulated(input, dtype)
    d = one_dim("cumprod", dim, x.spec.rank)
    return apply("cumprod", x, params=(d, False)) if x.spec.shape else apply("copy", x)


@call(method=True)
def logcumsumexp(input: Node, dim: int) -> Node:
    """log of the sums of exp(x) along ``dim`` up to each element, computed without overflow. Floating point only.

    >>> nbgrad.tensor([0.0, 0.0, 1000.0]).logcumsumexp(0)
    tensor([0.0000e+00, 6.9315e-01, 1.0000e+03])
    """
    if not input.spec.dtype.is_floating_point:
        raise DTypeNotImplementedError(f"logcumsumexp: not implemented for {input.spec.dtype.name}")
    d = one_dim("logcumsumexp", dim, input.spec.rank)
    n = input.spec.shape[d] if input.spec.shape else 1
    if n < 2:
        return apply("copy", input)
    return _in_rounds(input, d, n)


def _in_rounds(x: Node, dim: int, n: int) -> Node:
    """Of n elements along ``dim`` each with all before it, in log2(n) rounds, after each of which an element has seen
    twice as far back. Source: Hillis and Steele 1986, "Data parallel algorithms".
    """
    reach = 1
    while reach < n:
        before, here = slice_at(x, 0, dim, n - reach), slice_at(x, reach, dim, n - reach)
        x = apply("cat", slice_at(x, 0, dim, reach), apply("logaddexp", before, here), params=(dim,))
        reach *= 2
    return x
