"""Machine code for kernels, whatever they run on. Imported where there is something to make: emitters take a while."""

from __future__ import annotations

from collections.abc import Sequence

from nbgrad.kernels.compile import asm_text, compile_kernels, llvm_text
from nbgrad.kernels.ptx import ptx_text, warp_llvm_text
from nbgrad.kernels.target import Target
from nbgrad.runtime.cuda.linker import assembled
from nbgrad.tape.kernel import KernelText


def machine_code(texts: Sequence[KernelText], target: Target) -> bytes:
    """Object code for a CPU; for a GPU its machine code, or PTX where nobody but the driver can make that."""
    if target.is_thread:
        return assembled(ptx_text(texts, target.cpu).encode(), target.cpu)
    return compile_kernels(texts, target)


def llvm_of(text: KernelText, target: Target) -> str:
    """The LLVM IR of one kernel."""
    return warp_llvm_text([text], target.cpu) if target.is_thread else llvm_text(text, target)


def asm_of(text: KernelText, target: Target) -> str:
    """The assembly of one kernel, or its PTX."""
    return ptx_text([text], target.cpu) if target.is_thread else asm_text(text, target)
