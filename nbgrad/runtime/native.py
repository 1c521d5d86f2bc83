"""Object code of word functions (see ``translate``)."""

from __future__ import annotations

import llvmlite.binding as llvm

from nbgrad.interrupts import uninterrupted
from nbgrad.kernels.compile import optimised_code
from nbgrad.kernels.target import Target
from nbgrad.runtime.machine_words import with_machine_words


@uninterrupted
def native_code(target: Target, text: str, is_draft: bool = False) -> bytes:
    """Object code of ``text``, which ``translated`` gave: it defines ``int64 name(int64...)`` for each word function
    under its name.

    ``is_draft``: made in a third of the time; it takes twice as long to run.
    """
    module = llvm.parse_assembly(with_machine_words(text))
    module.triple = target.triple
    module.verify()
    return optimised_code(module, target, is_draft)
