"""Computations as functions for ``@njit`` code: nbgrad's bits at any sizes, in threads, and what is refused."""

from __future__ import annotations

import doctest
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy
from numba import cfunc, njit, prange, types
from numba.core.errors import NumbaWarning
from scipy.integrate import quad

import nbgrad as nb
import nbgrad.numba
from nbgrad.errors import ArgumentError, DTypeError, NbgradError
from nbgrad.numba import export

RNG = np.random.default_rng(0)
W1, W2 = (nb.tensor(RNG.standard_normal(shape), dtype=nb.float32) for shape in ((8, 16), (16, 3)))


def rosenbrock(x: Any) -> Any:
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


def network(x: Any, b: Any) -> Any:
    return (((x @ W1 + b).tanh() @ W2).log_softmax(-1)[:, 0] * -1.0).mean()


def several(x: Any, at: Any, a: Any) -> Any:
    return x.t(), (x * a).sum(1)[at], x > 0.5, at * 2, x[0, 0]


def curvature(x: Any, v: Any) -> Any:
    (g,) = nb.autograd.grad(rosenbrock(x), x, create_graph=True)
    return nb.autograd.grad(g, x, grad_outputs=v)[0]


def singles(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def doubles(*shape: int) -> Any:
    return RNG.standard_normal(shape)


def places(*at: int) -> Any:
    return np.array(at)


# A function, its examples, and arguments of other sizes.
VALUES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "sum of squares": (rosenbrock, (doubles(4),), (doubles(1000),)),
    "float32": (rosenbrock, (singles(4),), (singles(7),)),
    "bound tensors": (network, (singles(4, 8), singles(16)), (singles(9, 8), singles(16))),
    "several results": (several, (doubles(2, 3), places(1), 0.0), (doubles(4, 5), places(3, 0), -1.5)),
    "a second derivative": (curvature, (doubles(3), doubles(3)), (doubles(12), doubles(12))),
    "no elements": (lambda x: (x * 2.0, x.sum()), (doubles(2, 3),), (doubles(0, 3),)),
    "an argument itself": (lambda x: x, (doubles(2),), (doubles(5),)),
    "LAPACK": (lambda a, b: nb.linalg.solve(a @ a.T + 1.0, b), (np.eye(2), doubles(2)), (doubles(5, 5), doubles(5))),
}


