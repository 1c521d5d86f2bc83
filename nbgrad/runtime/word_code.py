"""Object code of all word functions that are called from Python: the runner, its threads, the baseline tier.

Their LLVM text comes with the package, as ``write_words`` made it from their source: Numba takes seconds for that.
"""

from __future__ import annotations

import os

from nbgrad.kernels.target import Target
from nbgrad.runtime.native import native_code


def text_path(what: str) -> str:
    """Where the LLVM text of the functions of ``what`` is."""
    return os.path.join(os.path.dirname(__file__), f"{what}.ll")


def text_of(what: str) -> str:
    """The LLVM text that defines the functions of ``what``."""
    with open(text_path(what), encoding="utf-8") as file:
        return file.read()


def object_code(target: Target, what: str, is_draft: bool = False) -> bytes:
    """Object code that defines the functions of ``what``."""
    return native_code(target, text_of(what), is_draft)
