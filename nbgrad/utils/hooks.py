"""Handles of hooks."""

from nbgrad.autograd.hooks import RemovableHandle

__all__ = ["RemovableHandle"]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
