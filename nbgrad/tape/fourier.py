"""Fourier transforms on the tape: the address of what computes rows, then how these lie.

They are NumPy's: pocketfft behind the loops of generalized ufuncs. What a ufunc object holds is part of NumPy's C
interface (``PyUFuncObject``): loops, which it calls without the interpreter's lock, what each is told, and the types of
its operands."""

from __future__ import annotations

import ctypes
from functools import cache
from math import log2, prod
from typing import Final

from nbgrad.errors import RunError
from nbgrad.graph.dtypes import DType
from nbgrad.graph.node import Node
from nbgrad.system.imports import import_module
from nbgrad.tape.build import Argument, TapeBuilder
from nbgrad.tape.operands import contiguous
from nbgrad.tape.work import chunk_items

PS: Final = 1500  # of each of n log2(n) steps
CALL_PS: Final = 200_000
_ONE: Final = {4: ctypes.c_float(1), 8: ctypes.c_double(1)}  # the factor of results, by the size of a real number
_TYPES: Final = {"fft": "CR->C", "ifft": "CR->C", "rfft": "RR->C", "irfft": "CR->R"}


def lower_fourier(t: TapeBuilder, node: Node) -> None:
    """One instruction, an item for each row."""
    (routine, n), (x,) = node.params, node.inputs
    source = contiguous(t, x, routine)
    dtype, size = node.spec.dtype, node.spec.dtype.itemsize
    sides = [(x, routine != "rfft"), (node, routine != "irfft")]  # and whether numbers are complex there
    rows = [y.spec.shape[-2 if is_complex else -1] for y, is_complex in sides]
    steps = [size * (1 + is_complex) for _, is_complex in sides]
    items = prod(x.spec.shape[: -2 if routine != "rfft" else -1])
    head = [*_routine(routine, n, dtype), *rows, rows[0] * steps[0], rows[1] * steps[1], *steps]
    arguments = [Argument(source, dtype), Argument(t.value_block(node).start, dtype, writes=True)]
    cost = int(PS * n * (1 + log2(n))) + CALL_PS
    t.library("fourier", node, head, arguments, items, cost, chunk_items(items, cost))


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


@cache
def _routine(routine: str, n: int, dtype: DType) -> tuple[int, int, int]:
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
