"""Forms of linear algebra that say in an integer how it went, instead of raising: cholesky_ex, inv_ex, solve_ex."""

from __future__ import annotations

from typing import Any, NamedTuple

from nbgrad.calls.arguments import flag_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import LinAlgError
from nbgrad.functions.creation import eye
from nbgrad.graph.dtypes import int32
from nbgrad.linalg.by_scipy import matrix_by_matrix, routine, square_matrices
from nbgrad.linalg.systems import cholesky, inv, solve
from nbgrad.linalg.triangular_factors import lu_factor_ex
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import record


class Cholesky(NamedTuple):
    """The factors, and int32 orders of the first leading minor that is not positive; 0 where all are."""

    L: Tensor
    info: Tensor


class Inverse(NamedTuple):
    """The inverses, and the int32 place of the first zero on the diagonal of U, from 1; 0 where there is none."""

    inverse: Tensor
    info: Tensor


class Solution(NamedTuple):
    """The solutions, and the same."""

    result: Tensor
    info: Tensor


@writes_out("linalg.cholesky_ex")
def cholesky_ex(input: Tensor, *, upper: bool = False, check_errors: bool = False) -> Cholesky:
    """(L, info): ``cholesky``, which says in ``info`` which matrices are not positive-definite. Of such L is NaN. With
    ``check_errors`` they raise LinAlgError, a RuntimeError. It looks at the values.

    >>> nbgrad.linalg.cholesky_ex(nbgrad.tensor([[1.0, 2.0], [2.0, 1.0]])).info
    tensor(2, dtype=nbgrad.int32)
    """
    name = "linalg.cholesky_ex"
    a = square_matrices(name, "input", input)
    is_upper = flag_of(name, "upper", upper)
    (info,) = matrix_by_matrix(lambda one: (_first_minor(one, is_upper),), (a.detach(),), (2,), (((), int32),))
    _require_none(name, check_errors, info, "the input is not positive-definite")
    return Cholesky(_where_right(info, cholesky(_whole(info, a), upper=is_upper)), info)


@writes_out("linalg.inv_ex")
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Inverse:
    """(inverse, info): ``inv``, which says in ``info`` which matrices are singular. Of such the inverse is NaN. With
    ``check_errors`` they raise LinAlgError, a RuntimeError.

    >>> nbgrad.linalg.inv_ex(nbgrad.zeros(2, 2)).info
    tensor(1, dtype=nbgrad.int32)
    """
    a = square_matrices("linalg.inv_ex", "A", A)
    info = lu_factor_ex(a.detach()).info
    _require_none("linalg.inv_ex", check_errors, info, "the input matrix is singular")
    return Inverse(_where_right(info, inv(_whole(info, a))), info)


@writes_out("linalg.solve_ex")
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Solution:
    """(result, info): ``solve``, which says in ``info`` which matrices are singular. Of such the result is NaN. With
    ``check_errors`` they raise LinAlgError, a RuntimeError.

    >>> nbgrad.linalg.solve_ex(nbgrad.zeros(1, 1), nbgrad.ones(1)).info
    tensor(1, dtype=nbgrad.int32)
    """
    a = square_matrices("linalg.solve_ex", "A", A)
    info = lu_factor_ex(a.detach()).info
    _require_none("linalg.solve_ex", check_errors, info, "the input matrix is singular")
    found = solve(_whole(info, a), B, left=left)
    wrong = (info != 0).reshape(*info.shape, *[1] * (found.dim() - info.dim()))
    return Solution(record(CALLS["where"], (wrong, float("nan"), found)), info)


def _whole(info: Any, a: Any) -> Any:
    """``a``, with the identity for matrices that would be refused."""
    identity = eye(a.shape[-1], dtype=a.dtype, device=a.device)
    return record(CALLS["where"], ((info == 0)[..., None, None], a, identity))


def _where_right(info: Any, found: Any) -> Tensor:
    return record(CALLS["where"], ((info == 0)[..., None, None], found, float("nan")))  # type: ignore[no-any-return]


def _require_none(name: str, check_errors: Any, info: Any, words: str) -> None:
    if flag_of(name, "check_errors", check_errors) and info.numel() and bool((info != 0).any()):
        raise LinAlgError(f"{name}: The factorization could not be completed because {words}")


def _first_minor(a: Any, upper: bool) -> int:
    return int(routine("potrf", a)(a, lower=not upper, clean=0)[1]) if a.size else 0
