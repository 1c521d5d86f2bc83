"""A kernel that is not a loop over statements: the function, and its descriptor's words by their place."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from nbgrad.kernels.frame import SIGNATURE
from nbgrad.kernels.values import I64
from nbgrad.tape.kernel import KernelText


class Words:
    """A plain function with the kernel ABI; ``words[i]`` reads word i of the
    descriptor, where i is an int or an int64 that the kernel computes."""

    def __init__(self, module: ir.Module, text: KernelText) -> None:
        self.function = ir.Function(module, SIGNATURE, text.symbol)
        self.function.attributes.add("nounwind")
        self.ir = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.desc, self.begin, self.end = self.function.args

    def __getitem__(self, index: Any) -> Any:
        place = I64(index) if isinstance(index, int) else index
        return self.ir.load(self.ir.gep(self.desc, [place], source_etype=I64), typ=I64)
