"""How elements are stored: ``nbgrad.strided``, each at its place, is all there is."""

from __future__ import annotations

from typing import Final


class Layout:
    """A way to store elements."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "nbgrad.strided"

    def __reduce__(self) -> str:
        return "strided"


strided: Final = Layout()
