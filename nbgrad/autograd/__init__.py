"""Derivatives: backward, grad, grad modes, custom functions, gradcheck."""

from typing import Any

from nbgrad.absent import AbsentError as _AbsentError
from nbgrad.autograd.engine import backward, grad
from nbgrad.autograd.function import Function
from nbgrad.autograd.function_call import FunctionCtx
from nbgrad.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from nbgrad.autograd.gradcheck import gradcheck, gradgradcheck
from nbgrad.autograd.later import later as _later
from nbgrad.system.import_paths import stand_in as _stand_in

# For who asks: most programs have no use for them. Modules, and the modules that others are in.
_LATER = {"anomaly_mode": "", "forward_ad": "", "functional": "", "graph": "", "nodes": "", "saved_hooks": ""}
_LATER |= {"detect_anomaly": "anomaly_mode", "set_detect_anomaly": "anomaly_mode", "Variable": "variable"}
_LATER |= {"SavedTensor": "saved_attributes"}

__all__ = [
    "Function",
    "FunctionCtx",
    "SavedTensor",
    "Variable",
    "anomaly_mode",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

_stand_in(__name__, "profiler", "nbgrad.profiler")


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise _AbsentError("module 'nbgrad.autograd'", name, __all__)
    found = _later(_LATER[name] or name)
    return getattr(found, name) if _LATER[name] else found


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
