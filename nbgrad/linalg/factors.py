"""Factorisations, and what is made of singular values: pseudo-inverses, ranks, condition numbers, least squares."""

from __future__ import annotations

from typing import Any, NamedTuple

from nbgrad.calls.arguments import flag_of, float_of, refuse_half, word_of
from nbgrad.calls.base import CALLS, errors_name
from nbgrad.errors import ArgumentError, DTypeError, GradError, RunError, ShapeError
from nbgrad.functions.creation import empty, eye, zeros
from nbgrad.functions.limits import finfo
from nbgrad.linalg.recorded import recorded
from nbgrad.system.imports import import_module
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import record, tensor_of

Tolerance = float | Tensor


class OrthogonalFactors(NamedTuple):
    """A = Q R."""

    Q: Tensor
    R: Tensor


class Eigensystem(NamedTuple):
    """Eigenvalues in ascending order, and eigenvectors in columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class SingularFactors(NamedTuple):
    """A = U diag(S) Vh, singular values in descending order."""

    U: Tensor
    S: Tensor
    Vh: Tensor


class LeastSquares(NamedTuple):
    """A solution, the squared lengths of what it leaves, ranks, and singular values where the driver has them."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


def _require_inexact(name: str, a: Tensor) -> None:
    """What is recorded asks for it; what has no elements is not."""
    if not a.dtype.is_inexact:
        raise DTypeError(f"{name}: Expected a floating point or complex tensor as input A. Got {a.dtype.name}")
    refuse_half(name, a.dtype)


@writes_out("linalg.qr")
def qr(A: Tensor, mode: str = "reduced") -> OrthogonalFactors:
    """(Q, R) of A = Q R: Q (..., m, k) with orthonormal columns, R (..., k, n) upper triangular, k = min(m, n).

    ``mode`` "complete" has k = m, "r" an empty Q. There is a derivative but for "r", and for "complete" with m > n.

    >>> nbgrad.linalg.qr(nbgrad.tensor([[3.0], [4.0]])).R
    tensor([[-5.]])
    """
    a = tensor_of("linalg.qr", "A", A)
    if word_of("linalg.qr", "mode", mode) not in ("reduced", "complete", "r"):
        raise RunError(
            f"linalg.qr: unrecognized mode '{mode}', expected one of 'reduced' (default), 'r', or 'complete'"
        )
    _require_inexact("linalg.qr", a)
    if a.dim() >= 2 and not a.shape[-2]:
        q = empty(0, dtype=a.dtype, device=a.device)
        return OrthogonalFactors(q if mode == "r" else a @ a.mH, a.clone())  # all without elements
    if a.dim() >= 2 and a.shape[-2] < a.shape[-1]:  # R of the first columns, then Q^T of the others
        m = a.shape[-2]
        q, r = qr(a[..., :m])
        whole: Tensor = record(CALLS["cat"], (r, q.mH @ a[..., m:]), (-1,))
        return OrthogonalFactors(empty(0, dtype=a.dtype, device=a.device) if mode == "r" else q, whole)
    is_complete = a.dim() >= 2 and mode == "complete" and a.shape[-2] > a.shape[-1]
    if a.dim() >= 2 and a.is_complex():
        return _complex_qr(a, mode)
    packed = recorded("linalg_qr", a, statics=(is_complete,))
    m, n = a.shape[-2:]
    k = m if is_complete else n
    q = packed[..., : m * k].reshape(*a.shape[:-2], m, k)
    r = packed[..., m * k :].reshape(*a.shape[:-2], k, n)
    return OrthogonalFactors(empty(0, dtype=a.dtype, device=a.device) if mode == "r" else q, r)


def _complex_factors() -> Any:
    return import_module("nbgrad.linalg.complex_factors")


def _complex_qr(a: Any, mode: str) -> OrthogonalFactors:
    """By real matrices of twice the size, whose R stands for a complex one where its diagonal is positive."""
    q, r = qr(record(CALLS["linalg_embedded"], (a,)), mode)
    signs: Any = record(CALLS["where"], (r.detach().diagonal(0, -2, -1) < 0, -1.0, 1.0)).to(r.dtype)
    k = signs.shape[-1]
    r = record(CALLS["cat"], (r[..., :k, :] * signs.unsqueeze(-1), r[..., k:, :]), (-2,))
    whole_r: Any = record(CALLS["linalg_whole"], (r,))
    if mode == "r":
        return OrthogonalFactors(empty(0, dtype=a.dtype, device=a.device), whole_r)
    first: Any = record(CALLS["linalg_whole"], (q[..., :k] * signs.unsqueeze(-2),))
    if q.shape[-1] == k:
        return OrthogonalFactors(first, whole_r)
    rest: Any = svd(first.detach(), True).U[..., first.shape[-1] :]  # what is orthogonal to these: any such will do
    return OrthogonalFactors(record(CALLS["cat"], (first, rest), (-1,)), whole_r)


