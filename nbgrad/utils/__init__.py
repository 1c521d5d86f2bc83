"""Helpers beside the tensors: ``nbgrad.utils.hooks``, ``nbgrad.utils.checkpoint``; ``nbgrad.utils.einops`` for who has
einops."""

from nbgrad.utils import checkpoint, hooks

__all__ = ["checkpoint", "hooks"]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
