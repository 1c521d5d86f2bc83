"""``nbgrad.backends``: what libraries may do, with PyTorch's names."""

from typing import Any

from nbgrad.absent import AbsentError
from nbgrad.backends import cuda
from nbgrad.system.imports import import_module

_LATER = ("cudnn", "mps")

__all__ = ["cuda", *_LATER]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return import_module(f"nbgrad.backends.{name}")
    raise AbsentError("module 'nbgrad.backends'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
