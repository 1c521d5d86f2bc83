"""Products, norms and factorizations of matrices in ``differentiate``: values have the bits of NumPy's functions, as
Numba compiles them, and derivatives are right, those of Hessian-vector products too."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import numpy as np
import pytest
from numba import njit

from nbgrad.numba import differentiate, differentiate_hvp, differentiate_vjp

RANDOM = np.random.default_rng(0)
N = 4
SQUARE = RANDOM.random((N, N)) + N * np.eye(N)
OTHER, VECTOR = RANDOM.random((N, 3)), RANDOM.random(N)
DEFINITE = SQUARE @ SQUARE.T

FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "solve, a vector": (lambda a, b: (np.linalg.solve(a, b) ** 2).sum(), (SQUARE, VECTOR)),
    "solve, by columns": (
        lambda a, b: (np.linalg.solve(a, b) ** 2).sum(),
        tuple(map(np.asfortranarray, (SQUARE, OTHER))),
    ),
    "inv": (lambda a: (np.linalg.inv(a) ** 3).sum(), (SQUARE,)),
    "det": (lambda a: np.linalg.det(a) ** 2, (SQUARE,)),
    "slogdet": (lambda a: np.linalg.slogdet(a)[0] * np.linalg.slogdet(a)[1] ** 2, (SQUARE,)),
    "cholesky": (lambda a: (np.linalg.cholesky(a) ** 3).sum(), (DEFINITE,)),
    "matrix @ matrix": (lambda a, b: ((a @ b) ** 2).sum(), (SQUARE, OTHER)),
    "matrix @ vector": (lambda a, b: (np.dot(a, b) ** 2).sum(), (SQUARE, VECTOR)),
    "vector @ matrix": (lambda a, b: ((a @ b) ** 2).sum(), (VECTOR, np.asfortranarray(OTHER))),
    "vector @ vector": (lambda a, b: np.vdot(a, b) ** 2, (VECTOR, SQUARE[1].copy())),
    "norm of a matrix @ itself": (lambda a: np.linalg.norm(a @ a.T) ** 3, (SQUARE,)),
}


def differences(f: Any, args: tuple[Any, ...], h: float = 1e-5) -> list[Any]:
    found = []
    for k, x in enumerate(args):
        g = np.zeros(x.shape)
        for at in np.ndindex(x.shape):
            up, down = [y.copy(order="K") for y in args], [y.copy(order="K") for y in args]
            up[k][at] += h
            down[k][at] -= h
            g[at] = (f(*up) - f(*down)) / (2 * h)
        found.append(g)
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_gradients_and_hessians(name: str) -> None:
    f, args = njit(FUNCTIONS[name][0]), FUNCTIONS[name][1]
    gradient = differentiate(f)
    value, found = gradient(*args)
    assert value == f(*args)
    along = tuple([RANDOM.random(x.shape) for x in args])
    again, slopes, products = differentiate_hvp(f)(args, along)
    assert again == value
    h = 1e-5
    up, down = (gradient(*[x + s * h * v for x, v in zip(args, along, strict=True)])[1] for s in (1, -1))
    for g, wanted in zip(found, differences(f, args), strict=True):
        np.testing.assert_allclose(g, wanted, rtol=1e-6, atol=1e-7 * np.abs(wanted).max())
    for g, slope in zip(found, slopes, strict=True):
        np.testing.assert_allclose(slope, g, rtol=1e-12)
    for p, a, b in zip(products, up, down, strict=True):
        np.testing.assert_allclose(p, (a - b) / (2 * h), rtol=1e-5, atol=1e-7 * np.abs(p).max())


def test_complex_matrices() -> None:
    """The gradient of |f|^2 by the real and the imaginary part."""

    @njit
    def f(a: Any, b: Any) -> Any:
        x = np.dot(np.linalg.inv(a), np.linalg.solve(a, b)) * np.linalg.det(a) * np.linalg.norm(b)
        return abs(x.sum()) ** 2

    random = RANDOM.random
    a, b = random((3, 3)) + 2 * np.eye(3) + 1j * random((3, 3)), random(3) + 1j * random(3)
    value, found = differentiate(f)(a, b)
    assert value == f(a, b)
    for g, unit in ((np.real, 1.0), (np.imag, 1j)):
        for k, x in enumerate((a, b)):
            wanted = np.zeros(x.shape)
            for at in np.ndindex(x.shape):
                moved = [[y.copy() for y in (a, b)] for _ in range(2)]
                moved[0][k][at] += 1e-6 * unit
                moved[1][k][at] -= 1e-6 * unit
                wanted[at] = (f(*moved[0]) - f(*moved[1])) / 2e-6
            np.testing.assert_allclose(g(found[k]), wanted, rtol=1e-6, atol=1e-7 * np.abs(wanted).max())


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_vdot_of_complex_vectors(dtype: Any) -> None:
    """The conjugate of the first vector times the second: PyTorch's gradients, and the Hessian's products."""
    f = njit(lambda a, b: np.abs(np.vdot(a, b)) ** 2)
    a, b, v, w = [(RANDOM.random(N) + 1j * RANDOM.random(N)).astype(dtype) for _ in range(4)]
    value, found = differentiate(f)(a, b)
    inner, rtol = np.vdot(a, b), 1e-12 if dtype is np.complex128 else 2e-5
    assert value == f(a, b)
    for g, wanted in zip(found, (2 * np.conj(inner) * b, 2 * inner * a), strict=True):
        assert g.dtype == dtype
        np.testing.assert_allclose(g, wanted, rtol=rtol)
    _, slopes, (by_a, by_b) = differentiate_hvp(f)((a, b), (v, w))
    along = np.vdot(v, b) + np.vdot(a, w)
    np.testing.assert_allclose(slopes[0], found[0], rtol=rtol)
    np.testing.assert_allclose(by_a, 2 * (np.conj(along) * b + np.conj(inner) * w), rtol=rtol)
    np.testing.assert_allclose(by_b, 2 * (along * a + inner * v), rtol=rtol)
    if importlib.util.find_spec("torch"):
        torch = importlib.import_module("torch")
        x, y = (torch.tensor(z, requires_grad=True) for z in (a, b))
        (torch.vdot(x, y).abs() ** 2).backward()
        for g, theirs in zip(found, (x.grad, y.grad), strict=True):
            np.testing.assert_allclose(g, theirs.numpy(), rtol=rtol)


def test_single_precision_has_its_bits() -> None:
    f = njit(lambda a, b: np.linalg.solve(a @ a, b))
    a, b = SQUARE.astype(np.float32), VECTOR.astype(np.float32)
    value, (by_a, by_b) = differentiate_vjp(f)((a, b), np.ones(N, np.float32))
    assert value.dtype == by_a.dtype == by_b.dtype == np.float32
    assert np.array_equal(value, f(a, b))
    wanted = np.linalg.solve((SQUARE @ SQUARE).T, np.ones(N))
    np.testing.assert_allclose(by_b, wanted, rtol=1e-5)


def test_steps_among_other_operations_in_a_long_loop() -> None:
    """A recurrence of small systems: chunks of the tape begin and end between them."""

    @njit
    def f(a: Any, b: Any, steps: Any) -> Any:
        x, total = b.copy(), 0.0
        for k in range(steps):
            x = np.linalg.solve(a, x + 0.1 * b) + np.sin(x) * 0.01
            total += x[k % 2] * np.dot(x, b)
        return total + x.sum()

    a, b = np.array([[1.5, 0.2], [-0.3, 1.7]]), np.array([0.3, -0.8])
    value, found = differentiate(f)(a, b, 3000)
    assert value == f(a, b, 3000)
    for g, wanted in zip(found, differences(lambda a, b: f(a, b, 3000), (a, b)), strict=True):
        np.testing.assert_allclose(g, wanted, rtol=1e-6)


def test_singular_matrices_raise_as_ever() -> None:
    @njit
    def caught(a: Any, b: Any) -> Any:
        y = (np.dot(a, b) ** 2).sum()
        try:
            return y + np.linalg.solve(a, b).sum()
        except Exception:
            return 2.0 * y

    a, b = np.ones((2, 2)), np.array([1.0, 2.0])
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        differentiate(njit(lambda a, b: np.linalg.solve(a, b).sum()))(a, b)
    value, (by_a, by_b) = differentiate(caught)(a, b)
    assert value == 36.0 and by_a.tolist() == [[12.0, 24.0], [12.0, 24.0]] and by_b.tolist() == [24.0, 24.0]
    with pytest.raises(np.linalg.LinAlgError, match=r"differentiate: .*no derivatives: it is singular"):
        differentiate(njit(lambda a: np.linalg.slogdet(a)[1]))(a)


def test_determinants_of_nothing_and_of_singular_matrices() -> None:
    f = njit(lambda a: np.linalg.det(a))
    det = differentiate(f)
    value, (by_a,) = det(np.empty((0, 0)))
    assert value == 1.0 and by_a.shape == (0, 0)
    value, (by_a,) = det(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]))
    np.testing.assert_allclose(by_a, [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]], atol=1e-15)
    singular, along = np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([[1.0, 2.0], [3.0, 5.0]])
    np.testing.assert_allclose(det(singular)[1][0], [[4.0, -2.0], [-2.0, 1.0]])
    product = differentiate_hvp(f)((singular,), (along,))[2][0]
    np.testing.assert_allclose(product, [[5.0, -3.0], [-2.0, 1.0]])
    assert differentiate_hvp(f)((np.zeros((1, 1)),), (np.ones((1, 1)),))[1][0].tolist() == [[1.0]]


def test_what_depends_on_no_argument_takes_no_tape() -> None:
    constant = np.eye(64)

    @njit
    def f(x: Any) -> Any:
        total = 0.0
        for _ in range(100):
            total += np.linalg.inv(constant)[0, 0]
        return total * x

    assert differentiate(f, tape_bytes=200_000)(2.0) == (200.0, (100.0,))


def test_matrices_count_as_tape() -> None:
    f = njit(lambda a: np.linalg.inv(a).sum())
    with pytest.raises(MemoryError, match="tape_bytes"):
        differentiate(f, tape_bytes=10_000)(np.eye(64))
    assert differentiate(f, tape_bytes=1_000_000)(np.eye(64))[0] == 64.0


def test_cotangents_that_are_not_finite_are_nan() -> None:
    _, (by_a, by_b) = differentiate_vjp(njit(lambda a, b: np.linalg.solve(a, b)))(
        (np.eye(2), np.ones(2)), np.array([np.inf, 0.0])
    )
    assert np.isnan(by_a).all() and np.isnan(by_b).all()


def test_shapes_that_do_not_fit_are_refused_as_ever() -> None:
    with pytest.raises(ValueError, match="incompatible array sizes"):
        differentiate(njit(lambda a, b: np.dot(a, b)))(np.ones(2), np.ones(3))
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        differentiate(njit(lambda a: np.linalg.inv(a).sum()))(np.ones((2, 3)))
