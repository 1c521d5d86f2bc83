"""Norms of vectors and matrices, condition numbers."""

from __future__ import annotations

from math import inf
from typing import Any

from nbgrad.calls.arguments import flag_of, float_of, ints_of, refused
from nbgrad.calls.base import CALLS, errors_name, one_dim
from nbgrad.calls.numpy_names import numpy_names
from nbgrad.errors import RunError
from nbgrad.functions.creation import eye
from nbgrad.linalg.factors import svdvals
from nbgrad.linalg.systems import inv, slogdet
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.tensor.surface import found_at, function_of
from nbgrad.trace import record, tensor_of

vector_norm = found_at(function_of(CALLS["vector_norm"]), "nbgrad.linalg", "vector_norm")


@numpy_names
@writes_out("linalg.matrix_norm")
def matrix_norm(
    input: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """A norm of the matrices in two dims: "fro" (the root of the sum of squares), 1 or -1 (the largest or smallest sum
    of a column's magnitudes), inf or -inf (of a row's).

    2 and -2 are the largest and the smallest singular value, "nuc" is the sum of all. The largest of nothing is 0, the
    smallest an error. RuntimeError for other orders and integer dtypes.

    >>> nbgrad.linalg.matrix_norm(nbgrad.tensor([[1.0, -2.0], [3.0, 4.0]]), 1)
    tensor(6.)
    """
    x = tensor_of("linalg.matrix_norm", "input", input)
    if x.dim() < 2:
        raise RunError(f"linalg.matrix_norm: The input tensor A must have at least 2 dimensions, got {x.dim()}.")
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        raise RunError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {dim}")
    ord = _order("linalg.matrix_norm", "ord", ord)
    rows, columns = [one_dim("linalg.matrix_norm", d, x.dim()) for d in ints_of("linalg.matrix_norm", "dim", dim)]
    if rows == columns:
        raise RunError(f"linalg.matrix_norm: dims must be different. Got {dim}")
    if ord == "fro":
        return vector_norm(x, 2, (rows, columns), keepdim, dtype=dtype)  # type: ignore[no-any-return]
    keep = flag_of("linalg.matrix_norm", "keepdim", keepdim)
    if ord in ("nuc", 2, -2):
        values = svdvals((x if dtype is None else x.to(dtype)).movedim((rows, columns), (-2, -1)))
        is_sum = ord == "nuc" or (ord == 2 and not values.shape[-1])
        found = values.sum(-1) if is_sum else values.amax(-1) if ord == 2 else values.amin(-1)
        return found.reshape(_kept(x, rows, columns)) if keep else found  # type: ignore[no-any-return]
    if isinstance(ord, str) or abs(ord) not in (1, inf):
        raise RunError(f"linalg.matrix_norm: Order {ord} not supported.")
    summed, compared = (rows, columns) if abs(ord) == 1 else (columns, rows)
    if not x.shape[compared] and ord < 0:
        raise RunError(
            f"linalg.matrix_norm: a matrix of shape {[x.shape[rows], x.shape[columns]]} has no norm of order {ord}: "
            f"there is no {'column' if abs(ord) == 1 else 'row'} to compare"
        )
    sums = vector_norm(x, 1, summed, True, dtype=dtype)
    if not x.shape[compared]:
        largest = sums.sum(compared, True)
    else:
        largest = sums.amax(compared, True) if ord > 0 else sums.amin(compared, True)
    result: Tensor = largest if keep else largest.squeeze((rows, columns))
    return result


@numpy_names
@writes_out("linalg.norm")
def norm(input: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The norm of vectors (one dim) or matrices (two dims); of all elements where neither ``ord`` nor ``dim`` is given.

    ``ord`` None is 2 for vectors and "fro" for matrices; see ``vector_norm`` and ``matrix_norm``. With ``ord`` alone
    the input must be a vector or a matrix: RuntimeError otherwise.

    >>> nbgrad.linalg.norm(nbgrad.tensor([3.0, 4.0]))
    tensor(5.)
    """
    x = tensor_of("linalg.norm", "input", input)
    if isinstance(ord, (tuple, list)):
        raise refused("linalg.norm", "ord", ord, "number or str")
    if ord is None and isinstance(dim, (tuple, list)) and not dim:
        raise RunError("linalg.norm: If dim is specified, it must be of length 1 or 2. Got []")
    if ord is None:
        return vector_norm(x, 2, dim, keepdim, dtype=dtype)  # type: ignore[no-any-return]
    dims = tuple(dim) if isinstance(dim, (tuple, list)) else None if dim is None else (dim,)
    if dims is None and x.dim() not in (1, 2):
        raise RunError(f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {x.dim()}D.")
    if dims is not None and len(dims) not in (1, 2):
        raise RunError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    if len(dims) == 2 if dims is not None else x.dim() == 2:
        return matrix_norm(x, ord, dims or (-2, -1), keepdim, dtype=dtype)
    if isinstance(ord, str):
        raise RunError(f"linalg.norm: Order {ord!r} is one of matrices; the input is taken for vectors.")
    return vector_norm(x, ord, dims, keepdim, dtype=dtype)  # type: ignore[no-any-return]


@writes_out("linalg.cond")
def cond(input: Tensor, p: Any = None) -> Tensor:
    """The condition number: the norm of order ``p`` (None: 2) of A times that of its inverse.

    Infinite where a matrix is singular; 0 / 0 of zeros by singular values; 0 of a matrix without elements.

    >>> nbgrad.linalg.cond(nbgrad.tensor([[2.0, 0.0], [0.0, 8.0]]))
    tensor(4.)
    """
    a = tensor_of("linalg.cond", "input", input)
    p = None if p is None else _order("linalg.cond", "p", p)
    if p in (None, 2, -2):
        with errors_name("linalg.cond"):
            s = svdvals(a)
        if not s.shape[-1]:
            return s.sum(-1)  # type: ignore[no-any-return]
        largest, smallest = s.amax(-1), s.amin(-1)
        return smallest / largest if p == -2 else largest / smallest  # type: ignore[no-any-return]
    with errors_name("linalg.cond"):
        is_singular = slogdet(a.detach()).sign == 0
    identity = eye(a.shape[-1], dtype=a.dtype, device=a.device)
    safe = record(CALLS["where"], (is_singular[..., None, None], identity, a))
    result: Tensor = record(CALLS["where"], (is_singular, inf, matrix_norm(a, p) * matrix_norm(inv(safe), p)))
    return result


def _order(name: str, argument: str, order: Any) -> Any:
    """The order of a norm of matrices: a number or a word."""
    return order if isinstance(order, str) else float_of(name, argument, order, "Number or str")


def _kept(x: Tensor, *reduced: int) -> tuple[int, ...]:
    """The shape of ``x`` with 1 in dims that were reduced."""
    return tuple([1 if d in reduced else n for d, n in enumerate(x.shape)])
