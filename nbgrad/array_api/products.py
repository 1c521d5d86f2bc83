"""Products of matrices and vectors outside of ``linalg``."""

from __future__ import annotations

from typing import Any

from nbgrad import functions, linalg
from nbgrad.array_api.promotion import together
from nbgrad.errors import ShapeError
from nbgrad.tensor import Tensor


def matmul(x1: Tensor, x2: Tensor, /) -> Any:
    """The matrix product over the last dims; a vector is a row on the left, a column on the right."""
    return linalg.matmul(*together(x1, x2))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """The last two dims exchanged."""
    return x.mT


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: Any = 2) -> Tensor:
    """Sums of products over the last ``axes`` dims of ``x1`` and the first of ``x2``, or over those in two lists."""
    return functions.tensordot(*together(x1, x2), axes=axes)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Sums of products along ``axis``, which both have in one size; the other dims broadcast."""
    a, b = together(x1, x2)
    if a.shape[axis] != b.shape[axis]:
        raise ShapeError(f"vecdot(): sizes along axis {axis} differ: {a.shape[axis]} and {b.shape[axis]}")
    return linalg.vecdot(a, b, dim=axis)
