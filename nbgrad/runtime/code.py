"""Machine code for kernels, whatever they run on. Imported where there is something to make: emitters take a while."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nbgrad.kernels.compile import asm_text, compile_kernels, compile_njit, llvm_text
from nbgrad.kernels.deferred import Deferred
from nbgrad.kernels.engine import MADE_BY
from nbgrad.kernels.target import Target
from nbgrad.log import fall_back
from nbgrad.tape.kernel import KernelText

# Programs without a GPU do without these, too.
_FOR_GPUS: Final = Deferred(
    "nbgrad",
    {
        "ptx_text": "kernels.ptx.ptx_text",
        "warp_llvm_text": "kernels.ptx.warp_llvm_text",
        "jit_ptx": "kernels.nvvm.jit_ptx",
        "assembled": "runtime.cuda.linker.assembled",
        "is_machine_code": "runtime.cuda.linker.is_machine_code",
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
    """The code of a kernel for good, that nobody waits for: on a CPU an ``@njit`` function's, on a GPU that of a
    ``@cuda.jit`` kernel where that is wanted."""
    if text.is_draft or (target.is_thread and not target.jit):
        return machine_code([text], target)
    return _jit_code(text, target) if target.is_thread else compile_njit(text, target)


def _jit_code(text: KernelText, target: Target) -> bytes:
    """Machine code of a ``@cuda.jit`` kernel, with who made it behind its end. Where numba-cuda cannot, LLVM does."""
    try:
        ptx: str = _FOR_GPUS["jit_ptx"](text, target.device)
        code: bytes = _FOR_GPUS["assembled"](ptx.encode(), target.device, target.driver)
        if not _FOR_GPUS["is_machine_code"](code):
            raise RuntimeError("nvJitLink makes no machine code of it here, and its PTX may be too new for the driver")
    except Exception as error:  # whatever an installation lacks, or a new one has otherwise
        fall_back("code", f"kernels are no @cuda.jit kernels but LLVM's alone: {type(error).__name__}: {error}")
        return machine_code([text], target)
    return code + f"\0{MADE_BY}@cuda.jit, {target.jit}".encode()


def llvm_of(text: KernelText, target: Target) -> str:
    """The LLVM IR of one kernel."""
    shown: str = _FOR_GPUS["warp_llvm_text"]([text], target.cpu) if target.is_thread else llvm_text(text, target)
    return shown


def asm_of(text: KernelText, target: Target) -> str:
    """The assembly of one kernel, or its PTX."""
    shown: str = _FOR_GPUS["ptx_text"]([text], target.cpu) if target.is_thread else asm_text(text, target)
    return shown
