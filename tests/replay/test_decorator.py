"""What ``nbgrad.compile`` takes beside the function."""

from __future__ import annotations

from typing import Any

import pytest

import nbgrad as nb


def double(x: Any) -> Any:
    return x * 2


def test_arguments_that_make_no_difference_here() -> None:
    for options in ({"dynamic": True}, {"dynamic": None}, {"mode": "default"}, {"mode": "max-autotune"}):
        compiled = nb.compile(double, **options)
        assert [compiled(nb.ones(2)).tolist() for _ in range(4)] == [[2.0, 2.0]] * 4


def test_disabled_it_is_the_function_itself() -> None:
    assert nb.compile(double, disable=True) is double
    assert nb.compile(disable=True)(double) is double
    layer = nb.nn.Linear(2, 2)
    assert nb.compile(layer, disable=True) is layer


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"backend": "inductor"}, "there is no backend 'inductor'"),
        ({"mode": "fast"}, "unrecognized mode 'fast'; should be one of None, 'default', 'reduce-overhead'"),
        ({"options": {"trace.enabled": True}}, "there are no options"),
    ],
)
def test_what_there_is_not_is_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(RuntimeError, match=says):
        nb.compile(double, **options)
    with pytest.raises(RuntimeError, match=says):
        nb.compile(**options)
