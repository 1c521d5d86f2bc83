"""Python's ``math`` on numbers that change from call to call."""

from __future__ import annotations

import math
from math import exp, sqrt
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.number import Number
from nbgrad.replay.numbers import Function, Module, is_math, original


def cosine(step: int) -> float:
    """A schedule of learning rates."""
    return 0.5 * (1.0 + math.cos(math.pi * step / 10)) if step < 10 else 0.0


def test_a_schedule_is_one_program_for_each_decision() -> None:
    run = nb.compile(lambda x, step: x * cosine(step), fullgraph=True)
    for step in [*range(15), *range(15)]:
        assert run(nb.ones(1, dtype=nb.float64), step).item() == cosine(step)
    (form,) = run._forms.values()
    assert len(form.programs) == 2


def test_functions_that_were_imported_by_name() -> None:
    run = nb.compile(lambda x, a: x * exp(a) * sqrt(a), fullgraph=True)
    for k in range(1, 25):
        assert run(nb.ones(1, dtype=nb.float64), 0.1 * k).item() == exp(0.1 * k) * sqrt(0.1 * k)


@pytest.mark.parametrize(
    ("name", "args"), [("floor", (2.5,)), ("pow", (2.5, 3)), ("atan2", (1, 2.0)), ("hypot", (3, 4))]
)
def test_a_function_of_numbers_is_a_number(name: str, args: tuple[Any, ...]) -> None:
    conditions: list[str] = []
    numbers = [Number(a, f"a{k}", conditions) for k, a in enumerate(args)]
    found = getattr(Module(), name)(*numbers)
    assert type(found) is Number
    assert found.value == getattr(math, name)(*args)
    assert found.code == f"math.{name}({', '.join([f'a{k}' for k in range(len(args))])})"
    assert conditions == []


def test_what_gives_no_number_decides() -> None:
    conditions: list[str] = []
    assert Module().isnan(Number(1.0, "a0", conditions)) is False
    assert conditions == ["a0 == 1.0"]


def test_plain_numbers_and_constants_are_as_ever() -> None:
    assert Module().cos(0.5) == math.cos(0.5)
    assert Module().pi is math.pi
    assert Module().isclose(1.0, 1.0, rel_tol=1e-9)
    with pytest.raises(ValueError, match=r"\w") as plain:  # in other words from Python 3.14 on
        math.sqrt(-1.0)
    with pytest.raises(ValueError, match=str(plain.value)):
        Module().sqrt(-1.0)


def test_the_module_stands_in_its_place_again() -> None:
    run = nb.compile(lambda x, step: x * cosine(step))
    run(nb.ones(1), 1)
    assert globals()["math"] is math
    assert type(globals()["exp"]) is not Function
    with pytest.raises(ZeroDivisionError):
        nb.compile(lambda x, step: x * math.cos(1 / step))(nb.ones(1), 0)
    assert globals()["math"] is math


def test_what_is_math() -> None:
    assert is_math(math)
    assert is_math(exp)
    assert not is_math(len)
    assert not is_math(cosine)
    assert original(Function(exp)) is exp
    assert original(Module()) is math
