"""Functions of linear algebra by the names that PyTorch had for them before ``linalg``."""

from __future__ import annotations

from typing import NamedTuple

from nbgrad.calls.arguments import flag_of
from nbgrad.errors import RunError
from nbgrad.linalg.factors import OrthogonalFactors
from nbgrad.linalg.factors import qr as _qr
from nbgrad.linalg.products import multi_dot
from nbgrad.linalg.systems import cholesky as _cholesky
from nbgrad.linalg.systems import solve_triangular
from nbgrad.tensor import Tensor
from nbgrad.trace import tensor_of


class TriangularSolution(NamedTuple):
    """X, and a copy of the matrix."""

    solution: Tensor
    cloned_coefficient: Tensor


def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """As ``nbgrad.linalg.cholesky``.

    >>> nbgrad.cholesky(nbgrad.tensor([[4.0]]))
    tensor([[2.]])
    """
    return _cholesky(input, upper=upper)


def qr(input: Tensor, some: bool = True) -> OrthogonalFactors:
    """As ``nbgrad.linalg.qr``, complete where ``some`` is False.

    >>> nbgrad.qr(nbgrad.tensor([[3.0], [4.0]])).R
    tensor([[-5.]])
    """
    return _qr(input, "reduced" if flag_of("qr", "some", some) else "complete")


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


def chain_matmul(*matrices: Tensor) -> Tensor:
    """As ``nbgrad.linalg.multi_dot``; one matrix is its own product.

    >>> nbgrad.chain_matmul(nbgrad.ones(1, 2), nbgrad.ones(2, 1))
    tensor([[2.]])
    """
    if not matrices:
        raise RunError("chain_matmul(): Expected one or more matrices")
    return multi_dot(matrices) if len(matrices) > 1 else tensor_of("chain_matmul", "matrices", matrices[0])
