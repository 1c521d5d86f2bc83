"""What every form of kernel starts from: the function, its vector builder, and how much work a body is."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from llvmlite import ir

from nbgrad.graph.dtypes import by_name
from nbgrad.graph.op import lookup
from nbgrad.kernels.body import Body
from nbgrad.kernels.cursor import Cursor
from nbgrad.kernels.shared import SharedFunctions
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I32, I64, POINTER
from nbgrad.kernels.vector import VectorBuilder
from nbgrad.tape.kernel import LANES, OK, KernelText, Stmt

SIGNATURE: Final = ir.FunctionType(I32, [POINTER, I64, I64])
# Up to this weight (of all vectors of a turn) a body gets a main loop without masks beside the masked one. Heavier
# bodies are emitted once, masked: masks cost them little, a second copy would double the time to compile.
LIGHT: Final = 80.0
TAKE_COST: Final = 8.0
COSTLY: Final = 8.0  # statements from this cost on are functions of many instructions
CHAIN: Final = 6  # statements that make a chain worth interleaving


class Frame:
    """One kernel function under construction."""

    def __init__(self, module: ir.Module, text: KernelText, target: Target, vector_dim: int | None) -> None:
        self.text = text
        self.target = target
        self.function = ir.Function(module, SIGNATURE, text.symbol)
        self.function.attributes.add("nounwind")
        self.ir = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.desc, self.begin, self.end = self.function.args
        self.lanes = choose_lanes(text, target)
        self.b = VectorBuilder(self.ir, self.lanes, target, SharedFunctions(module), self.leave)
        self.cursor = Cursor(self.ir, self.desc, text, vector_dim)
        self.body = Body(text, self.b, self.cursor)

    def leave(self, code: int) -> None:
        """Return from the kernel."""
        self.ir.ret(I32(code))

    def finish(self) -> Any:
        self.leave(OK)
        return self.function


def choose_lanes(text: KernelText, target: Target) -> int:
    """Lanes of a vector: as many as fit of the element size that most values have (4 or 8 bytes).

    Chains of cheap statements get two registers side by side, for the reason given at ``Body.run``; elementary
    functions hold enough independent work, and twice as many lanes would be wasted on short rows.
    """
    dtypes = [o.dtype for o in text.operands] + [stmt.dtype for stmt in text.stmts]
    sizes = Counter(max(4, by_name(name).itemsize) for name in dtypes if name != "bool")
    lanes = target.lanes(8 if sizes[8] > sizes[4] else 4)
    cheap = all(_cost(stmt) < COSTLY for stmt in text.stmts)
    return min(LANES, 2 * lanes) if cheap and len(text.stmts) >= CHAIN else lanes


def is_light(text: KernelText, vectors: int = 1) -> bool:
    """Whether the body is small enough for a main loop of its own, ``vectors`` side by side and without masks."""
    return weight(text) * vectors <= LIGHT


def weight(text: KernelText) -> float:
    """How much code one pass over the body is, in additions. What follows reductions does not count."""
    finish_operands = len(text.late) + len(text.finish_stores)
    return sum([_cost(stmt) for stmt in text.stmts]) + len(text.operands) - finish_operands


def _cost(stmt: Stmt) -> float:
    return TAKE_COST if stmt.op == "take" else lookup(stmt.op).cost
