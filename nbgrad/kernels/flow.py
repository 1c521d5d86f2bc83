"""Loops and variables over an LLVM builder. Variables live on the stack; the pass pipeline makes registers of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nbgrad.kernels import ir
from nbgrad.kernels.values import I1, I32, I64, intrinsic

if TYPE_CHECKING:
    from nbgrad.kernels.vector import VectorBuilder


class NarrowBuilder(ir.IRBuilder):
    """Writes a kernel all of whose indices fit 32 bits, as those of ``kernels/traits.py`` do.

    Between its parts indices are int64 all the same; loops count, and places are divided, in the words of a GPU.
    """


def narrowed(builder: ir.IRBuilder, index: Any) -> Any:
    """An int64 index as an i32, where all of them fit."""
    if not isinstance(builder, NarrowBuilder):
        return index
    return I32(index.constant) if isinstance(index, ir.Constant) else builder.trunc(index, I32)


def narrowed_lanes(b: VectorBuilder, indices: Any) -> Any:
    """An int64 index of each lane as an i32, where all of them fit."""
    return b.ir.trunc(indices, b.vector(I32)) if isinstance(b.ir, NarrowBuilder) else indices


def widened(builder: ir.IRBuilder, index: Any) -> Any:
    """What ``narrowed`` gave, as an int64."""
    return builder.sext(index, I64) if isinstance(builder, NarrowBuilder) else index


def quotient(builder: ir.IRBuilder, a: Any, b: Any) -> Any:
    """``a // b`` of indices, neither of which is negative."""
    return widened(builder, builder.udiv(narrowed(builder, a), narrowed(builder, b)))


def remainder(builder: ir.IRBuilder, a: Any, b: Any) -> Any:
    """``a % b`` of indices, neither of which is negative."""
    return widened(builder, builder.urem(narrowed(builder, a), narrowed(builder, b)))


def widened_lanes(b: VectorBuilder, indices: Any) -> Any:
    """What ``narrowed_lanes`` gave, as int64."""
    return b.ir.sext(indices, b.vector(I64)) if isinstance(b.ir, NarrowBuilder) else indices


class Variable:
    """A place for one LLVM value that changes."""

    __slots__ = ("_builder", "_kind", "_place")

    def __init__(self, builder: ir.IRBuilder, kind: Any, start: Any = None) -> None:
        self._builder = builder
        self._kind = kind
        with builder.goto_entry_block():
            self._place = builder.alloca(kind)
        if start is not None:
            self.set(start)

    @property
    def place(self) -> Any:
        """Its address, for functions that write there."""
        return self._place

    def get(self) -> Any:
        return self._builder.load(self._place, typ=self._kind)

    def set(self, value: Any) -> None:
        self._builder.store(value, self._place)

    def add(self, amount: Any) -> None:
        self.set(self._builder.add(self.get(), amount))


class Row:
    """A row of places for values of one kind, indexed at run time."""

    def __init__(self, builder: ir.IRBuilder, kind: Any, length: int) -> None:
        self._builder = builder
        self._kind = kind
        with builder.goto_entry_block():
            self._place = builder.alloca(ir.ArrayType(kind, length))

    def _at(self, index: Any) -> Any:
        return self._builder.gep(self._place, [I64(0), index])

    def get(self, index: Any) -> Any:
        return self._builder.load(self._at(index), typ=self._kind)

    def set(self, index: Any, value: Any) -> None:
        self._builder.store(value, self._at(index))


@contextmanager
def loop(builder: ir.IRBuilder, start: Any, stop: Any, step: Any = 1) -> Iterator[Any]:
    """Run the body for start, start + step, ... below ``stop`` (int64, signed); gives the index.

    ``step`` is an int or an int64 that the kernel computes, above 0 where the body runs at all.
    """
    head = builder.append_basic_block("loop")
    body = builder.append_basic_block("body")
    done = builder.append_basic_block("done")
    first, stop, step = (narrowed(builder, x) for x in (start, stop, I64(step) if isinstance(step, int) else step))
    counter = Variable(builder, first.type, first)
    builder.branch(head)
    builder.position_at_end(head)
    index = counter.get()
    builder.cbranch(builder.icmp_signed("<", index, stop), body, done)
    builder.position_at_end(body)
    yield widened(builder, index)
    counter.set(builder.add(index, step))
    builder.branch(head)
    builder.position_at_end(done)


def in_pieces(
    builder: ir.IRBuilder,
    start: Any,
    stop: Any,
    length: int,
    act: Callable[[Any, Any], None],
    between: Callable[[], None],
) -> None:
    """``act`` on (first, last) of pieces of ``length`` of the indices [start, stop), which has some; ``between`` them
    another function. A single piece costs one comparison."""
    head = builder.append_basic_block("piece")
    following = builder.append_basic_block("following")
    done = builder.append_basic_block("pieces")
    here = Variable(builder, I64, start)
    builder.branch(head)
    builder.position_at_end(head)
    first = here.get()
    last = smaller(builder, builder.add(first, I64(length)), stop)
    act(first, last)
    builder.cbranch(builder.icmp_signed("<", last, stop), following, done, is_rare=True)
    builder.position_at_end(following)
    between()
    here.set(last)
    builder.branch(head)
    builder.position_at_end(done)


@contextmanager
def until_zero(builder: ir.IRBuilder, bits: Any) -> Iterator[Any]:
    """Run the body for each set bit of ``bits`` (i32), from the lowest on; gives its number as an i32."""
    head = builder.append_basic_block("bits")
    body = builder.append_basic_block("bit")
    done = builder.append_basic_block("no_bits")
    left = Variable(builder, I32, bits)
    builder.branch(head)
    builder.position_at_end(head)
    here = left.get()
    builder.cbranch(builder.icmp_unsigned("!=", here, I32(0)), body, done)
    builder.position_at_end(body)
    function = intrinsic(builder.module, "llvm.cttz.i32", I32, [I32, I1])
    left.set(builder.and_(here, builder.sub(here, I32(1))))
    yield builder.call(function, [here, I1(1)])
    builder.branch(head)
    builder.position_at_end(done)


def smaller(builder: ir.IRBuilder, a: Any, b: Any) -> Any:
    """The smaller of two signed integers."""
    return builder.select(builder.icmp_signed("<", a, b), a, b)


def larger(builder: ir.IRBuilder, a: Any, b: Any) -> Any:
    """The larger of two signed integers."""
    return builder.select(builder.icmp_signed(">", a, b), a, b)
