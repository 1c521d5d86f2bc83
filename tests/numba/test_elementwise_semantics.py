"""Scalar functions mean what Python means by them: a table of small functions, each about one thing."""

from __future__ import annotations

import enum
import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.errors import DTypeError, RunError

FACTOR = 3.0
UPWARDS = True


@numba.njit
def scaled(x: float) -> float:
    return x * FACTOR


@numba.njit
def moved(x: float, up: bool = True) -> float:
    return x + 1.0 if up else x - 1.0


def powers(x: float, n: int) -> Any:
    return x**-3, x**-2.0, x**1.5, x**0.5, x**1, x**0, n**3


def ranges(n: int, step: int) -> Any:
    up = down = by = 0
    for i in range(-1, n, 3):
        up = 2 * up + i
    for i in range(n, -2, -2):
        down = 2 * down + i
    for i in range(7, n, step):
        by = 2 * by + i
    return up, down, by


def either_kind(x: float) -> Any:
    y = 1 if x > 1.0 else 2.5
    return y * x


def constant_conditions(x: float) -> Any:
    y = 2.0 * x if UPWARDS else -x
    return moved(y), moved(y, False)


def loop_on_one_way(m: int, n: int) -> Any:
    if n > 0:
        while m % n != 0:
            m -= 1
    return m


def division_in_a_loop(m: int, n: int) -> Any:
    total = 0
    for i in range(3):
        if n > 0:
            total += (m + i) // n
    return total


def truths(x: float, n: int) -> Any:
    return (x > 1.5) == (n > 2), -(x > 1.5), not n, (x > 1.5) < (n > 2), +(n > 2)


def divided(x: float, n: int) -> Any:
    q, r = divmod(n - 3, 2)
    return q, r, divmod(x - 1.75, 0.5)[1], (n - 4) // 3, (n - 4) % -3


def rounded(x: float) -> Any:
    return round(x), round(-x), round(2.0 * x) + 0.5


@numba.njit
def with_defaults(a: float, b: float = 2.0, c: float = 3.0) -> float:
    return a * b + c * 10.0


def named_arguments(x: float) -> Any:
    return with_defaults(x, c=1.0), with_defaults(x), with_defaults(c=x, a=2.0)


COUNT, SCALE = np.int64(3), np.float32(0.5)


class Side(enum.IntEnum):
    LEFT = -1
    RIGHT = 2


SIDE = Side.RIGHT


def numbers_of_other_types(x: float) -> Any:
    return x * COUNT, x * SCALE, x * SIDE


CASES: dict[str, tuple[Callable[..., Any], tuple[list[Any], ...]]] = {
    "powers": (powers, ([0.5, 1.0, 2.25], [-2, 0, 5])),
    "ranges": (ranges, ([-5, 0, 3, 8, 9, 11], [1, 2, -3, -1, 5, 3])),
    "a way with a whole number, one with a float": (either_kind, ([0.5, 1.0, 2.5],)),
    "constant conditions": (constant_conditions, ([0.5, -1.0],)),
    "a loop on one way": (loop_on_one_way, ([7, 9, 12], [0, 4, 5])),
    "a division in a loop": (division_in_a_loop, ([7, 9, 12], [0, 4, 5])),
    "truths": (truths, ([1.0, 2.0, 1.0, 2.0], [1, 1, 3, 0])),
    "divisions": (divided, ([0.3, 1.75, 4.0], [-4, 0, 9])),
    "named arguments of a callee": (named_arguments, ([0.5, 1.5],)),
    "numbers of NumPy's, and of an enum": (numbers_of_other_types, ([0.5, 1.5],)),
    "round": (rounded, ([0.5, 1.5, 2.5, 2.75],)),
}


elementwise = functools.cache(nb.elementwise)  # one operator for both ways: Numba takes half a second for each


@pytest.fixture(params=["kernels", "interpreted"])
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    with override(interpret=request.param == "interpreted"):
        yield


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("name", CASES)
def test_it_means_what_python_means(name: str) -> None:
    fn, columns = CASES[name]
    dtypes = [nb.float64 if isinstance(column[0], float) else nb.int64 for column in columns]
    results = elementwise(fn)(*[nb.tensor(c, dtype=d) for c, d in zip(columns, dtypes, strict=True)])
    expected = [fn(*row) for row in zip(*columns, strict=True)]
    if not isinstance(results, tuple):
        results, expected = (results,), [(one,) for one in expected]
    for y, column in zip(results, zip(*expected, strict=True), strict=True):
        assert y.dtype.is_floating_point == any(isinstance(value, (float, np.floating)) for value in column)
        np.testing.assert_allclose(y.numpy(), column, rtol=1e-14)


def test_extremes_are_pythons_also_of_nan_and_signed_zeros() -> None:
    values = [(math.nan, 1.0), (1.0, math.nan), (0.0, -0.0), (-0.0, 0.0), (2.0, 3.0)]
    a, b = [nb.tensor(column, dtype=nb.float64) for column in zip(*values, strict=True)]
    for fn in (lambda a, b: max(a, b), lambda a, b: min(a, b)):
        found = nb.elementwise(fn)(a, b)
        np.testing.assert_array_equal(found.numpy(), [fn(*row) for row in values])
        assert found.signbit().tolist() == [math.copysign(1.0, fn(*row)) < 0 for row in values]


