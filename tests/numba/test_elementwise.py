"""Scalar functions as elementwise operators: values, derivatives, kernels, what is refused at which line."""

from __future__ import annotations

import functools
import linecache
import math
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override, settings
from nbgrad.errors import ArgumentError, DTypeError, NbgradError, RunError
from tests.on_devices import cuda

SCALE = 2.0


@pytest.fixture(params=[{}, {"compile": "eager"}, {"interpret": True}, {"passes": "-fuse"}], ids=str)
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    with override(**request.param):
        yield


in_every_way = pytest.mark.usefixtures("way")


@functools.cache
def elementwise(fn: Callable[..., Any]) -> Any:
    """One operator for all ways: Numba takes half a second for each."""
    return nb.elementwise(fn)


def doubles(*values: float) -> nb.Tensor:
    return nb.tensor(values, dtype=nb.float64, requires_grad=True)


def spread(low: float, high: float, count: int = 13) -> nb.Tensor:
    return doubles(*np.linspace(low, high, count))


def same(fn: Callable[..., Any], *tensors: nb.Tensor, second: bool = True) -> None:
    """The values are Python's, first and second derivatives those of differences."""
    own = elementwise(fn)
    plain = getattr(fn, "py_func", fn)
    rows = list(zip(*[x.tolist() for x in tensors], strict=True))
    got = own(*tensors)
    want = [plain(*row) for row in rows]
    results = got if isinstance(got, tuple) else (got,)
    columns = list(zip(*want, strict=True)) if isinstance(got, tuple) else [want]
    for y, column in zip(results, columns, strict=True):
        np.testing.assert_allclose(y.detach().numpy(), column, rtol=1e-12, atol=1e-300)
    assert nb.autograd.gradcheck(own, tensors)
    assert not second or nb.autograd.gradgradcheck(own, tensors)


@numba.njit
def square(x: Any) -> Any:
    return x * x


@numba.njit
def softplus(x: Any, limit: Any = 20.0) -> Any:
    return x if x > limit else math.log1p(math.exp(x))


def straight(x: float, y: float) -> float:
    return math.sin(x) * y + square(x - y) / (1.0 + abs(y)) - x**3 + 2.0**x


def branches(x: float, y: float) -> float:
    if x > 0.1 and not y > 2.0:
        z = math.log(x) * y
    elif x < -1.0 or y > 2.0:
        return math.sqrt(y + 3.0)
    else:
        z = max(x, y, 0.3) if y > 0 else min(x, 2.0 * y)
    return z * softplus(z, limit=1.5)


def black_scholes(spot: float, strike: float, vol: float, time: float) -> tuple[float, float]:
    root = vol * math.sqrt(time)
    d = (math.log(spot / strike) + 0.5 * vol * vol * time) / root
    call = 0.5 * spot * math.erfc(-d / math.sqrt(2.0)) - 0.5 * strike * math.erfc(-(d - root) / math.sqrt(2.0))
    return call, call - spot + strike


def kepler(mean: float, eccentricity: float) -> float:
    e = mean if eccentricity < 0.8 else math.pi
    for _ in range(50):
        step = (e - eccentricity * math.sin(e) - mean) / (1.0 - eccentricity * math.cos(e))
        e -= step
        if abs(step) < 1e-13:
            break
    return e


def bessel(x: float) -> float:
    term = total = 1.0
    k = 1
    while abs(term) > 1e-16 * abs(total):
        term = -term * square(x) / (4.0 * k * k)
        total += term
        k += 1
    return total


def nested(x: float, y: float) -> tuple[float, float]:
    s, last = 0.0, x
    for i in range(4):
        for j in range(i, -1, -1):
            if (i + j) % 3 == 0:
                continue
            if s > 5.0 * y:
                return s, last
            s += math.sin(x * j) * y
            last = s * i
    return s - x, last * y


@in_every_way
def test_what_is_computed_is_what_python_computes() -> None:
    same(straight, spread(-2, 2), spread(1.5, -1.4))
    same(branches, spread(-2.1, 3.05), spread(-1.3, 2.9))
    same(black_scholes, *[doubles(*row) for row in ([90.0, 100, 120], [100.0] * 3, [0.2, 0.3, 0.4], [1.0, 2.0, 0.5])])


@in_every_way
def test_loops_end_when_each_element_has_enough() -> None:
    same(kepler, spread(0.1, 6.1), spread(0.05, 0.95))
    same(bessel, spread(0.2, 5.0, 5))
    same(nested, spread(-2, 2, 3), spread(0.3, 1.7, 3), second=not settings.interpret)


@functools.cache
def where(guarded: Callable[[float], float]) -> Any:
    f = numba.njit(guarded) if guarded.__name__ == "<lambda>" else guarded
    return nb.elementwise(lambda x: f(x) * x if 0.0 < x < 1.0 else 2.0 * x)


