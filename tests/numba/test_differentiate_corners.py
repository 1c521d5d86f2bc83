"""Corners of differentiated functions where a gradient could be wrong without a word."""

from __future__ import annotations

import enum
import inspect
import math
import pickle
from typing import Any

import numba
import numpy as np
import pytest
from numba import njit
from numba.core.runtime import _nrt_python, rtsys

import nbgrad.numba
from bench.loops import factors
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.numba import checkpointed, differentiate, differentiate_hvp, differentiate_vjp
from tests.fresh import printed


def test_shared_memory_is_refused_also_where_a_write_keeps_the_derivative() -> None:
    @njit
    def shifted(a: Any, b: Any) -> Any:
        a[0] += 5.0
        return b[0] * b[0]

    gradient, x = differentiate(shifted), np.array([1.0, 2.0])
    with pytest.raises(ValueError, match="share memory"):
        gradient(x, x)
    value, (by_a, by_b) = gradient(x, x.copy())
    assert value == 1.0 and by_a.tolist() == [0.0, 0.0] and by_b.tolist() == [2.0, 0.0]
    assert differentiate(njit(lambda a, b: (a * b).sum()))(x, x)[1][0].tolist() == [1.0, 2.0]


def test_a_recurrence_whose_steps_differ_when_they_run_again_is_refused() -> None:
    @njit
    def drawn(u: Any, p: Any, k: Any) -> Any:
        return u + 0.1 * p[0] * np.random.standard_normal()

    @njit
    def written(u: Any, p: Any, k: Any) -> Any:
        p[0] *= 1.01
        return u * p[0]

    last = njit(lambda u, p: u[0])
    p = np.ones(1)
    with pytest.raises(ValueError, match="random numbers"):
        checkpointed(drawn, last)(np.ones(1), p, 9)
    with pytest.raises(ValueError, match="writes to its parameters"):
        checkpointed(written, last)(np.ones(1), p, 9)
    assert p.tolist() == [1.0]


@njit
def _at(x: Any, i: Any) -> Any:
    return x[i] ** 2


def _called(x: Any, i: Any) -> Any:
    return _at(x, i)


def _written(x: Any, i: Any) -> Any:
    y = np.zeros(3)
    y[i] = x[0]
    return y.sum()


def _flat(x: Any, i: Any) -> Any:
    return x.flat[i]


def _flat_written(x: Any, i: Any) -> Any:
    x.flat[i] = x[0] * 2.0
    return x.sum()


@pytest.mark.parametrize("boundscheck", [None, False])
@pytest.mark.parametrize("function", [_at.py_func, _called, _written, _flat, _flat_written])
def test_an_index_out_of_range_is_an_error_at_its_line_and_no_crash(function: Any, boundscheck: bool | None) -> None:
    gradient = differentiate(njit(boundscheck=boundscheck)(function))
    for i in (3, -5, 10**7, -(10**12)):
        with pytest.raises(IndexError, match="out of bounds") as caught:
            gradient(np.ones(2), i)
        last = caught.traceback[-1]
        assert last.path.name == "test_differentiate_corners.py"
        assert last.name == ("_at" if function is _called else function.__name__)
    assert gradient(np.array([3.0, 1.0]), 0)[1][0].any()


def test_indices_of_products_of_the_hessian_are_checked() -> None:
    for i in (2, -5):
        with pytest.raises(IndexError, match="out of bounds"):
            differentiate_hvp(_at)((np.ones(2), i), (np.ones(2),))
        with pytest.raises(IndexError, match="out of bounds"):
            differentiate_vjp(_at)((np.ones(2), i), 1.0)


def test_results_with_lists_are_refused() -> None:
    @njit
    def listed(x: Any) -> Any:
        items = [x[0], x[1] * 2.0]
        return items, x.sum()

    with pytest.raises(DTypeError, match="results are floats, arrays of them, and tuples"):
        differentiate_vjp(listed)((np.ones(2),), (0.0, 1.0))


def test_declared_types_are_kept_or_refused() -> None:
    declared = njit("float32(float32)")(lambda x: x * x)
    assert differentiate(declared)(np.float32(0.1))[0] == declared(np.float32(0.1))
    with pytest.raises(DTypeError, match="declared for other types"):
        differentiate(declared)(0.1)
    inner = njit(locals={"y": numba.float32})(lambda x: x * 1.1)
    with pytest.raises(DTypeError, match="locals="):
        differentiate(inner)
    with pytest.raises(DTypeError, match="locals="):
        differentiate(njit(lambda x: inner(x)))(0.1)


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1.0])
def test_norms_of_large_and_small_numbers(scale: float) -> None:
    value, (by_x,) = differentiate(njit(lambda x: np.linalg.norm(x)))(np.array([3.0, -4.0]) * scale)
    np.testing.assert_allclose([value / scale, *by_x], [5.0, 0.6, -0.8], rtol=1e-14)


