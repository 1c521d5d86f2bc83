"""What a user may know of the graph behind a tensor, and hooks on several gradients."""

from typing import Any

from nbgrad.absent import AbsentError as _AbsentError
from nbgrad.autograd.grad_fn import GradientEdge
from nbgrad.autograd.hooks import register_multi_grad_hook
from nbgrad.autograd.nodes import Node, get_gradient_edge
from nbgrad.autograd.saved import disable_saved_tensors_hooks
from nbgrad.autograd.saved_hooks import allow_mutation_on_saved_tensors, save_on_cpu, saved_tensors_hooks
from nbgrad.autograd.variable import increment_version

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


def __getattr__(name: str) -> Any:
    raise _AbsentError("module 'nbgrad.autograd.graph'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
