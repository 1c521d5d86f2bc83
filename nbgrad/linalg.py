"""``nbgrad.linalg``: norms of vectors."""

from __future__ import annotations

from nbgrad.calls.base import CALLS
from nbgrad.surface import function_of

__all__ = ["vector_norm"]

vector_norm = function_of(CALLS["vector_norm"])


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