@writes_out("linalg.eigh")
def eigh(input: Tensor, UPLO: str = "L") -> Eigensystem:
    """(eigenvalues, eigenvectors) of symmetric matrices, of which the lower triangle is read, or the upper one ("U").

    The derivative of eigenvalues is always there; that of vectors is infinite where two eigenvalues are equal, and
    only of use where the result does not depend on their signs.

    >>> nbgrad.linalg.eigh(nbgrad.tensor([[2.0, 1.0], [1.0, 2.0]])).eigenvalues
    tensor([1., 3.])
    """
    a = tensor_of("linalg.eigh", "input", input)
    upper = _is_upper(UPLO)
    if a.is_complex():
        return Eigensystem(*_complex_factors().eigh(a, upper))
    packed = recorded("linalg_eigh", a, statics=(upper, False))
    values = recorded("linalg_eigh_values", a, packed, statics=(False, False))
    return Eigensystem(values, recorded("linalg_eigh_vectors", a, packed))


def _is_upper(UPLO: Any) -> bool:
    if word_of("linalg.eigh", "UPLO", UPLO) not in ("L", "U", "l", "u"):
        raise ArgumentError(f"linalg.eigh: Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return UPLO in "Uu"


@writes_out("linalg.eigvalsh")
def eigvalsh(input: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues of symmetric matrices in ascending order, as ``eigh`` gives them.

    >>> nbgrad.linalg.eigvalsh(nbgrad.tensor([[2.0, 1.0], [1.0, 2.0]]))
    tensor([1., 3.])
    """
    a = tensor_of("linalg.eigvalsh", "input", input)
    with errors_name("linalg.eigvalsh"):
        if a.is_complex() or a.requires_grad:
            return eigh(a, UPLO).eigenvalues
        statics = _is_upper(UPLO), True
        return recorded("linalg_eigh_values", a, recorded("linalg_eigh", a, statics=statics), statics=statics)


@writes_out("linalg.svd")
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> SingularFactors:
    """(U, S, Vh) of A = U diag(S) Vh: U (..., m, m) and Vh (..., n, n), without ``full_matrices`` (..., m, k) and
    (..., k, n), k = min(m, n). ``driver`` changes nothing.

    The derivative of singular values is always there; that of vectors is infinite where two values are equal, and
    only of use where the result does not depend on their signs. Vectors that belong to no singular value have none.

    >>> nbgrad.linalg.svd(nbgrad.tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """
    a, full = tensor_of("linalg.svd", "A", A), flag_of("linalg.svd", "full_matrices", full_matrices)
    if a.dim() >= 2 and not a.numel():
        _require_inexact("linalg.svd", a)
        return _svd_of_nothing(a, full)
    if a.is_complex():
        return SingularFactors(*_complex_factors().svd(a, full))
    packed = recorded("linalg_svd", a, statics=(full,))
    s, u, rows = (recorded(f"linalg_svd_{k}", a, packed, statics=(full,)) for k in ("values", "left", "right"))
    return SingularFactors(u, s, rows)


@writes_out("linalg.svdvals")
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values of matrices in descending order, as ``svd`` gives them.

    >>> nbgrad.linalg.svdvals(nbgrad.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor([4., 3.])
    """
    a = tensor_of("linalg.svdvals", "A", A)
    if a.is_complex() or a.requires_grad or not a.numel():
        return svd(a, False, driver=driver).S
    with errors_name("linalg.svdvals"):
        packed = recorded("linalg_svd", a, statics=(None,))
    return recorded("linalg_svd_values", a, packed, statics=(None,))


@writes_out("linalg.pinv")
def pinv(
    input: Tensor,
    rcond: Tolerance | None = None,
    hermitian: bool = False,
    *,
    atol: Tolerance | None = None,
    rtol: Tolerance | None = None,
) -> Tensor:
    """The pseudo-inverse (..., n, m) of matrices (..., m, n).

    Singular values that are not above max(atol, rtol * the largest one) count as 0; ``rtol``, also called ``rcond``,
    is max(m, n) times the dtype's eps unless ``atol`` is given. They may be tensors, which broadcast with the batch.
    The derivative is that at constant rank. ``hermitian``: the matrices are symmetric, and only their lower triangles
    are read.

    >>> nbgrad.linalg.pinv(nbgrad.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    a = tensor_of("linalg.pinv", "input", input)
    if a.dim() < 2:
        raise ShapeError("linalg.pinv: The input tensor A must have at least 2 dimensions.")
    absolute, relative = _tolerances("linalg.pinv", a, atol, rcond if rtol is None else rtol)
    if flag_of("linalg.pinv", "hermitian", hermitian):
        a = _of_lower("linalg.pinv", a)
    if not a.numel():
        _require_inexact("linalg.pinv", a)
        return a.mT.clone()  # type: ignore[no-any-return]
    if a.is_complex():  # the singular values of twice as large real matrices are the same, each twice
        real: Any = record(CALLS["linalg_embedded"], (a,))
        return record(CALLS["linalg_whole"], (pinv(real, atol=absolute, rtol=relative),))  # type: ignore[no-any-return]
    if not (isinstance(absolute, Tensor) or isinstance(relative, Tensor)):
        return recorded("linalg_pinv", a, statics=(absolute, relative))
    s = svd(a.detach(), False).S  # to the last bit what decides below
    cutoff = _cutoff(s, absolute, relative)
    smallest = record(CALLS["where"], (s > cutoff, s, 1.0)).amin(-1, True)
    unit = record(CALLS["where"], (cutoff > 0, cutoff, smallest / 2)).to(a.dtype).unsqueeze(-1)
    return recorded("linalg_pinv", a / unit, statics=(1.0, 0.0)) / unit  # type: ignore[no-any-return]


def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The pseudo-inverse; singular values up to ``rcond`` times the largest one count as 0.

    >>> nbgrad.pinverse(nbgrad.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    return pinv(input, rtol=float_of("pinverse", "rcond", rcond))


@writes_out("linalg.matrix_rank")
def matrix_rank(
    input: Tensor,
    tol: Tolerance | None = None,
    hermitian: bool = False,
    *,
    atol: Tolerance | None = None,
    rtol: Tolerance | None = None,
) -> Tensor:
    """How many singular values are above max(atol, rtol * the largest one), an int64; tolerances and ``hermitian`` as
    ``pinv`` has them. ``tol`` is ``atol`` beside an ``rtol`` of 0.

    >>> nbgrad.linalg.matrix_rank(nbgrad.tensor([[1.0, 2.0], [2.0, 4.0]]))
    tensor(1)
    """
    a = tensor_of("linalg.matrix_rank", "input", input)
    if tol is not None:
        atol, rtol = tol, 0.0
    absolute, relative = _tolerances("linalg.matrix_rank", a, atol, rtol)
    if flag_of("linalg.matrix_rank", "hermitian", hermitian):
        a = _of_lower("linalg.matrix_rank", a)
    with errors_name("linalg.matrix_rank"):
        s = svdvals(a.detach())
    if not s.shape[-1]:
        return s.sum(-1).long()  # type: ignore[no-any-return]
    return (s > _cutoff(s, absolute, relative)).sum(-1)  # type: ignore[no-any-return]


@writes_out("linalg.lstsq")
def lstsq(input: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None) -> LeastSquares:
    """(solution, residuals, rank, singular_values): X (..., n, k) of least length that makes |A X - B| least.

    A (..., m, n) and B (..., m, k), or vectors (..., m), have batch dims that broadcast. Singular values up to
    ``rcond`` (max(m, n) times the dtype's eps) times the largest one count as 0. ``driver`` says how, and what else
    there is, as in PyTorch; what there is not is empty. "gels" is for matrices of full rank, and "gelsy", which None
    means, finds the ranks by pivots; "gelsd" and "gelss" are the same here, with singular values; residuals are there
    where m > n and every A has rank n, but for "gelsy". LinAlgError, a RuntimeError, where "gels" divides by 0.

    >>> A, B = nbgrad.tensor([[1.0], [1.0]]), nbgrad.tensor([[1.0], [3.0]])
    >>> nbgrad.linalg.lstsq(A, B).solution
    tensor([[2.]])
    """
    a, b = tensor_of("linalg.lstsq", "input", input), tensor_of("linalg.lstsq", "b", b)
    kind = "gelsy" if driver is None else word_of("linalg.lstsq", "driver", driver)
    if kind not in ("gels", "gelsy", "gelsd", "gelss"):
        raise ArgumentError(
            f"linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), got {kind}"
        )
    if a.dim() < 2 or b.dim() < 1:
        raise ShapeError("linalg.lstsq: input must have at least 2 dimensions, and other at least 1 dimension")
    is_vector = b.dim() == a.dim() - 1
    right = b.unsqueeze(-1) if is_vector else b
    if right.dim() != a.dim() or right.shape[-2] != a.shape[-2]:
        raise ShapeError(f"linalg.lstsq: A {list(a.shape)} and B {list(b.shape)} do not have the same number of rows")
    m, n = a.shape[-2:]
    nothing = empty(0, dtype=a.dtype.to_real(), device=a.device)
    cutoff = _tolerances("linalg.lstsq", a, None, None if rcond is None else float_of("linalg.lstsq", "rcond", rcond))[
        1
    ]
    if a.is_complex() or not (a.numel() and right.numel()):
        solution, ranks, values = pinv(a, rtol=cutoff) @ right, matrix_rank(a, rtol=cutoff), svdvals(a.detach())
    else:
        statics = ("gelsd" if kind == "gelss" else kind, cutoff)
        packed = recorded("linalg_lstsq", a.detach(), right.detach(), statics=statics)
        solution = recorded("linalg_lstsq_solution", a, right, packed, statics=statics)
        size = n * right.shape[-1]
        ranks, values = packed[..., size].long(), packed[..., size + 1 :]
    residuals = nothing
    if m > n and (kind == "gels" or (kind != "gelsy" and bool((ranks == n).all()))):
        away = a @ solution - right
        residuals = (away.abs() if a.is_complex() else away).square().sum(-2)
    return LeastSquares(
        solution.squeeze(-1) if is_vector else solution,
        residuals,
        nothing.long() if kind == "gels" else ranks,
        values if kind in ("gelsd", "gelss") else nothing,
    )


def _tolerances(name: str, a: Tensor, atol: Tolerance | None, rtol: Tolerance | None) -> tuple[Tolerance, Tolerance]:
    absolute = 0.0 if atol is None else _tolerance(name, "atol", atol)
    if rtol is not None:
        return absolute, _tolerance(name, "rtol", rtol)
    if not a.dtype.is_inexact or a.dim() < 2:
        return absolute, 0.0
    default = max(a.shape[-2:]) * finfo(a.dtype.to_real()).eps
    if isinstance(absolute, Tensor):
        return absolute, (absolute <= 0).to(a.dtype) * default
    return absolute, 0.0 if absolute > 0 else default


def _tolerance(name: str, argument: str, value: Any) -> Tolerance:
    if not isinstance(value, Tensor):
        return float_of(name, argument, value)
    if value.requires_grad:
        raise GradError(
            f"The function '{name}' is not differentiable with respect to argument '{argument}'. This input cannot "
            "have requires_grad True."
        )
    return value


def _cutoff(s: Tensor, absolute: Tolerance, relative: Tolerance) -> Tensor:
    """The largest value among singular values ``s`` (..., k) that counts as 0: (..., 1)."""
    absolute, relative = (x.unsqueeze(-1) if isinstance(x, Tensor) else x for x in (absolute, relative))
    return (s.amax(-1, True) * relative).clamp(min=absolute)  # type: ignore[no-any-return]


def _of_lower(name: str, a: Tensor) -> Tensor:
    """The symmetric matrices whose lower triangles those of ``a`` are. Their cotangent is that of ``a`` (PyTorch)."""
    if a.dim() >= 2 and a.shape[-2] != a.shape[-1]:
        m, n = a.shape[-2:]
        raise ShapeError(f"{name}: A must be batches of square matrices, but they are {m} by {n} matrices")
    if a.dim() < 2:
        return a
    known = a.detach()
    lower = known.tril()
    diagonal = lower * record(CALLS["eye_of"], (), ((*a.shape[-2:],), a.dtype))  # its imaginary parts are not read
    return lower + lower.mH - (diagonal + diagonal.mH) / 2 + (a - known)  # type: ignore[no-any-return]


def _svd_of_nothing(a: Tensor, full: bool) -> SingularFactors:
    *batch, m, n = a.shape
    kind: Any = {"dtype": a.dtype, "device": a.device}
    k = min(m, n)
    nothing = a.sum()  # 0; what follows from it has a history as other factors have
    sides = [eye(size, **kind).expand(*batch, size, size) + nothing for size in (m, n)]
    u, rows = sides if full else (sides[0][..., :k], sides[1][..., :k, :])
    return SingularFactors(u, zeros(*batch, k, dtype=a.dtype.to_real(), device=a.device) + nothing.real, rows)


setattr(Tensor, "pinverse", pinverse)  # noqa: B010  mypy has it that the class lacks the name
