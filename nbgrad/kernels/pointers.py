"""What compiled functions do with the addresses of many items. Here stands what Python does when it runs them as they
stand; ``numba_records`` has the LLVM that takes its place."""

from __future__ import annotations

import ctypes
from typing import Any, TypeVar

from nbgrad.kernels.records import Pointer

_Item = TypeVar("_Item")


def beyond(first: Pointer[_Item], k: int) -> Pointer[_Item]:
    """What follows from item ``k`` on."""
    address = ctypes.cast(first, ctypes.c_void_p).value or 0
    there: Pointer[_Item] = ctypes.cast(address + k * item_bytes(first), type(first))  # type: ignore[type-var]
    return there


def item_bytes(first: Any) -> int:
    """The size of each item."""
    return ctypes.sizeof(first._type_)


def room(kind: Any) -> Any:
    """The first item of an array as long as the function runs. What stands there is unspecified."""
    return ctypes.cast(kind(), ctypes.POINTER(kind._type_))
