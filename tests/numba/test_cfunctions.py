"""Computations as C functions: SciPy's integrals and filters, an optimiser, and errors that do not vanish."""

from __future__ import annotations

import ctypes
import doctest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy import LowLevelCallable, ndimage
from scipy.integrate import nquad, quad

import nbgrad as nb
import nbgrad.numba
from nbgrad.errors import ArgumentError, DTypeError, TensorIndexError
from nbgrad.numba import cfunctions

FILTER = "int (double *, npy_intp, double *, void *)"
SLOPE = "double (unsigned, const double *, double *, void *)"
DOUBLES = ctypes.POINTER(ctypes.c_double)


def slope(x: Any) -> Any:
    return nb.autograd.grad((x * x).sin() * x.exp(), x)[0]


def steep(x: Any, a: Any) -> Any:
    return nb.autograd.grad((a[0] * x).sin() + a[1] * x, x)[0]


def rosenbrock(x: Any) -> Any:
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


def pointer(x: Any) -> Any:
    return x.ctypes.data_as(DOUBLES)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was written to stderr of errors that nobody could raise."""
    found: list[str] = []
    monkeypatch.setattr("sys.unraisablehook", lambda args: found.append(str(args.exc_value)))
    return found


def test_quad_integrates_a_derivative() -> None:
    f = nbgrad.numba.cfunc(slope, "double (double)", 0.0)
    assert quad(f.callable(), 0.0, 1.5)[0] == pytest.approx(np.sin(1.5**2) * np.exp(1.5), abs=1e-11)
    assert quad(LowLevelCallable(f.ctypes), 0.0, 1.0)[0] == pytest.approx(np.sin(1.0) * np.e, abs=1e-11)
    f.check()


@pytest.mark.parametrize("signature", ["double (double, void *)", "double(double,void*)"])
def test_quad_hands_over_parameters(signature: str) -> None:
    f = nbgrad.numba.cfunc(steep, signature, 0.0, np.zeros(2))
    parameters = np.array([2.0, 3.0])
    call = f.callable(parameters)
    assert quad(call, 0.0, 1.0)[0] == pytest.approx(np.sin(2.0) + 3.0, abs=1e-11)
    parameters[:] = 1.0, 0.0  # read at each call
    assert quad(call, 0.0, 1.0)[0] == pytest.approx(np.sin(1.0), abs=1e-11)
    f.check()


def test_quad_and_nquad_integrate_functions_of_vectors() -> None:
    def density(x: Any) -> Any:
        return (x[0] * x[1]).cos() * x[1]

    f = nbgrad.numba.cfunc(density, "double (int, double *)", np.zeros(2))
    assert nquad(f.callable(), [[0.0, 1.0], [0.0, 2.0]])[0] == pytest.approx(1.0 - np.cos(2.0), abs=1e-10)
    assert quad(f.callable(), 0.0, 1.0, args=(3.0,))[0] == pytest.approx(np.sin(3.0), abs=1e-10)
    scaled = nbgrad.numba.cfunc(
        lambda x, a: density(x) * a[0], "double (int, double *, void *)", np.zeros(2), np.zeros(1)
    )
    found, _ = nquad(scaled.callable(np.array([10.0])), [[0.0, 1.0], [0.0, 2.0]])
    assert found == pytest.approx(10.0 * (1.0 - np.cos(2.0)), abs=1e-9)
    f.check()
    scaled.check()


def test_a_filter_of_images() -> None:
    def roughness(window: Any) -> Any:
        return ((window - window.mean()) ** 2).sum().sqrt()

    def sharp(window: Any, a: Any) -> Any:
        return (window * a).sum()

    image = np.random.default_rng(0).normal(size=(12, 17))
    f = nbgrad.numba.cfunc(roughness, FILTER, np.zeros(9))
    expected = ndimage.generic_filter(image, lambda x: np.sqrt(((x - x.mean()) ** 2).sum()), 3)
    np.testing.assert_allclose(ndimage.generic_filter(image, f.callable(), 3), expected, rtol=1e-12)
    weights = np.arange(9.0)
    g = nbgrad.numba.cfunc(sharp, FILTER, np.zeros(9), np.zeros(9))
    expected = ndimage.correlate(image, weights.reshape(3, 3), mode="reflect")
    np.testing.assert_allclose(ndimage.generic_filter(image, g.callable(weights), 3), expected, atol=1e-12)
    f.check()
    g.check()


@pytest.mark.parametrize("dims", [2, 7])
def test_an_optimiser_calls_it_by_its_ctypes_function(dims: int) -> None:
    """Gradient descent with a line search, in machine code that knows a C function and nothing else."""
    f = nbgrad.numba.cfunc(rosenbrock, SLOPE, np.zeros(2))
    objective = f.ctypes

    @njit
    def minimise(x: Any, rounds: int) -> Any:
        gradient, ahead, step = np.empty_like(x), np.empty_like(x), 1e-3
        value = objective(len(x), x.ctypes, gradient.ctypes, x.ctypes)
        for _ in range(rounds):
            new = x - step * gradient
            found = objective(len(x), new.ctypes, ahead.ctypes, x.ctypes)
            if found < value:
                for k in range(len(x)):
                    x[k], gradient[k] = new[k], ahead[k]
                value, step = found, step * 1.3
            else:
                step *= 0.5
        return value

    x = np.zeros(dims)
    assert minimise(x, 30_000) < 1e-6
    np.testing.assert_allclose(x, 1.0, atol=0.01)
    f.check()


def test_value_and_gradient_by_address() -> None:
    def scaled(x: Any, a: Any) -> Any:
        return rosenbrock(x) * a[0]

    f = nbgrad.numba.cfunc(scaled, "double(unsigned, double*, double*, void*)", np.zeros(2), np.zeros(1))
    call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_uint, DOUBLES, DOUBLES, ctypes.c_void_p)(f.address)
    x, g, a = np.array([1.0, 2.0, 3.0]), np.zeros(3), np.array([2.0])
    plain = nb.tensor(x, requires_grad=True)
    (rosenbrock(plain) * 2.0).backward()
    assert call(3, pointer(x), pointer(g), a.ctypes.data) == 2.0 * rosenbrock(nb.tensor(x)).item()
    assert (g == plain.grad.numpy()).all()
    assert call(3, pointer(x), None, a.ctypes.data) == 2.0 * rosenbrock(nb.tensor(x)).item()
    assert repr(f) == f"<C function scaled: {SLOPE}>"


def test_it_is_called_from_several_threads() -> None:
    f = nbgrad.numba.cfunc(slope, "double (double)", 0.0)

    def integrate(k: int) -> Any:
        return quad(f.callable(), 0.0, 0.1 * k)[0]

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(integrate, range(1, 30)))
    assert found == [integrate(k) for k in range(1, 30)]
    f.check()


def test_an_error_gives_nan_is_told_once_and_raised_by_check(told: list[str]) -> None:
    f = nbgrad.numba.cfunc(lambda x: x[:4].sum() + x[4], "double (int, double *)", np.zeros(5))
    x = np.ones(5)
    assert np.isnan([f.ctypes(3, pointer(x)), f.ctypes(4, pointer(x))]).all()
    assert len(told) == 1 and "index 4 is out of bounds for dimension 0 with size 3" in told[0]
    with pytest.raises(TensorIndexError, match="index 4 is out of bounds for dimension 0 with size 3"):
        f.check()
    f.check()
    assert f.ctypes(5, pointer(x)) == 5.0
    f.check()


def test_a_failing_kernel_gives_nan(told: list[str]) -> None:
    def pick(x: Any) -> Any:
        return x[(x[:1] * 10.0).to(nb.int64)].sum()

    f = nbgrad.numba.cfunc(pick, "double (int, double *)", np.zeros(3))
    assert f.ctypes(3, pointer(np.zeros(3))) == 0.0
    assert np.isnan(f.ctypes(3, pointer(np.ones(3))))
    with pytest.raises(TensorIndexError, match="out of range"):
        f.check()
    assert "out of range" in told[0]


def test_a_filter_fails_where_a_call_does(told: list[str]) -> None:
    f = nbgrad.numba.cfunc(lambda x: x[8], FILTER, np.zeros(9))
    with pytest.raises(RuntimeError):
        ndimage.generic_filter(np.zeros((5, 5)), f.callable(), 2)
    with pytest.raises(TensorIndexError, match="index 8 is out of bounds"):
        f.check()
    assert len(told) == 1


def test_memory_that_an_optimiser_uses_twice_is_refused(told: list[str]) -> None:
    f = nbgrad.numba.cfunc(rosenbrock, SLOPE, np.zeros(2))
    x = np.ones(3)
    assert np.isnan(f.ctypes(3, pointer(x), pointer(x), None))
    assert x.tolist() == [1.0] * 3
    with pytest.raises(ArgumentError, match="out shares memory with x"):
        f.check()
    assert len(told) == 1


def test_parameters_that_do_not_come_are_an_error(told: list[str]) -> None:
    f = nbgrad.numba.cfunc(steep, "double (double, void *)", 0.0, np.zeros(2))
    assert np.isnan(f.ctypes(1.0, None))
    with pytest.raises(ArgumentError, match=r"called without its 2 parameters: void \* is null"):
        f.check()
    assert len(told) == 1


def test_parameters_of_another_kind_are_refused() -> None:
    f = nbgrad.numba.cfunc(steep, "double (double, void *)", 0.0, np.zeros(2))
    wanted = r"steep: parameters must be a row-major array of float64 of shape \[2\], not "
    for wrong, text in (
        (None, "NoneType"),
        ([1.0, 2.0], "list"),
        (np.zeros(3), r"one of float64 of shape \[3\]"),
        (np.zeros(2, np.float32), r"one of float32 of shape \[2\]"),
        (np.zeros(4)[::2], "a strided one"),
    ):
        with pytest.raises(DTypeError, match=wanted + text):
            f.callable(wrong)
    with pytest.raises(ArgumentError, match="it takes none"):
        nbgrad.numba.cfunc(slope, "double (double)", 0.0).callable(np.zeros(1))


def both(x: Any) -> Any:
    return x, x


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "signature": (
        lambda: nbgrad.numba.cfunc(slope, "float (float)", 0.0),
        r"no function can have the C signature 'float \(float\)'; there are double \(double\), ",
    ),
    "rank": (lambda: nbgrad.numba.cfunc(slope, "double (double)", np.zeros(2)), "example 1 of slope must be a float"),
    "vector": (lambda: nbgrad.numba.cfunc(slope, FILTER, 0.0), "example 1 of slope must be a 1-d float64 array"),
    "dtype": (lambda: nbgrad.numba.cfunc(slope, FILTER, np.zeros(2, np.float32)), "must be a 1-d float64 array"),
    "no data": (
        lambda: nbgrad.numba.cfunc(steep, "double (double)", 0.0, np.zeros(2)),
        r"double \(double\) takes as examples one of x, not 2",
    ),
    "none": (lambda: nbgrad.numba.cfunc(slope, FILTER), "takes as examples one of x, and one of parameters"),
    "results": (lambda: nbgrad.numba.cfunc(both, "double (double)", 0.0), "both must give one 0-d Tensor of float64"),
    "result": (lambda: nbgrad.numba.cfunc(lambda x: x, FILTER, np.zeros(2)), "must give one 0-d Tensor of float64"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    call, text = REFUSED[case]
    with pytest.raises(ArgumentError, match=text) as refused:
        call()
    assert "test_cfunctions.py" in str(refused.value)


def test_the_examples_run() -> None:
    tests = doctest.DocTestFinder().find(cfunctions, globs={"nbgrad": nb})
    assert sum([len(test.examples) for test in tests]) > 5
    assert all(doctest.DocTestRunner().run(test).failed == 0 for test in tests)
