"""What Cython exports: addresses of C functions, in capsules."""

from __future__ import annotations

import ctypes
from typing import Any, Final

_pointer: Final = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_name: Final = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]


def opened(capsule: Any) -> tuple[str, int]:
    """The signature of a function, as C text, and its address."""
    signature = _name(capsule)
    return signature.decode(), int(_pointer(capsule, signature))
