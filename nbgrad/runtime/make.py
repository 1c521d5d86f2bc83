"""Object code of what the store keeps: kernels, and the compiled half of first sight, which comes from Numba."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Final

from nbgrad.kernels.compile import compile_kernels
from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import KernelText

SHEET: Final = KernelText("sheet", 0, 0, ())  # stands for nbgrad/runtime/sheet_kernels.py
_NUMBA_HALF: Final = "nbgrad.runtime.sheet_kernels"


def make_code(texts: Sequence[KernelText], target: Target) -> bytes:
    """One relocatable object with a function for each of ``texts``, named by its symbol. ``SHEET`` comes alone."""
    if SHEET in texts:
        # Importing Numba takes long, so it waits until somebody compiles this.
        code: bytes = importlib.import_module(_NUMBA_HALF).object_code(target, SHEET.symbol)
        return code
    return compile_kernels(texts, target)
