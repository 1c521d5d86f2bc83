"""How other libraries find out what can be done with a tensor: NumPy's protocols, and the array API standard."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any, Final

from nbgrad.errors import ArgumentError
from nbgrad.system.imports import import_module
from nbgrad.tensor.described import Described

# What answers is imported when somebody asks.
_STANDARD: Final = "nbgrad.array_api"
_NUMPY: Final = "nbgrad.array_api.numpy_calls"
_VERSIONS: Final = ("2021.12", "2022.12", "2023.12", "2024.12")


@cache
def _room(name: str) -> ModuleType:
    return import_module(name)


class Protocols(Described):
    """The part of a tensor that other libraries ask."""

    __slots__ = ()

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """``nbgrad.array_api``. ValueError for a version of the standard that it does not have."""
        if api_version is not None and api_version not in _VERSIONS:
            raise ArgumentError(f"version {api_version!r} of the array API is none of {', '.join(_VERSIONS)}")
        return _room(_STANDARD)

    def to_device(self, device: Any, /, *, stream: Any = None) -> Any:
        """This tensor on a device: itself, or a copy."""
        return self.to(device)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """A ufunc of NumPy's as the function here that it stands for, with its derivative."""
        return _room(_NUMPY).of_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, named: Any) -> Any:
        """A function of NumPy's as the function here that it stands for, with its derivative."""
        return _room(_NUMPY).of_function(function, types, args, named)
