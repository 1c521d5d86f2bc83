"""nbgrad.special: values against mpmath, derivatives of any order, and what has none."""

import functools
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import nbgrad as nb
from nbgrad.func import grad, jvp, vmap
from tests.fresh import printed
from tests.on_devices import cuda
from tests.samples import floats

special = nb.special


@functools.cache
def k0(x: Any) -> Any:
    return mpmath.besselk(0, x)


def k1(x: Any) -> Any:
    """By the Wronskian I0 K1 + I1 K0 = 1 / x (DLMF 10.28.2): mpmath takes five times as long for its own."""
    return (1 / x - mpmath.besseli(1, x) * k0(x)) / mpmath.besseli(0, x)


# They are right to so many units in the last place over these ranges, away from zeros of the function.
VALUES: list[tuple[Callable[..., Any], Callable[..., Any], float, float, float]] = [
    (nb.lgamma, mpmath.loggamma, 0.01, 60, 2),
    (nb.digamma, mpmath.digamma, 0.01, 60, 2),
    (special.i0, lambda x: mpmath.besseli(0, x), 0, 30, 3),
    (special.i1, lambda x: mpmath.besseli(1, x), 1e-3, 30, 3),
    (special.i0e, lambda x: mpmath.besseli(0, x) * mpmath.exp(-x), 0, 30, 3),
    (special.i1e, lambda x: mpmath.besseli(1, x) * mpmath.exp(-x), 1e-3, 30, 3),
    (special.bessel_j0, lambda x: mpmath.besselj(0, x), 0, 2, 5),
    (special.bessel_j1, lambda x: mpmath.besselj(1, x), 0.1, 3, 6),
    (special.bessel_y0, lambda x: mpmath.bessely(0, x), 1.5, 3, 9),
    (special.bessel_y1, lambda x: mpmath.bessely(1, x), 0.1, 1.5, 4),
    (special.modified_bessel_k0, k0, 0.1, 30, 8),
    (special.modified_bessel_k1, k1, 0.1, 30, 8),
    (special.scaled_modified_bessel_k0, lambda x: k0(x) * mpmath.exp(x), 0.1, 30, 8),
    (special.scaled_modified_bessel_k1, lambda x: k1(x) * mpmath.exp(x), 0.1, 30, 8),
    (special.airy_ai, mpmath.airyai, -2, 2, 70),
    (special.erfcx, lambda x: mpmath.exp(x * x) * mpmath.erfc(x), -1, 25, 2.5),
    (special.log_ndtr, lambda x: mpmath.log(mpmath.ncdf(x)), -30, 2, 6),
    (special.ndtri, lambda p: mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1), 0.01, 0.4, 4),
    (lambda x: nb.igamma(x.new_tensor(2.5), x), lambda x: mpmath.gammainc(2.5, 0, x, regularized=True), 0.1, 20, 12),
    (lambda x: nb.igammac(x.new_tensor(2.5), x), lambda x: mpmath.gammainc(2.5, x, regularized=True), 0.1, 20, 24),
    (lambda x: special.zeta(2, x), lambda x: mpmath.zeta(2, x), 0.1, 60, 6),
    (lambda x: special.zeta(x, 3.5), lambda s: mpmath.zeta(s, 3.5), 1.1, 60, 5),
]


def units_off(f: Any, exact: Any, x: Any) -> float:
    """How many units in the last place the worst of ``f(x)`` is off."""
    with mpmath.workdps(40):
        want = np.array([float(mpmath.re(exact(mpmath.mpf(float(v))))) for v in x])
    got = f(nb.tensor(x)).numpy()
    assert got.dtype == x.dtype
    return float((np.abs(got - want) / np.spacing(np.abs(want.astype(x.dtype)))).max())


