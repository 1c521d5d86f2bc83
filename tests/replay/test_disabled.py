"""Functions that say that they are not compiled."""

from __future__ import annotations

from typing import Any

import pytest

import nbgrad as nb
from nbgrad import errors


def test_a_disabled_function_runs_at_each_call() -> None:
    compiling: list[bool] = []

    @nb.compiler.disable
    def seen(x: Any) -> Any:
        compiling.append(nb.compiler.is_compiling())
        return x

    def f(x: Any) -> Any:
        compiling.append(nb.compiler.is_compiling())
        return seen(x * 2) + 1

    compiled = nb.compile(f)
    assert [compiled(nb.ones(2) * k).tolist() for k in range(5)] == [[2.0 * k + 1] * 2 for k in range(5)]
    assert len(compiling) == 10
    assert not any(compiling[1::2])
    assert compiling[0]
    assert not nb.compiler.is_compiling()


@pytest.mark.parametrize("made", [nb.nn.Linear(2, 2), lambda x: x * 2])
def test_fullgraph_refuses_what_is_disabled_and_says_why(made: Any) -> None:
    disabled = nb.compiler.disable(reason="it prints")(made)
    with pytest.raises(errors.RunError, match=r"is disabled by compiler\.disable: it prints"):
        nb.compile(lambda x: disabled(x), fullgraph=True)(nb.ones(1, 2))
    assert disabled(nb.ones(1, 2)).shape == (1, 2)


def test_a_disabled_module_is_itself() -> None:
    layer = nb.nn.Linear(2, 2)
    assert nb.compiler.disable(layer) is layer
    assert nb.compile(layer)(nb.ones(1, 2)).shape == (1, 2)
