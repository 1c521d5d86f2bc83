"""Factors and determinants of complex matrices, eigenvalues of any: LAPACK computes them of values, one by one.

They look at values, so what is recorded runs first. Derivatives are formulas on tensors, so they have derivatives.
``H`` is the conjugate transpose.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from nbgrad.autograd import Function, grad, grad_mode
from nbgrad.autograd.levels import vmap_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import GradError, LinAlgError, RunError
from nbgrad.functions.creation import eye, zeros
from nbgrad.graph.dtypes import DType, int32, int64
from nbgrad.graph.quiet import quietly
from nbgrad.linalg.by_scipy import float_matrices, matrix_by_matrix, routine, square_matrices
from nbgrad.runtime.blas import alone
from nbgrad.tape.blas import of_numpy
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import from_values, local, record, values


class GeneralEigensystem(NamedTuple):
    """Eigenvalues and eigenvectors in columns, both complex."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def _computed(name: str, function: Any, a: Any, *kinds: DType) -> tuple[Any, ...]:
    """What NumPy's ``function`` gives of all matrices, in these dtypes, without its warnings."""
    try:
        found = quietly(alone, of_numpy(), function, values(a))
    except np.linalg.LinAlgError as error:
        raise LinAlgError(f"{name}: {error}") from None
    outs = found if isinstance(found, tuple) else (found,)
    arrays = [(np.array(x, kind.numpy), kind) for x, kind in zip(outs, kinds, strict=True)]
    return tuple([from_values(x, kind, place=a._spec.place) for x, kind in arrays])


def _diagonal(x: Any) -> Any:
    return x.diagonal(0, -2, -1)


def _on_diagonal(x: Any) -> Any:
    return x.unsqueeze(-1) * eye(x.shape[-1], dtype=x.dtype, device=x.device)


def _by_gaps(x: Any, gaps: Any) -> Any:
    """x / gaps off the diagonal, 0 on it."""
    ones = eye(x.shape[-1], dtype=gaps.dtype, device=x.device)
    off = 1 - eye(x.shape[-1], dtype=x.dtype, device=x.device)
    return x / (gaps + ones) * off


def _skew(x: Any) -> Any:
    return x - x.mH


def _require_no_phase(name: str, x: Any) -> None:
    """GradError where a result depends on the phases of vectors, which are not determined. Where a derivative is itself
    differentiated, or runs for many examples at once, nobody looks."""
    if vmap_of([x]) is None and not bool(np.allclose(np.imag(values(_diagonal(x).detach())), 0, rtol=1e-2, atol=1e-2)):
        raise GradError(
            f"{name}_backward: The eigenvectors in the complex case are specified up to multiplication by e^{{i phi}}. "
            "The specified loss function depends on this quantity, so it is ill-defined."
        )


def _save(ctx: Any, results: Any, *tensors: Any) -> None:
    """Keep ``tensors`` for derivatives, and what cotangents of the results are like."""
    ctx.save_for_backward(*tensors)
    ctx.save_for_forward(*tensors)
    ctx.results = [
        (y.shape, {"dtype": y.dtype, "device": y.device, "requires_grad": y.dtype.is_inexact}) for y in results
    ]