@pytest.mark.parametrize(("f", "exact", "low", "high", "units"), VALUES)
def test_values_are_mpmaths(f: Any, exact: Any, low: float, high: float, units: float) -> None:
    x = floats(200, low=low, high=high)
    assert units_off(f, exact, x) <= units
    assert units_off(f, exact, x.astype(np.float32)) <= 0.51  # computed in float64, rounded once


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("name", ["i{}", "i{}e"])
def test_bessel_functions_are_right_where_their_series_meet(order: int, name: str) -> None:
    x = np.concatenate([floats(400, low=5, high=8.5), 10.0 ** floats(100, low=-12, high=0)])

    def exact(v: Any) -> Any:
        return mpmath.besseli(order, v) * (mpmath.exp(-v) if name.endswith("e") else 1)

    assert units_off(getattr(special, name.format(order)), exact, x) <= 3


def test_polygamma_has_one_rounding_more() -> None:
    x = floats(200, low=0.1, high=60)
    for n in (1, 2, 5):
        assert units_off(lambda x, n=n: nb.polygamma(n, x), lambda x, n=n: mpmath.polygamma(n, x), x) <= 6
        assert (
            units_off(lambda x, n=n: nb.polygamma(n, x), lambda x, n=n: mpmath.polygamma(n, x), x.astype(np.float32))
            <= 1.6
        )


def test_polygamma_far_below_zero_takes_no_longer_than_elsewhere() -> None:
    far = nb.tensor([-1e9 + 0.25, -1e12 + 0.25], dtype=nb.float64)
    assert nb.polygamma(1, far).tolist() == pytest.approx([2 * np.pi**2] * 2, rel=1e-8)  # pi^2 / sin(pi x)^2
    assert nb.polygamma(3, far).tolist() == pytest.approx([16 * np.pi**4] * 2, rel=1e-8)


def test_derivatives_of_any_order() -> None:
    x = nb.tensor([0.7, 2.5, -1.3], dtype=nb.float64, requires_grad=True)
    y = nb.lgamma(x)
    for n in range(4):
        (y,) = nb.autograd.grad(y.sum(), x, create_graph=True)
        np.testing.assert_allclose(y.detach(), nb.polygamma(n, x).detach(), rtol=1e-13)


@pytest.mark.parametrize("name", ["i0", "i1", "bessel_j0", "bessel_j1"])
def test_derivatives_at_zero(name: str) -> None:
    series = {"i0": (1, 0, 1 / 2, 0), "i1": (0, 1 / 2, 0, 3 / 8)}
    series |= {"bessel_j0": (1, 0, -1 / 2, 0), "bessel_j1": (0, 1 / 2, 0, -3 / 8)}
    x = nb.zeros((), dtype=nb.float64, requires_grad=True)
    y, found = getattr(special, name)(x), []
    for _ in range(3):
        found.append(y.item())
        (y,) = nb.autograd.grad(y, x, create_graph=True)
    assert [*found, y.item()] == pytest.approx(series[name])


@pytest.mark.parametrize("name", [n for n in special.__all__ if "polynomial" in n])
def test_polynomials_have_derivatives(name: str) -> None:
    x = nb.tensor([[-0.5], [0.3], [1.2]], dtype=nb.float64, requires_grad=True)
    f = getattr(special, name)
    degrees = nb.arange(-1, 5)
    assert nb.autograd.gradcheck(lambda x: f(x, degrees), (x,))
    assert nb.autograd.gradgradcheck(lambda x: f(x, 4), (x,))


def test_the_incomplete_gamma_functions_have_a_derivative_by_where_they_end() -> None:
    x = nb.tensor([0.5, 2.0, 7.0], dtype=nb.float64, requires_grad=True)
    a = nb.tensor([1.0, 2.5, 4.0], dtype=nb.float64)
    for f in (nb.igamma, nb.igammac):
        assert nb.autograd.gradcheck(lambda x, f=f: f(a, x), (x,))
        assert nb.autograd.gradgradcheck(lambda x, f=f: f(a, x), (x,))
    zero = nb.zeros(1, dtype=nb.float64, requires_grad=True)
    nb.igamma(nb.ones(1, dtype=nb.float64), zero).backward()
    assert zero.grad.tolist() == [1.0]


