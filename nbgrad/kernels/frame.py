"""What every form of kernel starts from: the function, its vector builder, and how much work a body is."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from nbgrad.graph.blocks import SCRATCH_BYTES
from nbgrad.graph.dtypes import by_name
from nbgrad.graph.op import lookup
from nbgrad.kernels import ir
from nbgrad.kernels.body import Body
from nbgrad.kernels.cursor import Cursor
from nbgrad.kernels.flow import NarrowBuilder, narrowed, widened
from nbgrad.kernels.shared import SharedFunctions
from nbgrad.kernels.target import Target
from nbgrad.kernels.thread import ThreadBuilder
from nbgrad.kernels.values import DEVICE_POINTER, I8, I32, I64, POINTER
from nbgrad.kernels.vector import VectorBuilder
from nbgrad.tape.kernel import LANES, NARROW, OK, KernelText, Stage, Stmt

SIGNATURE: Final = ir.FunctionType(I32, [POINTER, I64, I64])
BODY: Final = ir.FunctionType(I32, [DEVICE_POINTER, I64, I64, I64])  # on a GPU: also where the warp's scratch lies
# Up to this weight (of all vectors of a turn) a body gets a main loop without masks beside the masked one. Heavier
# bodies are emitted once, masked: masks cost them little, a second copy would double the time to compile.
LIGHT: Final = 80.0
TURNS: Final = 2  # vectors of one turn of a map's main loop
WARP_TURNS: Final = 4  # the same of a warp: loads under way while it waits
TAKE_COST: Final = 8.0
COSTLY: Final = 8.0  # statements from this cost on are functions of many instructions
CACHE_LINE: Final = 64
CHAIN: Final = 6  # statements that make a chain worth interleaving


class Frame:
    """One kernel function under construction."""

    def __init__(self, module: ir.Module, text: KernelText, target: Target, vector_dim: int | None) -> None:
        self.text = text
        self.target = target
        self.function = new_function(module, text, target)
        self.ir = builder_for(text)(self.function)
        self.desc, *items = self.function.args[:3]
        self.begin, self.end = (widened(self.ir, narrowed(self.ir, x)) for x in items)
        self.lanes = choose_lanes(text, target)
        self.b = builder_of(target)(self.ir, self.lanes, target, SharedFunctions(module), self.leave)
        self.turns = WARP_TURNS if target.is_warp else TURNS
        self.cursor = Cursor(self.ir, self.desc, text, vector_dim)
        if any(o.role == "scratch" for o in text.operands):
            self.cursor.scratch = self._scratch()
        self.body = Body(text, self.b, self.cursor)

    @property
    def is_short(self) -> bool:
        """Whether code is to be short, and masked loops alone do well: where masked moves are instructions."""
        return self.text.is_draft and self.target.has_masked_moves(4)

    def is_light(self, vectors: int = 1, number: int = 0, most: float = LIGHT) -> bool:
        """Whether a stage gets a main loop of its own, ``vectors`` side by side and without masks."""
        return not self.is_short and is_light(self.text, vectors, number, most)

    def _scratch(self) -> Any:
        if self.target.is_thread:
            return self.function.args[3]
        scratch = self.ir.alloca(ir.ArrayType(I8, SCRATCH_BYTES), align=CACHE_LINE)
        return self.ir.ptrtoint(scratch, I64)

    def leave(self, code: int) -> None:
        """Return from the kernel."""
        self.ir.ret(I32(code))

    def finish(self) -> Any:
        self.leave(OK)
        return self.function


def new_function(module: ir.Module, text: KernelText, target: Target) -> ir.Function:
    """A function with the kernel ABI. On a GPU it becomes part of the entry that is named by the symbol."""
    signature, name = (BODY, body_name(text.symbol)) if target.is_thread else (SIGNATURE, text.symbol)
    function = ir.Function(module, signature, name)
    function.attributes.add("nounwind")
    if target.is_thread:
        function.linkage = "internal"
        function.attributes.add("alwaysinline")
        function.attributes.add("convergent")  # its threads meet in it
    return function


def builder_for(text: KernelText) -> type[ir.IRBuilder]:
    """The class that writes a kernel with indices of 64 bits, or of 32 where these are enough."""
    return NarrowBuilder if NARROW in text.traits else ir.IRBuilder


def body_name(symbol: str) -> str:
    """What a kernel's function is called where its symbol names an entry."""
    return f"{symbol}_body"


def builder_of(target: Target) -> type[VectorBuilder]:
    """The class that writes the elements of one step for ``target``."""
    return ThreadBuilder if target.is_thread else VectorBuilder


def choose_lanes(text: KernelText, target: Target) -> int:
    """Lanes of a vector: as many as fit of the element size that most values have (4 or 8 bytes).

    Chains of cheap statements get two registers side by side, for the reason given at ``Body.run``; one elementary
    function holds enough independent work, and twice as many lanes would be wasted on short rows. Heavy bodies over
    all elements at once are chains of such functions and have no rows: exp(sin(x) y) + log(y) takes 2.6 ns instead of
    3.5 in float32, option prices with all their derivatives 20 instead of 25 in float64 (AVX2, in cache).
    """
    stmts = [stmt for _, stage in text.stages for stmt in stage.stmts]
    dtypes = [o.dtype for o in text.operands] + [stmt.dtype for stmt in stmts]
    sizes = Counter(max(4, by_name(name).itemsize) for name in dtypes if name != "bool")
    lanes = target.lanes(8 if sizes[8] > sizes[4] else 4)
    cheap = all(cost_of(stmt) < COSTLY for stmt in stmts)
    if cheap:
        is_chain = len(stmts) >= CHAIN
    else:
        is_chain = text.rank + text.reduce_rank == 1 and not text.is_draft and not is_light(text, TURNS)
    return min(LANES, 2 * lanes) if is_chain else lanes


def is_light(text: KernelText, vectors: int = 1, number: int = 0, most: float = LIGHT) -> bool:
    """Whether a stage is small enough for ``vectors`` side by side and without masks, besides one under a mask."""
    return weight(text.stages[number][1], len(text.operands)) * vectors <= most


def weight(stage: Stage, operands: int) -> float:
    """How much code one pass over a stage is, in additions. What follows reductions does not count."""
    values = [a for stmt in stage.stmts for a in stmt.args] + [x for store in stage.stores for x in store]
    values += [x for r in stage.reductions for x in (*r.args, *r.outs)]
    return sum([cost_of(stmt) for stmt in stage.stmts]) + len({x for x in values if 0 <= x < operands})


def cost_of(stmt: Stmt) -> float:
    return TAKE_COST if stmt.op == "take" else lookup(stmt.op).cost
