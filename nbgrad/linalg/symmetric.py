"""LDL factors of symmetric matrices, which need not be positive-definite; by LAPACK, without derivatives."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from nbgrad.autograd import Function
from nbgrad.calls.arguments import flag_of
from nbgrad.errors import DTypeError, LinAlgError, ShapeError
from nbgrad.graph.dtypes import int32
from nbgrad.graph.spec import broadcast_shapes
from nbgrad.linalg.by_scipy import (
    matrix_by_matrix,
    of_all_examples,
    require_no_grad,
    routine,
    square_matrices,
)
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import tensor_of


class SymmetricFactors(NamedTuple):
    """L and D in one lower triangular matrix, and LAPACK's int32 pivots."""

    LD: Tensor
    pivots: Tensor


class InformedSymmetricFactors(NamedTuple):
    """The same, and the int32 place of the first zero block of D, from 1; 0 where there is none."""

    LD: Tensor
    pivots: Tensor
    info: Tensor


@writes_out("linalg.ldl_factor")
def ldl_factor(input: Tensor, *, hermitian: bool = False) -> SymmetricFactors:
    """(LD, pivots) of symmetric matrices, of which the lower triangle is read, as ``ldl_solve`` takes them. It looks at
    the values; a tensor that requires grad is refused. LinAlgError, a RuntimeError, where D is singular.
    ``hermitian`` says what symmetric complex matrices are.

    >>> nbgrad.linalg.ldl_factor(nbgrad.tensor([[2.0, 0.0], [1.0, 3.0]])).LD
    tensor([[2.0000, 0.0000],
            [0.5000, 2.5000]])
    """
    return SymmetricFactors(*_factored("linalg.ldl_factor", input, hermitian, check_errors=True)[:2])


@writes_out("linalg.ldl_factor_ex")
def ldl_factor_ex(input: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> InformedSymmetricFactors:
    """(LD, pivots, info): ``ldl_factor``, which raises nothing unless ``check_errors``.

    >>> nbgrad.linalg.ldl_factor_ex(nbgrad.zeros(2, 2)).info
    tensor(1, dtype=nbgrad.int32)
    """
    return InformedSymmetricFactors(*_factored("linalg.ldl_factor_ex", input, hermitian, check_errors))


@writes_out("linalg.ldl_solve")
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Tensor:
    """X with A X = B by what ``ldl_factor`` gave for A; batch dims broadcast. It looks at the values; tensors that
    require grad are refused. ``hermitian`` as it was given there.

    >>> LD, pivots = nbgrad.linalg.ldl_factor(nbgrad.tensor([[2.0, 0.0], [0.0, 4.0]]))
    >>> nbgrad.linalg.ldl_solve(LD, pivots, nbgrad.tensor([[2.0], [8.0]]))
    tensor([[1.],
            [2.]])
    """
    name = "linalg.ldl_solve"
    factors, exchanges = square_matrices(name, "LD", LD), tensor_of(name, "pivots", pivots)
    right = tensor_of(name, "B", B)
    solve = partial(_solved, _kind(name, hermitian, factors) + "trs")
    n = factors.shape[-1]
    if exchanges.dtype is not int32 or right.dtype is not factors.dtype:
        raise DTypeError(f"{name}: expected pivots of int32 and B of {factors.dtype.name}")
    if exchanges.shape != factors.shape[:-1]:
        raise ShapeError(f"{name}: pivots {list(exchanges.shape)} do not belong to factors {list(factors.shape)}")
    if right.dim() < 2 or right.shape[-2] != n:
        raise ShapeError(f"{name}: LD {list(factors.shape)} and B {list(right.shape)} do not fit together")
    batch = broadcast_shapes(tuple(factors.shape[:-2]), tuple(right.shape[:-2]), name)
    factors, right = (x.expand(*batch, *x.shape[-2:]) for x in (factors, right))
    exchanges = exchanges.expand(*batch, n)
    require_no_grad(name, factors, right)
    results = (((n, right.shape[-1]), right.dtype),)
    return _ByLapack.apply(solve, (2, 1, 2), results, factors, exchanges, right)[0]  # type: ignore[no-any-return]


def _factored(name: str, A: Any, hermitian: Any, check_errors: Any) -> tuple[Tensor, Tensor, Tensor]:
    a = square_matrices(name, "A", A)
    require_no_grad(name, a)
    n = a.shape[-1]
    results = (((n, n), a.dtype), ((n,), int32), ((), int32))
    factors, pivots, info = _ByLapack.apply(partial(_of_one, _kind(name, hermitian, a) + "trf"), (2,), results, a)
    if flag_of(name, "check_errors", check_errors) and info.numel() and bool((of_all_examples(info) != 0).any()):
        raise LinAlgError(f"{name}: The factorization could not be completed: a block of D is zero")
    return factors, pivots, info


class _ByLapack(Function):
    """``matrix_by_matrix``; the examples of vmap are like those of any batch."""

    @staticmethod
    def forward(function: Any, dims: Any, results: Any, *tensors: Any) -> Any:
        return matrix_by_matrix(function, tensors, dims, results)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_non_differentiable(*output)

    @classmethod
    def vmap(cls, info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        tensors = [
            x.expand(info.batch_size, *x.shape) if d is None else x.movedim(d, 0)
            for x, d in zip(args[3:], in_dims[3:], strict=True)
        ]
        made = cls.apply(*args[:3], *tensors)
        return made, (0,) * len(made)


def _kind(name: str, hermitian: Any, a: Any) -> str:
    """LAPACK's word for such matrices."""
    return "he" if flag_of(name, "hermitian", hermitian) and a.is_complex() else "sy"


def _of_one(how: str, a: Any) -> tuple[Any, Any, int]:
    if not a.size:
        return a, np.zeros(0, np.int32), 0
    factors, pivots, info = routine(how, a)(a, lower=1)
    return np.tril(factors), pivots, info


def _solved(how: str, factors: Any, pivots: Any, right: Any) -> tuple[Any]:
    if not right.size:
        return (right,)
    return (routine(how, right)(factors, pivots, right, lower=1)[0],)
