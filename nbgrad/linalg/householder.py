"""Products of Householder reflections: orthogonal factors as LAPACK keeps them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nbgrad.calls.arguments import flag_of
from nbgrad.errors import DTypeError, ShapeError
from nbgrad.functions.creation import eye
from nbgrad.linalg.by_scipy import float_matrices, matrix_by_matrix, require_no_grad, routine
from nbgrad.linalg.systems import solve_triangular
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import tensor_of


class Reflections(NamedTuple):
    """R on and above the diagonal, below it the vectors of the reflections; their factors."""

    a: Tensor
    tau: Tensor


@writes_out("householder_product")
def householder_product(A: Tensor, tau: Tensor) -> Tensor:
    """The first n columns of H_1 H_2 ... H_k: A (..., m, n), m >= n, holds the vectors of the reflections below its
    diagonal, in its first k columns, and tau (..., k) their factors, as ``geqrf`` gives them.

    Source: Schreiber and Van Loan 1989, "A storage-efficient WY representation for products of Householder
    transformations": the product is I - V T V^T with T triangular.

    >>> nbgrad.linalg.householder_product(*nbgrad.geqrf(nbgrad.tensor([[3.0], [4.0]])))
    tensor([[-0.6000],
            [-0.8000]])
    """
    name = "linalg.householder_product"
    a, factors = _fitting(name, A, tau)
    m, n = a.shape[-2:]
    if m < n:
        raise ShapeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    vectors, inner = _compact(a, factors)
    whole: Tensor = eye(m, n, dtype=a.dtype, device=a.device) - vectors @ (inner @ vectors[..., :n, :].mH)
    return whole


@writes_out("orgqr")
def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """As ``nbgrad.linalg.householder_product``.

    >>> nbgrad.orgqr(*nbgrad.geqrf(nbgrad.tensor([[2.0]])))
    tensor([[1.]])
    """
    return householder_product(input, input2)


@writes_out("ormqr")
def ormqr(input: Tensor, input2: Tensor, input3: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """Q times ``other``, or ``other`` times Q without ``left``, with Q^T where ``transpose``: Q (..., m, m) is the
    product of all reflections in ``input`` and ``tau``, as ``geqrf`` gives them.

    >>> nbgrad.ormqr(*nbgrad.geqrf(nbgrad.tensor([[3.0], [4.0]])), nbgrad.tensor([[1.0], [0.0]]))
    tensor([[-0.6000],
            [-0.8000]])
    """
    a, factors = _fitting("ormqr", input, input2)
    b = tensor_of("ormqr", "input3", input3)
    is_left, turned = flag_of("ormqr", "left", left), flag_of("ormqr", "transpose", transpose)
    m = a.shape[-2]
    if b.dtype is not a.dtype:
        raise DTypeError(f"ormqr: expected other of dtype {a.dtype.name}, got {b.dtype.name}")
    if b.dim() != a.dim() or b.shape[:-2] != a.shape[:-2] or b.shape[-2 if is_left else -1] != m:
        raise ShapeError(f"ormqr: other {list(b.shape)} does not fit input {list(a.shape)}: it needs {m} rows")
    vectors, inner = _compact(a, factors)
    inner = inner.mH if turned else inner
    if is_left:
        return b - vectors @ (inner @ (vectors.mH @ b))  # type: ignore[no-any-return]
    return b - ((b @ vectors) @ inner) @ vectors.mH  # type: ignore[no-any-return]


@writes_out("geqrf")
def geqrf(input: Tensor) -> Reflections:
    """(a, tau) of matrices (..., m, n): the QR factors as LAPACK keeps them, see ``householder_product``. It looks at
    the values; a tensor that requires grad is refused, as there is no derivative: ``nbgrad.linalg.qr`` has one.

    >>> nbgrad.geqrf(nbgrad.tensor([[3.0], [4.0]])).tau
    tensor([1.6000])
    """
    a = float_matrices("geqrf", "input", input)
    require_no_grad("geqrf", a)
    m, n = a.shape[-2:]
    results = (((m, n), a.dtype), ((min(m, n),), a.dtype))
    return Reflections(*matrix_by_matrix(_reflections, (a,), (2,), results))


def _reflections(a: Any) -> tuple[Any, Any]:
    if not a.size:
        return a, np.zeros(min(a.shape), a.dtype)
    packed, tau, *_ = routine("geqrf", a)(a)
    return packed, tau


def _fitting(name: str, input: Any, tau: Any) -> tuple[Any, Any]:
    """The vectors and the factors, checked."""
    a, factors = float_matrices(name, "input", input), tensor_of(name, "tau", tau)
    if factors.dtype is not a.dtype:
        raise DTypeError(f"{name}: tau dtype {factors.dtype.name} does not match input dtype {a.dtype.name}")
    if factors.dim() != a.dim() - 1 or factors.shape[:-1] != a.shape[:-2] or factors.shape[-1] > min(a.shape[-2:]):
        raise ShapeError(f"{name}: tau {list(factors.shape)} does not fit input {list(a.shape)}")
    return a, factors


def _compact(a: Any, tau: Any) -> tuple[Any, Any]:
    """(V, T): T is (I + D U)^-1 D with the factors in D and U = triu(V^T V, 1), also where factors are 0."""
    m, k = a.shape[-2], tau.shape[-1]
    vectors = a[..., :k].tril(-1) + eye(m, k, dtype=a.dtype, device=a.device)
    between = (vectors.mH @ vectors).triu(1)
    diagonal = tau.diag_embed()
    return vectors, solve_triangular(tau.unsqueeze(-1) * between, diagonal, upper=True, unitriangular=True)
