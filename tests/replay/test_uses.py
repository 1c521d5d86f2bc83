"""What instructions name."""

from __future__ import annotations

import gc
import sys
from types import CodeType
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.replay.instructions import Ran, can_observe, codes_in, observed, uses_of

pytestmark = pytest.mark.cpu


def code_of(text: str) -> CodeType:
    names: dict[str, Any] = {}
    exec(f"def f(x, i, y=None):\n    return {text}", names)
    return names["f"].__code__  # type: ignore[no-any-return]


def uses(text: str) -> Any:
    return uses_of(code_of(text), None)


def test_names() -> None:
    found = uses("g(x.a.b).c(len)")
    assert found.loads.keys() == {"g", "len"}
    assert found.names.keys() == {"a", "b", "c"}
    assert found.problem is None


@pytest.mark.parametrize(
    "text",
    [
        "getattr(x, 'a')",
        "getattr(x.y, 'a', 5)",
        "getattr(f(x)[i], 'a', y + i)",
        "setattr(x, 'a', f(i, y))",
        "hasattr(x, 'a')",
    ],
)
def test_a_name_that_is_given_as_a_constant(text: str) -> None:
    assert "a" in uses(text).names
    assert uses(text).problem is None
    assert uses(text).probes


@pytest.mark.parametrize("text", ["getattr(x, f'a{i}')", "getattr(x, f'a{i}_{y}', y)", "hasattr(x.y, f'a{i!r}')"])
def test_a_name_that_begins_with_a_constant(text: str) -> None:
    assert uses(text).made.keys() == {"a"}
    assert uses(text).problem is None


@pytest.mark.parametrize(
    "text",
    [
        "getattr(x, i)",
        "getattr(x, 'a' + i)",
        "getattr(x, f'{i}a')",
        "getattr(x, 'a' if i else 'b')",
        "getattr(*x)",
        "map(getattr, x, i)",
        "getattr(x, 'ab'[i])",
        "getattr(x, f'a{i}' + y)",
    ],
)
def test_a_name_that_is_made(text: str) -> None:
    assert "made at run time" in uses(text).problem[0]


def test_identity_and_text() -> None:
    assert not uses("x is None").identity
    assert not uses("x is not None and i is True").identity
    assert uses("x is i").identity
    assert uses("f'{x}'").prints
    assert uses("str(x)").prints
    assert not uses("x + i").prints


def test_only_what_runs_counts() -> None:
    def run(x: Any) -> Any:
        if x:
            return [x.a for _ in range(2)]
        return max(x.b, 1)

    ran = Ran()
    with observed(ran), pytest.raises(AttributeError):
        run(0)
    (found,) = [u for code, u in ran.uses().items() if code is run.__code__]
    assert found.names.keys() == {"b"}
    assert {code.co_name for code in codes_in(run.__code__)} >= {"run"}


def test_long_code_is_observed_as_well() -> None:
    lines = [f"    if x == {k}: return a{k}.b{k}" for k in range(400)]
    names: dict[str, Any] = {}
    exec("def f(x):\n" + "\n".join(lines), names)
    for k in (1, 390):
        ran = Ran()
        with observed(ran), pytest.raises(NameError):
            names["f"](k)
        assert ran.uses()[names["f"].__code__].loads.keys() == {f"a{k}"}


def test_what_the_collector_calls_is_none_of_it() -> None:
    def callback(phase: str, info: Any) -> None:
        phases.append(phase)

    def run() -> None:
        gc.collect()

    phases: list[str] = []
    gc.callbacks.append(callback)
    try:
        with observed(ran := Ran()):
            run()
    finally:
        gc.callbacks.remove(callback)
    assert phases[:2] == ["start", "stop"]
    assert run.__code__ in ran.offsets and callback.__code__ not in ran.offsets


def test_who_observes_already_keeps_the_hook() -> None:
    assert can_observe()
    if sys.version_info >= (3, 12):
        pytest.skip("several may observe")

    def hook(*_: Any) -> None:
        return None

    sys.settrace(hook)
    try:
        run = nb.compile(lambda x, k: x * 2 if k < 9 else print(x))
        for k in range(5):
            run(nb.ones(1), k)
        assert sys.gettrace() is hook
        assert not can_observe()
    finally:
        sys.settrace(None)
    assert any("print" in text for text in nb.explain(lambda: None).fallbacks)