@in_every_way
@pytest.mark.parametrize("guarded", [math.log, math.sqrt, lambda x: 1.0 / x, lambda x: x**0.3, math.asin])
def test_a_way_that_is_not_taken_makes_no_derivative_nan(guarded: Callable[[float], float]) -> None:
    x = doubles(0.0, -1.0, 0.5, 2.0, float("inf"))
    [first] = nb.autograd.grad(where(guarded)(x).sum(), x, create_graph=True)
    [second] = nb.autograd.grad(first.sum(), x)
    assert first.isfinite().all() and second.isfinite().all()
    assert first[0] == 2.0 and second[0] == 0.0


@in_every_way
def test_floats_are_of_the_dtype_of_tensors_and_whole_numbers_int64() -> None:
    def f(x: float, n: int) -> Any:
        return 0.1 * x, n // 2, n / 2, x > n

    own = nb.elementwise(f)
    results = own(nb.tensor([1.0, 2.0]), nb.tensor([3, 4], dtype=nb.int32))
    assert [y.dtype for y in results] == [nb.float32, nb.int64, nb.float32, nb.bool]
    assert own(nb.tensor([1.0], dtype=nb.float64), 3)[0].dtype is nb.float64
    assert own(nb.tensor([7, 8]), nb.tensor(3))[0].dtype is nb.float32
    y, *_ = own(nb.ones(3, 1), nb.ones(4, dtype=nb.int64))
    assert y.shape == (3, 4)


