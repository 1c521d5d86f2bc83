"""Running sums, running products and linear recurrences by warps, with the words of ``library/scan.py``.

Every element is reached in the order in which one thread would: what warps share are rows and columns, never one row.
"""

from __future__ import annotations

from typing import Any

from nbgrad.graph.dtypes import bool_, by_name, int64
from nbgrad.kernels import ir, memory
from nbgrad.kernels.flow import Variable, loop, narrowed, widened_lanes
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I32, I64, Vec
from nbgrad.kernels.words import WarpWords
from nbgrad.tape.kernel import LANES, KernelText


def emit_warp_scan(module: ir.Module, text: KernelText, target: Target) -> Any:
    """As ``library/scan.py``: rows one by one where their elements follow each other, else a lane for each column."""
    words = WarpWords(module, text, target)
    scan = _WarpScan(words, text)
    with words.ir.if_else(words.ir.icmp_signed("==", scan.inner, I64(1))) as (rows, columns):
        with rows, loop(words.ir, words.begin, words.end) as item:
            scan.along(item)
        with columns:
            scan.columns(words.begin, words.end)
    return words.finish()


class _WarpScan:
    """The descriptor of a scan, and where its elements are."""

    def __init__(self, words: WarpWords, text: KernelText) -> None:
        self.b, self.ir, self.form = words.b, words.ir, text.form
        self.dtype = by_name(text.operands[0].dtype)
        self.length, self.inner, backwards, self.source, self.out = (words[i] for i in range(5))
        self.links = words[5] if text.form == "recurrence" else None
        self.is_backwards = self.ir.icmp_signed("!=", backwards, I64(0))
        self.readable = words.ir.ptrtoint(words.desc, I64)

    def row(self, step: Any) -> Any:
        """Which element comes in ``step``."""
        last = self.ir.sub(self.ir.sub(self.length, I64(1)), step)
        return self.ir.select(self.is_backwards, last, step)

    def element(self, item: Any, row: Any, column: Any) -> Any:
        """Where element ``row`` is, counted from the first."""
        return self._place(item, self.length, row, column)

    def link(self, item: Any, row: Any, column: Any) -> Any:
        """Where what links ``row`` with the element before it is."""
        links = self.ir.sub(self.length, I64(1))
        before = self.ir.select(self.is_backwards, row, self.ir.sub(row, I64(1)))
        return self._place(item, links, before, column)

    def _place(self, item: Any, length: Any, row: Any, column: Any) -> Any:
        builder = self.ir
        return builder.add(builder.mul(builder.add(builder.mul(item, length), row), self.inner), column)

    def along(self, item: Any) -> None:
        """32 elements at a time: all lanes go through all of them, each keeps its own."""
        b, builder, none = self.b, self.ir, I64(0)
        value_before = Variable(builder, b.type_of(self.dtype), b.const(0, self.dtype).value)
        sign = builder.select(self.is_backwards, I64(-1), I64(1))
        with loop(builder, none, self.length, LANES) as j:
            mask = memory.prefix_mask(b, builder.sub(self.length, j))
            row = self.row(j)
            at = memory.lanes_from(b, self.element(item, row, none), sign)
            x = self._load(self.source, at, mask)
            is_start = b.splat(builder.icmp_signed("==", j, none), bool_)
            factors = self._link_factors(memory.lanes_from(b, self.link(item, row, none), sign), mask, is_start)
            total, kept = Vec(value_before.get(), self.dtype), x
            for lane in range(LANES):
                one = b.splat(b.from_lane(x, I32(lane)), self.dtype)
                factor = None if factors is None else b.splat(b.from_lane(factors, I32(lane)), self.dtype)
                following = self._following(total, one, factor)
                total = b.select(is_start, one, following) if lane == 0 else following
                mine = Vec(builder.icmp_unsigned("==", b.numbers(I32), b.constant(str(lane), I32)), bool_)
                kept = b.select(mine, total, kept)
            value_before.set(total.value)
            self._store(kept, at, mask)

    def _link_factors(self, at: Any, mask: Any, is_start: Vec) -> Vec | None:
        """What links the elements with those before them; the first of all has none."""
        if self.links is None:
            return None
        first = self.ir.icmp_unsigned("==", self.b.numbers(I32), self.b.constant("0", I32))
        linked = self.ir.not_(self.ir.and_(first, is_start.value))
        return self._load(self.links, at, self.ir.and_(mask, linked))

    def columns(self, begin: Any, end: Any) -> None:
        """A lane for each column of items begin, ..., end - 1."""
        b, builder = self.b, self.ir
        stop = builder.mul(end, self.inner)
        inner = b.splat(narrowed(builder, self.inner), int64).value
        with loop(builder, builder.mul(begin, self.inner), stop, LANES) as start:
            mask = memory.prefix_mask(b, builder.sub(stop, start))
            first = narrowed(builder, start)
            number = builder.add(b.splat(first, int64).value, b.numbers(first.type))
            item, column = (widened_lanes(b, x) for x in (builder.udiv(number, inner), builder.urem(number, inner)))
            value = Variable(builder, b.type_of(self.dtype), b.const(0, self.dtype).value)
            with loop(builder, I64(0), self.length) as step:
                row = self.row(step)
                at = self._of_column(item, column, self.length, row)
                is_start = b.splat(builder.icmp_signed("==", step, I64(0)), bool_)
                x = self._load(self.source, at, mask)
                factor = self._column_factors(item, column, row, mask, is_start)
                following = b.select(is_start, x, self._following(Vec(value.get(), self.dtype), x, factor))
                value.set(following.value)
                self._store(following, at, mask)

    def _of_column(self, item: Any, column: Any, length: Any, row: Any) -> Any:
        """``element`` or ``link`` of each lane's own item and column."""
        b, builder = self.b, self.ir
        length, row, inner = (b.splat(x, int64).value for x in (length, row, self.inner))
        return builder.add(builder.mul(builder.add(builder.mul(item, length), row), inner), column)

    def _column_factors(self, item: Any, column: Any, row: Any, mask: Any, is_start: Vec) -> Vec | None:
        if self.links is None:
            return None
        builder = self.ir
        before = builder.select(self.is_backwards, row, builder.sub(row, I64(1)))
        at = self._of_column(item, column, builder.sub(self.length, I64(1)), before)
        return self._load(self.links, at, builder.and_(mask, builder.not_(is_start.value)))

    def _following(self, value: Vec, x: Vec, factor: Vec | None) -> Vec:
        if factor is not None:
            return self.b.add(x, self.b.mul(factor, value))
        return self.b.mul(value, x) if self.form == "cumprod" else self.b.add(value, x)

    def _addresses(self, address: Any, at: Any) -> Any:
        b, builder = self.b, self.ir
        size = b.splat(I64(self.dtype.itemsize), int64).value
        return builder.add(b.splat(address, int64).value, builder.mul(at, size))

    def _load(self, address: Any, at: Any, mask: Any) -> Vec:
        return memory.gather(self.b, self._addresses(address, at), self.dtype, mask, self.readable)

    def _store(self, value: Vec, at: Any, mask: Any) -> None:
        memory.store_at(self.b, value, self._addresses(self.out, at), mask)
