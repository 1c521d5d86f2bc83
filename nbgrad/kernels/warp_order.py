"""The places of integers in ascending order by warps, with the words of ``library/sort.py``; a warp has a row.

Places are dealt out by the keys' bits, from the lowest on: first those whose bit is 0. Equal bits keep their order, so
after the last one the places are those of the sorted keys. A bit that is the same in all keys is passed over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nbgrad.graph.dtypes import DType, bool_, int32, int64
from nbgrad.kernels import ir, memory
from nbgrad.kernels.flow import Variable, loop
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I32, I64, Vec, intrinsic
from nbgrad.kernels.words import WarpWords
from nbgrad.tape.kernel import LANES, KernelText

WORD: Final = 8  # bytes of a place


def emit_warp_order(module: ir.Module, text: KernelText, target: Target) -> Any:
    """As ``library.sort.order``."""
    words = WarpWords(module, text, target)
    sorter = _Sorter(words, int64 if text.operands[0].dtype == "int64" else int32)
    with loop(words.ir, words.begin, words.end) as item:
        sorter.row(item)
    return words.finish()


class _Sorter:
    """``here`` holds the places in the order of the bits so far, ``there`` takes the next ones; ``zeros`` and ``ones``
    are where the next place with such a bit goes."""

    def __init__(self, words: WarpWords, dtype: DType) -> None:
        self.b, self.ir, self.dtype = words.b, words.ir, dtype
        self.length, self.kept, self.keys, self.out, self.scratch = (words[i] for i in range(5))
        self.readable = words.ir.ptrtoint(words.desc, I64)
        self.row_keys, self.here, self.there, self.zeros, self.ones = (Variable(self.ir, I64) for _ in range(5))

    def row(self, item: Any) -> None:
        builder = self.ir
        first = builder.mul(item, self.length)
        home = builder.add(self.scratch, builder.mul(first, I64(2 * WORD)))
        other = builder.add(home, builder.mul(self.length, I64(WORD)))
        self.row_keys.set(builder.add(self.keys, builder.mul(first, I64(self.dtype.itemsize))))
        self.here.set(home)
        self.there.set(other)
        self._each(lambda j, mask: self._put(home, j, mask, self._numbers(j)))
        with loop(builder, I64(0), I64(8 * self.dtype.itemsize)) as shift:
            self.ones.set(I64(0))
            self._each(lambda j, mask: self.ones.add(self._count(self._with_bit(j, mask, shift, 0)[1])))
            zeros = self.ones.get()
            is_mixed = builder.and_(
                builder.icmp_signed(">", zeros, I64(0)), builder.icmp_signed("<", zeros, self.length)
            )
            with builder.if_then(is_mixed):
                self.zeros.set(I64(0))
                self._each(lambda j, mask: self._deal(j, mask, shift))
                here = self.here.get()
                self.here.set(self.there.get())
                self.there.set(here)
        found = builder.add(self.out, builder.mul(builder.mul(item, self.kept), I64(WORD)))
        self._each(lambda j, mask: self._put(found, j, mask, self._places(j, mask)), self.kept)

    def _each(self, act: Callable[[Any, Any], None], count: Any = None) -> None:
        """``act`` on (first element, mask) of each vector of the row, or of the first ``count`` of its elements; then
        all lanes see what was written."""
        length = self.length if count is None else count
        with loop(self.ir, I64(0), length, LANES) as j:
            act(j, memory.prefix_mask(self.b, self.ir.sub(length, j)))
        self.b.settle()

    def _numbers(self, j: Any) -> Vec:
        return Vec(self.ir.add(self.b.splat(j, int64).value, self.b.numbers(I64)), int64)

    def _places(self, j: Any, mask: Any) -> Vec:
        at = self.ir.add(self.here.get(), self.ir.mul(j, I64(WORD)))
        return memory.load_consecutive(self.b, at, int64, mask)

    def _put(self, target: Any, j: Any, mask: Any, places: Vec) -> None:
        memory.store_consecutive(self.b, places, self.ir.add(target, self.ir.mul(j, I64(WORD))), mask)

    def _with_bit(self, j: Any, mask: Any, shift: Any, bit: int) -> tuple[Vec, Any]:
        """The places of the elements from ``j`` on, and which lanes have ``bit``. The sign's bit is turned: negative
        keys come first."""
        b, builder = self.b, self.ir
        places = self._places(j, mask)
        steps = builder.mul(places.value, b.constant(str(self.dtype.itemsize), I64))
        addresses = builder.add(b.splat(self.row_keys.get(), int64).value, steps)
        keys = memory.gather(b, addresses, self.dtype, mask, self.readable)
        sign = b.const(-(1 << (8 * self.dtype.itemsize - 1)), self.dtype)
        amount = b.cast(b.splat(shift, int64), self.dtype)
        own = b.bit_and(b.lshr(b.bit_xor(keys, sign), amount), b.const(1, self.dtype))
        return places, builder.and_(b.eq(own, b.const(bit, self.dtype)).value, mask)

    def _count(self, lanes: Any) -> Any:
        """How many ``lanes`` there are."""
        count = intrinsic(self.ir.module, "llvm.ctpop.i32", I32, [I32])
        return self.ir.zext(self.ir.call(count, [self.b.ballot(Vec(lanes, bool_))]), I64)

    def _deal(self, j: Any, mask: Any, shift: Any) -> None:
        """Put the places of a vector of elements where their bits' turn is."""
        b, builder = self.b, self.ir
        before = builder.sub(builder.shl(b.constant("1", I32), b.numbers(I32)), b.constant("1", I32))
        for bit, turn in enumerate((self.zeros, self.ones)):
            places, lanes = self._with_bit(j, mask, shift, bit)
            alike = b.splat(b.ballot(Vec(lanes, bool_)), int32)
            rank = b.cast(b.call("ctpop", b.bit_and(alike, Vec(before, int32))), int64)
            at = builder.mul(b.add(b.splat(turn.get(), int64), rank).value, b.constant(str(WORD), I64))
            b.store_some(places.value, builder.add(b.splat(self.there.get(), int64).value, at), WORD, lanes)
            turn.add(self._count(lanes))
