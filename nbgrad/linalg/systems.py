"""Inverses, solutions of linear systems, determinants, powers."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from nbgrad.calls.arguments import flag_of, int_of, ints_of
from nbgrad.calls.base import CALLS, errors_name
from nbgrad.errors import RunError, ShapeError
from nbgrad.functions.creation import eye
from nbgrad.linalg.recorded import recorded
from nbgrad.system.imports import import_module
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.tensor.surface import found_at
from nbgrad.trace import record, tensor_of


class SignedLogarithm(NamedTuple):
    """The sign of a determinant, and the logarithm of its size."""

    sign: Tensor
    logabsdet: Tensor


@writes_out("linalg.inv")
def inv(A: Tensor) -> Tensor:
    """The inverse of square matrices (..., n, n). LinAlgError, a RuntimeError, where a matrix is singular.

    >>> nbgrad.linalg.inv(nbgrad.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return recorded("linalg_inv", tensor_of("linalg.inv", "A", A))


@writes_out("inverse")
def inverse(input: Tensor) -> Tensor:
    """As ``nbgrad.linalg.inv``.

    >>> nbgrad.inverse(nbgrad.tensor([[4.0]]))
    tensor([[0.2500]])
    """
    return inv(input)


@writes_out("linalg.solve")
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """X with A X = B; with ``left=False`` X A = B. A (..., n, n) and B (..., n, k) or (..., n) broadcast.

    B is taken for vectors where it has one dim, or one dim less than A and fits so. LinAlgError, a RuntimeError, where
    a matrix is singular.

    >>> nbgrad.linalg.solve(nbgrad.tensor([[2.0, 0.0], [0.0, 4.0]]), nbgrad.tensor([1.0, 2.0]))
    tensor([0.5000, 0.5000])
    """
    a, b = tensor_of("linalg.solve", "A", A), tensor_of("linalg.solve", "B", B)
    return recorded("linalg_solve", a, b, statics=(flag_of("linalg.solve", "left", left),))


@writes_out("linalg.solve_triangular")
def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """X with A X = B (X A = B with ``left=False``) for triangular A, of which the other triangle is not read.

    ``unitriangular`` takes the diagonal for ones. A zero on the diagonal gives infinities.

    >>> A = nbgrad.tensor([[2.0, 0.0], [1.0, 1.0]])
    >>> nbgrad.linalg.solve_triangular(A, nbgrad.tensor([[2.0], [3.0]]), upper=False)
    tensor([[1.],
            [2.]])
    """
    name = "linalg.solve_triangular"
    a, b = tensor_of(name, "A", A), tensor_of(name, "B", B)
    flags = flag_of(name, "upper", upper), flag_of(name, "left", left), flag_of(name, "unitriangular", unitriangular)
    return recorded("linalg_solve_triangular", a, b, statics=flags)


@writes_out("linalg.cholesky")
def cholesky(input: Tensor, *, upper: bool = False) -> Tensor:
    """The lower triangular L of A = L L^T, positive-definite and symmetric; with ``upper`` its transpose.

    Only that triangle of A is read; the derivative is that of symmetric matrices. LinAlgError, a RuntimeError, where
    A is not positive-definite.

    >>> nbgrad.linalg.cholesky(nbgrad.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    a = tensor_of("linalg.cholesky", "input", input)
    return recorded("linalg_cholesky", a, statics=(flag_of("linalg.cholesky", "upper", upper),))


@writes_out("cholesky_solve")
def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = False) -> Tensor:
    """X with A X = B for A = L L^T, or U^T U with ``upper``.

    >>> nbgrad.cholesky_solve(nbgrad.tensor([[8.0]]), nbgrad.tensor([[2.0]]))
    tensor([[2.]])
    """
    b, factor = tensor_of("cholesky_solve", "input", input), tensor_of("cholesky_solve", "input2", input2)
    lower = factor.mH if flag_of("cholesky_solve", "upper", upper) else factor
    return solve_triangular(lower.mH, solve_triangular(lower, b, upper=False), upper=True)


@writes_out("cholesky_inverse")
def cholesky_inverse(input: Tensor, upper: bool = False) -> Tensor:
    """The inverse of A = L L^T, or U^T U with ``upper``.

    >>> nbgrad.cholesky_inverse(nbgrad.tensor([[2.0]]))
    tensor([[0.2500]])
    """
    factor = tensor_of("cholesky_inverse", "input", input)
    _require_square("cholesky_inverse", factor)
    return cholesky_solve(_eye(factor), factor, upper)


@writes_out("linalg.det")
def det(A: Tensor) -> Tensor:
    """The determinant of square matrices (..., n, n).

    Its derivative is the cofactors, also where a matrix is singular; the second one needs an inverse.

    >>> nbgrad.linalg.det(nbgrad.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2.)
    """
    a = tensor_of("linalg.det", "A", A)
    if a.is_complex():
        sign, size = slogdet(a)
        return sign * size.exp()  # type: ignore[no-any-return]
    return recorded("linalg_det", a)


@writes_out("linalg.slogdet")
def slogdet(A: Tensor) -> SignedLogarithm:
    """(sign, logabsdet) of the determinant; 0 and -inf where a matrix is singular, which has no derivative.

    >>> nbgrad.linalg.slogdet(nbgrad.tensor([[-2.0]]))
    SignedLogarithm(sign=tensor(-1.), logabsdet=tensor(0.6931))
    """
    a = tensor_of("linalg.slogdet", "A", A)
    if a.is_complex():
        _require_square("linalg.slogdet", a)
        return SignedLogarithm(*import_module("nbgrad.linalg.complex_factors").slogdet(a))
    return SignedLogarithm(recorded("linalg_det_sign", a), recorded("linalg_logabsdet", a))


def det_of(input: Tensor) -> Tensor:
    """:func:`nbgrad.linalg.det`, which alone has an argument ``out``.

    >>> nbgrad.det(nbgrad.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2.)
    """
    return det(input)


@writes_out("slogdet")
def slogdet_of(input: Tensor) -> SignedLogarithm:
    """:func:`nbgrad.linalg.slogdet`.

    >>> nbgrad.slogdet(nbgrad.tensor([[-2.0]])).sign
    tensor(-1.)
    """
    return slogdet(input)


def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant: NaN where that is negative, -inf where it is 0.

    >>> nbgrad.logdet(nbgrad.tensor([[2.0]]))
    tensor(0.6931)
    """
    with errors_name("logdet"):
        sign, size = slogdet(input)
    if sign.is_complex():
        return sign.log() + size  # type: ignore[no-any-return]
    result: Tensor = record(CALLS["where"], (sign < 0, float("nan"), size))
    return result


@writes_out("linalg.matrix_power")
def matrix_power(input: Tensor, n: int) -> Tensor:
    """The product of ``n`` times A; the identity for 0, powers of the inverse below. It takes up to 2 log2(n) products.

    >>> nbgrad.linalg.matrix_power(nbgrad.tensor([[1.0, 1.0], [0.0, 1.0]]), 5)
    tensor([[1., 5.],
            [0., 1.]])
    """
    a, power = tensor_of("linalg.matrix_power", "input", input), int_of("linalg.matrix_power", "n", n)
    _require_square("linalg.matrix_power", a)
    if not power:
        one = _eye(a)
        return record(CALLS["where"], (one == one, one, a)) if a.requires_grad else one
    base = inv(a) if power < 0 else a.clone()
    result = base
    for digit in f"{abs(power):b}"[1:]:
        result = result @ result
        if digit == "1":
            result = result @ base
    return result


@writes_out("linalg.tensorinv")
def tensorinv(input: Tensor, ind: int = 2) -> Tensor:
    """The inverse of A as a linear map from its last dims to its first ``ind`` ones.

    >>> nbgrad.linalg.tensorinv(nbgrad.eye(4).reshape(2, 2, 4), 2).shape
    nbgrad.Size([4, 2, 2])
    """
    a, first = tensor_of("linalg.tensorinv", "input", input), int_of("linalg.tensorinv", "ind", ind)
    if first <= 0:
        raise RunError("linalg.tensorinv: Expected a strictly positive integer for 'ind'")
    rows, columns = a.shape[:first], a.shape[first:]
    if prod(rows) != prod(columns):
        raise ShapeError(
            f"linalg.tensorinv: Expected self to satisfy prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{prod(columns)} != {prod(rows)}"
        )
    result: Tensor = inv(a.reshape(prod(rows), prod(columns))).reshape(*columns, *rows)
    return result


@writes_out("linalg.tensorsolve")
def tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Tensor:
    """X with tensordot(A, X, X.ndim) = B; the ``dims`` of A are moved to its end before.

    >>> nbgrad.linalg.tensorsolve(nbgrad.eye(4).reshape(2, 2, 4), nbgrad.ones(2, 2))
    tensor([1., 1., 1., 1.])
    """
    a, b = tensor_of("linalg.tensorsolve", "A", A), tensor_of("linalg.tensorsolve", "B", B)
    if dims is not None:
        moved = ints_of("linalg.tensorsolve", "dims", dims)
        a = a.movedim(moved, tuple(range(a.dim() - len(moved), a.dim())))
    found = a.shape[b.dim() :]
    if prod(found) != b.numel():
        raise ShapeError(
            f"linalg.tensorsolve: Expected self to satisfy prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim"
            f"]), but got {prod(found)} != {b.numel()}"
        )
    result: Tensor = solve(a.reshape(b.numel(), prod(found)), b.reshape(-1)).reshape(*found)
    return result


def _require_square(name: str, a: Tensor) -> None:
    if a.dim() < 2 or a.shape[-1] != a.shape[-2]:
        raise ShapeError(f"{name}: A must be batches of square matrices, but they have shape {list(a.shape)}")


def _eye(like: Tensor) -> Tensor:
    """Identity matrices of the shape of ``like``."""
    result: Tensor = eye(like.shape[-1], dtype=like.dtype, device=like.device).expand(like.shape).clone()
    return result


found_at(det_of, "nbgrad", "det")
found_at(slogdet_of, "nbgrad", "slogdet")
for _function in (cholesky_inverse, cholesky_solve, det_of, inverse, logdet, matrix_power, slogdet_of):
    setattr(Tensor, _function.__name__, _function)
