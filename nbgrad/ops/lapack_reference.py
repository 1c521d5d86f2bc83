"""References by SciPy's LAPACK, matrix by matrix, with the matrices lying as they do in kernels.

LAPACK takes columns first, so it sees each row-major matrix transposed: the same routine on the same numbers gives the
same signs of vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import get_blas_funcs, get_lapack_funcs

from nbgrad.ops.linear_system import NOT_CONVERGED, NOT_POSITIVE, REFUSALS, SINGULAR

Array = Any


def _each(function: Callable[..., Array], *arrays: Array) -> Array:
    """``function`` of the matrices of each place of the batch dims."""
    batch = arrays[0].shape[:-2]
    rows = [
        x.reshape(-1, *x.shape[-2:]) if x.size else np.zeros((int(np.prod(batch)), *x.shape[-2:]), x.dtype)
        for x in arrays
    ]
    found = [np.asarray(function(*one), arrays[0].dtype) for one in zip(*rows, strict=True)]
    if found:
        return np.stack(found).reshape(*batch, *found[0].shape)
    one = np.asarray(function(*[np.eye(*x.shape[-2:], dtype=x.dtype) for x in arrays]), arrays[0].dtype)
    return np.zeros((*batch, *one.shape), one.dtype)


def _routine(name: str, a: Array) -> Callable[..., Any]:
    return get_lapack_funcs(name, (a,))  # type: ignore[no-any-return]


def _refuse(info: int, code: int) -> None:
    if info:
        raise np.linalg.LinAlgError(REFUSALS[code])


def _lu(a: Array) -> tuple[Array, Array, int]:
    """(U above and L below the diagonal, row exchanges, info) of the transposed matrix."""
    if not a.size:
        return a, np.zeros(0, np.int32), 0
    return _routine("getrf", a)(a.T)  # type: ignore[no-any-return]


def _signed_diagonal(factors: Array, exchanges: Array) -> Array:
    diagonal = np.array(np.diagonal(factors))
    if np.count_nonzero(exchanges != np.arange(len(exchanges))) % 2:
        diagonal[0] = -diagonal[0]
    return diagonal


def _inv(a: Array) -> Array:
    factors, exchanges, info = _lu(a)
    _refuse(info, SINGULAR)
    return _routine("getri", a)(factors, exchanges)[0].T if a.size else a


def _solve(a: Array, rows: Array) -> Array:
    factors, exchanges, info = _lu(a)
    _refuse(info, SINGULAR)
    return _routine("getrs", a)(factors, exchanges, rows.T, trans=1)[0].T if rows.size else rows


def _cholesky(a: Array) -> Array:
    if not a.size:
        return a
    factor, info = _routine("potrf", a)(a.T, lower=0, clean=1)
    roots = np.diagonal(factor)  # OpenBLAS takes NaN for positive, and makes 0 of what an infinite root divides
    _refuse(info or np.isnan(roots).any() or np.isinf(roots[:-1]).any(), NOT_POSITIVE)
    return factor.T


def _adjugate(a: Array) -> Array:
    if not a.size:
        return a
    factors, exchanges, _ = _lu(a)
    diagonal = np.diagonal(factors)
    tiny = np.finfo(a.dtype).eps * (np.max(np.abs(diagonal)) or 1)
    factors = factors + np.diag(np.where(diagonal == 0, tiny, 0)).astype(a.dtype)
    return _routine("getri", a)(factors, exchanges)[0].T * np.prod(_signed_diagonal(factors, exchanges))


def inv(a: Array) -> Array:
    return _each(_inv, a)


def solve(a: Array, rows: Array) -> Array:
    return _each(_solve, a, rows)


def solve_triangular(a: Array, rows: Array, upper: bool, unit: bool) -> Array:
    def one(a: Array, rows: Array) -> Array:
        if not rows.size:
            return rows
        return get_blas_funcs("trsm", (a,))(1.0, a.T, rows.T, lower=upper, trans_a=1, diag=unit).T

    return _each(one, a, rows)


def cholesky(a: Array) -> Array:
    return _each(_cholesky, a)


def lu_diagonal(a: Array) -> Array:
    return _each(lambda one: _signed_diagonal(*_lu(one)[:2]), a)


def lu(a: Array) -> Array:
    """The factors in one matrix, the exchanges, and the order of the rows."""

    def one(a: Array) -> Array:
        factors, exchanges = (a, np.zeros(0, np.int32)) if not a.size else _routine("getrf", a)(a)[:2]
        order = np.arange(len(a))
        for i, other in enumerate(exchanges):
            order[[i, other]] = order[[other, i]]
        return np.concatenate([factors.ravel(), exchanges + 1, order])

    return _each(one, a)


def adjugate(a: Array) -> Array:
    return _each(_adjugate, a)


def adjugate_vjp(a: Array, g: Array) -> Array:
    """Minor by minor: the cofactor of row i and column j changes with what is in neither."""

    def one(a: Array, g: Array) -> Array:
        n, found = len(a), np.zeros_like(a)
        for i, j in np.ndindex(n, n):
            minor = np.delete(np.delete(a, i, 0), j, 1)
            rows, columns = np.delete(np.arange(n), i), np.delete(np.arange(n), j)
            found[np.ix_(rows, columns)] += (-1) ** (i + j) * g[j, i] * _adjugate(minor).T
        return found

    return _each(one, a, g)


def det(a: Array) -> Array:
    return np.prod(lu_diagonal(a), axis=-1)


def logabsdet(a: Array) -> Array:
    return np.sum(np.log(np.abs(lu_diagonal(a))), axis=-1)


def _qr(a: Array, mode: Any) -> Array:
    """Q, then R, row by row."""
    return _each(lambda one: np.concatenate([factor.ravel() for factor in np.linalg.qr(one, mode)]), a)


def qr(a: Array) -> Array:
    return _qr(a, "reduced")


def qr_complete(a: Array) -> Array:
    return _qr(a, "complete")


def eigh(a: Array, upper: bool, alone: bool = False) -> Array:
    """The eigenvalues, then the eigenvectors one by one, unless the values are wanted ``alone``."""

    def one(a: Array) -> Array:
        if not a.size:
            return a.ravel()
        values, columns, info = _routine("syevd", a)(a.T, compute_v=not alone, lower=upper)
        _refuse(info, NOT_CONVERGED)
        return values if alone else np.concatenate([values, columns.T.ravel()])

    return _each(one, a)


def svd(a: Array, full: bool | None) -> Array:
    """The singular values, then U, then Vh, row by row; the values alone where ``full`` is None."""

    def one(a: Array) -> Array:
        if full is None:
            _, values, _, info = _routine("gesdd", a)(a.T, compute_uv=0)
            _refuse(info, NOT_CONVERGED)
            return values
        rows, values, columns, info = _routine("gesdd", a)(a.T, full_matrices=full)
        _refuse(info, NOT_CONVERGED)
        return np.concatenate([values, columns.T.ravel(), rows.T.ravel()])

    return _each(one, a)


def _lstsq(a: Array, rows: Array, rcond: float, has_values: bool) -> Array:
    """The solutions, row by row, the rank, and the singular values where these are wanted."""

    def one(a: Array, rows: Array) -> Array:
        found, _, rank, values = np.linalg.lstsq(a, rows.T, rcond)
        return np.concatenate([found.T.ravel(), [rank], values[: len(values) * has_values]])

    return _each(one, a, rows)


def lstsq_gels(a: Array, rows: Array, rcond: float) -> Array:
    if (np.linalg.matrix_rank(a) < min(a.shape[-2:])).any():
        raise np.linalg.LinAlgError(REFUSALS[SINGULAR])
    return _lstsq(a, rows, rcond, False)


def lstsq_gelsy(a: Array, rows: Array, rcond: float) -> Array:
    return _lstsq(a, rows, rcond, False)


def lstsq_gelsd(a: Array, rows: Array, rcond: float) -> Array:
    return _lstsq(a, rows, rcond, True)


def lstsq_solution(a: Array, rows: Array, packed: Array, driver: str, rcond: float) -> Array:
    shape = (*rows.shape[:-1], a.shape[-1])
    return packed[..., : shape[-2] * shape[-1]].reshape(shape)


def pinv(a: Array, atol: float, rtol: float) -> Array:
    """By NumPy, whose cutoff is a share of the largest singular value."""

    def one(a: Array) -> Array:
        u, s, rows = np.linalg.svd(a, full_matrices=False)
        kept = s > max(atol, rtol * s[0])
        return (rows[kept].T / s[kept]) @ u[:, kept].T

    return _each(one, a)
