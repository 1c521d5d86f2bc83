"""What each element is together with all before it: running products, running sums of exponentials."""

from __future__ import annotations

from collections.abc import Callable

from nbgrad.calls.base import call, one_dim
from nbgrad.calls.reduce import accumulated
from nbgrad.errors import DTypeNotImplementedError
from nbgrad.graph.dtypes import DType
from nbgrad.graph.node import Node, apply
from nbgrad.ops.view import slice_at


@call(method=True)
def cumprod(input: Node, dim: int, *, dtype: DType | None = None) -> Node:
    """Products of the elements along ``dim`` up to each of them. Integers and bool multiply in int64.

    The derivative is that of products where elements are 0, too. IndexError for a dim that is not there.

    >>> nbgrad.tensor([1.0, 2.0, 3.0, 4.0]).cumprod(0)
    tensor([ 1.,  2.,  6., 24.])
    """
    return _scanned("cumprod", accumulated(input, dtype), dim, lambda a, b: apply("mul", a, b))


@call(method=True)
def logcumsumexp(input: Node, dim: int) -> Node:
    """log of the sums of exp(x) along ``dim`` up to each element, computed without overflow. Floating point only.

    >>> nbgrad.tensor([0.0, 0.0, 1000.0]).logcumsumexp(0)
    tensor([0.0000e+00, 6.9315e-01, 1.0000e+03])
    """
    if not input.spec.dtype.is_floating_point:
        raise DTypeNotImplementedError(f"logcumsumexp: not implemented for {input.spec.dtype.name}")
    return _scanned("logcumsumexp", input, dim, lambda a, b: apply("logaddexp", a, b))


def _scanned(name: str, x: Node, dim: int, combine: Callable[[Node, Node], Node]) -> Node:
    """Each element of ``x`` combined with all before it along ``dim``, the nearest last.

    In log2(n) rounds, after each of which an element has seen twice as far back. Source: Hillis and Steele 1986,
    "Data parallel algorithms".
    """
    d = one_dim(name, dim, x.spec.rank)
    n = x.spec.shape[d] if x.spec.shape else 1
    if n < 2:
        return apply("copy", x)
    reach = 1
    while reach < n:
        before, here = slice_at(x, 0, d, n - reach), slice_at(x, reach, d, n - reach)
        x = apply("cat", slice_at(x, 0, d, reach), combine(before, here), params=(d,))
        reach *= 2
    return x