def test_the_norm_of_zeros_has_derivative_zero() -> None:
    value, (by_x,) = differentiate(njit(lambda x: np.linalg.norm(x)))(np.zeros(2))
    assert value == 0.0 and by_x.tolist() == [0.0, 0.0]


def test_hessians_of_powers_of_negative_numbers() -> None:
    value, (slope,), (product,) = differentiate_hvp(njit(lambda x: x**2.0))((-1.0,), (1.0,))
    assert (value, slope, product) == (1.0, -2.0, 2.0)
    cubes = njit(lambda x, n: (x**n).sum())
    _, _, (by_x, _) = differentiate_hvp(cubes)((np.array([-1.0, 0.0, 2.0]), 3.0), (np.ones(3), 0.0))
    assert by_x.tolist() == [-6.0, 0.0, 12.0]


def test_remainders_whose_quotient_is_nearly_whole() -> None:
    value, (by_a, by_b) = differentiate(njit(lambda a, b: a % b))(1.0, 0.1)
    assert value == 1.0 % 0.1 and (by_a, by_b) == (1.0, -9.0)
    assert differentiate(njit(lambda a, b: np.fmod(a, b)))(-7.5, 2.0) == (math.fmod(-7.5, 2.0), (1.0, 3.0))


def test_parameters_may_have_any_name() -> None:
    assert differentiate(njit(lambda written, stub: written * stub))(2.0, 3.0) == (6.0, (3.0, 2.0))
    assert nbgrad.numba.differentiate(njit(lambda typing, x0: typing * x0))(2.0, 3.0)[0] == 6.0


def test_what_calls_itself_need_not_have_run_before() -> None:
    @njit
    def power(x: float, n: int) -> float:
        if n == 0:
            return 1.0
        return x * power(x, n - 1)

    assert differentiate(power)(2.0, 3) == (8.0, (12.0,))


def test_what_was_just_written_is_read_again_in_the_same_breath() -> None:
    @njit
    def written(x: Any, i: int, j: int) -> Any:
        x[i] = x[0] * x[1]
        y = x[j] * 3.0
        x[j] = y * x[1]
        return x[i] + y * x[j]

    x = np.array([2.0, 5.0, 7.0])
    a, b, c = x
    # i == j: x2 = ab, y = 3ab, x2 = 3ab^2, and the result 3ab^2 + 9a^2b^3
    value, (by_x,) = differentiate(written)(x, 2, 2)
    assert value == written(x.copy(), 2, 2)
    np.testing.assert_allclose(by_x, [3 * b**2 + 18 * a * b**3, 6 * a * b + 27 * a**2 * b**2, 0.0], rtol=1e-15)
    # x2 = ab, y = 3b, x1 = 3b^2, and the result ab + 9b^3
    value, (by_x,) = differentiate(written)(x, 2, 1)
    np.testing.assert_allclose(by_x, [b, a + 27 * b**2, 0.0], rtol=1e-15)
    assert value == a * b + 9 * b**3 and c == x[2]


def test_an_infinite_slope_that_is_multiplied_by_zero_is_nothing() -> None:
    @njit
    def masked(x: Any, w: Any) -> Any:
        total = 0.0
        for k in range(len(x)):
            total += w[k] * (3.0 * math.sqrt(x[k])) * x[0]
        return total

    _, (by_x, by_w) = differentiate(masked)(np.array([4.0, 0.0]), np.array([1.0, 0.0]))
    assert by_x.tolist() == [9.0, 0.0] and by_w.tolist() == [24.0, 0.0]
    _, (by_x, _) = differentiate(masked)(np.array([4.0, 0.0]), np.array([1.0, 2.0]))
    assert by_x.tolist() == [9.0, math.inf]


def test_two_functions_share_one_that_is_not_inlined() -> None:
    @njit
    def power(x: float, n: int) -> float:
        return x if n <= 1 else x * power(x * 1.0, n - 1)

    first = differentiate(njit(lambda x: power(x, 3)))
    second = differentiate(njit(lambda x, y: power(x * y, 2) + power(y, 4) / x))
    assert first(2.0) == (8.0, (12.0,))
    assert second(2.0, 1.0) == (4.5, (3.75, 10.0))
    assert first(3.0) == (27.0, (27.0,))


