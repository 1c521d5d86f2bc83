"""The places of integers in ascending order by warps, with the words of ``library/sort.py``; a warp has a row.

Places are dealt out by the keys' digits of five bits, from the lowest on: as many values as a warp has lanes, so lane d
counts digit d. Equal digits keep their order, so after the last digit the places are those of the sorted keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nbgrad.graph.dtypes import DType, bool_, int32, int64
from nbgrad.kernels import ir, memory
from nbgrad.kernels.flow import Variable, loop
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I32, I64, Vec
from nbgrad.kernels.words import WarpWords
from nbgrad.tape.kernel import LANES, KernelText

DIGIT: Final = 5  # bits
WORD: Final = 8  # bytes of a place


def emit_warp_order(module: ir.Module, text: KernelText, target: Target) -> Any:
    """As ``library.sort.order``."""
    words = WarpWords(module, text, target)
    sorter = _Sorter(words, int64 if text.operands[0].dtype == "int64" else int32)
    with loop(words.ir, words.begin, words.end) as item:
        sorter.row(item)
    return words.finish()


class _Sorter:
    """``here`` holds the places in the order of the digits so far, ``there`` takes the next ones."""

    def __init__(self, words: WarpWords, dtype: DType) -> None:
        self.b, self.ir, self.dtype = words.b, words.ir, dtype
        self.length, self.keys, self.out, self.scratch = (words[i] for i in range(4))
        self.readable = words.ir.ptrtoint(words.desc, I64)
        self.row_keys, self.here, self.there = (Variable(self.ir, I64) for _ in range(3))
        self.counts = Variable(self.ir, self.b.type_of(int32))

    def row(self, item: Any) -> None:
        builder, b = self.ir, self.b
        first = builder.mul(item, self.length)
        home, other = (builder.add(at, builder.mul(first, I64(WORD))) for at in (self.out, self.scratch))
        self.row_keys.set(builder.add(self.keys, builder.mul(first, I64(self.dtype.itemsize))))
        self.here.set(home)
        self.there.set(other)
        self._each(lambda j, mask: self._put(home, j, mask, self._numbers(j)))
        with loop(builder, I64(0), I64(8 * self.dtype.itemsize), DIGIT) as shift:
            self._set_counts(0)
            self._each(lambda j, mask: self._count(self._digits(j, mask, shift)[1], mask))
            alike = Vec(builder.icmp_unsigned("==", self.counts.get(), self._everyone()), bool_)
            with builder.if_then(builder.not_(b.any(alike))):
                self._start_places()
                self._each(lambda j, mask: self._deal(j, mask, shift))
                b.settle()
                here = self.here.get()
                self.here.set(self.there.get())
                self.there.set(here)
        with builder.if_then(builder.icmp_unsigned("!=", self.here.get(), home)):
            self._each(lambda j, mask: self._put(home, j, mask, self._places(j, mask)))
        b.settle()

    def _each(self, act: Callable[[Any, Any], None]) -> None:
        """``act`` on (first element, mask) of each vector of the row; then all lanes see what was written."""
        with loop(self.ir, I64(0), self.length, LANES) as j:
            act(j, memory.prefix_mask(self.b, self.ir.sub(self.length, j)))
        self.b.settle()

    def _numbers(self, j: Any) -> Vec:
        return Vec(self.ir.add(self.b.splat(j, int64).value, self.b.numbers(I64)), int64)

    def _everyone(self) -> Any:
        return self.b.splat(self.ir.trunc(self.length, I32), int32).value

    def _places(self, j: Any, mask: Any) -> Vec:
        at = self.ir.add(self.here.get(), self.ir.mul(j, I64(WORD)))
        return memory.load_consecutive(self.b, at, int64, mask)

    def _put(self, target: Any, j: Any, mask: Any, places: Vec) -> None:
        memory.store_consecutive(self.b, places, self.ir.add(target, self.ir.mul(j, I64(WORD))), mask)

    def _digits(self, j: Any, mask: Any, shift: Any) -> tuple[Vec, Vec]:
        """(places, digits) of the elements from ``j`` on. The sign's bit is turned: negative keys come first."""
        b, builder = self.b, self.ir
        places = self._places(j, mask)
        steps = builder.mul(places.value, b.constant(str(self.dtype.itemsize), I64))
        addresses = builder.add(b.splat(self.row_keys.get(), int64).value, steps)
        keys = memory.gather(b, addresses, self.dtype, mask, self.readable)
        sign = b.const(-(1 << (8 * self.dtype.itemsize - 1)), self.dtype)
        amount = b.cast(b.splat(shift, int64), self.dtype)
        digits = b.bit_and(b.lshr(b.bit_xor(keys, sign), amount), b.const(LANES - 1, self.dtype))
        return places, b.cast(digits, int32)

    def _alike(self, wanted: Any, digits: Vec, mask: Any) -> Vec:
        """For each lane a bit for each live lane whose digit is the number that it has in ``wanted``."""
        b, builder = self.b, self.ir
        found = b.splat(b.ballot(Vec(mask, bool_)), int32)
        for k in range(DIGIT):
            bit = b.const(1 << k, int32)
            ones = b.splat(b.ballot(b.ne(b.bit_and(digits, bit), b.const(0, int32))), int32)
            has = b.ne(b.bit_and(Vec(wanted, int32), bit), b.const(0, int32))
            found = b.bit_and(found, Vec(builder.select(has.value, ones.value, b.bit_not(ones).value), int32))
        return found

    def _set_counts(self, value: int) -> None:
        self.counts.set(self.b.const(value, int32).value)

    def _count(self, digits: Vec, mask: Any) -> None:
        """Add to what each lane counts."""
        more = self.b.call("ctpop", self._alike(self.b.numbers(I32), digits, mask))
        self.counts.set(self.ir.add(self.counts.get(), more.value))

    def _start_places(self) -> None:
        """From how often each digit occurs to the place of the first that has it: the sum of the lanes before."""
        b, builder = self.b, self.ir
        own = self.counts.get()
        total = own
        number = b.numbers(I32)
        for apart in (1, 2, 4, 8, 16):
            lower = builder.and_(builder.sub(number, b.constant(str(apart), I32)), b.constant(str(LANES - 1), I32))
            other = b.from_lanes(Vec(total, int32), lower).value
            is_there = builder.icmp_unsigned(">=", number, b.constant(str(apart), I32))
            total = builder.add(total, builder.select(is_there, other, b.constant("0", I32)))
        self.counts.set(builder.sub(total, own))

    def _deal(self, j: Any, mask: Any, shift: Any) -> None:
        """Put the places of a vector of elements where their digits' turn is."""
        b, builder = self.b, self.ir
        places, digits = self._digits(j, mask, shift)
        before = builder.sub(builder.shl(b.constant("1", I32), b.numbers(I32)), b.constant("1", I32))
        rank = b.call("ctpop", b.bit_and(self._alike(digits.value, digits, mask), Vec(before, int32)))
        turn = b.from_lanes(Vec(self.counts.get(), int32), digits.value)
        at = b.cast(b.add(turn, rank), int64)
        steps = builder.mul(at.value, b.constant(str(WORD), I64))
        addresses = builder.add(b.splat(self.there.get(), int64).value, steps)
        b.store_some(places.value, addresses, WORD, mask)
        self._count(digits, mask)
