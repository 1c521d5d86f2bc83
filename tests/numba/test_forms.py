"""Derivatives as functions for ``@njit`` code: the numbers of PyTorch's names, and what is refused."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit

import nbgrad as nb
import nbgrad.numba
from nbgrad.errors import ArgumentError, NbgradError, ShapeError
from nbgrad.numba import forms

RNG = np.random.default_rng(0)


def scalar(x: Any, m: Any, a: Any) -> Any:
    return ((m @ x).tanh() ** 2).sum() * a + (x**3).sum()


def vectors(x: Any, m: Any, a: Any) -> Any:
    return (m @ x).sin() * a, (x * x).sum() * a, x[:2].exp()


def arguments(n: int, k: int) -> tuple[Any, ...]:
    return RNG.standard_normal(n), RNG.standard_normal((k, n)), 0.7


def in_torch(arrays: Any) -> Any:
    torch = pytest.importorskip("torch")
    return tuple(torch.tensor(x, dtype=torch.float64) for x in arrays)


def flat(found: Any) -> list[Any]:
    return [y for x in found for y in flat(x)] if isinstance(found, tuple) else [np.asarray(found)]


def agrees(found: Any, expected: Any) -> None:
    for y, wanted in zip(flat(found), flat(expected), strict=True):
        np.testing.assert_allclose(y, wanted, rtol=1e-10, atol=1e-12)


SIZES = [(3, 2), (5, 4), (3, 2)]


@pytest.mark.parametrize("form", ["vjp", "hvp"])
def test_products_have_torchs_numbers(form: str) -> None:
    torch = pytest.importorskip("torch")
    fn: Any = {"vjp": vectors, "hvp": scalar}[form]
    compiled = getattr(nbgrad.numba, form)(fn, *arguments(3, 2))
    for n, k in SIZES:
        given = arguments(n, k)
        shapes = [(k,), (), (2,)] if form == "vjp" else [(n,), (k, n), ()]
        vs = [RNG.standard_normal(shape) if shape else -1.5 for shape in shapes]
        expected = getattr(torch.autograd.functional, form)(fn, in_torch(given), in_torch(vs))
        agrees(compiled(*given, *vs), tuple(expected))

        @njit
        def called(given: Any, vs: Any) -> Any:
            return compiled(*given, *vs)

        agrees(called(given, tuple(vs)), tuple(expected))


def test_jacobians_have_torchs_numbers() -> None:
    torch = pytest.importorskip("torch")
    jacobian, both = [make(vectors, *arguments(3, 2)) for make in (forms.jacobian, forms.value_and_jacobian)]
    for n, k in SIZES:
        given = arguments(n, k)
        expected = torch.autograd.functional.jacobian(vectors, in_torch(given))
        agrees(jacobian(*given), expected)
        agrees(both(*given), (vectors(*in_torch(given)), expected))


def test_value_and_grad_has_torchs_numbers() -> None:
    torch = pytest.importorskip("torch")
    compiled = nbgrad.numba.value_and_grad(scalar, *arguments(3, 2))
    for n, k in SIZES:
        given = arguments(n, k)
        tensors = [x.requires_grad_() for x in in_torch(given)]
        value = scalar(*tensors)
        agrees(compiled(*given), (value.item(), *[g.numpy() for g in torch.autograd.grad(value, tensors)]))


def test_a_jacobian_is_written_where_it_is_wanted() -> None:
    compiled = nbgrad.numba.value_and_jacobian(lambda x: x * x.sum(), np.zeros(2))
    y, jacobian = np.zeros(3), np.zeros((3, 3))
    compiled(np.array([1.0, 2.0, 3.0]), out=(y, jacobian))
    assert y.tolist() == [6.0, 12.0, 18.0]
    assert jacobian.tolist() == [[7.0, 1.0, 1.0], [2.0, 8.0, 2.0], [3.0, 3.0, 9.0]]


def test_whole_numbers_have_no_derivative() -> None:
    compiled = nbgrad.numba.vjp(lambda x, at: (x[at], at + 1), np.zeros(3), np.zeros(1, np.int64))
    found = compiled(np.array([1.0, 2.0, 3.0]), np.array([2, 2]), np.array([1.0, 10.0]))
    assert [y.tolist() for y in found] == [[3.0, 3.0], [3, 3], [0.0, 0.0, 11.0]]


def test_derivatives_by_what_nothing_depends_on_are_zero() -> None:
    x, v = np.ones(2), np.ones(2)
    assert flat(nbgrad.numba.value_and_grad(lambda x, y: (x * x).sum(), x, x)(x, v))[2].tolist() == [0.0, 0.0]
    assert flat(nbgrad.numba.hvp(lambda x: x.sum(), x)(x, v))[1].tolist() == [0.0, 0.0]
    assert flat(nbgrad.numba.hvp(lambda x: nb.zeros(2, dtype=nb.float64).sum(), x)(x, v))[1].tolist() == [0.0, 0.0]
    assert nbgrad.numba.jacobian(lambda x: nb.ones(3, dtype=nb.float64), x)(x).tolist() == [[0.0, 0.0]] * 3


def test_float32() -> None:
    x = np.array([1.0, 2.0], np.float32)
    found = nbgrad.numba.jacobian(lambda x: x * x, x)(x)
    assert found.dtype == np.float32
    assert found.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_arguments_to_differentiate_by_are_chosen() -> None:
    torch = pytest.importorskip("torch")
    given = arguments(4, 3)
    tensors = [x.requires_grad_() for x in in_torch(given)]
    value = scalar(*tensors)
    gradients = [g.numpy() for g in torch.autograd.grad(value, tensors)]
    for argnums, places in ((0, [0]), ((2, 0), [2, 0]), ([1], [1])):
        compiled = nbgrad.numba.value_and_grad(scalar, *given, argnums=argnums)
        agrees(compiled(*given), (value.item(), *[gradients[k] for k in places]))
    vs = RNG.standard_normal(4)
    expected = torch.autograd.functional.hvp(
        lambda x: scalar(x, *in_torch(given)[1:]), in_torch(given)[0], torch.tensor(vs)
    )
    agrees(nbgrad.numba.hvp(scalar, *given, argnums=0)(*given, vs), expected)
    cotangents = RNG.standard_normal(3), 1.5, RNG.standard_normal(2)
    all_by = nbgrad.numba.vjp(vectors, *given)(*given, *cotangents)
    agrees(nbgrad.numba.vjp(vectors, *given, argnums=2)(*given, *cotangents), (*all_by[:3], all_by[5]))
    jacobians = nbgrad.numba.jacobian(vectors, *given)(*given)
    agrees(nbgrad.numba.jacobian(vectors, *given, argnums=1)(*given), jacobians[1::3])
    agrees(nbgrad.numba.value_and_jacobian(vectors, *given, argnums=1)(*given)[3:], jacobians[1::3])


def test_a_vector_of_another_shape_is_refused() -> None:
    pulled, product = (
        nbgrad.numba.vjp(lambda x: x * x, np.zeros(2)),
        nbgrad.numba.hvp(lambda x: (x * x).sum(), np.zeros(2)),
    )
    with pytest.raises(ShapeError, match=r"vjp: a cotangent has shape \[2\], its result \[3\]"):
        pulled(np.zeros(3), np.zeros(2))
    with pytest.raises(ShapeError, match=r"hvp: a vector has shape \[2\], its argument \[3\]"):
        product(np.zeros(3), np.zeros(2))
    with pytest.raises(
        TypeError, match=r"argument 2 \(v\) must be a row-major array of float64 with 1 dim, not of float32"
    ):
        product(np.zeros(2), np.zeros(2, np.float32))


REFUSED: dict[str, tuple[Callable[[], Any], type[NbgradError], str]] = {
    "value_and_grad": (
        lambda: nbgrad.numba.value_and_grad(lambda x: x, np.zeros(2)),
        ArgumentError,
        "value_and_grad: expected a function that gives a 0-d floating Tensor",
    ),
    "hvp": (
        lambda: nbgrad.numba.hvp(lambda x: x, np.zeros(2)),
        ArgumentError,
        "hvp: expected a function that gives a 0-d",
    ),
    "vjp": (
        lambda: nbgrad.numba.vjp(lambda x: 3, np.zeros(2)),
        ArgumentError,
        "expected a function that gives Tensors",
    ),
    "jacobian": (lambda: nbgrad.numba.jacobian(lambda x: x > 0.0, np.zeros(2)), ArgumentError, "jacobian: no result"),
    "no floats": (
        lambda: nbgrad.numba.jacobian(lambda x: x, np.zeros(2, int)),
        ArgumentError,
        "jacobian: no argument of",
    ),
    "argnums": (
        lambda: nbgrad.numba.hvp(lambda x, n: x.sum(), np.zeros(2), np.zeros(2, int), argnums=1),
        ArgumentError,
        r"hvp: argnums must be among the floating arguments of <lambda>, \[0\], each once; not 1",
    ),
    "argnums twice": (
        lambda: nbgrad.numba.value_and_grad(lambda x: x.sum(), np.zeros(2), argnums=(0, 0)),
        ArgumentError,
        r"each once; not \(0, 0\)",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    call, kind, text = REFUSED[case]
    with pytest.raises(kind, match=text) as refused:
        call()
    assert "test_forms.py" in str(refused.value)


def test_the_examples_run() -> None:
    tests = doctest.DocTestFinder().find(forms, globs={"nbgrad": nb})
    assert sum([len(test.examples) for test in tests]) > 15
    assert all(doctest.DocTestRunner().run(test).failed == 0 for test in tests)