def _long_function() -> Any:
    """Of 350 lines without a branch: more operations, one after the other, than Python has levels of calls."""
    lines = ["def long(x, y):", "    a, b = x, y"]
    lines += [f"    a, b = b * {1.0 - k / 1000}, a + b * x * 0.1" for k in range(350)]
    scope: dict[str, Any] = {}
    exec("\n".join([*lines, "    return a * b"]), scope)
    return scope["long"]


def test_long_code_without_branches() -> None:
    long = njit(_long_function())
    value, (by_x, by_y) = differentiate(long)(0.3, 0.2)
    assert value == long(0.3, 0.2)
    plain = _long_function()
    step = 1e-200j
    exact = plain(0.3 + step, 0.2).imag / 1e-200, plain(0.3, 0.2 + step).imag / 1e-200
    np.testing.assert_allclose([by_x, by_y], exact, rtol=1e-10)
    _, gradients, _ = differentiate_hvp(long)((0.3, 0.2), (1.0, 0.0))
    np.testing.assert_allclose(gradients, exact, rtol=1e-10)


def test_operations_that_nobody_else_sees_take_little_tape() -> None:
    @njit
    def iterated(x: float, c: float, steps: int) -> float:
        for _ in range(steps):
            y = x * (1.0 - x) * c
            y = y + 0.25 * x * y - 0.125 * y * y + 0.5 * x * x * y - 0.3 * c * y
            x = y + 0.1 * (x - y) * (x + y) - 0.01 * x
        return x

    steps = 100_000  # of 25 operations, which would take 24 bytes each
    value, _ = differentiate(iterated, tape_bytes=25_000_000)(0.3, 1.5, steps)
    assert value == iterated(0.3, 1.5, steps)


def test_numbers_in_exceptions_and_print(capfd: pytest.CaptureFixture[str]) -> None:
    @njit
    def f(x: Any) -> Any:
        if x > 10.0:
            raise ValueError("too large", x, 3)
        print("x is", x, 2, 1j * x)
        return x * x

    def hessian(x: float) -> Any:
        return differentiate_hvp(f)((x,), (1.0,))

    assert f(2.0) == 4.0 and differentiate(f)(2.0) == (4.0, (4.0,)) and hessian(2.0) == (4.0, (4.0,), (2.0,))
    assert capfd.readouterr().out == "x is 2.0 2 2j\n" * 3
    for form in (f, differentiate(f), hessian):
        with pytest.raises(ValueError, match=r"too large.*11\.0.*3"):
            form(11.0)


class Colour(enum.Enum):
    RED = 2
    BLUE = 3


@njit
def of_dictionaries(x: Any) -> Any:
    d = dict()  # noqa: C408
    d[1], d[2] = x[0] * x[1], x[2]
    e = {1: 2, 3: 4}
    d.update({4: x[0]})
    return d[1] * d.get(2, 0.0) * e[3] + d.pop(4) * Colour.BLUE.value * (Colour.RED != Colour.BLUE)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (of_dictionaries, [2.0, 3.0, 5.0]),
        (njit(lambda x: divmod(x[0], x[1])[0] * divmod(x[0], x[1])[1]), [7.5, 2.0]),
        (njit(lambda x: math.frexp(x[0])[0] ** 2 * math.frexp(x[1])[1]), [5.0, 3.0]),
        (njit(lambda x: np.nanmean(x) + np.nanvar(x) * np.nanstd(x)), [1.0, 7.5, np.nan, 3.0]),
    ],
)
def test_dictionaries_and_functions_with_two_results(f: Any, x: list[float]) -> None:
    given = np.array(x)
    value, (found,) = differentiate(f)(given)
    assert value == f(given)
    for k in range(len(x)):
        h = np.zeros(len(x))
        h[k] = 1e-6
        wanted = (f(given + h) - f(given - h)) / 2e-6
        np.testing.assert_allclose(found[k], 0.0 if np.isnan(x[k]) else wanted, rtol=1e-8, atol=1e-8)


def test_any_number_of_arguments() -> None:
    @njit
    def f(n: Any, *args: Any) -> Any:
        return args[0] * args[1][0] * n

    x = np.array([3.0])
    assert differentiate(f)(2, 5.0, x)[0] == 30.0
    assert differentiate(f)(2, 5.0, x)[1][0] == 6.0 and differentiate(f)(2, 5.0, x)[1][1].tolist() == [10.0]
    value, (a, b) = differentiate_vjp(f)((2, 5.0, x), 1.0)
    assert (value, a, b.tolist()) == (30.0, 6.0, [10.0])
    assert differentiate_hvp(f)((2, 5.0, x), (1.0, np.zeros(1)))[2][1].tolist() == [2.0]
    with pytest.raises(ArgumentError, match="has 1 arguments, and inputs has 0"):
        differentiate_vjp(f)((), 1.0)


