"""What SciPy's LAPACK computes of values, matrix by matrix, where there is no kernel; it has no derivative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np
from scipy.linalg import get_lapack_funcs

from nbgrad.autograd.grad_mode import is_grad_enabled
from nbgrad.autograd.levels import batched, vmap_of
from nbgrad.calls.arguments import refuse_half
from nbgrad.errors import DTypeError, GradError, ShapeError
from nbgrad.graph.dtypes import DType
from nbgrad.runtime.blas import alone
from nbgrad.tape.blas import of_scipy
from nbgrad.tensor import Tensor
from nbgrad.trace import from_values, tensor_of, values

Result = tuple[tuple[int, ...], DType]  # the shape of one matrix's, and its dtype


def float_matrices(name: str, argument: str, given: Any) -> Any:
    """``given``, matrices of floating or complex numbers."""
    x = tensor_of(name, argument, given)
    if x.dim() < 2:
        raise ShapeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.")
    if not x.dtype.is_inexact:
        raise DTypeError(f"{name}: Expected a floating point or complex tensor as input {argument}. Got {x.dtype.name}")
    refuse_half(name, x.dtype)
    return x


def square_matrices(name: str, argument: str, given: Any) -> Any:
    """The same of as many rows as columns."""
    x = float_matrices(name, argument, given)
    m, n = x.shape[-2:]
    if m != n:
        raise ShapeError(f"{name}: {argument} must be batches of square matrices, but they are {m} by {n} matrices")
    return x


def require_no_grad(name: str, *tensors: Tensor) -> None:
    """GradError where a derivative would be asked for: there is none."""
    if is_grad_enabled() and any(x.requires_grad for x in tensors):
        raise GradError(f"{name}: has no derivative; use it on a detached tensor, or under no_grad")


def matrix_by_matrix(
    function: Callable[..., Sequence[Any]], tensors: Sequence[Any], dims: Sequence[int], results: Sequence[Result]
) -> tuple[Any, ...]:
    """``function`` of the values of ``tensors``, each without its last ``dims``, for each place of the batch."""
    batch = tensors[0].shape[: tensors[0].dim() - dims[0]]
    count = prod(batch)
    rows = [values(x).reshape(count, *x.shape[x.dim() - d :]) for x, d in zip(tensors, dims, strict=True)]
    outs = [np.zeros((count, *shape), kind.numpy) for shape, kind in results]
    for k in range(count):
        for out, one in zip(outs, function(*[row[k] for row in rows]), strict=True):
            out[k] = one
    place = tensors[0]._spec.place
    return tuple(
        [
            from_values(out.reshape((*batch, *shape)), kind, place=place)
            for out, (shape, kind) in zip(outs, results, strict=True)
        ]
    )


def of_all_examples(x: Any) -> Any:
    """``x``, which depends on examples of vmap, of all of them: they come first. Its values are there to look at."""
    while found := vmap_of([x]):
        (x,) = batched([x], found[0])
    return x


def routine(name: str, like: Any) -> Callable[..., Any]:
    """LAPACK's routine of that name for the dtype of an array."""
    return partial(alone, of_scipy(), get_lapack_funcs(name, (like,)))
