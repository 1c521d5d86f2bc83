"""What every form of kernel starts from: the function, its vector builder, and how much work a body is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from nbgrad.graph.blocks import SCRATCH_BYTES
from nbgrad.graph.dtypes import by_name
from nbgrad.graph.op import lookup
from nbgrad.kernels import ir
from nbgrad.kernels.body import Body
from nbgrad.kernels.cursor import Cursor
from nbgrad.kernels.deferred import Deferred
from nbgrad.kernels.flow import NarrowBuilder, loop, narrowed, widened
from nbgrad.kernels.memory import prefix_mask
from nbgrad.kernels.shared import INLINE_LIMIT, SharedFunctions
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import DEVICE_POINTER, I8, I32, I64, POINTER
from nbgrad.kernels.vector import VectorBuilder
from nbgrad.tape.kernel import LANES, NARROW, OK, ROOMY, KernelText, Stage, Stmt
from nbgrad.tape.work import COSTLY

_FOR_GPUS: Final = Deferred("nbgrad.kernels", {"ThreadBuilder": "thread.ThreadBuilder"})
SIGNATURE: Final = ir.FunctionType(I32, [POINTER, I64, I64])
BODY: Final = ir.FunctionType(I32, [DEVICE_POINTER, I64, I64, I64])  # on a GPU: also where the warp's scratch lies
# Up to this weight (of all vectors of a turn) a body gets a main loop without masks beside the masked one. Heavier
# bodies are emitted once, masked: masks cost them little, a second copy would double the time to compile.
LIGHT: Final = 80.0
TURNS: Final = 2  # vectors of one turn of a map's main loop
WARP_TURNS: Final = 4  # the same of a warp: loads under way while it waits
TAKE_COST: Final = 8.0
CACHE_LINE: Final = 64
CHAIN: Final = 6  # statements that make a chain worth interleaving
WIDE_BYTES: Final = 128  # of the vectors of a wide body, of up to four registers


class KernelFunction:
    """A function with the kernel ABI under construction, and the builder ``b`` of its lanes."""

    def __init__(
        self, module: ir.Module, text: KernelText, target: Target, lanes: int, most_inlined: int = INLINE_LIMIT
    ) -> None:
        self.text, self.target, self.lanes = text, target, lanes
        self.function = new_function(module, text, target)
        self.ir = (NarrowBuilder if NARROW in text.traits else ir.IRBuilder)(self.function)
        self.desc, *items = self.function.args[:3]
        self.begin, self.end = (widened(self.ir, narrowed(self.ir, x)) for x in items)
        functions = SharedFunctions(module, most_inlined)
        make = _FOR_GPUS["ThreadBuilder"] if target.is_thread else VectorBuilder
        self.b: VectorBuilder = make(self.ir, lanes, target, functions, self.leave)

    def leave(self, code: int) -> None:
        """Return from the kernel."""
        self.ir.ret(I32(code))

    def finish(self) -> Any:
        self.leave(OK)
        return self.function


class Frame(KernelFunction):
    """One that is made of statements, with what they work on."""

    def __init__(self, module: ir.Module, text: KernelText, target: Target, vector_dim: int | None) -> None:
        super().__init__(module, text, target, choose_lanes(text, target), 0 if is_wide(text, target) else INLINE_LIMIT)
        self.register_lanes = target.lanes(_item_bytes(text))
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

    def by_vectors(self, start: Any, stop: Any, turns: int, act: Callable[[list[Any], Any], object]) -> None:
        """``act`` on (places, mask) of the vectors of [start, stop): as long as there are whole ones ``turns`` side by
        side without a mask, then one by one under one. Without ``turns`` all of them come one by one."""
        builder, step = self.ir, self.lanes * turns
        if turns:
            first, start = start, self.whole(start, stop, step)
            with loop(builder, first, start, step) as j:
                act([builder.add(j, I64(turn * self.lanes)) for turn in range(turns)], None)
        with loop(builder, start, stop, self.lanes) as j:
            act([j], prefix_mask(self.b, builder.sub(stop, j)))

    def whole(self, start: Any, stop: Any, step: int) -> Any:
        """Where as many whole steps as there are from ``start`` on end; ``step`` is a power of two."""
        return self.ir.add(start, self.ir.and_(self.ir.sub(stop, start), I64(-step)))


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


def body_name(symbol: str) -> str:
    """What a kernel's function is called where its symbol names an entry."""
    return f"{symbol}_body"


def choose_lanes(text: KernelText, target: Target) -> int:
    """Lanes of a vector: as many as fit of the element size that most values have (4 or 8 bytes).

    Chains of cheap statements get two registers side by side, for the reason given at ``Body.run``; one elementary
    function holds enough independent work, and twice as many lanes would be wasted on short rows. Heavy bodies over
    all elements at once, or long rows, are chains of such functions: exp(sin(x) y) + log(y) takes 4.1 ns instead of
    5.1 in float32 (AVX2, in cache). Rows of a few elements, a lane each, meet in chains of additions.
    """
    lanes = target.lanes(_item_bytes(text))
    if is_wide(text, target):
        return min(4 * lanes, max(2 * lanes, WIDE_BYTES // _item_bytes(text)))
    stmts = _statements(text)
    cheap = all(cost_of(stmt) < COSTLY for stmt in stmts)
    is_chain = len(stmts) >= CHAIN if cheap else _is_heavy(text)
    return min(LANES, 2 * lanes) if is_chain or text.form == "short_row" else lanes


def is_wide(text: KernelText, target: Target) -> bool:
    """Whether a heavy body of float64, or over long rows, has four registers side by side where these are short, and
    calls all functions.

    Then a constant is loaded once for four. Option prices with all their derivatives take 15 ns (AVX2, in cache), 17
    with two registers, 19 with four where some functions are inlined; exp(sin(x) y) + log(y) takes 7.4 instead of 7.9.
    The gates of an LSTM, 32 x 128, take 20 us; 22 with two registers, 28 with one.
    """
    return not target.is_warp and _is_heavy(text) and (_item_bytes(text) == 8 or ROOMY in text.traits)


def _is_heavy(text: KernelText) -> bool:
    """Whether elementary functions, over all elements at once or long rows, are too much for a main loop of a map."""
    if text.is_draft or (text.dims != 1 and ROOMY not in text.traits):
        return False
    return any(cost_of(stmt) >= COSTLY for stmt in _statements(text)) and not is_light(text, TURNS)


def _item_bytes(text: KernelText) -> int:
    """The size that most values have."""
    dtypes = [o.dtype for o in text.operands] + [stmt.dtype for stmt in _statements(text)]
    sizes = Counter(max(4, by_name(name).itemsize) for name in dtypes if name != "bool")
    return 8 if sizes[8] > sizes[4] else 4


def _statements(text: KernelText) -> list[Stmt]:
    return [stmt for _, stage in text.stages for stmt in stage.stmts]


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
