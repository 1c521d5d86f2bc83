"""What a user may know of the graph behind a tensor, and hooks on several gradients."""

from nbgrad.autograd.grad_fn import GradientEdge
from nbgrad.autograd.hooks import register_multi_grad_hook
from nbgrad.autograd.nodes import Node, get_gradient_edge

__all__ = ["GradientEdge", "Node", "get_gradient_edge", "register_multi_grad_hook"]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
