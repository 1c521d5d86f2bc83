"""What Cython exports: addresses of C functions, in capsules. Importing SciPy takes 0.2 s: only programs that need one
of its functions do."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from nbgrad.system.free_memory import require_room_for_blas
from nbgrad.system.imports import import_module

_pointer: Final = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_name: Final = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))


@cache
def exported(module: str) -> Mapping[str, Any]:
    """The capsules of one of SciPy's modules, by the functions' names."""
    require_room_for_blas()
    found: Mapping[str, Any] = import_module(f"scipy.{module}").__pyx_capi__
    return found


def opened(capsule: Any) -> tuple[str, int]:
    """The signature of a function, as C text, and its address."""
    signature = _name(capsule)
    return signature.decode(), int(_pointer(capsule, signature))
