"""Helpers for training loops and models: gradients, parameters as one vector, packed sequences, computed weights."""

from typing import Any

from nbgrad.absent import AbsentError
from nbgrad.nn.utils.clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from nbgrad.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from nbgrad.system.imports import import_module

_MODULES = ("fusion", "init", "parametrizations", "parametrize", "prune", "rnn", "stateless")
_LATER = {
    "fuse_conv_bn_eval": "fusion",
    "fuse_conv_bn_weights": "fusion",
    "fuse_linear_bn_eval": "fusion",
    "fuse_linear_bn_weights": "fusion",
    "remove_spectral_norm": "singular_values",
    "remove_weight_norm": "lengths",
    "skip_init": "init",
    "spectral_norm": "singular_values",
    "weight_norm": "lengths",
}

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "vector_to_parameters",
]
__all__.extend([*_MODULES, *_LATER])


def __getattr__(name: str) -> Any:
    if name in _LATER:
        found = getattr(import_module(f"nbgrad.nn.utils.{_LATER[name]}"), name)
        globals()[name] = found
        return found
    if name in _MODULES:
        return import_module(f"nbgrad.nn.utils.{name}")
    raise AbsentError("module 'nbgrad.nn.utils'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)
