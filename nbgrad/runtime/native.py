"""Object code of word functions (see ``translate``)."""

from __future__ import annotations

from collections.abc import Mapping

import llvmlite.binding as llvm

from nbgrad.kernels.compile import optimised_code
from nbgrad.kernels.target import Target
from nbgrad.runtime.expressions import WordFunction
from nbgrad.runtime.translate import translated


def native_code(target: Target, functions: Mapping[str, WordFunction]) -> bytes:
    """Object code that defines ``int64 name(int64...)`` for each word function under its name."""
    module = llvm.parse_assembly(translated(functions))
    module.triple = target.triple
    module.verify()
    return optimised_code(module, target)
