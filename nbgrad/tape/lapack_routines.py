"""SciPy's BLAS and LAPACK as addresses of functions, and the memory that they ask for.

A tape is told addresses, as it is of memory, so compiled code calls a routine without Python. Importing SciPy takes
0.2 s: only programs with such operators do.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any, Final

from scipy.linalg import cython_blas, cython_lapack

from nbgrad.errors import RunError
from nbgrad.graph.dtypes import DType
from nbgrad.tape.capsules import opened

_QUERY: Final = -1  # a size of memory that asks for the best one


@functools.cache
def address(routine: str, dtype: DType) -> int:
    """Where ``routine`` (a name without the letter of its dtype) starts."""
    name = ("s" if dtype.itemsize == 4 else "d") + routine
    tables = cython_blas.__pyx_capi__, cython_lapack.__pyx_capi__
    signature, found = opened(next(table[name] for table in tables if name in table))
    if " int *" not in signature.replace("(int", " int"):
        raise RunError(f"{name}: SciPy's LAPACK counts by other integers than of 32 bits: {signature}")
    return found


@functools.lru_cache(maxsize=1024)
def work_elements(routine: str, dtype: DType, *given: int | None) -> int:
    """How many elements of memory ``routine`` works best with. ``given``: its arguments, letters as their codes, None
    for arrays; the last of these before _QUERY is the memory itself."""
    kind = ctypes.c_float if dtype.itemsize == 4 else ctypes.c_double
    arguments: list[Any] = [kind() if one is None else ctypes.c_int64(one) for one in given]
    best = arguments[given.index(_QUERY) - 1]
    pointers = [ctypes.addressof(one) for one in arguments]
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(pointers))(address(routine, dtype))(*pointers)
    return int(best.value * (1 + 1e-6)) + 1  # float32 may have rounded it down