def test_entries_of_a_loop_share_what_it_does_not_change() -> None:
    a = np.random.default_rng(0).random((100, 100)) + 100 * np.eye(100)
    value, (by_a,) = differentiate(factors.value, tape_bytes=5_000_000)(a)  # 333,000 operations of three operands
    assert value == factors.value(a)
    np.testing.assert_allclose(by_a, np.linalg.inv(a).T, rtol=1e-10, atol=1e-15)


def _changing(x: Any, w: Any, order: Any) -> Any:
    """Loops in which places go on by other steps, and what looks the same in each round changes."""
    total = x[0] * 0.0
    for k in range(len(order)):
        total += w[0] * x[order[k]]
    for k in range(len(x)):
        x[k] = x[k] - x[2] * w[k]
    for _ in range(3):
        for k in range(len(x)):
            w[1] += x[k] * w[1] * 0.1
    for k in range(len(x) - 1):
        x[k + 1] = x[k] * x[k + 1] + total
    for k in range(len(x)):
        total += x[len(x) - 1 - k]
    return total * w[1]


def test_entries_of_a_loop_tell_what_it_does_change() -> None:
    random = np.random.default_rng(1).random
    x, w = 1.0 + random(7), 1.0 + random(7)
    order = np.array([0, 1, 2, 2, 2, 5, 6, 6, 5, 4, 0, 0, 1, 3, 5, 2])
    value, (by_x, by_w) = differentiate(njit(_changing))(x, w, order)
    assert value == _changing(x.copy(), w.copy(), order)
    for gradient, at in ((by_x, 0), (by_w, 1)):
        for k in range(7):
            moved = [x.astype(complex), w.astype(complex)]
            moved[at][k] += 1e-200j
            np.testing.assert_allclose(gradient[k], _changing(*moved, order).imag / 1e-200, rtol=1e-13)
    v, h = (random(7), random(7)), 1e-6
    _, _, products = differentiate_hvp(njit(_changing))((x, w, order), v)
    up, down = (differentiate(njit(_changing))(x + s * v[0], w + s * v[1], order)[1] for s in (h, -h))
    for product, a, b in zip(products, up, down, strict=True):
        np.testing.assert_allclose(product, (a - b) / (2 * h), rtol=1e-6)


def test_the_memory_of_large_arrays_is_kept_and_no_place_in_it() -> None:
    @njit
    def f(x: Any) -> Any:
        y, z = np.empty(20_000), np.zeros(20_000)
        y[: len(x)] = x * x
        total = z.sum() + y[len(x) :].sum()
        z[:] = x[1]
        y[:] = z * x[0]
        return total + x[0]

    gradient = differentiate(f)
    gradient(np.array([2.0, 3.0]))
    was_on = _nrt_python.memsys_stats_enabled()
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        for n in range(2, 7):
            value, (by_x,) = gradient(np.arange(2.0, 2.0 + n))
            assert value == 2.0 and by_x.tolist() == [1.0] + [0.0] * (n - 1)
            del by_x
        after = rtsys.get_allocation_stats()
    finally:
        if not was_on:
            _nrt_python.memsys_disable_stats()
    assert (after.alloc - before.alloc, after.mi_alloc - before.mi_alloc) == (
        after.free - before.free,
        after.mi_free - before.mi_free,
    )


def test_parameters_are_the_functions_own_and_a_pickle_makes_it_anew() -> None:
    both = pickle.loads(pickle.dumps(differentiate(_scaled)))
    assert list(inspect.signature(both).parameters) == ["x", "scale"] and both.__name__ == "_scaled"
    x = np.array([1.0, 2.0])
    assert both(scale=3.0, x=x)[1][1] == 5.0 and both(x)[0] == 10.0

    @njit
    def called(x: Any) -> Any:
        return both(x)[1][1] + both(x, scale=2.0)[0]

    assert called(x) == 15.0


@njit
def _scaled(x: Any, scale: Any = 2.0) -> Any:
    return scale * (x * x).sum()


def test_functions_that_share_what_numba_compiled_are_apart() -> None:
    """LLVM's loader took the functions of the first for those of the second: a wrong gradient, or a crash."""
    assert printed("-m", "tests.numba.two_functions") == "right\n"
