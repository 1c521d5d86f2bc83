"""Tables of functions that stand in many modules: each module is imported when its function is first asked for.

A first call waits for what it imports, and most programs compile few kinds of kernels: all of them took 40 ms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from nbgrad.system.imports import import_module


class Deferred(Mapping[str, Callable[..., Any]]):
    """Functions by name. ``places`` says where each stands: "module.function", the module relative to ``package``."""

    def __init__(self, package: str, places: Mapping[str, str]) -> None:
        self._package: Final = package
        self._places: Final = dict(places)
        self._found: dict[str, Callable[..., Any]] = {}

    def __getitem__(self, name: str) -> Callable[..., Any]:
        found = self._found.get(name)
        if found is None:
            module, function = self._places[name].rsplit(".", 1)
            found = self._found[name] = getattr(import_module(f"{self._package}.{module}"), function)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
