"""Functions of linear algebra by the names that PyTorch had for them before ``linalg``."""

from __future__ import annotations

from typing import Any, NamedTuple

from nbgrad.calls.arguments import flag_of, int_of
from nbgrad.errors import ArgumentError, RunError
from nbgrad.functions.creation import zeros
from nbgrad.functions.random_tensors import randn
from nbgrad.linalg.by_scipy import float_matrices
from nbgrad.linalg.exponential import matrix_exp
from nbgrad.linalg.factors import OrthogonalFactors
from nbgrad.linalg.factors import qr as _qr
from nbgrad.linalg.factors import svd as _svd
from nbgrad.linalg.householder import geqrf, orgqr, ormqr
from nbgrad.linalg.products import multi_dot
from nbgrad.linalg.systems import cholesky as _cholesky
from nbgrad.linalg.systems import solve_triangular
from nbgrad.linalg.triangular_factors import lu_unpack
from nbgrad.linalg.triangular_factors import older_lu as lu
from nbgrad.linalg.triangular_factors import older_lu_solve as lu_solve
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import tensor_of

__all__ = ["geqrf", "lu", "lu_solve", "lu_unpack", "matrix_exp", "orgqr", "ormqr"]  # what stands in other files


class TriangularSolution(NamedTuple):
    """X, and a copy of the matrix."""

    solution: Tensor
    cloned_coefficient: Tensor


class SingularTriple(NamedTuple):
    """A = U diag(S) V^T, singular values in descending order."""

    U: Tensor
    S: Tensor
    V: Tensor


@writes_out("svd")
def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> SingularTriple:
    """(U, S, V) of A = U diag(S) V^T: as ``nbgrad.linalg.svd`` with V, not V^T, and full where ``some`` is False.
    Without ``compute_uv`` U and V are zeros.

    >>> nbgrad.svd(nbgrad.tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """
    x: Any = tensor_of("svd", "input", input)
    full = not flag_of("svd", "some", some)
    if flag_of("svd", "compute_uv", compute_uv):
        u, s, rows = _svd(x, full)
        return SingularTriple(u, s, rows.mH)
    s = _svd(x, False).S
    m, n = x.shape[-2:]
    sides = [zeros(*x.shape[:-2], k, k, dtype=x.dtype, device=x.device) for k in (m, n)]
    return SingularTriple(sides[0], s, sides[1])


def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> SingularTriple:
    """The ``q`` largest singular values of A - M and their vectors, about: those of A in a random subspace of q dims,
    after ``niter`` steps of a power iteration. ValueError for more than there are.

    Source: Halko, Martinsson and Tropp 2011, "Finding structure with randomness", algorithms 4.4 and 5.1.

    >>> nbgrad.svd_lowrank(nbgrad.eye(3) * 2, 1).S
    tensor([2.])
    """
    a = float_matrices("svd_lowrank", "A", A)
    a = a if M is None else a - tensor_of("svd_lowrank", "M", M)
    return _in_subspace("svd_lowrank", a, 6 if q is None else q, 2 if niter is None else niter)


def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> SingularTriple:
    """(U, S, V) of the ``q`` (None: 6, or as many as there are) largest principal components of the rows of A, about:
    ``svd_lowrank`` of A, less the mean of its columns unless ``center`` is False. ValueError for more than there are.

    >>> nbgrad.pca_lowrank(nbgrad.tensor([[1.0, 0.0], [3.0, 0.0]]), 1).S
    tensor([1.4142])
    """
    a = float_matrices("pca_lowrank", "A", A)
    if flag_of("pca_lowrank", "center", center):
        a = a - a.mean(-2, True)
    return _in_subspace("pca_lowrank", a, min(6, *a.shape[-2:]) if q is None else q, niter)


def _in_subspace(name: str, a: Any, q: int, niter: int) -> SingularTriple:
    m, n = a.shape[-2:]
    if not 0 <= int_of(name, "q", q) <= min(m, n):
        raise ArgumentError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if not 0 <= int_of(name, "niter", niter) < 2**63:
        raise ArgumentError(f"niter(={niter}) must be non-negative integer")
    if m < n:
        u, s, v = _in_subspace(name, a.mH, q, niter)
        return SingularTriple(v, s, u)
    basis = _qr(a @ randn(n, q, dtype=a.dtype, device=a.device)).Q
    for _ in range(niter):
        basis = _qr(a @ _qr(a.mH @ basis).Q).Q
    u, s, rows = _svd(basis.mH @ a, False)
    return SingularTriple(basis @ u, s, rows.mH)


@writes_out("cholesky")
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """As ``nbgrad.linalg.cholesky``.

    >>> nbgrad.cholesky(nbgrad.tensor([[4.0]]))
    tensor([[2.]])
    """
    return _cholesky(input, upper=upper)


@writes_out("qr")
def qr(input: Tensor, some: bool = True) -> OrthogonalFactors:
    """As ``nbgrad.linalg.qr``, complete where ``some`` is False.

    >>> nbgrad.qr(nbgrad.tensor([[3.0], [4.0]])).R
    tensor([[-5.]])
    """
    return _qr(input, "reduced" if flag_of("qr", "some", some) else "complete")


@writes_out("triangular_solve")
def triangular_solve(
    input: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> TriangularSolution:
    """X with A X = ``input``, as ``nbgrad.linalg.solve_triangular``; with ``transpose`` that of the transposed A.

    >>> nbgrad.triangular_solve(nbgrad.tensor([[6.0]]), nbgrad.tensor([[2.0]])).solution
    tensor([[3.]])
    """
    a = tensor_of("triangular_solve", "A", A)
    is_upper, turned = flag_of("triangular_solve", "upper", upper), flag_of("triangular_solve", "transpose", transpose)
    x = solve_triangular(a.mT if turned else a, input, upper=is_upper is not turned, unitriangular=unitriangular)
    return TriangularSolution(x, a.clone())


@writes_out("chain_matmul")
def chain_matmul(*matrices: Tensor) -> Tensor:
    """As ``nbgrad.linalg.multi_dot``; one matrix is its own product.

    >>> nbgrad.chain_matmul(nbgrad.ones(1, 2), nbgrad.ones(2, 1))
    tensor([[2.]])
    """
    if not matrices:
        raise RunError("chain_matmul(): Expected one or more matrices")
    return multi_dot(matrices) if len(matrices) > 1 else tensor_of("chain_matmul", "matrices", matrices[0])
