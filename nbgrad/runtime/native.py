"""Object code of word functions (see ``translate``)."""

from __future__ import annotations

from collections.abc import Mapping

import llvmlite.binding as llvm

from nbgrad.interrupts import uninterrupted
from nbgrad.kernels.compile import optimised_code
from nbgrad.kernels.target import Target
from nbgrad.runtime.expressions import WordFunction
from nbgrad.runtime.translate import translated


@uninterrupted
def native_code(target: Target, functions: Mapping[str, WordFunction], is_draft: bool = False) -> bytes:
    """Object code that defines ``int64 name(int64...)`` for each word function under its name.

    ``is_draft``: made in a third of the time; it takes twice as long to run.
    """
    module = llvm.parse_assembly(translated(functions))
    module.triple = target.triple
    module.verify()
    return optimised_code(module, target, is_draft)
