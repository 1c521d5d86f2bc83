"""Gradients of ``@njit`` functions: right by differences, values bit for bit; nothing leaks, nothing is shared."""

from __future__ import annotations

import functools
import math
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit, prange, typed

from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.numba import checkpointed, differentiate, differentiate_hvp, differentiate_vjp
from tests.fresh import printed
from tests.threads import in_threads

ROOT = str(Path(__file__).resolve().parents[2])
TOLERANCE = 1e-7  # of differences of fourth order with steps of 1e-3, in float64
rng = np.random.default_rng(1)


gradient_of = functools.cache(differentiate)  # Numba takes seconds for each: tests of one function share it


def draws(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).random(shape) + 0.2


def differences(fn: Callable[..., Any], args: tuple[Any, ...], which: int) -> Any:
    """The gradient by one argument, by differences of fourth order."""
    x = np.asarray(args[which])
    found = np.zeros(x.shape, x.dtype)
    for index in np.ndindex(x.shape):
        for unit in (1.0, 1.0j) if np.iscomplexobj(x) else (1.0,):

            def moved(step: float, index: Any = index, unit: Any = unit) -> float:
                given = [a.copy(order="K") if isinstance(a, np.ndarray) else a for a in args]
                if isinstance(given[which], np.ndarray):
                    given[which][index] += step * unit
                else:
                    given[which] += step * unit
                return float(fn(*given))

            h = 1e-3
            slope = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)
            found[index] += slope * unit
    return found


def is_float(x: Any) -> bool:
    return isinstance(x, (float, complex)) or (isinstance(x, np.ndarray) and x.dtype.kind in "fc")


def check(fn: Callable[..., Any], *args: Any, tolerance: float = TOLERANCE) -> None:
    copies = [a.copy(order="K") if isinstance(a, np.ndarray) else a for a in args]
    expected = fn(*copies)
    value, gradients = gradient_of(fn)(*args)
    if fn is in_parallel:
        assert abs(value - expected) < 1e-14 * abs(expected)  # threads add up in another order
    else:
        assert value == expected, "the value has the bits of the function's own"
    at = [k for k, x in enumerate(args) if is_float(x)]
    assert len(gradients) == len(at)
    for gradient, k in zip(gradients, at, strict=True):
        wanted = differences(fn, args, k)
        assert np.shape(gradient) == wanted.shape
        if isinstance(args[k], np.ndarray):
            assert gradient.dtype == args[k].dtype
        assert np.max(np.abs(gradient - wanted)) <= tolerance * (1 + np.max(np.abs(wanted))), (gradient, wanted)


