"""Helpers for training loops: clipping gradients, parameters as one vector."""

from nbgrad.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_
from nbgrad.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "vector_to_parameters"]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
