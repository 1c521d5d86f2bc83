"""Derivatives: backward, grad, grad modes, custom functions, gradcheck."""

from importlib import import_module as _import_module
from typing import Any

from nbgrad.autograd.engine import backward, grad
from nbgrad.autograd.function import Function, FunctionCtx
from nbgrad.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from nbgrad.autograd.gradcheck import gradcheck, gradgradcheck

_LATER = ("functional", "graph")  # for who asks: most programs have no use for them

__all__ = [
    "Function",
    "FunctionCtx",
    "backward",
    "enable_grad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'nbgrad.autograd' has no attribute {name!r}")
    return _import_module(f"nbgrad.autograd.{name}")


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
