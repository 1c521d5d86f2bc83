"""Helpers for training loops: clipping gradients."""

from nbgrad.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_

__all__ = ["clip_grad_norm_", "clip_grad_value_"]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
