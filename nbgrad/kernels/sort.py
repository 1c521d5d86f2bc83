"""The places of integers in ascending order, row by row: equal ones keep their order.

Keys are sorted as pairs of 32 bits of the key and a place of 32 bits, one word each: short rows by insertion, longer
ones by their digits of eight bits, from the lowest on (Knuth, The Art of Computer Programming 3, section 5.2.5). Digits
that are the same in the whole row are passed over. Keys of 64 bits are sorted by their lower half, then by their upper
one.
"""

from __future__ import annotations

from typing import Any, Final

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels import ir
from nbgrad.kernels.flow import Row, Variable, loop
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I32, I64, POINTER, memory_type
from nbgrad.kernels.words import Words
from nbgrad.tape.kernel import OK, KernelText

SHORT: Final = 48  # elements: about as many cost as much by insertion as by clearing and adding up the counts of digits
DIGIT: Final = 8  # bits
DIGITS: Final = 4  # of half a key
VALUES: Final = 1 << DIGIT
LOW: Final = (1 << 32) - 1
WORD: Final = 8  # bytes


def emit_order(module: ir.Module, text: KernelText, target: Target) -> Any:
    """out[i, k] = the place of the element of row i of which k are before it; an item is a row.

    Operands keys, out and scratch (int64, as many as keys), all contiguous. Words: length of a row, then the addresses.
    """
    words = Words(module, text, target)
    builder = words.ir
    sorter = _Sorter(words, by_name(text.operands[0].dtype).itemsize)
    with loop(builder, words.begin, words.end) as item:
        sorter.row(item)
    builder.ret(I32(OK))
    return words.function


class _Sorter:
    """Code that sorts one row. ``pairs`` and ``other`` are the two places of a row's pairs, which change sides."""

    def __init__(self, words: Words, key_bytes: int) -> None:
        self.ir = words.ir
        self.length, self.keys, self.out, self.scratch = (words[i] for i in range(4))
        self.key_bytes = key_bytes
        self.kind = memory_type(by_name("int64" if key_bytes == 8 else "int32"))
        self.row_keys = Variable(self.ir, I64)
        self.pairs = Variable(self.ir, I64)
        self.other = Variable(self.ir, I64)
        self.total = Variable(self.ir, I64)
        self.place = Variable(self.ir, I64)
        self.counts = Row(self.ir, I64, DIGITS * VALUES)

    def row(self, item: Any) -> None:
        builder = self.ir
        first = builder.mul(item, self.length)
        home = builder.add(self.out, builder.mul(first, I64(WORD)))
        self.row_keys.set(builder.add(self.keys, builder.mul(first, I64(self.key_bytes))))
        self.pairs.set(home)
        self.other.set(builder.add(self.scratch, builder.mul(first, I64(WORD))))
        for half in range(self.key_bytes // 4):
            self._fill(half)
            with builder.if_else(builder.icmp_signed("<=", self.length, I64(SHORT))) as (short, long):
                with short:
                    self._insert()
                with long:
                    self._count()
                    for digit in range(DIGITS):
                        self._deal(digit)
        source = self.pairs.get()
        with loop(builder, I64(0), self.length) as i:
            self._put(home, i, builder.and_(self._pair(source, i), I64(LOW)))

    def _fill(self, half: int) -> None:
        """Pairs of one half of each key and its place, in the order found so far."""
        builder, pairs = self.ir, self.pairs.get()
        sign = I64(-(1 << 63)) if self.key_bytes == 8 else I64(1 << 31)
        with loop(builder, I64(0), self.length) as i:
            place = builder.and_(self._pair(pairs, i), I64(LOW)) if half else i
            at = builder.add(self.row_keys.get(), builder.mul(place, I64(self.key_bytes)))
            key = builder.load(builder.inttoptr(at, POINTER), typ=self.kind)
            wide = key if self.key_bytes == 8 else builder.zext(key, I64)
            part = builder.and_(builder.lshr(builder.xor(wide, sign), I64(32 * half)), I64(LOW))
            self._put(pairs, i, builder.or_(builder.shl(part, I64(32)), place))

    def _insert(self) -> None:
        """Move each pair down to where none before it has a larger key."""
        builder, pairs = self.ir, self.pairs.get()
        with loop(builder, I64(1), self.length) as i:
            pair = self._pair(pairs, i)
            key = builder.lshr(pair, I64(32))
            self.place.set(i)
            head, body, look, done = (builder.append_basic_block(name) for name in ("head", "body", "look", "done"))
            builder.branch(head)
            builder.position_at_end(head)
            builder.cbranch(builder.icmp_signed(">", self.place.get(), I64(0)), look, done)
            builder.position_at_end(look)
            below = builder.sub(self.place.get(), I64(1))
            earlier = self._pair(pairs, below)
            builder.cbranch(builder.icmp_unsigned(">", builder.lshr(earlier, I64(32)), key), body, done)
            builder.position_at_end(body)
            self._put(pairs, self.place.get(), earlier)
            self.place.set(below)
            builder.branch(head)
            builder.position_at_end(done)
            self._put(pairs, self.place.get(), pair)

    def _count(self) -> None:
        """How often each value of each digit occurs."""
        builder, pairs = self.ir, self.pairs.get()
        with loop(builder, I64(0), I64(DIGITS * VALUES)) as k:
            self.counts.set(k, I64(0))
        with loop(builder, I64(0), self.length) as i:
            pair = self._pair(pairs, i)
            for digit in range(DIGITS):
                k = self._counter(pair, digit)
                self.counts.set(k, builder.add(self.counts.get(k), I64(1)))

    def _deal(self, digit: int) -> None:
        """Put all pairs in the order of one digit, in the other place."""
        builder, pairs, other = self.ir, self.pairs.get(), self.other.get()
        of_first = self.counts.get(self._counter(self._pair(pairs, I64(0)), digit))
        with builder.if_then(builder.icmp_signed("!=", of_first, self.length)):
            self.total.set(I64(0))
            with loop(builder, I64(digit * VALUES), I64((digit + 1) * VALUES)) as k:
                count = self.counts.get(k)
                self.counts.set(k, self.total.get())
                self.total.add(count)
            with loop(builder, I64(0), self.length) as i:
                pair = self._pair(pairs, i)
                k = self._counter(pair, digit)
                place = self.counts.get(k)
                self.counts.set(k, builder.add(place, I64(1)))
                self._put(other, place, pair)
            self.pairs.set(other)
            self.other.set(pairs)

    def _counter(self, pair: Any, digit: int) -> Any:
        """Which count a pair belongs to."""
        value = self.ir.and_(self.ir.lshr(pair, I64(32 + DIGIT * digit)), I64(VALUES - 1))
        return self.ir.add(value, I64(digit * VALUES))

    def _pair(self, pairs: Any, i: Any) -> Any:
        return self.ir.load(self._at(pairs, i), typ=I64)

    def _put(self, pairs: Any, i: Any, pair: Any) -> None:
        self.ir.store(pair, self._at(pairs, i))

    def _at(self, pairs: Any, i: Any) -> Any:
        return self.ir.inttoptr(self.ir.add(pairs, self.ir.mul(i, I64(WORD))), POINTER)
