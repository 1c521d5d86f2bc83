"""Products, norms and factorizations, which Numba leaves to BLAS and LAPACK: the tangent of each, and its adjoint.

A *jet* is what is known of a matrix: an array (order, rows, columns) of its values and, where there are two, of its
tangents. The rules are functions of jets, so those of a Hessian-vector product are the same. Vectors are matrices of
one column, and numbers such of one element. Gradients are ``d/dx + i d/dy``, so adjoints have conjugates.

Sources: Giles 2008, "Collected matrix derivative results"; Murray 2016, "Differentiation of the Cholesky
decomposition".
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numba import types

from nbgrad.numba.differentiate.helpers import helper
from nbgrad.numba.differentiate.layout import is_active
from nbgrad.numba.differentiate.memory import factored_solve
from nbgrad.numba.differentiate.refusal import refuse


class Rule(NamedTuple):
    """``tangent(a, b, y)`` writes ``y[1]``; ``adjoint(a, b, y, g)`` gives the cotangents of a and b.

    ``function`` gives the value; ``shape`` is that of y, as places in (rows and columns of a, of b, 1, 2).
    """

    function: Any
    tangent: Callable[..., None]
    adjoint: Callable[..., Any]
    shape: tuple[int, int]


@helper
def put(y: Any, j: Any, x: Any) -> None:
    """``y[j] = x``: such an assignment of arrays takes Numba half a second, with the text of an error."""
    for i in range(y.shape[1]):
        for k in range(y.shape[2]):
            y[j, i, k] = x[i, k]


@helper
def added(x: Any, y: Any, factor: Any) -> Any:
    """``x + factor * y``, in x."""
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            x[i, k] += factor * y[i, k]
    return x


@helper
def summed(x: Any, y: Any) -> Any:
    """The sum of products of their items."""
    total = x.dtype.type(0.0)
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            total += x[i, k] * y[i, k]
    return total


@helper
def transposed(a: Any) -> Any:
    y = np.empty((len(a), a.shape[2], a.shape[1]), a.dtype)
    for j in range(len(a)):
        for i in range(a.shape[1]):
            for k in range(a.shape[2]):
                y[j, k, i] = a[j, i, k]
    return y


@helper
def conjugate(a: Any) -> Any:
    y = np.empty(a.shape, a.dtype)
    for j in range(len(a)):
        for i in range(a.shape[1]):
            for k in range(a.shape[2]):
                y[j, i, k] = np.conj(a[j, i, k])
    return y


@helper
def conjugate_transpose(a: Any) -> Any:
    y = np.empty((len(a), a.shape[2], a.shape[1]), a.dtype)
    for j in range(len(a)):
        for i in range(a.shape[1]):
            for k in range(a.shape[2]):
                y[j, k, i] = np.conj(a[j, i, k])
    return y


@helper
def product(a: Any, b: Any) -> Any:
    y = np.empty((len(a), a.shape[1], b.shape[2]), a.dtype)
    np.dot(a[0], b[0], y[0])
    if len(a) > 1:
        np.dot(a[1], b[0], y[1])
        added(y[1], np.dot(a[0], b[1]), 1.0)
    return y


@helper
def solution(a: Any, b: Any) -> Any:
    """``np.linalg.solve`` of matrices, bit for bit. That takes Numba three seconds, for the text of an error that
    cannot be."""
    n, m = b.shape
    left, right = np.empty((n, n), a.dtype), np.empty((m, n), b.dtype)  # by columns
    for i in range(n):
        for j in range(n):
            left[j, i] = a[i, j]
        for j in range(m):
            right[j, i] = b[i, j]
    if factored_solve(left, right, np.empty(n, np.int64)) != 0:
        raise np.linalg.LinAlgError
    return right.T


@helper
def solved(a: Any, b: Any) -> Any:
    x = np.empty(b.shape, b.dtype)
    put(x, 0, solution(a[0], b[0]))
    if len(a) > 1:
        put(x, 1, solution(a[0], added(b[1].copy(), np.dot(a[1], x[0]), -1.0)))
    return x


@helper
def inverse_tangent(a: Any, b: Any, y: Any) -> None:
    put(y, 1, added(np.zeros(a[0].shape, a.dtype), np.dot(np.dot(y[0], a[1]), y[0]), -1.0))


@helper
def inverse(a: Any) -> Any:
    y = np.empty(a.shape, a.dtype)
    put(y, 0, np.linalg.inv(a[0]))
    if len(a) > 1:
        inverse_tangent(a, a, y)
    return y


@helper
def times(number: Any, a: Any, factor: Any) -> Any:
    """``factor`` times a jet of one element times a matrix."""
    y = np.zeros(a.shape, a.dtype)
    for j in range(len(a)):
        for i in range(j + 1):
            added(y[j], a[j - i], factor * number[i, 0, 0])
    return y


@helper
def negative(a: Any) -> Any:
    for j in range(len(a)):
        added(a[j], a[j], -2.0)
    return a


# ---- products


@helper
def product_tangent(a: Any, b: Any, y: Any) -> None:
    put(y, 1, added(np.dot(a[1], b[0]), np.dot(a[0], b[1]), 1.0))


@helper
def product_adjoint(a: Any, b: Any, y: Any, g: Any) -> Any:
    return product(g, conjugate_transpose(b)), product(conjugate_transpose(a), g)


@helper
def inner_tangent(a: Any, b: Any, y: Any) -> None:
    y[1, 0, 0] = summed(a[1], b[0]) + summed(a[0], b[1])


@helper
def inner_adjoint(a: Any, b: Any, y: Any, g: Any) -> Any:
    return times(g, conjugate(b), 1.0), times(g, conjugate(a), 1.0)


@helper
def conjugate_inner_tangent(a: Any, b: Any, y: Any) -> None:
    left = conjugate(a)
    y[1, 0, 0] = summed(left[1], b[0]) + summed(left[0], b[1])


@helper
def conjugate_inner_adjoint(a: Any, b: Any, y: Any, g: Any) -> Any:
    """Of y = conj(a) . b."""
    return times(conjugate(g), b, 1.0), times(g, a, 1.0)


@helper
def from_left_tangent(a: Any, b: Any, y: Any) -> None:
    product_tangent(transposed(b), a, y)


@helper
def from_left_adjoint(a: Any, b: Any, y: Any, g: Any) -> Any:
    """Of y = b^T a, for a vector a."""
    return product(conjugate(b), g), product(conjugate(a), transposed(g))


@helper
def norm_tangent(a: Any, b: Any, y: Any) -> None:
    total = 0.0
    for i in range(a.shape[1]):
        for k in range(a.shape[2]):
            total += (np.conj(a[0, i, k]) * a[1, i, k]).real
    y[1, 0, 0] = total / y[0, 0, 0].real if y[0, 0, 0] != 0.0 else 0.0


@helper
def norm_adjoint(a: Any, b: Any, y: Any, g: Any) -> Any:
    """The derivative at 0 is 0."""
    unit = np.zeros(a.shape, a.dtype)
    for i in range(a.shape[1] if y[0, 0, 0] != 0.0 else 0):
        for k in range(a.shape[2]):
            unit[0, i, k] = a[0, i, k] / y[0, 0, 0]
            if len(a) > 1:
                unit[1, i, k] = (a[1, i, k] - y[1, 0, 0] * unit[0, i, k]) / y[0, 0, 0]
    return times(g, unit, 1.0), b


# ---- systems of equations


@helper
def solve_tangent(a: Any, b: Any, y: Any) -> None:
    put(y, 1, solution(a[0], added(b[1].copy(), np.dot(a[1], y[0]), -1.0)))


@helper
def solve_adjoint(a: Any, b: Any, y: Any, g: Any) -> Any:
    by_b = solved(conjugate_transpose(a), g)
    return negative(product(by_b, conjugate_transpose(y))), by_b


@helper
def inverse_adjoint(a: Any, b: Any, y: Any, g: Any) -> Any:
    back = conjugate_transpose(y)
    return negative(product(product(back, g), back)), b


# ---- determinants


@helper
def cofactors_of_singular(a: Any) -> Any:
    """Of U S V they are those of U, of a diagonal matrix, and of V."""
    u, s, v = np.linalg.svd(a)
    factor = np.linalg.det(u) * np.linalg.det(v)
    scaled, right = np.empty(a.shape, a.dtype), np.empty(a.shape, a.dtype)
    for k in range(len(s)):
        others = factor
        for i in range(len(s)):
            others *= s[i] if i != k else 1.0
        for i in range(len(s)):
            scaled[i, k], right[i, k] = others * np.conj(u[i, k]), np.conj(v[i, k])
    return np.dot(scaled, right)


@helper
def cofactors(a: Any) -> Any:
    """The derivatives of the determinant by each element, also where it is 0."""
    n, value = a.shape[1], np.linalg.det(a[0])
    if value != 0.0:
        back, c = transposed(inverse(a)), np.zeros(a.shape, a.dtype)
        added(c[0], back[0], value)
        if len(a) > 1:
            added(added(c[1], back[0], summed(c[0], a[1])), back[1], value)
        return c
    c = np.empty(a.shape, a.dtype)
    put(c, 0, cofactors_of_singular(a[0]))
    for i in range(n if len(a) > 1 else 0):
        for j in range(n):  # the tangent of the minor without row i and column j
            minor = np.empty((2, n - 1, n - 1), a.dtype)
            for k in range(n - 1):
                for m in range(n - 1):
                    row, column = k + (k >= i), m + (m >= j)
                    minor[0, k, m], minor[1, k, m] = a[0, row, column], a[1, row, column]
            sign = 1.0 if (i + j) % 2 == 0 else -1.0
            c[1, i, j] = sign * summed(cofactors_of_singular(minor[0]), minor[1]) if n > 1 else 0.0
    return c


@helper
def det_tangent(a: Any, b: Any, y: Any) -> None:
    y[1, 0, 0] = summed(cofactors(a[:1])[0], a[1])


@helper
def det_adjoint(a: Any, b: Any, y: Any, g: Any) -> Any:
    return times(g, conjugate(cofactors(a)), 1.0), b


@helper
def slogdet_tangent(a: Any, b: Any, y: Any) -> None:
    y[1, 0, 0], y[1, 1, 0] = 0.0, summed(np.linalg.inv(a[0]).T, a[1])


@helper
def slogdet_adjoint(a: Any, b: Any, y: Any, g: Any) -> Any:
    """Of the sign nothing."""
    return times(g[:, 1:], transposed(inverse(a)), 1.0), b


# ---- Cholesky factors


@helper
def half(a: Any) -> Any:
    """The lower triangle, with half of the diagonal."""
    y = np.zeros(a.shape, a.dtype)
    for i in range(a.shape[0]):
        for j in range(i):
            y[i, j] = a[i, j]
        y[i, i] = 0.5 * a[i, i]
    return y


@helper
def cholesky_tangent(a: Any, b: Any, y: Any) -> None:
    along = half(a[1])
    left = solution(y[0], added(along.copy(), along.T, 1.0))  # the matrix is what its lower triangle says
    put(y, 1, np.dot(y[0], half(solution(y[0], left.T.copy()))))


@helper
def cholesky_adjoint(a: Any, b: Any, y: Any, g: Any) -> Any:
    up = transposed(y)
    inner = product(up, g)
    for k in range(len(a)):
        put(inner, k, half(inner[k]))
    found = solved(up, transposed(solved(up, transposed(inner))))
    for k in range(len(a)):
        put(found, k, half(added(found[k].copy(), found[k].T, 1.0)))
    return found, b


_DOT: Final = {
    (1, 1): Rule(np.dot, inner_tangent, inner_adjoint, (1, 1)),
    (2, 1): Rule(np.dot, product_tangent, product_adjoint, (0, 3)),
    (1, 2): Rule(np.dot, from_left_tangent, from_left_adjoint, (3, 1)),
    (2, 2): Rule(np.dot, product_tangent, product_adjoint, (0, 3)),
}
_VDOT: Final = {(1, 1): Rule(np.vdot, conjugate_inner_tangent, conjugate_inner_adjoint, (1, 1))}
_SOLVE: Final = Rule(np.linalg.solve, solve_tangent, solve_adjoint, (2, 3))
_NORM: Final = Rule(np.linalg.norm, norm_tangent, norm_adjoint, (4, 4))
_OF_A_MATRIX: Final = {
    np.linalg.inv: Rule(np.linalg.inv, inverse_tangent, inverse_adjoint, (0, 1)),
    np.linalg.det: Rule(np.linalg.det, det_tangent, det_adjoint, (4, 4)),
}
_OF_A_REAL_MATRIX: Final = {
    np.linalg.slogdet: Rule(np.linalg.slogdet, slogdet_tangent, slogdet_adjoint, (5, 4)),
    np.linalg.cholesky: Rule(np.linalg.cholesky, cholesky_tangent, cholesky_adjoint, (0, 1)),
}


def rule_of(name: Any, sig: Any) -> Rule | None:
    """The rule of a function of Numba's that calls BLAS or LAPACK on floats; refused where there is none."""
    if not is_active(sig.return_type) and not any(map(is_active, sig.args)):
        return None
    kinds = [kind for kind in sig.args if isinstance(kind, types.Array)]
    is_real = all(isinstance(kind.dtype, types.Float) for kind in kinds)
    found: Rule | None = None
    if name in (np.dot, np.vdot, operator.matmul, operator.imatmul):
        rules = _DOT if name is not np.vdot or is_real else _VDOT
        found = rules.get(tuple([kind.ndim for kind in kinds])) if len(sig.args) == 2 else None
    elif name is np.linalg.solve:
        found = _SOLVE
    elif name is np.linalg.norm:
        found = _NORM if all(map(_is_none, sig.args[1:])) else None
    elif name in _OF_A_MATRIX:
        found = _OF_A_MATRIX[name]
    elif name in _OF_A_REAL_MATRIX:
        found = _OF_A_REAL_MATRIX[name] if is_real else None
    elif getattr(name, "__module__", "") != "numpy.linalg":
        return None
    if found is None or len({kind.dtype for kind in kinds}) != 1:
        shown = f"{getattr(name, '__name__', name)}({', '.join([str(kind) for kind in sig.args])})"
        refuse(shown, "np.dot, @, np.linalg.norm(x), solve, inv, det, slogdet and cholesky have derivatives")
    return found


def _is_none(kind: Any) -> bool:
    return isinstance(kind, types.NoneType) or (isinstance(kind, types.Omitted) and kind.value is None)
