"""What ``dir`` shows of the modules that users reach: their public names, which are all there, and nothing else."""

from __future__ import annotations

import math
from importlib import import_module

import pytest

import nbgrad as nb

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