def test_a_tuple_of_one_is_a_tuple() -> None:
    assert nb.elementwise(lambda x: (2.0 * x,))(nb.ones(1))[0].tolist() == [2.0]


def test_a_conversion_to_float32_rounds() -> None:
    x = nb.tensor([0.1, 1 / 3], dtype=nb.float64)
    assert nb.elementwise(lambda x: 1.0 * np.float32(x))(x).tolist() == [float(np.float32(v)) for v in x.tolist()]


def test_results_have_the_shape_of_all_operands_and_are_tensors_of_their_own() -> None:
    x, y = nb.tensor([1.0, 2.0]), nb.ones(3, 1)
    z = nb.elementwise(lambda x, y: x)(x, y)
    assert z.tolist() == [[1.0, 2.0]] * 3
    same = nb.elementwise(lambda x: x)(x)
    same.add_(1.0)
    assert x.tolist() == [1.0, 2.0] and same.tolist() == [2.0, 3.0]
    flags = nb.tensor([True, False])
    assert nb.elementwise(lambda flag: flag)(flags).dtype is nb.bool
    assert nb.elementwise(lambda flag: not flag)(flags).tolist() == [False, True]


def test_dtypes_promote_as_in_other_operators() -> None:
    own = nb.elementwise(lambda x, y: x + y)
    assert own(nb.ones(2), nb.tensor(1.0, dtype=nb.float64)).dtype is nb.float32
    assert own(nb.ones(2), nb.ones(2, dtype=nb.float64)).dtype is nb.float64
    half = nb.elementwise(lambda n: n / 2)
    n = nb.tensor([3])
    assert half(n).dtype is nb.float32
    nb.set_default_dtype(nb.float64)
    try:
        assert half(n).dtype is nb.float64
    finally:
        nb.set_default_dtype(nb.float32)


def test_numbers_that_callees_find_are_read_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    own, x = nb.elementwise(lambda x: scaled(x) + 1.0), nb.tensor([1.0, 2.0])
    assert own(x).tolist() == [4.0, 7.0]
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert own(x).tolist() == [6.0, 11.0]


def test_a_number_that_becomes_a_flag_is_refused() -> None:
    count: Any = 2
    own = nb.elementwise(lambda x: x * count)
    assert own(nb.ones(1)).tolist() == [2.0]
    count = True
    with pytest.raises(DTypeError, match="count was int, and is bool now"):
        own(nb.ones(1))


def doubled(x: float) -> float:
    while x < 10.0:
        x = 2.0 * x
    return x


def increased(x: float) -> float:
    while x < 10.0:
        x = x + 1.0
    return x


@pytest.mark.usefixtures("way")
def test_two_loops_on_the_same_operands_are_two() -> None:
    x = nb.tensor([0.5, 3.0])
    one, other = elementwise(doubled)(x), elementwise(increased)(x)
    assert nb.stack([one, other]).tolist() == [[16.0, 12.0], [10.5, 10.0]]


def divided_thrice(m: int, n: int) -> int:
    for _ in range(3):
        m = m // n
    return m


@pytest.mark.usefixtures("way")
def test_a_division_by_zero_in_a_loop_is_an_error() -> None:
    own = elementwise(divided_thrice)
    assert own(nb.tensor([100]), nb.tensor([2])).tolist() == [12]
    with pytest.raises(RunError, match="ZeroDivisionError"):
        own(nb.tensor([100, 5]), nb.tensor([2, 0])).tolist()


async def paused(x: float) -> float:
    return x


NOT_PYTHONS: dict[str, tuple[Callable[..., Any], str]] = {
    "a negative power of a whole number": (lambda x, n: n**-2, "whole number to a negative power"),
    "a range of floats": (lambda x, n: sum_to(x), "range\\(\\) goes over whole numbers"),
    "a coroutine": (paused, "coroutine"),
    "a callee that is not compiled": (lambda x, n: math.floor(uncompiled(x)), "must be @numba.njit functions"),
    "an unknown function without arguments": (lambda x, n: x * np.random.random(), "not among the functions"),
    "bool of nothing": (lambda x, n: bool(), "cannot compile it"),  # noqa: UP018
}


@numba.njit
def sum_to(x: float) -> float:
    total = 0.0
    for _ in range(x):
        total += 1.0
    return total


def uncompiled(x: float) -> float:
    return x


@pytest.mark.parametrize("name", NOT_PYTHONS)
def test_what_would_not_be_pythons_is_refused(name: str) -> None:
    fn, why = NOT_PYTHONS[name]
    with pytest.raises(TypeError, match=why):
        nb.elementwise(fn)(nb.tensor([1.5]), nb.tensor([2]))
    assert (nb.tensor([1.0]) * 3.0).tolist() == [3.0]


def test_powers_that_are_no_numbers() -> None:
    x = nb.tensor([0.5, 2.0], dtype=nb.float64)
    assert nb.elementwise(lambda x: x**math.inf)(x).tolist() == [0.0, math.inf]
    assert nb.elementwise(lambda x: x**math.nan)(x).isnan().all()
