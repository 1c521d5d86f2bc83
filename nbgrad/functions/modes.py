"""The most frequent elements along a dim."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.arguments import flag_of, int_of
from nbgrad.calls.base import CALLS, one_dim
from nbgrad.calls.numpy_names import numpy_names
from nbgrad.errors import TensorIndexError
from nbgrad.functions.minmax import Extreme
from nbgrad.graph.dtypes import bool_, uint8
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import record, tensor_of


@numpy_names
@writes_out("mode")
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Extreme:
    """(values, indices) of the most frequent element along ``dim``, the least of several; of equal elements the last.

    Gradients go to the places that the values came from. IndexError for a dim that is not there, or empty.

    >>> nbgrad.mode(nbgrad.tensor([3, 1, 2, 1]))
    Extreme(values=tensor(1), indices=tensor(3))
    """
    x: Any = tensor_of("mode", "input", input)
    d, keep = one_dim("mode", int_of("mode", "dim", dim), x.dim()), flag_of("mode", "keepdim", keepdim)
    if not x.dim():
        return Extreme(x.clone(), x.new_zeros(()).long())
    if not x.shape[d]:
        raise TensorIndexError(f"mode(): Expected reduction dim {dim} to have non-zero size.")
    places = _places((x.to(uint8) if x.dtype is bool_ else x).detach(), d)
    found = record(CALLS["gather"], (x, places), (d, False))
    return Extreme(found, places) if keep else Extreme(found.squeeze(d).clone(), places.squeeze(d).clone())


def _places(x: Any, d: int) -> Any:
    """Where the last element of the longest run of equal ones stands in ``x``, which is sorted for that."""
    order = record(CALLS["argsort"], (x,), (d, False, True))
    ascending = record(CALLS["gather"], (x, order), (d, False))
    n = x.shape[d]
    begins = ascending.narrow(d, 1, n - 1) != ascending.narrow(d, 0, n - 1)
    begins = record(CALLS["cat"], (begins.new_ones(ascending.narrow(d, 0, 1).shape), begins), (d,))
    at = begins.new_ones(begins.shape).long().cumsum(d)
    length = at - (at * begins).cummax(d).values
    return record(CALLS["gather"], (order, length.argmax(d, True)), (d, False))
