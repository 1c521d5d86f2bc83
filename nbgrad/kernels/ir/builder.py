"""Writes instructions into the blocks of a function. What each does is said in LLVM's reference, under its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from nbgrad.kernels.ir.module import Block, Function, Module, WrittenFunction
from nbgrad.kernels.ir.types import VOID, Constant, Place, PointerType, Value, VectorType, bits_of

_COMPARED: Final = {">": "gt", "<": "lt", "==": "eq", "!=": "ne", ">=": "ge", "<=": "le"}
_EITHER_SIGN: Final = ("eq", "ne")
_RARE: Final = '!{!"branch_weights", i32 1, i32 99}'
_NOTHING: Final = "!{}"
_POINTER: Final = PointerType()


def _binary(name: str) -> Callable[[IRBuilder, Value, Value], Value]:
    """The instruction ``name`` of two values of one type, which it gives."""

    def write(self: IRBuilder, a: Value, b: Value) -> Value:
        kind = a.type
        return self.once(kind, f"{name} {kind.text} {a.text}, {b.text}")

    return write


def _cast(name: str) -> Callable[[IRBuilder, Value, Any], Value]:
    """The conversion ``name`` to another type; none where that is the same."""

    def write(self: IRBuilder, x: Value, kind: Any) -> Value:
        if x.type is kind:
            return x
        return self.let(kind, f"{name} {x.type.text} {x.text} to {kind.text}")

    return write


def _comparison(name: str, which: str) -> Callable[[IRBuilder, str, Value, Value], Value]:
    """What says how two values of one type compare; ``which``: signed or not, whether NaN is an answer."""

    def write(self: IRBuilder, how: str, a: Value, b: Value) -> Value:
        word, kind = _COMPARED[how], a.type
        if name == "fcmp" or word not in _EITHER_SIGN:
            word = which + word
        return self.let(bits_of(kind), f"{name} {word} {kind.text} {a.text}, {b.text}")

    return write


class IRBuilder:
    """Writes at the end of ``block``: first the one that ``function`` begins with."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.block = function.append_basic_block("entry")
        self._number = function.numbers.__next__

    @property
    def module(self) -> Module:
        return self.function.module

    def let(self, kind: Any, what: str) -> Value:
        """The value that the instruction ``what`` gives."""
        name = f"%v{self._number()}"
        self.block.lines.append(f"{name} = {what}")
        return Value(kind, name)

    def once(self, kind: Any, what: str) -> Value:
        """The same for an instruction that gives what it gave before: in one block it is written once."""
        known = self.block.known
        found = known.get(what)
        if found is None:
            found = known[what] = self.let(kind, what)
        return found

    # Arithmetic
    add, sub, mul, udiv, sdiv, urem = map(_binary, ("add", "sub", "mul", "udiv", "sdiv", "urem"))
    fadd, fsub, fmul, fdiv = map(_binary, ("fadd", "fsub", "fmul", "fdiv"))
    and_, or_, xor, shl, lshr, ashr = map(_binary, ("and", "or", "xor", "shl", "lshr", "ashr"))

    def fneg(self, x: Value) -> Value:
        return self.once(x.type, f"fneg {x.type.text} {x.text}")

    def neg(self, x: Value) -> Value:
        return self.sub(Constant(x.type, None), x)

    def not_(self, x: Value) -> Value:
        kind = x.type
        return self.xor(x, Constant(kind, [-1] * kind.count if isinstance(kind, VectorType) else -1))

    # Conversions
    trunc, zext, sext, fptrunc, fpext = map(_cast, ("trunc", "zext", "sext", "fptrunc", "fpext"))
    fptosi, fptoui, sitofp, uitofp = map(_cast, ("fptosi", "fptoui", "sitofp", "uitofp"))
    bitcast, ptrtoint, inttoptr, addrspacecast = map(_cast, ("bitcast", "ptrtoint", "inttoptr", "addrspacecast"))

    # Comparison and choice
    icmp_signed, icmp_unsigned = _comparison("icmp", "s"), _comparison("icmp", "u")
    fcmp_ordered, fcmp_unordered = _comparison("fcmp", "o"), _comparison("fcmp", "u")

    def select(self, bit: Value, a: Value, b: Value) -> Value:
        kind = a.type
        return self.let(kind, f"select {bit.type.text} {bit.text}, {kind.text} {a.text}, {b.type.text} {b.text}")

    def phi(self, values: Sequence[tuple[Value, Block]]) -> Value:
        """The one of ``values`` whose block led here."""
        kind = values[0][0].type
        ways = ", ".join([f"[{value.text}, %{block.name}]" for value, block in values])
        return self.let(kind, f"phi {kind.text} {ways}")

    # Vectors
    def extract_element(self, x: Value, lane: Value) -> Value:
        kind = x.type
        return self.let(kind.element, f"extractelement {kind.text} {x.text}, {lane.type.text} {lane.text}")

    def insert_element(self, x: Value, one: Value, lane: Value) -> Value:
        kind = x.type
        what = f"insertelement {kind.text} {x.text}, {one.type.text} {one.text}, {lane.type.text} {lane.text}"
        return self.let(kind, what)

    def shuffle_vector(self, a: Value, b: Value, lanes: Value) -> Value:
        kind = a.type
        what = f"shufflevector {kind.text} {a.text}, {kind.text} {b.text}, {lanes.type.text} {lanes.text}"
        return self.let(VectorType(kind.element, lanes.type.count), what)

    # Memory
    def alloca(self, kind: Any, align: int = 0) -> Place:
        """Memory for one ``kind`` as long as the function runs."""
        made = self.let(_POINTER, f"alloca {kind.text}{_aligned(align)}")
        return Place(_POINTER, made.text, kind)

    def load(self, place: Value, typ: Any = None, align: int = 0, invariant: bool = False) -> Value:
        """What stands at ``place``: a ``typ``, or what it was made for. ``invariant``: nobody ever writes there."""
        kind = place.kind if typ is None and isinstance(place, Place) else typ
        note = f", !invariant.load {self.module.metadata(_NOTHING)}" if invariant else ""
        return self.let(kind, f"load {kind.text}, {place.type.text} {place.text}{_aligned(align)}{note}")

    def store(self, x: Value, place: Value, align: int = 0) -> None:
        self.block.lines.append(f"store {x.type.text} {x.text}, {place.type.text} {place.text}{_aligned(align)}")

    def gep(self, place: Value, indices: Sequence[Value], source_etype: Any = None) -> Value:
        """The address of a part of what stands at ``place``: a ``source_etype``, or what it was made for."""
        kind = place.kind if source_etype is None and isinstance(place, Place) else source_etype
        parts = "".join([f", {index.type.text} {index.text}" for index in indices])
        return self.let(place.type, f"getelementptr {kind.text}, {place.type.text} {place.text}{parts}")

    def atomic_rmw(self, how: str, place: Value, x: Value, ordering: str) -> Value:
        what = f"atomicrmw {how} {place.type.text} {place.text}, {x.type.text} {x.text} {ordering}"
        return self.let(x.type, what)

    # Functions
    def call(self, function: Function | WrittenFunction, args: Sequence[Value]) -> Value:
        kind = function.function_type.result
        given = ", ".join([f"{x.type.text} {x.text}" for x in args])
        what = f"call {kind.text} {function.text}({given})"
        if kind is not VOID:
            return self.let(kind, what)
        self.block.lines.append(what)
        return Value(kind, "")

    def ret(self, x: Value) -> None:
        self._end(f"ret {x.type.text} {x.text}")

    def ret_void(self) -> None:
        self._end("ret void")

    # Blocks
    def append_basic_block(self, name: str) -> Block:
        return self.function.append_basic_block(name)

    def position_at_end(self, block: Block) -> None:
        self.block = block

    def branch(self, block: Block) -> None:
        self._end(f"br label %{block.name}")

    def cbranch(self, bit: Value, then: Block, otherwise: Block, is_rare: bool = False) -> None:
        """On to ``then`` where ``bit`` is set, which it hardly ever is where that ``is_rare``."""
        note = f", !prof {self.module.metadata(_RARE)}" if is_rare else ""
        self._end(f"br i1 {bit.text}, label %{then.name}, label %{otherwise.name}{note}")

    def _end(self, what: str) -> None:
        assert not self.block.end, f"{self.block.name} has ended: {self.block.end}"
        self.block.end = what

    @contextmanager
    def goto_entry_block(self) -> Iterator[None]:
        """What is written inside is done once, before all else."""
        before, self.block = self.block, self.function.blocks[0]
        try:
            yield
        finally:
            self.block = before

    @contextmanager
    def if_then(self, bit: Value, is_rare: bool = False) -> Iterator[None]:
        """What is written inside is done where ``bit`` is set."""
        then, after = self.append_basic_block("if"), self.append_basic_block("endif")
        self.cbranch(bit, then, after, is_rare)
        with self._inside(then, after):
            yield
        self.block = after

    @contextmanager
    def if_else(self, bit: Value) -> Iterator[tuple[AbstractContextManager[None], AbstractContextManager[None]]]:
        """Gives two places to write into: for where ``bit`` is set, and where it is not."""
        then, otherwise, after = (self.append_basic_block(name) for name in ("if", "else", "endif"))
        self.cbranch(bit, then, otherwise)
        yield self._inside(then, after), self._inside(otherwise, after)
        self.block = after

    @contextmanager
    def _inside(self, block: Block, after: Block) -> Iterator[None]:
        self.block = block
        yield
        if not self.block.end:
            self.branch(after)


def _aligned(align: int) -> str:
    return f", align {align}" if align else ""
