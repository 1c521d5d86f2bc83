"""Derivatives: backward, grad, grad modes, custom functions, gradcheck."""

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

__all__ = [
    "Function",
    "FunctionCtx",
    "backward",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