@in_every_way
def test_whole_numbers_are_exact_and_division_by_zero_is_an_error() -> None:
    def gcd(a: int, b: int) -> int:
        while b != 0:
            a, b = b, a % b
        return a

    a, b = [48, 17, 2**53 + 1], [36, 5, 3]
    assert nb.elementwise(gcd)(nb.tensor(a), nb.tensor(b)).tolist() == list(map(math.gcd, a, b))
    with pytest.raises(RunError, match="ZeroDivisionError"):
        nb.elementwise(lambda a, b: a // b)(nb.tensor(a), 0).tolist()
    guarded = nb.elementwise(lambda a, b: a // b if b > 0 else -1)
    assert guarded(nb.tensor([5, 6]), nb.tensor([0, 2])).tolist() == [-1, 3]


@in_every_way
def test_numbers_from_outside_are_read_at_each_call() -> None:
    def made() -> tuple[Callable[[float], float], Callable[[float], None]]:
        c = 2.0

        def change(value: float) -> None:
            nonlocal c
            c = value

        return lambda x: x * c + SCALE, change

    f, change = made()
    own, x = nb.elementwise(f), nb.tensor([1.0, 2.0])
    compiled = nb.compile(lambda x: own(x) * 2.0, fullgraph=True)
    for c in (2.0, 2.0, 5.0, 7.0):
        change(c)
        assert own(x).tolist() == [c + 2.0, 2.0 * c + 2.0]
        assert compiled(x).tolist() == [2.0 * c + 4.0, 4.0 * c + 4.0]
    change(3)  # type: ignore[arg-type]
    with pytest.raises(DTypeError, match="c was float, and is int now"):
        own(x)


def test_dufuncs_and_dispatchers_are_taken() -> None:
    @numba.vectorize
    def dynamic(x: float, y: float) -> float:
        return x * y if x > y else x - y

    @numba.vectorize(["float64(float64)"])
    def declared(x: float) -> float:
        return 3.0 * x

    x = nb.tensor([1.0, 2.0])
    assert nb.elementwise(dynamic)(x, 1.5).tolist() == [-0.5, 3.0]
    assert nb.elementwise(declared)(x).tolist() == [3.0, 6.0]
    assert nb.elementwise(square)(x).tolist() == [1.0, 4.0]


@in_every_way
def test_a_result_that_reads_an_argument_in_conditions_alone_is_flat_in_it() -> None:
    x, y = doubles(1.0, 2.0), doubles(1.0, -1.0)
    z = nb.elementwise(lambda x, y: x if y > 0 else 3.0)(x, y)
    gx, gy = nb.autograd.grad(z.sum(), (x, y))
    assert gx.tolist() == [1.0, 0.0] and gy.tolist() == [0.0, 0.0]


def test_it_is_one_kernel_with_its_neighbours() -> None:
    own = nb.elementwise(bessel)
    with override(interpret=False, passes=""):
        text = nb.explain(lambda x: (own(x * 2.0) + 1.0).sum(), nb.ones(40))["code"]
    assert text.count("kernel nbk_") == 1
    assert "= loop(" in text and "again where" in text


REFUSED = {
    "return math.gamma(x)": "gamma",
    "for v in (1.0, x): y += v": "only range",
    "return np.zeros(3)[0] + x": "Numba cannot compile it",
    "return y + undefined_name": "undefined_name",
    "raise ValueError(3)": "ValueError",
    "return x + 1j": "only numbers",
    "return 'a' + x": "Numba cannot compile it",
    "y = print(x)": "not possible in a function of numbers",
    "while True: y += 1.0": "does not end",
    "return": "number",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_no_function_of_numbers_is_refused_at_its_line(line: str) -> None:
    text = f"def f(x):\n    y = 2.0 * x\n    {line}\n    return y\n"
    file = f"<refused {line}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict[str, Any] = {"math": math, "np": np}
    exec(compile(text, file, "exec"), scope)
    with pytest.raises(TypeError, match=REFUSED[line]) as caught:
        nb.elementwise(scope["f"])(nb.ones(2))
    assert isinstance(caught.value, NbgradError)
    if line != "return":
        assert f"{file}, line 3:  {line}" in str(caught.value)


def test_arguments_are_checked() -> None:
    own = nb.elementwise(lambda x, y=2.0, *, z=1.0: x * y + z)
    x = nb.tensor([1.0])
    assert own(x).tolist() == [3.0] and own(x, 3.0, z=x).tolist() == [4.0]
    with pytest.raises(ArgumentError, match="at least one Tensor"):
        own(1.0)
    with pytest.raises(DTypeError, match="argument 'y' must be Tensor or number, not str"):
        own(x, "2")
    with pytest.raises(DTypeError, match="missing a required argument"):
        own()
    with pytest.raises(DTypeError, match="'fn' must be a Python function"):
        nb.elementwise(math.sin)
    with pytest.raises(DTypeError, match=r"Numba cannot compile it|calls itself"):
        nb.elementwise(endless)(x)


@numba.njit
def endless(x: Any) -> Any:
    return x if x < 1.0 else endless(x - 1.0) + 1.0


@in_every_way
def test_in_a_compiled_step() -> None:
    own = elementwise(kepler)

    def step(mean: nb.Tensor, w: nb.Tensor) -> nb.Tensor:
        loss = (own(mean, w.sigmoid()) ** 2).sum()
        [g] = nb.autograd.grad(loss, w)
        return g

    compiled = nb.compile(step, fullgraph=True)
    mean, w = spread(0.2, 3.0, 5).detach(), doubles(-1.0)
    for k in range(3):
        np.testing.assert_array_equal(compiled(mean + k, w).numpy(), step(mean + k, w).numpy())


def halvings(x: float) -> float:
    y = x
    while abs(y) > 0.25:
        y = y * 0.5 if y > 0 else -0.75 * y
    return y * x


@in_every_way
def test_a_gpu_gives_the_same_bits() -> None:
    own, found = elementwise(halvings), []
    with cuda() as gpu:
        for device in ("cpu", gpu):
            x = nb.tensor([0.1, 3.0, -2.5, 100.0], device=device, requires_grad=True)
            y = own(x)
            [g] = nb.autograd.grad(y.sum(), x)
            found.append((y.tolist(), g.tolist()))
    assert found[0] == found[1]


@functools.cache
def made_when_asked_for(fn: Callable[..., Any]) -> Any:
    return nb.elementwise(fn)


def test_compilers_that_run_in_a_function_that_is_watched_are_none_of_its_own(way: None) -> None:
    compiled = nb.compile(lambda x: made_when_asked_for(bessel)(x).sum(), fullgraph=True)
    made_when_asked_for.cache_clear()
    for k in range(1, 4):
        assert float(compiled(nb.tensor([0.25 * k]))) == float(elementwise(bessel)(nb.tensor([0.25 * k])).sum())


def anomaly(m: float, e: float) -> float:
    x = m
    for _ in range(50):
        d = (x - e * math.sin(x) - m) / (1 - e * math.cos(x))
        x = x - d
        if abs(d) < 1e-13:
            break
    return x if m > 0.2 else 2 * x


@in_every_way
def test_forward_mode_and_many_examples() -> None:
    """A loop with an early exit, and a branch, in each kind of derivative and under ``vmap``."""
    op = elementwise(anomaly)
    m = nb.tensor([0.1, 0.5, 1.0, 2.0], dtype=nb.float64, requires_grad=True)
    e = nb.tensor([0.1, 0.2, 0.3, 0.4], dtype=nb.float64, requires_grad=True)
    modes = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    assert nb.autograd.gradcheck(op, (m, e), **modes)
    assert nb.autograd.gradgradcheck(op, (m, e), check_fwd_over_rev=True)
    assert nb.func.vmap(op)(m, e).tolist() == op(m, e).tolist()
    slopes = nb.func.jacfwd(lambda m: op(m, e))(m).diagonal()
    assert nb.allclose(nb.func.vmap(nb.func.grad(op))(m, e), slopes)
