"""The base of modules, and the hooks of all of them."""

from nbgrad.nn.hooks import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)
from nbgrad.nn.module import Module

__all__ = [
    "Module",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
