"""LLVM's types, each one object however often it is named, and the values that have them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

_TYPES: Final[dict[str, Type]] = {}


class Type:
    """A type of LLVM; ``text`` is how it is written."""

    __slots__ = ("text",)
    text: str

    @classmethod
    def _called(cls, text: str) -> Any:
        """The one type that is written so."""
        found = _TYPES.get(text)
        if found is None:
            found = _TYPES[text] = object.__new__(cls)
            found.text = text
        return found

    def __str__(self) -> str:
        return self.text

    def __call__(self, value: int | None) -> Constant:
        """The constant ``value`` of this type; None is 0."""
        return _constant(self, value)


class IntType(Type):
    """An integer of ``width`` bits."""

    __slots__ = ("width",)
    width: int

    def __new__(cls, width: int) -> IntType:
        found: IntType = cls._called(f"i{width}")
        found.width = width
        return found


class PointerType(Type):
    """An address in one of a machine's address spaces."""

    __slots__ = ("addrspace",)
    addrspace: int

    def __new__(cls, addrspace: int = 0) -> PointerType:
        found: PointerType = cls._called(f"ptr addrspace({addrspace})" if addrspace else "ptr")
        found.addrspace = addrspace
        return found


class VectorType(Type):
    """``count`` lanes of ``element``."""

    __slots__ = ("count", "element")
    count: int
    element: Any

    def __new__(cls, element: Any, count: int) -> VectorType:
        found: VectorType = cls._called(f"<{count} x {element.text}>")
        found.element, found.count = element, count
        return found


class ArrayType(Type):
    """``count`` places of ``element`` in memory."""

    __slots__ = ("count", "element")
    count: int
    element: Any

    def __new__(cls, element: Any, count: int) -> ArrayType:
        found: ArrayType = cls._called(f"[{count} x {element.text}]")
        found.element, found.count = element, count
        return found


FLOAT: Final[Type] = Type._called("float")
DOUBLE: Final[Type] = Type._called("double")
HALF: Final[Type] = Type._called("half")
VOID: Final[Type] = Type._called("void")  # what a function has that gives nothing


class FunctionType:
    """What a function takes and gives."""

    __slots__ = ("args", "result")

    def __init__(self, result: Type, args: Sequence[Type]) -> None:
        self.result = result
        self.args = tuple(args)


class Value:
    """Something of a type; ``text`` is its name, or what it is."""

    __slots__ = ("text", "type")

    def __init__(self, kind: Any, text: str) -> None:
        self.type = kind
        self.text = text


class Place(Value):
    """An address of memory for one ``kind``."""

    __slots__ = ("kind",)

    def __init__(self, pointer: Any, text: str, kind: Any) -> None:
        super().__init__(pointer, text)
        self.kind = kind


class Constant(Value):
    """A number, the numbers of a vector's lanes, or None for 0. ``constant`` is what was given."""

    __slots__ = ("constant",)

    def __init__(self, kind: Any, constant: Any) -> None:
        super().__init__(kind, _written(kind, constant))
        self.constant = constant


class FormattedConstant(Value):
    """A constant as LLVM writes it."""

    __slots__ = ()


def undefined(kind: Any) -> Value:
    """Any value at all."""
    return Value(kind, "undef")


@functools.lru_cache(maxsize=4096)
def _constant(kind: Any, value: Any) -> Constant:
    return Constant(kind, value)


def _written(kind: Any, constant: Any) -> str:
    if constant is None:
        return "zeroinitializer"
    if isinstance(kind, VectorType):
        one = kind.element.text
        return f"<{', '.join([f'{one} {number}' for number in constant])}>"
    if not isinstance(kind, IntType):
        raise TypeError(f"{constant!r} as {kind}: floats are written by their bits, see FormattedConstant")
    return str(int(constant))


I1: Final = IntType(1)


@functools.cache
def bits_of(kind: Any) -> Any:
    """What a comparison of two ``kind`` gives: a bit, or one for each lane."""
    return VectorType(I1, kind.count) if isinstance(kind, VectorType) else I1