@pytest.mark.parametrize("f", [nb.igamma, nb.igammac, special.zeta])
def test_by_its_first_argument_such_a_function_has_no_derivative(f: Any) -> None:
    a, x = nb.tensor([2.0, 3.0], requires_grad=True), nb.tensor([1.0, 2.0], requires_grad=True)
    f(a, x).sum().backward(inputs=[x])
    assert x.grad is not None
    with pytest.raises(RuntimeError, match=rf"'{f.__name__}: input' .* not differentiable"):
        f(a, x).sum().backward()
    with pytest.raises(RuntimeError, match="not differentiable"):
        jvp(lambda a: f(a, x.detach()), (a.detach(),), (nb.ones(2),))


def test_forward_mode_batching_and_compiled_calls() -> None:
    x = nb.tensor([[0.5, 2.0], [3.0, 4.5]])
    _, moved = jvp(nb.lgamma, (x,), (nb.ones(2, 2),))
    np.testing.assert_allclose(moved, nb.digamma(x), rtol=1e-6)
    np.testing.assert_array_equal(vmap(nb.igamma, (0, None))(x, x[0]), nb.igamma(x, x[0]))
    np.testing.assert_allclose(vmap(vmap(grad(special.i0)))(x), special.i1(x), rtol=1e-6)
    step = nb.compile(lambda x: (special.log_ndtr(x) * special.hermite_polynomial_he(x, 3)).sum())
    want = (special.log_ndtr(x) * special.hermite_polynomial_he(x, 3)).sum().item()
    assert [step(x).item() for _ in range(4)] == [want] * 4


def test_tensors_of_a_gpu_are_copied_to_the_cpu_and_back_and_it_is_said() -> None:
    with cuda(1):
        x = nb.tensor([0.5, 2.0], device="cuda", requires_grad=True)
        y = special.bessel_y0(x)
        y.sum().backward()
        assert y.device.type == x.grad.device.type == "cuda"
        assert y.tolist() == special.bessel_y0(x.detach().cpu()).tolist()
        assert x.grad.tolist() == (-special.bessel_y1(x.detach().cpu())).tolist()
        assert any("bessel_y0" in text for text in nb.explain(lambda: special.bessel_y0(x)).fallbacks)
        assert nb.igamma(nb.tensor(2.0), x).device.type == "cuda"
        before = nb.explain(lambda: None).fallbacks
        np.testing.assert_allclose(special.zeta(2, x).tolist(), nb.polygamma(1, x).tolist())
        for f in (nb.lgamma, nb.digamma, special.erfcx):
            assert f(x).tolist() == f(x.detach().cpu()).tolist()
        assert nb.explain(lambda: None).fallbacks == before  # those are not SciPy's


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda x: nb.polygamma(2.0, x), TypeError),
        (lambda x: nb.polygamma(True, x), TypeError),
        (lambda x: nb.polygamma(-1, x), RuntimeError),
        (lambda x: nb.mvlgamma(x, 1.5), TypeError),
        (lambda x: nb.igamma(x, 2.0), TypeError),
        (lambda x: special.gammaincc(2.0, x), TypeError),
        (lambda x: special.psi(2.0), TypeError),
        (lambda x: special.zeta(2.0, 3.0), TypeError),
        (lambda x: x.to(nb.int64).lgamma_(), RuntimeError),
        (lambda x: special.nothing, AttributeError),
    ],
)
def test_a_mistake_raises_what_pytorch_raises(wrong: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        wrong(nb.tensor([1.0, 2.0]))


def test_names_that_stand_for_others() -> None:
    x = nb.tensor([1.5, 2.5])
    for name, other in (("gammaln", nb.lgamma), ("psi", nb.digamma), ("expit", nb.sigmoid), ("i0", nb.i0)):
        assert getattr(special, name)(x).tolist() == other(x).tolist()
    assert nb.polygamma is special.polygamma
    assert x.polygamma(2).tolist() == nb.polygamma(2, x).tolist()
    assert special.multigammaln(x, 2).tolist() == x.mvlgamma(2).tolist()
    y = x.clone()
    assert y.digamma_() is y
    assert y.tolist() == x.digamma().tolist()


def test_a_process_that_never_called_them_knows_their_operators() -> None:
    """As a worker does, which gets the text of a kernel."""
    code = "from nbgrad.graph.op import lookup; print(lookup('igamma_input').name)"
    assert printed("-c", code) == "igamma_input\n"
