"""Linear algebra of complex matrices, and eigenvalues of any, beside PyTorch and by differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb


def _numbers(*shape: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


A, B, WIDE = _numbers(2, 3, 3), _numbers(2, 3, 2, seed=1), _numbers(2, 4, seed=2)
REAL = np.random.default_rng(3).standard_normal((3, 3))
# By name: a function whose result does not depend on phases, and its input.
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "inv": (lambda m, a: m.linalg.inv(a), (A,)),
    "solve": (lambda m, a, b: m.linalg.solve(a, b), (A, B)),
    "solve on the right": (lambda m, a, b: m.linalg.solve(a, b.mT, left=False), (A, B)),
    "solve_triangular": (lambda m, a, b: m.linalg.solve_triangular(a.triu(), b, upper=True), (A, B)),
    "unit triangles": (
        lambda m, a, b: m.linalg.solve_triangular(a.tril(), b, upper=False, unitriangular=True),
        (A, B),
    ),
    "on the right": (
        lambda m, a, b: m.linalg.solve_triangular(a.triu(), b.mT, upper=True, left=False, unitriangular=True),
        (A, B),
    ),
    "triangular_solve": (lambda m, a, b: m.triangular_solve(b, a.triu(), transpose=True)[0], (A, B)),
    "cholesky_solve": (lambda m, a, b: m.cholesky_solve(b, a.tril()), (A, B)),
    "cholesky_solve, upper": (lambda m, a, b: m.cholesky_solve(b, a.triu(), upper=True), (A, B)),
    "cholesky_inverse": (lambda m, a: m.cholesky_inverse(a.tril(-1) + 2 * m.eye(3)), (A,)),
    "lu_solve": (lambda m, a, b: m.linalg.lu_solve(a, _pivots(m), b), (A, B)),
    "lu_solve, adjoint": (lambda m, a, b: m.linalg.lu_solve(a, _pivots(m), b, adjoint=True), (A, B)),
    "lu_solve on the right": (lambda m, a, b: m.linalg.lu_solve(a, _pivots(m), b.mT, left=False), (A, B)),
    "householder_product": (lambda m, a, b: m.linalg.householder_product(a, b[..., 0]), (A, B)),
    "lstsq": (lambda m, a, b: m.linalg.lstsq(a, b).solution, (A, B)),
    "cholesky": (lambda m, a: m.linalg.cholesky(a @ a.mH + 3 * m.eye(3)), (A,)),
    "upper cholesky": (lambda m, a: m.linalg.cholesky(a @ a.mH + 3 * m.eye(3), upper=True), (A,)),
    "det": (lambda m, a: m.linalg.det(a), (A,)),
    "lu": (lambda m, a: m.cat(m.linalg.lu(a), -1), (A,)),
    "lu, wide": (lambda m, a: m.linalg.lu_factor_ex(a)[0], (WIDE,)),
    "lu, tall": (lambda m, a: m.linalg.lu_factor_ex(a.mT)[0], (WIDE,)),
    "lu_factor": (lambda m, a, b: m.linalg.lu_solve(*m.linalg.lu_factor(a), b), (A, B)),
    "cond": (lambda m, a: m.linalg.cond(a), (A,)),
    "slogdet": (lambda m, a: m.linalg.slogdet(a)[0] * m.linalg.slogdet(a)[1], (A,)),
    "matrix_power": (lambda m, a: m.linalg.matrix_power(a, -2), (A,)),
    "eigvalsh": (lambda m, a: m.linalg.eigvalsh(a + a.mH), (A,)),
    "eigh": (lambda m, a: _projector(m.linalg.eigh(a + a.mH)[1]), (A,)),
    "svdvals": (lambda m, a: m.linalg.svdvals(a), (WIDE,)),
    "svd": (lambda m, a: _rank_one(*m.linalg.svd(a, full_matrices=False)), (WIDE,)),
    "pinv": (lambda m, a: m.linalg.pinv(a), (WIDE,)),
    "qr": (lambda m, a: _projector(m.linalg.qr(a)[0]), (A,)),
    "matrix_norm": (lambda m, a: m.linalg.matrix_norm(a), (A,)),
    "eigvals": (lambda m, a: (m.linalg.eigvals(a) ** 3).sum(-1), (A,)),
    "eig": (lambda m, a: _squares(*m.linalg.eig(a)), (A,)),
    "eig of real": (lambda m, a: _squares(*m.linalg.eig(a)), (REAL,)),
}


def _pivots(m: Any) -> Any:
    return m.tensor([[2, 3, 3], [1, 3, 3]], dtype=m.int32)


def _projector(vectors: Any) -> Any:
    first = vectors[..., :1]
    return first @ first.mH


def _rank_one(u: Any, s: Any, rows: Any) -> Any:
    return u[..., :1] * s[..., :1] @ rows[..., :1, :]


def _squares(w: Any, v: Any) -> Any:
    return ((v.abs() ** 2) * (w.abs() + 1).unsqueeze(-2)).sum((-1, -2))


def _array(x: Any) -> Any:
    x = x.detach()
    return (x.resolve_conj() if hasattr(x, "resolve_conj") else x).numpy()


def _derivatives(m: Any, function: Callable[..., Any], arrays: tuple[Any, ...]) -> list[Any]:
    tensors = [m.tensor(a, requires_grad=True) for a in arrays]
    y = function(m, *tensors)
    first = m.autograd.grad(((y * m.tensor(_numbers(*y.shape, seed=5))).real ** 2).sum(), tensors, create_graph=True)
    second = m.autograd.grad(sum([(g * (1 + 0.5j)).real.sum() ** 2 for g in first]), tensors)
    return [_array(x) for x in (y, *first, *second)]


@pytest.mark.parametrize("name", CASES)
def test_values_gradients_and_second_gradients_are_torchs(name: str) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    function, arrays = CASES[name]
    for x, y in zip(*[_derivatives(m, function, arrays) for m in (nb, torch)], strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=1e-8, atol=1e-8 * np.abs(y).max())


FORWARD = [
    "det",
    "slogdet",
    "eigvalsh",
    "eigh",
    "svdvals",
    "svd",
    "eigvals",
    "eig",
    "lu",
    "lu, wide",
    "lu, tall",
    "cond",
]


@pytest.mark.parametrize("name", FORWARD)
def test_forward_mode_agrees_with_differences(name: str) -> None:
    function, (a,) = CASES[name]
    x = nb.tensor(a[:1] if a.ndim == 3 else a, requires_grad=True)
    assert nb.autograd.gradcheck(lambda x: function(nb, x), (x,), check_forward_ad=True)


def test_second_derivatives_by_forward_mode() -> None:
    def loss(x: Any) -> Any:
        return nb.linalg.eigvals(x).abs().sum()

    x = nb.tensor(REAL)
    twice = nb.func.jacrev(nb.func.jacrev(loss))(x)
    np.testing.assert_allclose(nb.func.hessian(loss)(x).numpy(), twice.numpy(), rtol=1e-9, atol=1e-12)
    a, t, step = A[0], A[1], 1e-4
    want = sum([k * np.linalg.det(a + s * step * t) for k, s in ((1, 1), (-2, 0), (1, -1))]) / step**2
    found = nb.func.jvp(
        lambda x: nb.func.jvp(nb.linalg.det, (x,), (nb.tensor(t),))[1], (nb.tensor(a),), (nb.tensor(t),)
    )[1]
    np.testing.assert_allclose(found.numpy(), want, rtol=1e-6)


def test_products_of_reflections_are_torchs() -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    tau = _numbers(2, 3, seed=4)
    for left in (True, False):
        for turned in (True, False):
            found, known = (
                m.ormqr(m.tensor(A), m.tensor(tau), m.tensor(A[::-1].copy()), left, turned) for m in (nb, torch)
            )
            np.testing.assert_allclose(found.numpy(), known.numpy(), rtol=1e-12)


def test_factors_give_the_matrix_again() -> None:
    for a in (_numbers(4, 3), _numbers(3, 4), _numbers(3, 3)):
        x = nb.tensor(a)
        for full in (True, False):
            u, s, rows = nb.linalg.svd(x, full)
            k = s.shape[-1]
            assert nb.allclose((u[:, :k] * s) @ rows[:k], x)
        for mode in ("reduced", "complete"):
            q, r = nb.linalg.qr(x, mode)
            assert nb.allclose(q @ r, x) and nb.allclose(q.mH @ q, nb.eye(q.shape[-1], dtype=x.dtype))
            assert nb.allclose(r.tril(-1), nb.zeros_like(r))
    w, v = nb.linalg.eigh(nb.eye(3, dtype=nb.complex128))
    assert w.tolist() == [1, 1, 1] and nb.allclose(v.mH @ v, nb.eye(3, dtype=nb.complex128))


def test_what_depends_on_phases_has_no_gradient() -> None:
    x = nb.tensor(_numbers(3, 3), requires_grad=True)
    for vectors in (nb.linalg.eig(x)[1], nb.linalg.eigh(x + x.mH)[1]):
        with pytest.raises(RuntimeError, match="ill-defined"):
            nb.autograd.grad((vectors * 1j).real.sum(), x)


def test_singular_matrices_are_refused() -> None:
    with pytest.raises(nb.linalg.LinAlgError):
        nb.linalg.inv(nb.zeros(2, 2, dtype=nb.complex64)).tolist()


def test_numpy_warns_of_no_number() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sign, size = nb.linalg.slogdet(nb.full((2, 2), complex("inf"), dtype=nb.complex128))
    assert sign.isnan() and not size.isfinite()


def test_vectors_are_no_matrices() -> None:
    for name in ("pinv", "qr", "svd", "lu", "eigh", "eig"):
        with pytest.raises(RuntimeError, match=rf"linalg\.{name}: .*2 dimensions"):
            getattr(nb.linalg, name)(nb.ones(3, dtype=nb.complex64))


@pytest.mark.parametrize("hermitian", [False, True])
def test_ldl_factors_of_symmetric_and_hermitian_matrices(hermitian: bool) -> None:
    a = A + (A.conj() if hermitian else A).swapaxes(1, 2)
    factors = nb.linalg.ldl_factor(nb.tensor(a), hermitian=hermitian)
    x = nb.linalg.ldl_solve(*factors, nb.tensor(B), hermitian=hermitian)
    np.testing.assert_allclose(a @ x.numpy(), B, atol=1e-12)


@pytest.mark.parametrize("name", ["det", "slogdet", "eigvalsh", "eigh", "svdvals", "svd", "eigvals", "eig", "lu"])
def test_many_examples_at_once(name: str) -> None:
    function, (a,) = CASES[name]
    a = _numbers(3, *a.shape[-2:], seed=4)

    def loss(x: Any) -> Any:
        return (function(nb, x).abs() ** 2).sum()

    found = nb.func.vmap(nb.func.grad_and_value(loss))(nb.tensor(a))
    for k, x in enumerate(a):
        for every, alone in zip(found, nb.func.grad_and_value(loss)(nb.tensor(x)), strict=True):
            np.testing.assert_allclose(every[k].numpy(), alone.numpy(), rtol=1e-12, atol=1e-12)


def test_eigenvalues_alone_are_those_of_eig_and_have_derivatives_where_asked() -> None:
    a = np.random.default_rng(3).normal(size=(2, 3, 4, 4))
    x = nb.from_numpy(a)
    alone = np.sort_complex(nb.linalg.eigvals(x).numpy())
    np.testing.assert_allclose(alone, np.sort_complex(nb.linalg.eig(x).eigenvalues.numpy()), rtol=1e-12)
    assert nb.linalg.eigvals(x.requires_grad_()).requires_grad
    trace = nb.func.jvp(lambda x: nb.linalg.eigvals(x).sum().real, (x.detach(),), (nb.ones_like(x),))[1]
    np.testing.assert_allclose(trace.item(), 24, rtol=1e-12)
    with nb.autograd.forward_ad.dual_level():
        dual = nb.autograd.forward_ad.make_dual(x.detach(), nb.ones_like(x))
        along = nb.autograd.forward_ad.unpack_dual(nb.linalg.eigvals(dual).sum().real).tangent
    np.testing.assert_allclose(along.item(), 24, rtol=1e-12)
    of_each = nb.vmap(nb.linalg.eigvals)(x.detach())
    np.testing.assert_array_equal(of_each.numpy(), nb.linalg.eigvals(x.detach()).numpy())
