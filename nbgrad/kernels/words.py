"""A kernel of warps that is not a loop over statements: the function, and its descriptor's words by their place."""

from __future__ import annotations

from typing import Any

from nbgrad.kernels import ir
from nbgrad.kernels.flow import narrowed, widened
from nbgrad.kernels.frame import builder_for, builder_of, new_function
from nbgrad.kernels.shared import SharedFunctions
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I32, I64
from nbgrad.tape.kernel import LANES, OK, KernelText


class WarpWords:
    """A plain function with the kernel ABI and the builder ``b`` of its lanes; ``words[i]`` reads word i of the
    descriptor, where i is an int or an int64 that the kernel computes."""

    def __init__(self, module: ir.Module, text: KernelText, target: Target) -> None:
        self.function = new_function(module, text, target)
        self.ir = builder_for(text)(self.function)
        self.desc, *items = self.function.args[:3]
        self.begin, self.end = (widened(self.ir, narrowed(self.ir, x)) for x in items)
        self.b = builder_of(target)(self.ir, LANES, target, SharedFunctions(module), self.leave)

    def __getitem__(self, index: Any) -> Any:
        # Not by ``load_word``: LLVM would read ahead what nobody writes, and a product's words would fill registers.
        place = I64(index) if isinstance(index, int) else index
        return self.ir.load(self.ir.gep(self.desc, [place], source_etype=I64), typ=I64)

    def leave(self, code: int) -> None:
        """Return from the kernel."""
        self.ir.ret(I32(code))

    def finish(self) -> Any:
        self.leave(OK)
        return self.function
