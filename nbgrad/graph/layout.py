"""How elements are stored: ``nbgrad.strided``, each at its place, is all there is. Of memory formats,
``preserve_format``, as None, lets a copy lie as what it is copied from; ``contiguous_format`` asks for a row-major
one."""

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


class MemoryFormat:
    """An order of elements in memory."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"nbgrad.{self._name}"

    def __reduce__(self) -> str:
        return self._name


contiguous_format: Final = MemoryFormat("contiguous_format")
preserve_format: Final = MemoryFormat("preserve_format")