class _OfMatrices(Function):
    """Saves its results for ``backward``. The examples of vmap are matrices like those of any batch, and forward mode
    transposes ``backward``, which is linear in cotangents."""

    @classmethod
    def vmap(cls, info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        return cls.apply(*args), 0

    @classmethod
    def jvp(cls, ctx: Any, tangent: Any, *_: Any) -> tuple[Any, ...]:
        with grad_mode.enable_grad():
            cotangents = [zeros(shape, **how) for shape, how in ctx.results]
            found = cls.backward(ctx, *cotangents)
            asked = [g for g in cotangents if g.requires_grad]
            tangents = iter(grad(found[0] if isinstance(found, tuple) else found, asked, tangent, create_graph=True))
        return tuple([next(tangents) if g.requires_grad else None for g in cotangents])

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _save(ctx, output, *output)


class _Eigh(_OfMatrices):
    @staticmethod
    def forward(a: Any, upper: bool) -> Any:
        function = partial(np.linalg.eigh, UPLO="U" if upper else "L")
        return _computed("linalg.eigh", function, a, a.dtype.to_real(), a.dtype)

    @staticmethod
    def backward(ctx: Any, g_values: Any, g_vectors: Any) -> Any:
        """V (diag(g) + skew(V^H G) / (2 E)) V^H with E[i, j] = w[j] - w[i]."""
        w, v = ctx.saved_tensors
        inner = v.mH @ g_vectors
        _require_no_phase("linalg_eigh", inner)
        gaps = w.unsqueeze(-2) - w.unsqueeze(-1)
        middle = _on_diagonal(g_values.to(v.dtype)) + _by_gaps(_skew(inner) * 0.5, gaps)
        return v @ middle @ v.mH, None


def _svd_of(a: Any, full: bool) -> tuple[Any, ...]:
    return _computed("linalg.svd", partial(np.linalg.svd, full_matrices=full), a, a.dtype, a.dtype.to_real(), a.dtype)


class _Svd(_OfMatrices):
    @staticmethod
    def forward(a: Any) -> Any:
        return _svd_of(a, False)

    @staticmethod
    def backward(ctx: Any, g_u: Any, g_s: Any, g_rows: Any) -> Any:
        """U ((skew(U^H G_U) / E) S + S (skew(V^H G_V) / E) + diag(g) + diag(skew(U^H G_U)) / (2 S)) V^H and what lies
        outside of U and V, with E[i, j] = s[j]^2 - s[i]^2.

        Source: Townsend 2016, "Differentiating the singular value decomposition"; Wan and Zhang 2019, "Automatic
        differentiation for complex valued SVD", for the phases.
        """
        u, s, rows = ctx.saved_tensors
        g_v = g_rows.mH
        of_u, of_v = u.mH @ g_u, rows @ g_v
        _require_no_phase("svd", of_u + of_v)
        across, along, last = s.unsqueeze(-2), s.unsqueeze(-1), u.shape[-1]
        gaps = (across - along) * (across + along)
        left, right = (_by_gaps(_skew(x), gaps) for x in (of_u, of_v))
        middle = left * across + along * right + _on_diagonal(g_s.to(u.dtype))
        middle = middle + _on_diagonal(_diagonal(_skew(of_u)) / (2 * s))
        found = u @ middle @ rows
        if u.shape[-2] > last:
            found = found + ((g_u - u @ of_u) / across) @ rows
        if rows.shape[-1] > last:
            found = found + (u / across) @ (g_v - rows.mH @ of_v).mH
        return found


class _Eig(_OfMatrices):
    @staticmethod
    def forward(a: Any) -> Any:
        kind = a.dtype.to_complex()
        return _computed("linalg.eig", np.linalg.eig, a, kind, kind)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _save(ctx, output, *output)
        ctx.dtype = inputs[0].dtype

    @staticmethod
    def backward(ctx: Any, g_values: Any, g_vectors: Any) -> Any:
        """V^-H (diag(g) + (V^H G - V^H V Re(diag(V^H G))) / conj(E)) V^H with E[i, j] = w[j] - w[i].

        Source: Boeddeker et al. 2017, "On the computation of complex-valued gradients with application to statistically
        optimum beamforming", section 4.
        """
        w, v = ctx.saved_tensors
        inner = v.mH @ g_vectors
        _require_no_phase("linalg_eig", inner)
        inner = inner - v.mH @ (v * _diagonal(inner).real.unsqueeze(-2))
        gaps = (w.unsqueeze(-2) - w.unsqueeze(-1)).conj()
        middle = _on_diagonal(g_values) + _by_gaps(inner, gaps)
        found = record(CALLS["linalg_solve"], (v.mH, middle @ v.mH), (True,))
        return found if ctx.dtype.is_complex else found.real


class _EigValues(_OfMatrices):
    """Without vectors, for who asks for no derivative."""

    @staticmethod
    def forward(a: Any) -> Any:
        return _computed("linalg.eigvals", np.linalg.eigvals, a, a.dtype.to_complex())[0]

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_non_differentiable(output)


class _Lu(_OfMatrices):
    """(L and U in one matrix, exchanges of rows from 1, which row of the matrix came to each place)."""

    @staticmethod
    def forward(a: Any) -> Any:
        m, n = a.shape[-2:]
        results = ((m, n), a.dtype), ((min(m, n),), int32), ((m,), int64)
        return matrix_by_matrix(_lu_of_one, (a,), (2,), results)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _save(ctx, output, output[0], output[2])
        ctx.mark_non_differentiable(*output[1:])

    @staticmethod
    def backward(ctx: Any, g: Any, *_: Any) -> Any:
        """P L^-H (tril(L^H G_L, -1) + triu(G_U U^H)) U^-H, as of real matrices (ops/factorization.py)."""
        factors, order = ctx.saved_tensors
        m, n = factors.shape[-2:]
        k = min(m, n)
        square, g_square = factors[..., :k, :k], g[..., :k, :k]
        lower, upper = square.tril(-1) + eye(k, dtype=square.dtype, device=square.device), square.triu()
        g_lower, g_upper = g_square.tril(-1), g_square.triu()
        rest: list[Any] = []
        if n > k:
            rest = [_solved(lower.mH, g[..., k:], True)]
            g_lower = g_lower - (rest[0] @ factors[..., k:].mH).tril(-1)
        if m > k:
            rest = [_solved(upper.mH, g[..., k:, :], False)]
            g_upper = g_upper - (factors[..., k:, :].mH @ rest[0]).triu()
        inner = (lower.mH @ g_lower).tril(-1) + (g_upper @ upper.mH).triu()
        found = _solved(lower.mH, _solved(upper.mH, inner, False), True)
        found = record(CALLS["cat"], (found, *rest), (-1 if n > k else -2,)) if rest else found
        return found.gather(-2, order.argsort(-1).unsqueeze(-1).expand(found.shape))


def _solved(triangle: Any, right: Any, is_upper: bool) -> Any:
    """X with T X = B for an upper triangle T; with X T = B for a lower one."""
    return record(CALLS["linalg_solve_triangular"], (triangle, right), (is_upper, is_upper, False))


def _lu_of_one(a: Any) -> tuple[Any, Any, Any]:
    order = np.arange(len(a))
    if not a.size:
        return a, np.zeros(min(a.shape), np.int32), order
    factors, exchanges, _ = routine("getrf", a)(a)
    for i, other in enumerate(exchanges):
        order[[i, other]] = order[[other, i]]
    return factors, exchanges + 1, order


class _SignedLogarithm(_OfMatrices):
    @staticmethod
    def forward(a: Any) -> Any:
        return _computed("linalg.slogdet", np.linalg.slogdet, a, a.dtype, a.dtype.to_real())

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _save(ctx, output, inputs[0], output[0])

    @staticmethod
    def backward(ctx: Any, g_sign: Any, g_size: Any) -> Any:
        """(g - i Im(conj(G) s)) A^-H, where G is the sign's cotangent and s the sign."""
        a, sign = ctx.saved_tensors
        scale = g_size - (g_sign.conj() * sign).imag * 1j
        return record(CALLS["linalg_inv"], (a,)).mH * scale.unsqueeze(-1).unsqueeze(-1)


def eigh(a: Any, upper: bool) -> tuple[Any, Any]:
    """Eigenvalues and eigenvectors of Hermitian matrices."""
    return _Eigh.apply(square_matrices("linalg.eigh", "A", a), upper)  # type: ignore[no-any-return]


def svd(a: Any, full: bool) -> tuple[Any, Any, Any]:
    """U, S and Vh."""
    float_matrices("linalg.svd", "A", a)
    m, n = a.shape[-2:]
    if not full or m == n:
        return _Svd.apply(a)  # type: ignore[no-any-return]
    if grad_mode.is_grad_enabled() and a.requires_grad:
        raise RunError("linalg.svd: vectors that belong to no singular value have no derivative: full_matrices=False")
    return _svd_of(a, True)


def lu(name: str, a: Any) -> tuple[Any, Any, Any]:
    """LU, pivots, and which row of A came to each place."""
    return _Lu.apply(float_matrices(name, "A", a))  # type: ignore[no-any-return]


def slogdet(a: Any) -> tuple[Any, Any]:
    """The sign of the determinant, and the logarithm of its size."""
    return _SignedLogarithm.apply(a)  # type: ignore[no-any-return]


@writes_out("linalg.eig")
def eig(input: Tensor) -> GeneralEigensystem:
    """(eigenvalues, eigenvectors) of square matrices, both complex. It looks at the values.

    The derivative needs eigenvalues that differ, and a result that does not depend on the phases of vectors: else it is
    infinite, or a RuntimeError.

    >>> nbgrad.linalg.eig(nbgrad.tensor([[0.0, -1.0], [1.0, 0.0]])).eigenvalues
    tensor([0.+1.j, 0.-1.j])
    """
    a = square_matrices("linalg.eig", "input", input)
    return GeneralEigensystem(*_Eig.apply(a))


@writes_out("linalg.eigvals")
def eigvals(input: Tensor) -> Tensor:
    """The eigenvalues of square matrices, which are complex, as ``eig`` gives them where a derivative may be asked for;
    otherwise by LAPACK's way without vectors. It looks at the values.

    >>> nbgrad.linalg.eigvals(nbgrad.tensor([[0.0, -1.0], [1.0, 0.0]]))
    tensor([0.+1.j, 0.-1.j])
    """
    a = square_matrices("linalg.eigvals", "input", input)
    if (grad_mode.is_grad_enabled() and a.requires_grad) or local.trace.duals is not None:
        return eig(a).eigenvalues
    return _EigValues.apply(a)  # type: ignore[no-any-return]
