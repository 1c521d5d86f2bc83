"""What a user may know of the graph behind a tensor, and hooks on several gradients."""

from nbgrad.autograd.hooks import register_multi_grad_hook

__all__ = ["register_multi_grad_hook"]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
