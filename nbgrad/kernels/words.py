"""A kernel of warps that is not a loop over statements: the function, and its descriptor's words by their place."""

from __future__ import annotations

from typing import Any

from nbgrad.kernels import ir
from nbgrad.kernels.frame import KernelFunction
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I64
from nbgrad.tape.kernel import LANES, KernelText


class WarpWords(KernelFunction):
    """``words[i]`` reads word i of the descriptor, where i is an int or an int64 that the kernel computes."""

    def __init__(self, module: ir.Module, text: KernelText, target: Target) -> None:
        super().__init__(module, text, target, LANES)

    def __getitem__(self, index: Any) -> Any:
        # Not by ``load_word``: LLVM would read ahead what nobody writes, and a product's words would fill registers.
        place = I64(index) if isinstance(index, int) else index
        return self.ir.load(self.ir.gep(self.desc, [place], source_etype=I64), typ=I64)
