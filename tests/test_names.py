"""What ``dir`` shows of the modules that users reach: their public names, which are all there, and nothing else."""

from __future__ import annotations

from importlib import import_module

import pytest

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
