"""Helpers beside the tensors: ``nbgrad.utils.hooks``."""

from nbgrad.utils import hooks

__all__ = ["hooks"]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
