"""Where PyTorch's programs import names from that stand elsewhere here: ``from nbgrad.nn.modules.batchnorm import
BatchNorm2d``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Any, Final

from nbgrad.system.imports import import_module

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


def stand_in(package: str, names: str, source: str, others: Mapping[str, str] = _NONE) -> None:
    """Have modules of ``package`` with these ``names`` give what the module ``source`` has, and of ``others`` what has
    another name in a module ("module:name"). It is read when somebody asks for it."""

    def found(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        path, _, other = others.get(name, f"{source}:{name}").partition(":")
        return getattr(import_module(path), other)

    for name in names.split():
        made = ModuleType(f"{package}.{name}", f"Names of {source}, where PyTorch has them.")
        made.__getattr__ = found  # type: ignore[method-assign]
        sys.modules[made.__name__] = made
        setattr(sys.modules[package], name, made)
