"""Small kernels to store, fetch and run."""

from __future__ import annotations

import ctypes

import numpy as np

import nbgrad.ops.library  # noqa: F401  (kernels name operators, and this defines them)
from nbgrad.tape.kernel import KernelText, Operand, Stmt


def chain(number: int) -> KernelText:
    """One of many kernels: x, then for each binary digit of ``number``, lowest first, + x for 0 and * x for 1."""
    digits = [int(digit) for digit in reversed(f"{number:b}")]
    x = Operand("float32", 1, "in")
    stmts = tuple(
        Stmt("mul" if digit else "add", (k + 1 if k else 0, 0), (), "float32") for k, digit in enumerate(digits)
    )
    return KernelText("map", 1, 0, (x, Operand("float32", 1, "out")), stmts, ((1 + len(digits), 1),))


def chains(first: int, count: int) -> list[KernelText]:
    return [chain(number) for number in range(first, first + count)]


def computes(number: int, address: int) -> bool:
    """Whether the code at ``address`` is that of ``chain(number)``."""
    x = np.arange(-9, 10, dtype=np.float32)
    out = np.zeros_like(x)
    desc = np.array([x.size, x.ctypes.data, 4, out.ctypes.data, 4])
    kernel = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(address)
    expected = x
    for digit in reversed(f"{number:b}"):
        expected = expected * x if digit == "1" else expected + x
    return kernel(desc.ctypes.data, 0, x.size) == 0 and bool((out == expected).all())