@njit
def thomas(a: Any, b: Any, c: Any, d: Any) -> Any:
    n = len(b)
    upper, right, x = np.zeros(n), np.zeros(n), np.empty(n)
    upper[0], right[0] = c[0] / b[0], d[0] / b[0]
    for i in range(1, n):
        pivot = b[i] - a[i] * upper[i - 1]
        upper[i], right[i] = c[i] / pivot, (d[i] - a[i] * right[i - 1]) / pivot
    x[n - 1] = right[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = right[i] - upper[i] * x[i + 1]
    return (x * x).sum()


@njit
def factorize(a: Any) -> None:
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


@njit
def log_determinant(a: Any) -> Any:
    factorize(a)
    total = 0.0
    for i in range(a.shape[0]):
        total += math.log(abs(a[i, i]))
    return total


@njit
def root(a: Any, x: Any) -> Any:
    while True:
        step = (x * x * x + x - a) / (3.0 * x * x + 1.0)
        x = x - step
        if abs(step) < 1e-14:
            return x


@njit
def containers(x: Any) -> Any:
    items = [x[0], x[1] * x[2]]
    for i in range(3, len(x)):
        items.append(items[-1] * x[i])
    pair = (items[0], (items[1], 3))
    total = 0.0
    for a, b in zip(items, x):  # noqa: B905
        total += a * b
    return total + max(items) * pair[1][0] * pair[1][1]


@njit
def typed_containers(x: Any) -> Any:
    items, table = typed.List(), {}
    for k in range(len(x)):
        items.append(x[k] * x[k])
        table[k] = items[k] * 2.0
    items[0] = items[1] * 3.0
    table[1] += x[0]
    copied = items.copy()
    copied.reverse()
    copied.insert(1, x[0])
    total = items.pop() * copied[1]
    for value in copied[1:3]:
        total += value * value
    for k, value in table.items():
        total += k * value
    return total * table.get(9, 2.0) * table.pop(1) + table.get(0, 1.0) + (1.0 if 1 in table else 0.5) * x[0]


@njit
def slices(a: Any, v: Any) -> Any:
    total = 0.0
    for i in range(a.shape[0]):
        row, part = a[i, :], a[i, 1:] * v[1:]
        total += row.sum() ** 2 + part.sum() + row.max() * a[i].mean()
    a[1, :] = a[0, :] * v
    a[:, 2] += 3.0
    return total + np.sum(a[1]) ** 2 + (a[:, 2] ** 3).sum()


@njit
def elementary(a: Any, b: Any) -> Any:
    total = math.hypot(a, b) + math.atan2(a, b) + a**0.5 + b**-2 + a % b + abs(-a) + 2**b + math.log1p(a) + math.erf(b)
    total += math.sin(a) * math.cos(b) + math.tan(a) + math.asin(a / 2) * math.acos(b / 2) + math.atan(a) + math.sinh(a)
    total += math.cosh(b) + math.tanh(a) + math.asinh(a) + math.acosh(1 + a) + math.atanh(a / 2) + math.exp(a * b)
    total += math.expm1(a) + math.log2(b) + math.log10(a) + math.erfc(a) + math.gamma(a + 1) + math.lgamma(b)
    total += np.fmod(a, b) + math.copysign(a, -b) + math.radians(a) + math.degrees(b) + math.pow(a, b) + a**b
    return total + np.cbrt(a) + np.exp2(b) + np.square(a) + np.reciprocal(b) + np.logaddexp(a, b) + np.maximum(a, b)


@njit
def arrays(x: Any, y: Any) -> Any:
    z = np.sqrt(np.abs(x)) * y - np.where(x > 0.5, x, y * y) + np.maximum(x, y) / (1.0 + np.exp(-x))
    return np.sum(z * z) + z.std() + np.median(z) + np.cumsum(z)[-1] + z.prod() + np.sort(z)[1]


@njit
def transform(x: Any) -> Any:
    """Discrete Fourier transform by its definition, in complex numbers."""
    n, total = len(x), 0.0
    for k in range(n):
        found = 0.0j
        for j in range(n):
            found += x[j] * np.exp(-2j * np.pi * k * j / n)
        total += abs(found) * (k + 1) + found.real * found.imag
    return total


@njit
def complex_functions(z: Any, w: Any) -> Any:
    y = z * w / (z + 2.0) - np.sqrt(z) * np.log(w) + np.exp(z) + z**3 + w ** (0.5 + 1j) + np.sin(z) * np.tanh(w)
    return abs(y) ** 2 + y.real + (y.conjugate() * w).imag


@njit
def mixed(n: Any, x: Any, flag: Any, pair: Any) -> Any:
    return x * n * pair[0] if flag else pair[1].sum() * x


@njit
def defaulted(x: Any, scale: float = 2.0, n: int = 3) -> Any:
    return (x * scale).sum() ** n


@njit
def factorial(x: Any, n: Any) -> Any:
    return x if n == 0 else x * factorial(x * 0.9, n - 1)


@njit(parallel=True)
def in_parallel(x: Any, y: Any) -> Any:
    total = 0.0
    for i in prange(len(x)):
        total += x[i] * y[i]
    return total + (x * y).sum()


@njit
def drawn(x: Any) -> Any:
    np.random.seed(1)
    return x[0] * np.random.normal() + np.random.random() * x[1] + np.random.normal(x[2], x[3])


@njit
def sums_of_products(x: Any) -> Any:
    def scaled(v: Any) -> Any:
        return v * x[0]

    return scaled(x[1]) + scaled(x[2])


@njit
def single(x: Any, w: Any) -> Any:
    total = x[0]
    for k in range(len(x)):
        total += x[k] * w[k]
    return total


FUNCTIONS: list[Any] = [
    (thomas, (draws(6), 4 + draws(6), draws(6), draws(6))),
    (log_determinant, (draws(4, 4) + 4 * np.eye(4),)),
    (log_determinant, (np.asfortranarray(draws(4, 4) + 4 * np.eye(4)),)),
    (log_determinant, ((draws(8, 4) + 4 * np.eye(8, 4))[::2],)),
    (root, (3.0, 1.0)),
    (containers, (draws(6),)),
    (typed_containers, (draws(4),)),
    (slices, (draws(4, 4), draws(4))),
    (elementary, (1.3, 0.7)),
    (arrays, (draws(6), draws(7)[:6] + 0.05)),
    (transform, (draws(4),)),
    (transform, (draws(4) + 1j * draws(4)[::-1],)),
    (complex_functions, (1.3 + 0.4j, 0.7 - 0.3j)),
    (defaulted, (draws(3), 1.5)),
    (factorial, (1.3, 4)),
    (in_parallel, (draws(4), draws(5)[:4])),
    (drawn, (draws(4),)),
    (sums_of_products, (draws(3),)),
]


@pytest.mark.parametrize(("fn", "args"), FUNCTIONS, ids=[f"{f.__name__}-{k}" for k, (f, _) in enumerate(FUNCTIONS)])
def test_gradients_are_those_of_finite_differences(fn: Any, args: Any) -> None:
    if fn is defaulted:
        return check(defaulted, *args, 2)
    return check(fn, *args)


def test_float32_is_computed_in_float32() -> None:
    x, w = draws(5).astype(np.float32), draws(5).astype(np.float32)
    value, (dx, dw) = gradient_of(single)(x, w)
    assert value == single(x, w) and dx.dtype == dw.dtype == np.float32
    np.testing.assert_allclose(dx, w + np.array([1, 0, 0, 0, 0]), rtol=1e-6)
    np.testing.assert_array_equal(dw, x)


def test_arguments_without_floats_have_no_gradient_and_tuples_have_those_of_their_members() -> None:
    value, gradients = differentiate(mixed)(3, 2.0, True, (4.0, np.ones(2)))
    assert value == 24.0
    assert gradients[:2] == (12.0, 6.0) and (gradients[2] == 0.0).all()
    _, gradients = differentiate(mixed)(3, 2.0, False, (4.0, np.ones(2)))
    assert gradients[:2] == (2.0, 0.0) and (gradients[2] == 2.0).all()


def test_defaults_are_arguments() -> None:
    value, (dx, dscale) = gradient_of(defaulted)(np.ones(2), n=2)
    assert value == 16.0 and dscale == 16.0 and (dx == 16.0).all()


@njit
def defaulted_array(x: Any, w: Any = (1.0, 2.0), name: Any = None, *rest: Any) -> Any:
    return x**3 * w[1] if name is None else w[0] * rest[0]


def test_inputs_may_leave_arguments_to_their_defaults() -> None:
    ones = np.ones(2)
    outputs, (dx, dscale) = differentiate_vjp(defaulted)((ones,), 1.0)
    assert outputs == 64.0 and dscale == 96.0 and (dx == 96.0).all()
    by_hand = differentiate_hvp(defaulted)((ones, 2.0, 3), (ones, 1.0))
    for inputs in ((ones,), (ones, 2.0)):
        value, (dx, dscale), (hx, hscale) = differentiate_hvp(defaulted)(inputs, (ones, 1.0))
        assert (value, dscale, hscale) == (by_hand[0], by_hand[1][1], by_hand[2][1])
        assert (dx == by_hand[1][0]).all() and (hx == by_hand[2][0]).all()
    assert differentiate_hvp(defaulted_array)((2.0,), (1.0, 0.0, 1.0)) == (16.0, (24.0, 0.0, 8.0), (36.0, 0.0, 12.0))
    with pytest.raises(ValueError, match="has 2 gradients, by arguments left to their defaults, too, and v has 1"):
        differentiate_hvp(defaulted)((ones,), (ones,))
    with pytest.raises(ValueError, match="has 3 arguments, and inputs has 0"):
        differentiate_hvp(defaulted)((), ())


def test_the_caller_s_arrays_stay_as_they_are() -> None:
    a = draws(4, 4)
    before = a.copy()
    gradient_of(log_determinant)(a)
    assert (a == before).all()


@njit
def overwriting(x: Any, y: Any) -> Any:
    x[0] = y[1] * 2.0
    return x[0] * y[0] + x[1]


@njit
def reading(x: Any, y: Any) -> Any:
    return x[0] * y[0] + x[1]


def test_arguments_that_share_memory_are_refused_where_one_is_written() -> None:
    x = draws(4)
    with pytest.raises(ValueError, match="share memory and the function writes"):
        differentiate(overwriting)(x[:2], x[1:])
    differentiate(overwriting)(x[:2], x[2:])
    _, (dx, dy) = differentiate(reading)(x, x)  # by each of them
    assert dx[0] == x[0] and dy[0] == x[0] and dx[1] == 1.0


@njit
def counting(x: Any, counts: Any, seen: Any) -> Any:
    counts[0] += 1
    return x * counts[0] * seen[0]


def test_arrays_of_whole_numbers_are_copied_too() -> None:
    counts, seen = np.array([3, 4]), np.array([2, 5])[::-1]
    assert differentiate(counting)(2.0, counts, seen) == (40.0, (20.0,))
    assert counts.tolist() == [3, 4]
    with pytest.raises(ValueError, match="share memory and the function writes"):
        differentiate(counting)(2.0, counts, counts)


def test_results_may_be_arguments() -> None:
    x = draws(3, 2)
    for fn in (lambda x: x, lambda x: x.T, lambda x: x[::2, 1]):
        outputs, (dx,) = differentiate_vjp(njit(fn))((x,), np.ones(fn(x).shape))
        assert (outputs == fn(x)).all() and dx.sum() == outputs.size
        x[0] = 7.0
        assert (outputs != 7.0).all()
        x[0] = 0.3


def test_a_number_that_nothing_depends_on_has_gradient_zero() -> None:
    constant = njit(lambda x: 3.0)
    value, (dx,) = differentiate(constant)(np.ones(3))
    assert value == 3.0 and (dx == 0.0).all()


def test_corners_are_pytorch_s() -> None:
    at_zero = njit(lambda x: abs(x[0]) + np.maximum(x[1], x[2]) + x[3] ** 0 + np.abs(x[:1]).sum())
    _, (dx,) = differentiate(at_zero)(np.array([0.0, 1.0, 1.0, 0.0]))
    assert dx.tolist() == [0.0, 0.5, 0.5, 0.0]
    unused = njit(lambda x: 0.0 * math.sqrt(x))  # an infinite derivative that nothing depends on
    assert differentiate(unused)(0.0)[1] == (0.0,)


# ---- vjp and hvp


@njit
def several(x: Any, a: Any) -> Any:
    y = np.outer(x, x) * a
    return y[1:].T, x.sum() * a, len(x), np.exp(1j * x)


def test_vjp_takes_results_of_any_shape() -> None:
    x, a = draws(3), 1.5
    v = (draws(3, 2), 0.5, 0, draws(3) - 1j * draws(4)[:3])
    outputs, gradients = differentiate_vjp(several)((x, a), v)
    for got, wanted in zip(outputs, several(x, a), strict=True):
        np.testing.assert_array_equal(got, wanted)
    weights = v

    @njit
    def total(x: Any, a: Any, v: Any, w: Any, z: Any) -> Any:
        y, s, _, c = several(x, a)
        return (y * v).sum() + s * w + (c.real * z.real + c.imag * z.imag).sum()

    args = (x, a, weights[0], weights[1], weights[3])
    for k in range(2):
        np.testing.assert_allclose(gradients[k], differences(total, args, k), rtol=1e-8)


def test_an_exception_of_the_function_holds_no_arrays() -> None:
    @njit
    def positive(x: Any) -> Any:
        if x.min() < 0.0:
            raise ValueError("negative")
        return np.sqrt(x).sum()

    x, v = -np.ones(3), np.ones(3)
    calls = (
        lambda: differentiate(positive)(x),
        lambda: differentiate_vjp(positive)((x,), 1.0),
        lambda: differentiate_hvp(positive)((x,), (v,)),
    )
    for call in calls:
        before = sys.getrefcount(x), sys.getrefcount(v)
        for _ in range(5):
            with pytest.raises(ValueError, match="negative"):
                call()
        assert (sys.getrefcount(x), sys.getrefcount(v)) == before


def test_vjp_refuses_what_is_not_like_the_result() -> None:
    pull = differentiate_vjp(njit(lambda x: x * 2.0))
    with pytest.raises(ValueError, match="another shape"):
        pull((np.ones(3),), np.ones(2))
    with pytest.raises(DTypeError, match="v must have an array like it"):
        pull((np.ones(3),), 1.0)
    with pytest.raises(DTypeError, match="v must have an array like it"):
        pull((np.ones(3),), np.ones(3) * 1j)
    with pytest.raises(DTypeError, match="v must have such a number"):
        differentiate_vjp(njit(lambda x: x * 2.0))((1.0,), 1j)
    with pytest.raises(ArgumentError, match="has 1 arguments, and inputs has 2"):
        pull((np.ones(3), 2.0), np.ones(3))


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (thomas, (draws(5), 4 + draws(5), draws(5), draws(5))),
        (log_determinant, (draws(3, 3) + 3 * np.eye(3),)),
        (elementary, (1.3, 0.7)),
        (arrays, (draws(5), draws(6)[:5] + 0.05)),
        (transform, (draws(3),)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_hessian_vector_products_are_differences_of_gradients(fn: Any, args: Any) -> None:
    v = tuple([draws(*x.shape) if isinstance(x, np.ndarray) else 0.7 for x in args])
    value, gradients, products = differentiate_hvp(fn)(args, v)
    gradient = gradient_of(fn)
    assert abs(value - gradient(*args)[0]) <= 1e-14 * abs(value)

    def along(h: float) -> Any:
        return gradient(*[x + h * d for x, d in zip(args, v, strict=True)])[1]

    h = 1e-3
    for k, product in enumerate(products):
        np.testing.assert_allclose(gradients[k], gradient(*args)[1][k], rtol=1e-12, atol=1e-14)
        near, far = (np.asarray(along(n * h)[k]) - along(-n * h)[k] for n in (1, 2))
        wanted = (8 * near - far) / (12 * h)
        assert np.abs(product - wanted).max() < 1e-7 * (1 + np.abs(wanted).max())


def test_hessian_vector_products_of_any_layout_and_dtype() -> None:
    cubes = differentiate_hvp(njit(lambda x, a: (x * x * x).sum() * a))
    columns, strided = np.asfortranarray(draws(2, 3)), draws(4, 6)[::2, ::-2]
    for x in (columns, strided, draws(3, 2).astype(np.float32)):
        v = np.ones(x.shape, x.dtype)
        _, (dx, _), (along, by_a) = cubes((x, 2.0), (v, 0.0))
        np.testing.assert_allclose(dx, 6 * x * x, rtol=1e-6)
        np.testing.assert_allclose(along, 12 * x, rtol=1e-6)
        np.testing.assert_allclose(by_a, (3 * x * x).sum(), rtol=1e-6)
    squared = njit(lambda z: np.abs(z * z).sum())  # |z|^2, whose Hessian is twice the identity
    z, w = draws(3) + 1j * draws(3), draws(3) - 2j
    np.testing.assert_allclose(differentiate_hvp(squared)((z,), (w,))[2][0], 2 * w, rtol=1e-12, atol=1e-14)
    for x, v in ((columns, np.arange(6).reshape(2, 3)), (draws(3).astype(np.float32), np.array([1, 0, 1], np.int8))):
        wanted = cubes((x, 2.0), (v.astype(x.dtype), 1.0))
        for found, same in zip(cubes((x, 2.0), (v, 1))[2], wanted[2], strict=True):
            np.testing.assert_array_equal(found, same, strict=True)
    whole = differentiate_hvp(squared)((z,), (np.arange(3),))[2][0]
    np.testing.assert_allclose(whole, 2 * np.arange(3), rtol=1e-12, atol=1e-14)
    with pytest.raises(ValueError, match=r"v\[0\] has another shape"):
        cubes((columns, 2.0), (columns.T.copy().T[:1].copy(order="F"), 0.0))
    with pytest.raises(DTypeError, match=r"v\[0\] must be like array\(float64, 2d, F\), not array\(complex128"):
        cubes((columns, 2.0), (columns + 1j, 0.0))


def test_checkpoints_give_the_same_gradient() -> None:
    @njit
    def step(u: Any, p: Any, k: Any) -> Any:
        return u + 0.01 * np.array([p[0] * u[1], -u[0] + p[1] * k])

    @njit
    def loss(u: Any, p: Any) -> Any:
        return u[0] * u[1] * p[0]

    @njit
    def whole(u: Any, p: Any, steps: Any) -> Any:
        for k in range(steps):
            u = step(u, p, k)
        return loss(u, p)

    u, p = np.array([1.0, 0.5]), np.array([0.9, 1e-3])
    run, gradient = checkpointed(step, loss), differentiate(whole)
    for steps in (1, 2, 7, 100, 101):
        value, gradients = run(u, p, steps)
        wanted, expected = gradient(u, p, steps)
        assert value == wanted
        for got, known in zip(gradients, expected, strict=True):
            np.testing.assert_allclose(got, known, rtol=1e-12)


# ---- where it may be called


def test_it_is_called_from_njit_and_from_many_threads() -> None:
    gradient = gradient_of(thomas)

    @njit(parallel=True)
    def many(a: Any, b: Any, out: Any) -> None:
        for k in prange(len(b)):
            out[k] = gradient(a[k], b[k], a[k], a[k])[1][1]

    a, b = draws(64, 50), 4 + draws(64, 50)
    out = np.zeros_like(b)
    many(a, b, out)
    for k in range(len(b)):
        assert (out[k] == gradient(a[k], b[k], a[k], a[k])[1][1]).all()


def test_python_threads_share_nothing() -> None:
    gradient = gradient_of(single)
    wrong: list[int] = []

    def work(n: int) -> None:
        x, w = np.full(n, 0.5), np.arange(n, dtype=np.float64)
        for _ in range(50):
            _, (dx, dw) = gradient(x, w)
            if not ((dw == 0.5).all() and (dx[1:] == w[1:]).all()):
                wrong.append(n)

    in_threads(work, (10, 1000, 20_000, 100_000))
    assert not wrong


def test_a_forked_process_has_its_own_tape() -> None:
    gradient = gradient_of(single)
    x = draws(1000)
    _, (_, before) = gradient(x, x)
    child = os.fork()
    if child == 0:
        _, (_, dw) = gradient(2.0 * x, x)
        os._exit(0 if (dw == 2.0 * x).all() else 1)
    _, (_, after) = gradient(x, x)
    assert os.waitpid(child, 0)[1] == 0
    assert (before == after).all()


def test_a_function_that_is_kept_on_disk_may_call_it(tmp_path: Any) -> None:
    (tmp_path / "cached.py").write_text(
        """
import numpy as np
from numba import njit
from nbgrad.numba import differentiate
@njit
def f(x):
    return (x * x).sum() if x[0] > 0.0 else 1.0 / x[0]
g = differentiate(f)
@njit(cache=True)
def use(x):
    return g(x)[1][0]
if __name__ == "__main__":
    print(use(np.array([1.0, 2.0])), sum(use.stats.cache_hits.values()))
"""
    )
    for hits in (0, 1):
        assert printed("cached.py", cwd=tmp_path, PYTHONPATH=ROOT) == f"[2. 4.] {hits}\n"


def test_functions_of_several_processes_that_are_kept_on_disk_may_call_it(tmp_path: Any) -> None:
    """Numba names what each process compiles alike."""
    (tmp_path / "cached.py").write_text(
        """
import sys
import numpy as np
from numba import njit
from nbgrad.numba import differentiate, differentiate_hvp
@njit
def f(x):
    return (x * x * x).sum()
d, h = differentiate(f), differentiate_hvp(f)
@njit(cache=True)
def gradient(x):
    return d(x)[1][0]
@njit(cache=True)
def product(x):
    return h((x,), (np.ones_like(x),))[2][0]
for name in sys.argv[1:]:
    print({"gradient": gradient, "product": product}[name](np.array([0.0, 1.0, 2.0])))
"""
    )
    told = {"gradient": "[ 0.  3. 12.]\n", "product": "[ 0.  6. 12.]\n"}
    for names in (["gradient"], ["product"], ["gradient", "product"], ["product", "gradient"]):
        assert printed("cached.py", *names, cwd=tmp_path, PYTHONPATH=ROOT) == "".join([told[name] for name in names])


def test_numba_may_say_how_it_counts_memory(tmp_path: Any) -> None:
    (tmp_path / "counted.py").write_text(
        """
import numpy as np
from numba import njit
from nbgrad.numba import differentiate
@njit
def products(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] *= y[i - 1]
    return y.sum()
value, (slope,) = differentiate(products)(np.array([2.0, 3.0, 5.0]))
print("found", value, slope)
"""
    )
    told = printed("counted.py", cwd=tmp_path, PYTHONPATH=ROOT, NUMBA_DEBUG_NRT="1")
    assert "found 38.0 [19. 12.  6.]" in told and "NRT" in told


@njit
def sometimes(x: Any) -> Any:
    total = 0.0
    for value in x:
        if value < 0.0:
            raise ValueError("negative")
        total += math.sqrt(value)
    return total


def test_what_raises_gives_its_tape_back() -> None:
    gradient = gradient_of(sometimes)
    x = np.ones(10_000)  # 480 kB of tape, and 160 kB for the arguments
    x[-1] = -1.0
    for k in range(10_000):
        if k == 100:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with pytest.raises(ValueError, match=r"^negative$"):
            gradient(x)
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kb < 20_000
    x[-1] = 4.0
    assert gradient(x)[0] == 10_001.0


def test_a_tape_that_would_outgrow_its_bound_is_a_memory_error() -> None:
    gradient = differentiate(sometimes, tape_bytes=100_000)
    with pytest.raises(MemoryError, match=r"sometimes: the tape has no room .* \(its bound is 0\.0001 GB\)"):
        gradient(np.ones(100_000))
    value, (dx,) = gradient(np.full(1000, 4.0))
    assert value == 2000.0 and (dx == 0.25).all()
