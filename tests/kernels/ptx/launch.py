"""PTX kernels as functions of the CPU's ABI: their warps run one after the other, the last one first."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from math import gcd

import numpy as np

from nbgrad.kernels.nvvm import jit_ptx
from nbgrad.kernels.ptx import ptx_text
from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import KernelText
from tests.kernels.ptx.machine import Warp
from tests.kernels.ptx.module import Module

WARPS_IN_BLOCK = 2
SCRATCH = 1 << 16  # bytes of a warp: enough for what tests keep of a row


def kernel_of(text: KernelText, target: Target) -> Callable[[int, int, int], int]:
    """``kernel(desc, begin, end)``: the failure code of the warps that have these items."""
    module = Module(jit_ptx(text, target.cpu) if target.jit else ptx_text([text], target.cpu))

    def run(desc: int, begin: int, end: int) -> int:
        if begin >= end:
            return 0
        chunk = gcd(begin, end - begin)
        status = ctypes.c_int32(0)
        shared = np.full(WARPS_IN_BLOCK * SCRATCH + 16, 0xFF, np.uint8)
        shared = shared[-shared.ctypes.data % 16 :]
        for unit in reversed(range(begin // chunk, end // chunk)):
            block, number = divmod(unit, WARPS_IN_BLOCK)
            registers = {
                "ctaid.x": block,
                "nctaid.x": 1 << 20,  # so that no warp has a second turn
                "ntid.x": WARPS_IN_BLOCK * 32,
                "tid.x": 0,
            }
            arguments = desc, end, chunk, ctypes.addressof(status), 0, SCRATCH
            machine = Warp(module, registers, shared)
            machine.special["%tid.x"] = np.arange(32, dtype=np.uint64) + np.uint64(32 * number)
            machine.run(text.symbol, arguments)
        return status.value

    return run
