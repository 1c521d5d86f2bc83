"""The log says which guard made a call be recorded anew, and why."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb

pytestmark = pytest.mark.cpu  # elsewhere specs name the device, too
Call = Callable[[], Any]


def logged(capfd: pytest.CaptureFixture[str], before: Call, after: Call) -> str:
    """The last that the log says of recording when ``after`` comes behind four calls of ``before``."""
    with nb.log("compile"):
        for call in (before, before, before, before, after):
            call()
    lines = [line for line in capfd.readouterr().err.splitlines() if ": recorded a" in line]
    return re.sub(r"\(id \d+\)", "(id ...)", lines[-1].partition(": recorded a")[2]) if lines else ""


x = nb.ones(2, 5)

LEN = "a builtin_function_or_method (id ...)"
ARGUMENTS: list[tuple[tuple[Any, ...], tuple[Any, ...], str]] = [
    ((x,), (nb.ones(4, 5),), "argument 0 was f32[2,5], is f32[4,5]"),
    ((x,), (nb.ones(5),), "argument 0 was f32[2,5], is f32[5]"),
    ((x,), (nb.ones(2, 5, dtype=nb.float64),), "argument 0 was f32[2,5], is f64[2,5]"),
    ((x,), (nb.ones(2, 5, requires_grad=True),), "argument 0 was f32[2,5], is f32[2,5] that requires grad"),
    ((x, 1), (x, 1.0), "argument 1 was of type int, is of type float"),
    ((x, 1), (x, True), "argument 1 was of type int, is True"),
    ((x, "a"), (x, "b"), "argument 1 was 'a', is 'b'"),
    ((x, [1, 2]), (x, [1, 3]), "argument 1[1] was 2, is 3"),
    ((x, [1]), (x, [1, 3]), "argument 1[1] was not there, is 3"),
    ((x, {"k": x}), (x, {"k": None}), "argument 1['k'] was f32[2,5], the same as argument 0, is None"),
    ((x, x), (x, nb.ones(2, 5)), "argument 1 was f32[2,5], the same as argument 0, is f32[2,5]"),
    ((x, len), (x, abs), f"argument 1 was {LEN}, is {LEN}"),
    ((x,), (x, None), "argument 1 was not there, is None"),
]


@pytest.mark.parametrize(("before", "after", "why"), ARGUMENTS, ids=[why for _, _, why in ARGUMENTS])
def test_arguments(before: Any, after: Any, why: str, capfd: pytest.CaptureFixture[str]) -> None:
    run = nb.compile(lambda a, *rest: a * 2)
    assert logged(capfd, lambda: run(*before), lambda: run(*after)) == f"new: {why}"


def test_of_several_calls_the_nearest_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    run = nb.compile(lambda a, b, c: a + b + c)
    run(nb.ones(2, 1), nb.ones(2, 1), nb.ones(2, 1))
    assert logged(capfd, lambda: run(x, x + 0, x + 1), lambda: run(x, x + 0, nb.ones(1, 5))) == (
        "new: argument 2 was f32[2,5], is f32[1,5]"
    )


def test_modes(capfd: pytest.CaptureFixture[str]) -> None:
    run = nb.compile(lambda a: a * 2)

    def without() -> Any:
        with nb.no_grad():
            return run(x)

    assert logged(capfd, lambda: run(x), without) == "new: grad mode was on, is off"


def test_settings(capfd: pytest.CaptureFixture[str]) -> None:
    run = nb.compile(lambda a: a * 2)

    def otherwise() -> Any:
        with nb.config.override(passes=frozenset(["fold"])), nb.log("compile"):
            return run(x)

    assert logged(capfd, lambda: run(x), otherwise) == "new: other settings"


class Holder:
    """What a function reaches: a number, a string, a list and a tensor."""

    def __init__(self) -> None:
        self.text = "a"
        self.count = 1
        self.many = [1, 2]
        self.flag = True
        self.weight = nb.ones(5)

    def run(self, a: Any) -> Any:
        if self.text == "b" or not self.flag or self.count == 7 or sum(self.many) == 100:
            return a * 3
        return a * self.weight


REACHED: list[tuple[str, Any, str]] = [
    ("text", "b", "gain: self.text was 'a', is 'b'"),
    ("count", 7, "gain: self.count was 1, is 7"),
    ("count", 1.0, "gain: self.count was 1, is 1.0"),
    ("many", [1, 2, 3], "gain: self.many"),
    ("flag", None, "gain: self.flag was True, is None"),
    ("weight", nb.ones(5, dtype=nb.float64), "gain: self.weight"),
    ("weight", nb.ones(1), "gain: self.weight"),
]


@pytest.mark.parametrize(("name", "value", "why"), REACHED)
def test_what_a_function_reaches(name: str, value: Any, why: str, capfd: pytest.CaptureFixture[str]) -> None:
    holder = Holder()
    run = nb.compile(lambda a: holder.run(a))

    def after() -> Any:
        setattr(holder, name, value)
        return run(x)

    assert why.replace("self", "holder") in logged(capfd, lambda: run(x), after)


def test_a_closure_and_a_default(capfd: pytest.CaptureFixture[str]) -> None:
    scale: Any = 2.0
    run = nb.compile(lambda a: a * scale)

    def after() -> Any:
        nonlocal scale
        scale = "2"
        with pytest.raises(TypeError):
            run(x)

    assert logged(capfd, lambda: run(x), after) == "gain: scale was 2.0, is '2'"


def test_the_state_of_a_tensor_that_is_reached(capfd: pytest.CaptureFixture[str]) -> None:
    weight = nb.ones(5)
    run = nb.compile(lambda a: a * weight)
    said = logged(capfd, lambda: run(x), lambda: weight.requires_grad_() is not None and run(x))
    assert said == "gain: weight was f32[5], is f32[5] that requires grad"


def test_a_decision_by_a_number(capfd: pytest.CaptureFixture[str]) -> None:
    run = nb.compile(lambda a, rate: a * rate if rate > 0.5 else a)
    said = logged(capfd, lambda: run(x, 0.75), lambda: run(x, 0.25))
    assert said == "gain: a decision that was taken by a number comes out otherwise: (a0 > 0.5) is no longer true"
