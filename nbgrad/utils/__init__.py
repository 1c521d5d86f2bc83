"""Helpers beside the tensors: ``nbgrad.utils.hooks``, ``nbgrad.utils.checkpoint``, ``nbgrad.utils.data``;
``nbgrad.utils.einops`` and ``nbgrad.utils.safetensors`` for who has these packages."""

from typing import Any

from nbgrad.absent import AbsentError as _AbsentError
from nbgrad.system.import_paths import stand_in as _stand_in
from nbgrad.system.imports import import_module as _import_module
from nbgrad.utils import checkpoint, hooks

__all__ = ["checkpoint", "data", "dlpack", "hooks"]

_stand_in(__name__, "dlpack", "nbgrad")


def __getattr__(name: str) -> Any:
    """``data``, read when somebody asks for it."""
    if name == "data":
        return _import_module("nbgrad.utils.data")
    raise _AbsentError("module 'nbgrad.utils'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
