"""Which elements occur in others, and runs of equal ones: isin and unique_consecutive."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from nbgrad.calls.arguments import flag_of, int_of
from nbgrad.calls.base import CALLS, one_dim
from nbgrad.calls.numpy_names import numpy_names
from nbgrad.errors import DTypeError, DTypeNotImplementedError, ShapeError
from nbgrad.functions.creation import tensor
from nbgrad.graph.dtypes import bool_
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import record, tensor_of, values


@writes_out("isin")
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Which of ``elements`` are among ``test_elements``; with ``invert``, which are not. One of them may be a number.

    ``assume_unique`` changes nothing. A NaN is in nothing. NotImplementedError, a RuntimeError, for bool tensors.

    >>> nbgrad.isin(nbgrad.tensor([1, 2, 3]), nbgrad.tensor([3, 1]))
    tensor([ True, False,  True])
    """
    flag_of("isin", "assume_unique", assume_unique)
    inverted = flag_of("isin", "invert", invert)
    x, wanted = elements, test_elements
    if not isinstance(x, Tensor):
        x = tensor(x, device=tensor_of("isin", "test_elements", wanted).device)
    if not isinstance(wanted, Tensor):
        wanted = tensor(wanted, device=x.device)
    if x.is_complex() or wanted.is_complex():
        raise DTypeError("Unsupported input type encountered for isin(): complex numbers have no order")
    if bool_ in (x.dtype, wanted.dtype):
        raise DTypeNotImplementedError("isin(): not implemented for bool; convert to an integer first")
    found: Any = record(CALLS["eq"], (x.unsqueeze(-1), wanted.reshape(-1))).any(-1)
    return record(CALLS["logical_not"], (found,)) if inverted else found  # type: ignore[no-any-return]


@numpy_names
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The first of each run of equal elements of the flattened input; with ``dim``, of equal slices along it.

    ``return_inverse`` adds in which run each element stands, ``return_counts`` how long each is. A NaN equals no other.
    RuntimeError for slices without elements.

    >>> nbgrad.unique_consecutive(nbgrad.tensor([1, 1, 2, 1]), return_counts=True)
    (tensor([1, 2, 1]), tensor([2, 1, 1]))
    """
    x = tensor_of("unique_consecutive", "input", input)
    wanted = [
        flag_of("unique_consecutive", name, value)
        for name, value in (("return_inverse", return_inverse), ("return_counts", return_counts))
    ]
    d = None if dim is None else one_dim("unique_consecutive", int_of("unique_consecutive", "dim", dim), x.dim())
    rows: Any = x.reshape(-1) if d is None or not x.dim() else x
    if d is not None and rows.dim() and rows.shape[d] and not rows.numel():
        raise ShapeError(f"unique_consecutive(): the slices of shape {list(rows.shape)} along dim {d} have no elements")
    slices = np.moveaxis(values(rows), d or 0, 0)
    slices = slices.reshape(len(slices), prod(slices.shape[1:]))
    begins = np.ones(len(slices), bool)
    differ = slices[1:] != slices[:-1]
    begins[1:] = differ[:, 0] if differ.shape[1] == 1 else differ.any(1)
    first = np.flatnonzero(begins)
    chosen = rows.index_select(d or 0, tensor(first, device=x.device))
    run = np.cumsum(begins) - 1
    inverse = run.reshape(tuple(x.shape)) if d is None else run
    counts = np.diff(first, append=len(slices))
    extra = [tensor(found, device=x.device) for found, asked in zip((inverse, counts), wanted, strict=True) if asked]
    return (chosen, *extra) if extra else chosen
