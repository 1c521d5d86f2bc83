"""Object code of what ``numba_records`` has compiled to text."""

from __future__ import annotations

import llvmlite.binding as llvm

from nbgrad.kernels.compile import optimised_code
from nbgrad.kernels.target import Target
from nbgrad.runtime.system_words import with_system_words
from nbgrad.system.free_memory import require_room_for
from nbgrad.system.interrupts import uninterrupted


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
