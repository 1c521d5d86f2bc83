"""Machine code for kernels, whatever they run on. Imported where there is something to make: emitters take a while."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nbgrad.kernels.compile import asm_text, compile_kernels, compile_njit, llvm_text
from nbgrad.kernels.deferred import Deferred
from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import KernelText

# Programs without a GPU do without these, too.
_FOR_GPUS: Final = Deferred(
    "nbgrad",
    {
        "ptx_text": "kernels.ptx.ptx_text",
        "warp_llvm_text": "kernels.ptx.warp_llvm_text",
        "assembled": "runtime.cuda.linker.assembled",
    },
)


def machine_code(texts: Sequence[KernelText], target: Target) -> bytes:
    """Object code for a CPU; for a GPU its machine code, or PTX where nobody but the driver can make that."""
    if target.is_thread:
        ptx: str = _FOR_GPUS["ptx_text"](texts, target.cpu)
        code: bytes = _FOR_GPUS["assembled"](ptx.encode(), target.device, target.driver)
        return code
    return compile_kernels(texts, target)


def full_code(text: KernelText, target: Target) -> bytes:
    """The code of a kernel for good, that nobody waits for: on a CPU an ``@njit`` function's."""
    if target.is_thread or text.is_draft:
        return machine_code([text], target)
    return compile_njit(text, target)


def llvm_of(text: KernelText, target: Target) -> str:
    """The LLVM IR of one kernel."""
    shown: str = _FOR_GPUS["warp_llvm_text"]([text], target.cpu) if target.is_thread else llvm_text(text, target)
    return shown


def asm_of(text: KernelText, target: Target) -> str:
    """The assembly of one kernel, or its PTX."""
    shown: str = _FOR_GPUS["ptx_text"]([text], target.cpu) if target.is_thread else asm_text(text, target)
    return shown