def plainly(fn: Callable[..., Any], *arrays: Any) -> list[Any]:
    tensors = [nb.tensor(x, dtype=nb.float64) if isinstance(x, float) else nb.tensor(x) for x in arrays]
    tensors = [x.requires_grad_() if x.is_floating_point() else x for x in tensors]
    found = fn(*tensors)
    return [y.detach().numpy() for y in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("case", VALUES)
def test_values_are_nbgrads_at_all_sizes(case: str) -> None:
    fn, examples, others = VALUES[case]
    compiled = nbgrad.numba.njit(fn, *examples)
    for arguments in (examples, others, examples):
        found = compiled(*arguments)
        for y, expected in zip(found if isinstance(found, tuple) else (found,), plainly(fn, *arguments), strict=True):
            assert np.asarray(y).shape == expected.shape
            assert not expected.ndim or y.dtype == expected.dtype  # of numbers Numba makes Python's
            assert (np.asarray(y) == expected).all()


@pytest.mark.parametrize("case", ["sum of squares", "float32", "bound tensors"])
def test_gradients_are_nbgrads(case: str) -> None:
    fn, examples, others = VALUES[case]
    compiled = nbgrad.numba.value_and_grad(fn, *examples)
    for arguments in (examples, others):
        tensors = [nb.tensor(x, requires_grad=True) for x in arguments]
        loss = fn(*tensors)
        loss.backward()
        value, *gradients = compiled(*arguments)
        assert value == loss.item()
        for g, x in zip(gradients, tensors, strict=True):
            assert (g == x.grad.numpy()).all()


value_and_grad = nbgrad.numba.value_and_grad(rosenbrock, np.zeros(3))


def test_it_is_called_from_several_threads() -> None:
    @njit(parallel=True)
    def each(xs: Any) -> Any:
        values, gradients = np.empty(len(xs)), np.empty(xs.shape)
        for k in prange(len(xs)):
            values[k], gradients[k] = value_and_grad(xs[k])
        return values, gradients

    for size in (5, 11):
        xs = doubles(500, size)
        values, gradients = each(xs)
        for k in (0, 250, 499):
            value, gradient = value_and_grad(xs[k])
            assert values[k] == value
            assert (gradients[k] == gradient).all()


def test_numbers_live_as_long_as_the_call_that_has_them() -> None:
    """Numba gives an array back after its last use by name, and others take its memory meanwhile."""
    weighted = nbgrad.numba.value_and_grad(lambda a, b, c, d: a * b + (c * d).tanh(), 0.0, 0.0, 0.0, 0.0)

    @njit(parallel=True)
    def each(xs: Any) -> Any:
        found = np.empty((len(xs), 5))
        for k in prange(len(xs)):
            other = np.full(k % 5 + 1, 1e9)  # in the way
            value, ga, gb, gc, gd = weighted(xs[k, 0], xs[k, 1], xs[k, 2], xs[k, 3])
            found[k] = np.array([value, ga, gb, gc, gd]) + 0.0 * other[0]
        return found

    xs = doubles(2000, 4)
    for row, (a, b, c, d) in zip(each(xs), xs.tolist(), strict=True):
        slope = 1.0 - np.tanh(c * d) ** 2
        np.testing.assert_allclose(row, [a * b + np.tanh(c * d), b, a, d * slope, c * slope], rtol=1e-9, atol=1e-12)


def test_a_forked_child_calls_it_and_makes_programs_of_its_own() -> None:
    before = value_and_grad(np.ones(4))[0]
    child = os.fork()
    if not child:
        os._exit(0 if value_and_grad(np.ones(4))[0] == before and value_and_grad(np.full(31, 1.0))[0] == 0.0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_what_it_is_given_has_the_dtype_rank_and_layout_of_the_example() -> None:
    for wrong in (np.zeros(3, np.float32), np.zeros((3, 3)), np.zeros(6)[::2], np.asfortranarray(np.zeros((2, 2)))):
        with pytest.raises(TypeError, match="No matching definition"):
            value_and_grad(wrong)


def test_numba_keeps_no_code_that_calls_it() -> None:
    @njit(cache=True)
    def cached(x: Any) -> Any:
        return value_and_grad(x)[0]

    with pytest.warns(NumbaWarning, match="dynamic globals"):
        assert cached(np.ones(3)) == 0.0


def test_scipy_calls_it_by_address() -> None:
    slope = nbgrad.numba.value_and_grad(lambda x: (x.sin() * x.exp()).sum(), 0.0)

    @cfunc(types.float64(types.float64))
    def integrand(x: float) -> float:
        return slope(x)[1]

    area, _ = quad(scipy.LowLevelCallable(integrand.ctypes), 0.0, 2.0)
    assert area == pytest.approx(np.sin(2.0) * np.exp(2.0), abs=1e-12)


def test_failures_are_errors_where_it_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    pick = nbgrad.numba.njit(lambda x, at: x[at], np.zeros(3), places(0))
    with pytest.raises(IndexError, match="out of range"):
        pick(np.zeros(4), places(4))
    assert pick(np.arange(4.0), places(3)) == [3.0]
    fifth = nbgrad.numba.njit(lambda x: x[4], np.zeros(5))
    with pytest.raises(ValueError, match="no program can be made for arguments of these sizes"):
        fifth(np.zeros(3))
    assert "index 4 is out of bounds" in capsys.readouterr().err
    assert fifth(np.arange(9.0)) == 4.0


def test_there_is_an_end_to_new_sizes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    double = nbgrad.numba.njit(lambda x: x * 2.0, np.zeros(1))
    monkeypatch.setattr(export, "_MOST_SIZES", 2)
    double(np.zeros(2))
    with pytest.raises(ValueError, match="no program"):
        double(np.zeros(3))
    assert "more than 2 combinations of sizes" in capsys.readouterr().err
    assert double(np.ones(2)).tolist() == [2.0, 2.0]


held = nb.zeros(2)


def ask(x: Any) -> Any:
    return x * x.sum().item()


def write(x: Any) -> Any:
    held.add_(1.0)
    return x + held


REFUSED: dict[str, tuple[Callable[[], Any], type[NbgradError], str]] = {
    "a look": (lambda: nbgrad.numba.njit(ask, np.zeros(2)), ArgumentError, "ask looks at values"),
    "random": (lambda: nbgrad.numba.njit(lambda x: x + nb.randn(2), np.zeros(2)), ArgumentError, "random numbers"),
    "a write": (lambda: nbgrad.numba.njit(write, np.zeros(2)), ArgumentError, "write writes to a tensor"),
    "no tensor": (lambda: nbgrad.numba.njit(lambda x: 3, np.zeros(2)), ArgumentError, "that gives Tensors"),
    "nothing": (lambda: nbgrad.numba.njit(lambda x: (), np.zeros(2)), ArgumentError, "that gives Tensors"),
    "no example": (lambda: nbgrad.numba.njit(ask), ArgumentError, "an example for each argument"),
    "columns": (lambda: nbgrad.numba.njit(ask, np.ones((2, 3)).T), ArgumentError, "example 1 of ask is not row-major"),
    "an int": (lambda: nbgrad.numba.njit(ask, 3), DTypeError, "must be an array, a Tensor or a float, not int"),
    "a text": (lambda: nbgrad.numba.njit(ask, "x"), DTypeError, "example 1 of ask must be an array"),
    "complex": (lambda: nbgrad.numba.njit(ask, np.zeros(2, complex)), DTypeError, "complex128, which tensors have not"),
    "no value": (
        lambda: nbgrad.numba.value_and_grad(lambda x: x, np.zeros(2)),
        ArgumentError,
        "gives a 0-d floating Tensor",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    call, kind, text = REFUSED[case]
    with pytest.raises(kind, match=text) as refused:
        call()
    assert "test_export.py" in str(refused.value)


def test_the_examples_run() -> None:
    tests = doctest.DocTestFinder().find(export, globs={"nbgrad": nb})
    assert sum([len(test.examples) for test in tests]) > 5
    assert all(doctest.DocTestRunner().run(test).failed == 0 for test in tests)
