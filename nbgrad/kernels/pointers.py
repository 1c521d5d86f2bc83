"""What compiled functions do with the addresses of many items. Here stands what Python does when it runs them as they
stand; ``numba_records`` has the LLVM that takes its place."""

from __future__ import annotations

import ctypes
from typing import Any, TypeVar

from nbgrad.kernels.records import Pointer

_Item = TypeVar("_Item")


def beyond(first: Pointer[_Item], k: int) -> Pointer[_Item]:
    """What follows from item ``k`` on."""
    return shifted(first, k * item_bytes(first))


def item_bytes(first: Any) -> int:
    """The size of each item."""
    return ctypes.sizeof(first._type_)


def quotient(a: int, b: int) -> int:
    """``a // b`` of numbers that are not negative."""
    return a // b


def room(kind: Any) -> Any:
    """The first item of an array as long as the function runs. What stands there is unspecified."""
    return ctypes.cast(kind(), ctypes.POINTER(kind._type_))


def shifted(first: Pointer[_Item], nbytes: int) -> Pointer[_Item]:
    """What follows ``nbytes`` on."""
    there: Pointer[_Item] = ctypes.cast(_address(first) + nbytes, type(first))  # type: ignore[type-var]
    return there


def as_int32(first: Any) -> Any:
    """The same memory as numbers of 32 bits."""
    return ctypes.cast(first, ctypes.POINTER(ctypes.c_int32))


def number(first: Pointer[_Item], value: float) -> float:
    """``value`` as one of the items."""
    return value


def call(routine: int, *arguments: Any) -> None:
    """Call a function of other libraries by its address, with the addresses of its arguments."""
    given = [_address(x) for x in arguments]
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(given))(routine)(*given)


def gave(routine: int) -> int:
    """What a function of other libraries without arguments gives: an int of 32 bits."""
    return int(ctypes.CFUNCTYPE(ctypes.c_int32)(routine)())


def called(routine: int, *arguments: float) -> float:
    """What a function of other libraries, found by its address, gives of numbers. Those that Cython made take an int,
    too."""
    kind = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * len(arguments), ctypes.c_int)
    return float(kind(routine)(*arguments, 0))


def called_for_four(routine: int, x: float, found: Pointer[float]) -> None:
    """The same of one that writes four numbers."""
    places = [_address(beyond(found, k)) for k in range(4)]
    ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.c_void_p] * 4)(routine)(x, *places)


def _address(of: Any) -> int:
    return ctypes.addressof(of) if isinstance(of, ctypes.Structure) else ctypes.cast(of, ctypes.c_void_p).value or 0
