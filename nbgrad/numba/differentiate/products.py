"""Products, norms and factorizations, which Numba leaves to BLAS and LAPACK, as loops that are differentiated like
others."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numba import njit, types

from nbgrad.numba.differentiate.layout import is_active
from nbgrad.numba.differentiate.refusal import refuse

_loops: Final = njit(error_model="numpy")


def vector_vector(a: Any, b: Any) -> Any:
    if len(a) != len(b):
        raise ValueError("incompatible array sizes for np.dot(a, b) (vector * vector)")
    total = a[:0].sum()
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


def matrix_vector(a: Any, b: Any) -> Any:
    if a.shape[1] != len(b):
        raise ValueError("incompatible array sizes for np.dot(a, b) (matrix * vector)")
    out = np.zeros(a.shape[0], a.dtype)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            out[i] += a[i, k] * b[k]
    return out


def vector_matrix(a: Any, b: Any) -> Any:
    if len(a) != b.shape[0]:
        raise ValueError("incompatible array sizes for np.dot(a, b) (vector * matrix)")
    out = np.zeros(b.shape[1], a.dtype)
    for k in range(b.shape[0]):
        for j in range(b.shape[1]):
            out[j] += a[k] * b[k, j]
    return out


def matrix_matrix(a: Any, b: Any) -> Any:
    if a.shape[1] != b.shape[0]:
        raise ValueError("incompatible array sizes for np.dot(a, b) (matrix * matrix)")
    out = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] += a[i, k] * b[k, j]
    return out


def norm(a: Any, ord: Any = None) -> Any:
    total, largest = 0.0, 0.0
    for x in a.flat:
        total += abs(x) ** 2
        largest = max(largest, float(abs(x)))
    if largest == 0.0 or not largest < math.inf:
        return total  # the derivative at 0 is 0
    if 1e-280 < total < 1e280:
        return math.sqrt(total)
    scaled = 0.0  # squares leave the range of floats
    for x in a.flat:
        scaled += (abs(x) / largest) ** 2
    return largest * math.sqrt(scaled)


@_loops  # type: ignore[untyped-decorator]
def factorized(a: Any) -> Any:
    """L and U of the rows of ``a`` in an order with the largest pivots, in one matrix; the order; its sign."""
    n = a.shape[0]
    if a.shape[1] != n:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square.")
    u, order, sign = a.copy(), np.arange(n), 1.0
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(u[i, k]) > abs(u[best, k]):
                best = i
        if best != k:
            sign = -sign
            order[k], order[best] = order[best], order[k]
            for j in range(n):
                u[k, j], u[best, j] = u[best, j], u[k, j]
        if u[k, k] != 0.0:
            for i in range(k + 1, n):
                u[i, k] /= u[k, k]
                for j in range(k + 1, n):
                    u[i, j] -= u[i, k] * u[k, j]
    return u, order, sign


def det(a: Any) -> Any:
    n = a.shape[0]
    u, _, sign = factorized(a)
    product = np.ones(1, a.dtype)[0] * sign
    for k in range(n):
        if u[k, k] == 0.0 and k < n - 1:
            raise np.linalg.LinAlgError("differentiate: no derivative of det at this singular matrix")
        product *= u[k, k]
    return product


@_loops  # type: ignore[untyped-decorator]
def solved(a: Any, b: Any) -> Any:
    """x of ``a x = b``, for a matrix of columns b."""
    n = a.shape[0]
    if b.shape[0] != n:
        raise np.linalg.LinAlgError("Incompatible sizes, expected as many rows in both arguments.")
    u, order, _ = factorized(a)
    x = np.empty_like(b)
    for i in range(n):
        if u[i, i] == 0.0:
            raise np.linalg.LinAlgError("Matrix is singular to machine precision.")
        x[i] = b[order[i]]
    for j in range(b.shape[1]):
        for i in range(n):
            for k in range(i):
                x[i, j] -= u[i, k] * x[k, j]
        for i in range(n - 1, -1, -1):
            for k in range(i + 1, n):
                x[i, j] -= u[i, k] * x[k, j]
            x[i, j] /= u[i, i]
    return x


def solve_matrix(a: Any, b: Any) -> Any:
    return solved(a, b)


def solve_vector(a: Any, b: Any) -> Any:
    return solved(a, b.copy().reshape((len(b), 1)))[:, 0].copy()


def inv(a: Any) -> Any:
    return solved(a, np.eye(a.shape[0]).astype(a.dtype))


def cholesky(a: Any) -> Any:
    n = a.shape[0]
    if a.shape[1] != n:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square.")
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            if i > j:
                low[i, j] = s / low[j, j]
            elif s > 0.0:
                low[i, i] = math.sqrt(s)
            else:
                raise np.linalg.LinAlgError("Matrix is not positive definite.")
    return low


def _is_none(kind: Any) -> bool:
    return isinstance(kind, types.NoneType) or (isinstance(kind, types.Omitted) and kind.value is None)


_DOT: Final = {(1, 1): vector_vector, (2, 1): matrix_vector, (1, 2): vector_matrix, (2, 2): matrix_matrix}
_SOLVE: Final = {(2, 1): solve_vector, (2, 2): solve_matrix}


def replacement(name: Any, sig: Any) -> Callable[..., Any] | None:
    """The loops for a function of Numba's that calls BLAS or LAPACK on floats; refused where there are none."""
    if not is_active(sig.return_type) and not any(map(is_active, sig.args)):
        return None
    kinds = [kind for kind in sig.args if isinstance(kind, types.Array)]
    ranks = tuple([kind.ndim for kind in kinds])
    found: Callable[..., Any] | None = None
    if name in (np.dot, operator.matmul, operator.imatmul, np.vdot):
        found = _DOT.get(ranks) if len(sig.args) == 2 else None
        if name is np.vdot and any(isinstance(kind.dtype, types.Complex) for kind in kinds):
            found = None
    elif name is np.linalg.norm:
        found = norm if all(map(_is_none, sig.args[1:])) else None
    elif name is np.linalg.det:
        found = det
    elif name is np.linalg.solve:
        found = _SOLVE.get(ranks)
    elif name is np.linalg.inv:
        found = inv
    elif name is np.linalg.cholesky:
        found = cholesky if isinstance(kinds[0].dtype, types.Float) else None
    elif getattr(name, "__module__", "") != "numpy.linalg":
        return None
    if found is None or len({kind.dtype for kind in kinds}) != 1:
        shown = f"{getattr(name, '__name__', name)}({', '.join([str(kind) for kind in sig.args])})"
        refuse(shown, "np.dot, @, np.linalg.norm(x), solve, inv, det and cholesky have derivatives")
    is_by_columns = isinstance(sig.return_type, types.Array) and sig.return_type.layout == "F"
    return _by_columns(found, len(sig.args)) if is_by_columns and sig.return_type.ndim > 1 else found


@functools.cache
def _by_columns(function: Callable[..., Any], n_args: int) -> Callable[..., Any]:
    """The same, whose result lies in memory as LAPACK's."""
    loops = _loops(function)
    if n_args == 1:
        return lambda a: np.asfortranarray(loops(a))
    return lambda a, b: np.asfortranarray(loops(a, b))
