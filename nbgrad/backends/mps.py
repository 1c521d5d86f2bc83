"""``nbgrad.backends.mps``: there is none. Scripts ask before they choose a device."""

from __future__ import annotations

__all__ = ["is_available", "is_built"]


def is_available() -> bool:
    """False: nbgrad does not compute on GPUs of Apple's.

    >>> nbgrad.backends.mps.is_available()
    False
    """
    return False


def is_built() -> bool:
    """False, for the same reason.

    >>> nbgrad.backends.mps.is_built()
    False
    """
    return False


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
