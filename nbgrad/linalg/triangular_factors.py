"""LU factors of matrices, and solutions by them: those of ``nbgrad.linalg``, and the older functions of ``nbgrad``."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from nbgrad.autograd import Function
from nbgrad.calls.arguments import flag_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import DTypeError, RunError, ShapeError
from nbgrad.functions.creation import empty
from nbgrad.graph.dtypes import int32, int64
from nbgrad.linalg.by_scipy import of_all_examples
from nbgrad.linalg.recorded import recorded
from nbgrad.linalg.systems import solve_triangular
from nbgrad.system.imports import import_module
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import from_values, record, tensor_of, values


class PivotedFactors(NamedTuple):
    """U above and L below the diagonal, and the int32 row that each was exchanged with, from 1."""

    LU: Tensor
    pivots: Tensor


class InformedFactors(NamedTuple):
    """The same, and the int32 place of the first zero on the diagonal of U, from 1; 0 where there is none."""

    LU: Tensor
    pivots: Tensor
    info: Tensor


class ThreeFactors(NamedTuple):
    """A = P L U."""

    P: Tensor
    L: Tensor
    U: Tensor


@writes_out("linalg.lu")
def lu(A: Tensor, *, pivot: bool = True) -> ThreeFactors:
    """(P, L, U) of A = P L U: P (..., m, m) a permutation, L (..., m, k) lower triangular with ones on its diagonal, U
    (..., k, n) upper triangular, k = min(m, n). RuntimeError for ``pivot=False``, which needs a GPU in PyTorch.

    >>> nbgrad.linalg.lu(nbgrad.tensor([[0.0, 2.0], [4.0, 1.0]])).U
    tensor([[4., 1.],
            [0., 2.]])
    """
    factors, _, order = _factors("linalg.lu", A, pivot)
    return ThreeFactors(_permutation(order, factors), *_triangles(factors))


@writes_out("linalg.lu_factor")
def lu_factor(A: Tensor, *, pivot: bool = True) -> PivotedFactors:
    """(LU, pivots) of matrices (..., m, n), as ``lu_solve`` takes them. It looks whether U has a zero on its diagonal:
    RuntimeError.

    >>> nbgrad.linalg.lu_factor(nbgrad.tensor([[0.0, 2.0], [4.0, 1.0]])).pivots
    tensor([2, 2], dtype=nbgrad.int32)
    """
    factors, pivots, _ = _factors("linalg.lu_factor", A, pivot)
    _require_whole("linalg.lu_factor", _first_zero(factors))
    return PivotedFactors(factors, pivots)


@writes_out("linalg.lu_factor_ex")
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> InformedFactors:
    """(LU, pivots, info) of matrices (..., m, n): ``lu_factor``, which looks at nothing unless ``check_errors``.

    >>> nbgrad.linalg.lu_factor_ex(nbgrad.zeros(2, 2)).info
    tensor(1, dtype=nbgrad.int32)
    """
    name = "linalg.lu_factor_ex"
    factors, pivots, _ = _factors(name, A, pivot)
    info = _first_zero(factors)
    if flag_of(name, "check_errors", check_errors):
        _require_whole(name, info)
    return InformedFactors(factors, pivots, info)


@writes_out("linalg.lu_solve")
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """X with A X = B by what ``lu_factor`` gave for A; with ``left=False`` X A = B, with ``adjoint`` that of A^T. LU
    (..., n, n) and B (..., n, k) broadcast. It looks at the pivots; RuntimeError for some below 1.

    >>> LU, pivots = nbgrad.linalg.lu_factor(nbgrad.tensor([[0.0, 2.0], [4.0, 0.0]]))
    >>> nbgrad.linalg.lu_solve(LU, pivots, nbgrad.tensor([[2.0], [8.0]]))
    tensor([[2.],
            [1.]])
    """
    name = "linalg.lu_solve"
    factors, right = tensor_of(name, "LU", LU), tensor_of(name, "B", B)
    turned = flag_of(name, "adjoint", adjoint)
    if not flag_of(name, "left", left):
        return lu_solve(factors, pivots, right.mH, adjoint=not turned).mH
    if factors.dim() < 2 or factors.shape[-1] != factors.shape[-2]:
        raise ShapeError(f"{name}: A must be batches of square matrices, but they have shape {list(factors.shape)}")
    if right.dim() < 2 or right.shape[-2] != factors.shape[-1]:
        raise ShapeError(
            f"{name}: Incompatible shapes of A and B for the equation AX = B ({list(factors.shape)} and "
            f"{list(right.shape)})"
        )
    order = _order(name, tensor_of(name, "pivots", pivots), factors)
    if turned:
        inner = solve_triangular(factors.mH, right, upper=False)
        x = solve_triangular(factors.mH, inner, upper=True, unitriangular=True)
        return _rows(x, order.argsort(-1))
    inner = solve_triangular(factors, _rows(right, order), upper=False, unitriangular=True)
    return solve_triangular(factors, inner, upper=True)


@writes_out("lu")
def older_lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> PivotedFactors | InformedFactors:
    """As ``nbgrad.linalg.lu_factor_ex``, of which it gives ``info`` where asked for it.

    >>> nbgrad.lu(nbgrad.tensor([[4.0]])).LU
    tensor([[4.]])
    """
    factors, pivots, _ = _factors("lu", A, pivot)
    if flag_of("lu", "get_infos", get_infos):
        return InformedFactors(factors, pivots, _first_zero(factors))
    return PivotedFactors(factors, pivots)


@writes_out("lu_solve")
def older_lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """As ``nbgrad.linalg.lu_solve``.

    >>> nbgrad.lu_solve(nbgrad.tensor([[8.0]]), *nbgrad.lu(nbgrad.tensor([[4.0]])))
    tensor([[2.]])
    """
    return lu_solve(LU_data, LU_pivots, b)


@writes_out("lu_unpack")
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> ThreeFactors:
    """(P, L, U) out of what ``lu_factor`` gave; empty ones where they are not asked for. It looks at the pivots.

    >>> nbgrad.lu_unpack(*nbgrad.lu(nbgrad.tensor([[0.0, 2.0], [4.0, 1.0]]))).P
    tensor([[0., 1.],
            [1., 0.]])
    """
    factors = tensor_of("lu_unpack", "LU_data", LU_data)
    exchanges = tensor_of("lu_unpack", "LU_pivots", LU_pivots)
    nothing = empty(0, dtype=factors.dtype, device=factors.device)
    data = flag_of("lu_unpack", "unpack_data", unpack_data)
    pivots = flag_of("lu_unpack", "unpack_pivots", unpack_pivots)
    first = _permutation(_order("lu_unpack", exchanges, factors), factors) if pivots else nothing
    return ThreeFactors(first, *(_triangles(factors) if data else (nothing, nothing)))


def _factors(name: str, A: Any, pivot: Any) -> tuple[Tensor, Tensor, Tensor]:
    """(LU, pivots, which row of A came to each place)."""
    a = tensor_of(name, "A", A)
    if not flag_of(name, "pivot", pivot):
        raise RunError(f"{name}: LU without pivoting is not implemented on the CPU")
    if a.is_complex():
        return import_module("nbgrad.linalg.complex_factors").lu(name, a)  # type: ignore[no-any-return]
    packed = recorded("linalg_lu", a)
    m, n = a.shape[-2:]
    k = min(m, n)
    factors = packed[..., : m * n].reshape(a.shape)
    return factors, packed[..., m * n : m * n + k].to(int32), packed[..., m * n + k :].to(int64)


def _triangles(factors: Any) -> tuple[Tensor, Tensor]:
    """L and U."""
    m, n = factors.shape[-2:]
    k = min(m, n)
    lower = factors[..., :k].tril(-1)
    return lower + lower.new_ones(lower.shape).tril().triu(), factors[..., :k, :].triu()


def _permutation(order: Any, like: Any) -> Tensor:
    """P: row order[i] of A is row i of L U."""
    places = order.new_ones(order.shape[-1]).cumsum(0) - 1
    return (order.unsqueeze(-2) == places.unsqueeze(-1)).to(like.dtype)  # type: ignore[no-any-return]


def _order(name: str, pivots: Any, factors: Any) -> Any:
    """Which row of A came to each place, from the exchanges."""
    if pivots.dtype is not int32:
        raise DTypeError(f"{name}: expected pivots of dtype int32, got {pivots.dtype.name}")
    if factors.dim() < 2 or pivots.shape != (*factors.shape[:-2], min(factors.shape[-2:])):
        raise ShapeError(f"{name}: pivots {list(pivots.shape)} do not belong to factors {list(factors.shape)}")
    return _Order.apply(pivots, factors.shape[-2], name)


class _Order(Function):
    """Which of m rows came to each place, from the exchanges; the examples of vmap are like those of any batch."""

    @staticmethod
    def forward(pivots: Any, m: int, name: str) -> Any:
        exchanges = values(pivots).reshape(prod(pivots.shape[:-1]), pivots.shape[-1]) - 1
        if exchanges.size and not ((exchanges >= 0) & (exchanges < m)).all():
            raise RunError(f"{name}: pivots must be from 1 to {m}. Did you properly pass the result of lu_factor?")
        order = np.tile(np.arange(m), (len(exchanges), 1))
        for row, swaps in zip(order, exchanges, strict=True):
            for i, other in enumerate(swaps):
                row[[i, other]] = row[[other, i]]
        return from_values(order.reshape(*pivots.shape[:-1], m), int64, place=pivots._spec.place)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_non_differentiable(output)

    @classmethod
    def vmap(cls, info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        return cls.apply(*args), 0


def _rows(x: Any, order: Any) -> Tensor:
    """The rows of ``x`` in that order; batch dims broadcast."""
    batch = np.broadcast_shapes(tuple(x.shape[:-2]), tuple(order.shape[:-1]))
    shape = (*batch, *x.shape[-2:])
    index = order.unsqueeze(-1).expand(shape)
    return record(CALLS["gather"], (x.expand(shape), index), (-2, False))  # type: ignore[no-any-return]


def _first_zero(factors: Any) -> Tensor:
    """Where on the diagonal the first zero stands, from 1, an int32; 0 for nowhere."""
    zeros = (factors.detach().diagonal(0, -2, -1) == 0).to(int32)
    if not zeros.shape[-1]:
        return zeros.sum(-1).to(int32)  # type: ignore[no-any-return]
    return (zeros.amax(-1) * (zeros.argmax(-1) + 1)).to(int32)  # type: ignore[no-any-return]


def _require_whole(name: str, info: Any) -> None:
    info = of_all_examples(info)
    if info.numel() and (found := int(info.max())):
        raise RunError(
            f"{name}: U[{found},{found}] is zero and using it on lu_solve would result in a division by zero. "
            "linalg.lu and linalg.lu_factor_ex give the factors all the same"
        )
