"""Running sums and writing through indices by warps, with the words of ``nbgrad/kernels/library.py``.

Every result is added up in the order that one thread would: what warps share are sums and places, never one sum.
"""

from __future__ import annotations

from typing import Any

from nbgrad.graph.dtypes import bool_, by_name, int64
from nbgrad.kernels import ir, memory
from nbgrad.kernels.flow import (
    Variable,
    loop,
    narrowed,
    narrowed_lanes,
    smaller,
    until_zero,
    widened_lanes,
)
from nbgrad.kernels.launch import SCATTER_PLACES
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I32, I64, Vec, memory_type
from nbgrad.kernels.words import WarpWords
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, LANES, KernelText


def emit_warp_cumsum(module: ir.Module, text: KernelText, target: Target) -> Any:
    """As ``emit_cumsum``. Rows one by one where their elements follow each other, else a lane for each column."""
    words = WarpWords(module, text, target)
    cumsum = _Cumsum(words, text)
    with words.ir.if_else(words.ir.icmp_signed("==", cumsum.inner, I64(1))) as (rows, columns):
        with rows, loop(words.ir, words.begin, words.end) as item:
            cumsum.row(item)
        with columns:
            cumsum.columns(words.begin, words.end)
    return words.finish()


class _Cumsum:
    def __init__(self, words: WarpWords, text: KernelText) -> None:
        self.b, self.ir = words.b, words.ir
        self.dtype = by_name(text.operands[0].dtype)
        self.length, self.inner, self.source, self.sums = (words[i] for i in range(4))
        self.readable = words.ir.ptrtoint(words.desc, I64)

    def row(self, item: Any) -> None:
        """32 elements at a time: all lanes add all of them, each keeps its own sum."""
        b, builder = self.b, self.ir
        size = I64(self.dtype.itemsize)
        first = builder.mul(item, self.length)
        sum_before = Variable(builder, b.type_of(self.dtype), b.const(0, self.dtype).value)
        with loop(builder, I64(0), self.length, LANES) as j:
            mask = memory.prefix_mask(b, builder.sub(self.length, j))
            at = builder.mul(builder.add(first, j), size)
            x = memory.load_consecutive(b, builder.add(self.source, at), self.dtype, mask)
            is_start = b.splat(builder.icmp_signed("==", j, I64(0)), bool_)
            total, kept = Vec(sum_before.get(), self.dtype), x
            for lane in range(LANES):
                one = b.splat(b.from_lane(x, I32(lane)), self.dtype)
                following = b.add(total, one)
                total = b.select(is_start, one, following) if lane == 0 else following
                mine = Vec(builder.icmp_unsigned("==", b.numbers(I32), b.constant(str(lane), I32)), bool_)
                kept = b.select(mine, total, kept)
            sum_before.set(total.value)
            memory.store_consecutive(b, kept, builder.add(self.sums, at), mask)

    def columns(self, begin: Any, end: Any) -> None:
        """A lane for each column of items begin, ..., end - 1."""
        b, builder, size = self.b, self.ir, self.dtype.itemsize
        stop = builder.mul(end, self.inner)
        step = builder.mul(self.inner, I64(size))
        inner, length = (b.splat(narrowed(builder, x), int64).value for x in (self.inner, self.length))
        with loop(builder, builder.mul(begin, self.inner), stop, LANES) as start:
            mask = memory.prefix_mask(b, builder.sub(stop, start))
            first = narrowed(builder, start)
            number = builder.add(b.splat(first, int64).value, b.numbers(first.type))
            item, column = builder.udiv(number, inner), builder.urem(number, inner)
            place = builder.add(builder.mul(builder.mul(item, length), inner), column)
            place = widened_lanes(b, builder.mul(place, b.constant(str(size), first.type)))
            total = Variable(builder, b.type_of(self.dtype), b.const(0, self.dtype).value)
            with loop(builder, I64(0), self.length) as row:
                at = builder.add(place, b.splat(builder.mul(row, step), int64).value)
                source, sums = (builder.add(at, b.splat(x, int64).value) for x in (self.source, self.sums))
                x = memory.gather(b, source, self.dtype, mask, self.readable)
                is_start = b.splat(builder.icmp_signed("==", row, I64(0)), bool_)
                following = b.select(is_start, x, b.add(Vec(total.get(), self.dtype), x))
                total.set(following.value)
                b.store_some(following.value, sums, size, mask)


def emit_warp_scatter(module: ir.Module, text: KernelText, target: Target) -> Any:
    """As ``emit_scatter``; an item is SCATTER_PLACES elements of dst, whose warp looks at all indices, 32 at a time."""
    words = WarpWords(module, text, target)
    b, builder, dtype = words.b, words.ir, by_name(text.operands[0].dtype)
    count, dst, length, index, values = (words[i] for i in (0, 1, 2, 3, 5))
    low = builder.mul(words.begin, I64(SCATTER_PLACES))
    width = builder.sub(smaller(builder, builder.mul(words.end, I64(SCATTER_PLACES)), length), low)
    is_work = builder.icmp_signed("<", words.begin, words.end)
    with loop(builder, I64(0), builder.select(is_work, count, I64(0)), LANES) as i:
        mask = memory.prefix_mask(b, builder.sub(count, i))
        places = memory.load_consecutive(b, builder.add(index, builder.mul(i, I64(8))), int64, mask)
        outside = builder.icmp_unsigned(">=", places.value, b.splat(length, int64).value)
        b.live = mask
        b.fail_if(Vec(outside, bool_), INDEX_OUT_OF_RANGE)
        first, few = (b.splat(narrowed(builder, x), int64).value for x in (low, width))
        offset = builder.sub(narrowed_lanes(b, places.value), first)
        is_mine = builder.icmp_unsigned("<", offset, few)
        mine = Vec(builder.and_(is_mine, mask), bool_)
        with until_zero(builder, b.ballot(mine)) as lane:
            place = b.from_lane(places, lane)
            at = builder.add(values, builder.mul(builder.add(i, builder.zext(lane, I64)), I64(dtype.itemsize)))
            slot = builder.add(dst, builder.mul(place, I64(dtype.itemsize)))
            with b.once():
                _write(words, text, at, slot)
    return words.finish()


def _write(words: WarpWords, text: KernelText, source: Any, slot: Any) -> None:
    """Add one element to a place, or put it there."""
    b, builder, dtype = words.b, words.ir, by_name(text.operands[0].dtype)
    kind = memory_type(dtype)
    value = b.load_first(source, kind, dtype.itemsize)
    if text.form == "scatter_add":
        before = b.load_first(slot, kind, dtype.itemsize)
        value = (builder.fadd if dtype.is_floating_point else builder.add)(before, value)
    builder.store(value, b.pointer(slot), align=dtype.itemsize)
