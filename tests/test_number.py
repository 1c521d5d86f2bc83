"""Numbers that know where they come from behave as plain ones in arithmetic, and say what was decided by them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from nbgrad.number import Number, code_of, value_of

USES: list[Callable[[Any], Any]] = [
    lambda t: t << 1,
    lambda t: 1 << t,
    lambda t: t >> 1,
    lambda t: t & 3,
    lambda t: 6 | t,
    lambda t: t ^ 5,
    lambda t: ~t,
    lambda t: divmod(t, 3),
    lambda t: divmod(20, t),
    lambda t: t.bit_length(),
    lambda t: t.real,
    lambda t: t + 1j,
    lambda t: 2j * t,
    lambda t: math.floor(t),
    lambda t: [0] * t,
    lambda t: range(t)[-1],
    lambda t: f"{t:3d}",
]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("value", [1, 6])
def test_what_ints_can_do(use: Callable[[Any], Any], value: int) -> None:
    got = use(Number(value, "a0", []))
    plain = [value_of(x) for x in got] if isinstance(got, tuple) else value_of(got)
    expected = use(value)
    assert plain == ([*expected] if isinstance(expected, tuple) else expected)


def test_bits_keep_their_origin() -> None:
    conditions: list[str] = []
    n = Number(6, "a0", conditions)
    code = code_of((n << 1) & ~n)
    assert code is not None
    assert eval(code, {"a0": 6}) == (6 << 1) & ~6
    assert conditions == []


def test_attributes_that_floats_lack() -> None:
    conditions: list[str] = []
    with pytest.raises(AttributeError, match="'float' object has no attribute 'shape'"):
        _ = Number(1.0, "a0", conditions).shape
    assert conditions == []


def test_zero_is_not_minus_zero() -> None:
    conditions: list[str] = []
    float(Number(0.0, "a0", conditions))
    assert eval(conditions[0], {"a0": 0.0})
    assert not eval(conditions[0], {"a0": -0.0})


def test_a_power_by_a_modulus_holds_for_this_number_alone() -> None:
    conditions: list[str] = []
    assert pow(Number(3, "a0", conditions), 2, 5) == 4
    assert conditions == ["a0 == 3"]
