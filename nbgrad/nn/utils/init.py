"""Modules without starting values."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.arguments import refused
from nbgrad.errors import RunError
from nbgrad.nn.module import Module

__all__ = ["skip_init"]


def skip_init(module_cls: type[Module], *args: Any, **kwargs: Any) -> Any:
    """``module_cls(*args, **kwargs)``; its parameters hold anything, for weights that are loaded anyway.

    Here they hold their starting values: memory that is not set costs no less. RuntimeError for no class of modules,
    and for one that takes no ``device``, as in PyTorch.

    >>> nbgrad.nn.utils.skip_init(nbgrad.nn.Linear, 2, 3)
    Linear(in_features=2, out_features=3, bias=True)
    """
    if not isinstance(module_cls, type):
        raise refused("skip_init", "module_cls", module_cls, "a class of modules")
    if not issubclass(module_cls, Module):
        raise RunError(f"Expected a Module; got {module_cls}")
    try:
        return module_cls(*args, **{"device": None, **kwargs})
    except TypeError as error:
        if "'device'" in str(error):
            raise RunError("Module must support a 'device' arg to skip initialization") from None
        raise


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
