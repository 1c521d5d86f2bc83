"""What ``dir`` shows of the modules that users reach: their public names, which are all there, and nothing else."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.calls.base import CALLS, Call
from nbgrad.tensor.surface import Later, inplace_of, made_once, method_of

MODULES = (
    "autograd",
    "autograd.anomaly_mode",
    "autograd.functional",
    "autograd.graph",
    "backends",
    "backends.cuda",
    "config",
    "cuda",
    "errors",
    "func",
    "linalg",
    "nn",
    "nn.functional",
    "nn.init",
    "nn.utils",
    "optim",
    "optim.lr_scheduler",
    "optim.swa_utils",
    "random",
    "special",
    "testing",
    "utils.data",
)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_shows_its_public_names_alone(name: str) -> None:
    module = import_module(f"nbgrad.{name}")
    assert dir(module) == sorted(module.__all__)
    assert all(hasattr(module, shown) for shown in module.__all__)
    assert "annotations" not in dir(module)


def test_numbers_have_their_names() -> None:
    assert (nb.pi, nb.e, nb.inf) == (math.pi, math.e, math.inf) and math.isnan(nb.nan)
    assert {"pi", "e", "inf", "nan"} <= set(dir(nb))


def test_a_method_is_made_once_for_the_class_that_has_it() -> None:
    made = []

    def make() -> Callable[..., str]:
        made.append(None)
        return lambda self: type(self).__name__

    class Base:
        pass

    class Derived(Base):
        pass

    setattr(Base, "name", Later(Base, "name", make))  # noqa: B010
    derived: Any = Derived()
    assert [derived.name(), derived.name(), Base.name(derived)] == ["Derived"] * 3  # type: ignore[attr-defined]
    assert len(made) == 1
    assert "name" not in vars(Derived)


def test_a_function_is_made_when_it_is_asked_for_and_is_its_method() -> None:
    vars(nb).pop("clamp", None)
    assert nb.clamp is nb.Tensor.clamp
    assert "clamp" in vars(nb)
    assert nb.clamp(nb.tensor([4.0]), max=2.0).tolist() == [2.0]


def test_a_method_of_tensors_alone_takes_no_out() -> None:
    x = nb.tensor([4.0])
    assert nb.sqrt(x, out=x) is x
    with pytest.raises(TypeError, match="out"):
        x.sqrt(out=x)
    with pytest.raises(TypeError, match="out"):
        x.maximum(x, out=x)


def test_a_method_that_is_set_while_another_is_made_stays() -> None:
    class Base:
        pass

    def ours(self: object) -> str:
        return "ours"

    def make() -> Callable[..., str]:
        Base.name = ours  # type: ignore[attr-defined]
        return lambda self: "made"

    setattr(Base, "name", Later(Base, "name", make))  # noqa: B010
    assert Base().name() == "made"  # type: ignore[attr-defined]  # who asked before it was set
    assert vars(Base)["name"] is ours


def test_a_function_that_is_set_while_another_is_made_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def ours() -> None: ...

    def make(call: Call) -> Callable[..., Any]:
        vars(nb)["sqrt"] = ours
        return method_of(call)

    assert nb.sqrt is not ours
    monkeypatch.delattr(nb, "sqrt")
    monkeypatch.setattr(nb, "_function_of", make)
    assert nb.sqrt is ours
    assert vars(nb)["sqrt"] is ours


def test_threads_that_ask_at_the_same_time_get_one_function() -> None:
    both = threading.Barrier(2)

    @made_once
    def make(call: Call) -> Callable[..., Any]:
        both.wait(timeout=30)
        return lambda: call

    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(make, [CALLS["sqrt"]] * 2)
    assert first is second is make(CALLS["sqrt"])
    assert inplace_of(CALLS["sqrt"]) is inplace_of(CALLS["sqrt"])


def test_what_is_no_name_is_said() -> None:
    with pytest.raises(AttributeError, match="module 'nbgrad' has no attribute 'sqrtt'"):
        nb.sqrtt  # noqa: B018
