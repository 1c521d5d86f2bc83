"""NumPy's Fourier transforms as addresses: pocketfft behind the loops of generalized ufuncs.

What a ufunc object holds is part of NumPy's C interface (``PyUFuncObject``): loops, which it calls without the
interpreter's lock, what each is told, and the types of its operands.
"""

from __future__ import annotations

import ctypes
import functools
from importlib import import_module
from typing import Final

from nbgrad.errors import RunError
from nbgrad.graph.dtypes import DType


class _UFunc(ctypes.Structure):
    """The beginning of ``PyUFuncObject``."""

    _fields_ = (
        ("head", ctypes.c_ssize_t * 2),
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
    )


_ONE: Final = {4: ctypes.c_float(1), 8: ctypes.c_double(1)}  # the factor of results, by the size of a real number
_TYPES: Final = {"fft": "CR->C", "ifft": "CR->C", "rfft": "RR->C", "irfft": "CR->R"}


@functools.cache
def found(routine: str, n: int, dtype: DType) -> tuple[int, int, int]:
    """(address of the loop, of what it is told, of the factor) of transforms of ``n`` numbers of ``dtype``."""
    name = routine if routine != "rfft" else "rfft_n_odd" if n % 2 else "rfft_n_even"
    ufunc = getattr(import_module("numpy.fft._pocketfft_umath"), name)
    real = dtype.numpy.char
    types = _TYPES[routine].replace("R", real).replace("C", real.upper())
    held = _UFunc.from_address(id(ufunc))
    if (held.nin, held.nout, held.nargs, held.ntypes) != (2, 1, 3, len(ufunc.types)) or types not in ufunc.types:
        raise RunError(f"{name}: this NumPy's ufunc has no loop for {types} where it is expected")
    place = ufunc.types.index(types)
    told = held.data[place] if held.data else 0
    return held.functions[place] or 0, told or 0, ctypes.addressof(_ONE[dtype.itemsize])
