"""Object code of all word functions that are called from Python: the runner, its threads, the baseline tier.

Their LLVM text comes with the package, as ``write_words`` made it from their source: Numba takes seconds for that.
"""

from __future__ import annotations

import os

import llvmlite.binding as llvm

from nbgrad.kernels.compile import optimised_code
from nbgrad.kernels.target import Target
from nbgrad.runtime.system_words import with_system_words
from nbgrad.system.free_memory import require_room_for
from nbgrad.system.interrupts import uninterrupted


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


@uninterrupted
def native_code(target: Target, text: str, is_draft: bool = False) -> bytes:
    """Object code of ``text``, which ``compiled_text`` gave: it defines C functions, once ``bind`` has told it where
    the system's functions are.

    ``is_draft``: made in a third of the time; it takes twice as long to run.
    """
    require_room_for(text)
    module = llvm.parse_assembly(with_system_words(text))
    module.triple = target.triple
    return optimised_code(module, target, is_draft)
