"""What Numba has to know to compile this room's functions beside records: what ``intrinsics`` does. For builds only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types

from nbgrad.kernels import numba_records
from nbgrad.kernels.numba_records import defined
from nbgrad.kernels.numba_target import infer_global
from nbgrad.runtime import intrinsics, system_words

_WORD: Final = ir.IntType(64)
_WORDS: Final = _WORD.as_pointer()
_KERNEL: Final = ir.FunctionType(ir.IntType(32), [_WORDS, _WORD, _WORD]).as_pointer()


@defined(intrinsics.call_kernel, lambda kernel, desc, begin, end: types.int64, *[types.int64] * 4)
def _call_kernel(_: Any, b: Any, signature: Any, values: Any) -> Any:
    kernel, desc, begin, end = values
    return b.sext(b.call(b.inttoptr(kernel, _KERNEL), [b.inttoptr(desc, _WORDS), begin, end]), _WORD)


def _external(function: Any, symbol: str, n: int) -> None:
    """Calls of ``function`` are calls of what the text's user defines (``with_system_words``)."""
    infer_global(function, types.ExternalFunction(symbol, types.int64(*[types.int64] * n)))
    llvm.add_symbol(symbol, 1)  # Numba makes code for this process, too, which nobody runs


def compiled_text(functions: Mapping[str, tuple[Callable[..., Any], Any]]) -> str:
    """``numba_records.compiled_text``. LLVM has verified it: where it is compiled, nobody does again."""
    text = numba_records.compiled_text(functions)
    llvm.parse_assembly(system_words.with_system_words(text)).verify()
    return text


_external(intrinsics.pause, system_words.PAUSE, 0)
for _name, _kinds in system_words.FUNCTIONS.items():
    _external(getattr(intrinsics, _name), f"nbgrad_{_name}", len(_kinds))
