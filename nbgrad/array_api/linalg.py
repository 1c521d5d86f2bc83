"""The standard's extension for linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad import linalg
from nbgrad.array_api.products import matmul, matrix_transpose, tensordot, vecdot
from nbgrad.array_api.promotion import together
from nbgrad.array_api.shapes import Axes
from nbgrad.calls.base import CALLS
from nbgrad.linalg import det, eigh, eigvalsh, inv, matrix_power, slogdet, svdvals
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of

_outer = function_of(CALLS["outer"])

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


def cholesky(x: Tensor, /, *, upper: bool = False) -> Any:
    """L of x = L L^T, or its transpose."""
    return linalg.cholesky(x, upper=upper)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The cross product of vectors of 3 elements along ``axis``."""
    return linalg.cross(*together(x1, x2), dim=axis)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """A diagonal of the last two dims."""
    return linalg.diagonal(x, offset=offset)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """A norm of matrices in the last two dims."""
    return linalg.matrix_norm(x, ord, keepdim=keepdims)


def matrix_rank(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """How many singular values are above ``rtol`` times the largest one."""
    return linalg.matrix_rank(x, rtol=rtol)


def outer(x1: Tensor, x2: Tensor, /) -> Any:
    """All products of elements of two vectors."""
    return _outer(*together(x1, x2))


def pinv(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """The pseudo-inverse; singular values up to ``rtol`` times the largest one count as 0."""
    return linalg.pinv(x, rtol=rtol)


def qr(x: Tensor, /, *, mode: str = "reduced") -> Any:
    """(Q, R) of x = Q R."""
    return linalg.qr(x, mode)


def solve(x1: Tensor, x2: Tensor, /) -> Any:
    """X of x1 X = x2, where ``x2`` is a vector only if it has one dim."""
    a, b = together(x1, x2)
    if b.ndim == 1:
        return linalg.solve(a, b.unsqueeze(-1)).squeeze(-1)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return linalg.solve(a, b.expand((*batch, *b.shape[-2:])))


def svd(x: Tensor, /, *, full_matrices: bool = True) -> Any:
    """(U, S, Vh) of x = U diag(S) Vh."""
    return linalg.svd(x, full_matrices)


def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """The sum of a diagonal of the last two dims."""
    return linalg.diagonal(x, offset=offset).sum(-1, dtype=dtype)


def vector_norm(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """A norm of vectors along ``axis``."""
    if axis == ():
        return x.abs() if ord != 0 else (x != 0).to(x.dtype)
    return linalg.vector_norm(x, ord, axis, keepdims)
