"""What ``dir`` shows of the modules that users reach: their public names, which are all there, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.surface import Later

MODULES = (
    "autograd",
    "backends",
    "backends.cuda",
    "config",
    "cuda",
    "errors",
    "linalg",
    "nn",
    "nn.functional",
    "nn.init",
    "nn.utils",
    "optim",
    "optim.lr_scheduler",
    "random",
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
    vars(nb).pop("sqrt", None)
    assert nb.sqrt is nb.Tensor.sqrt
    assert "sqrt" in vars(nb)
    assert nb.sqrt(nb.tensor([4.0])).tolist() == [2.0]


def test_what_is_no_name_is_said() -> None:
    with pytest.raises(AttributeError, match="module 'nbgrad' has no attribute 'sqrtt'"):
        nb.sqrtt  # noqa: B018
