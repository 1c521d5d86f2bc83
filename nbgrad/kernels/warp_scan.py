"""Running sums, running products and linear recurrences by warps, with the words of ``library/scan.py``.

Every element is reached in the order in which one thread would: what lanes share are rows and columns, never one row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nbgrad.graph.dtypes import bool_, by_name, int64
from nbgrad.kernels import ir, memory
from nbgrad.kernels.flow import Variable, loop, narrowed, widened_lanes
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I64, Vec
from nbgrad.kernels.words import WarpWords
from nbgrad.tape.kernel import LANES, KernelText


def emit_warp_scan(module: ir.Module, text: KernelText, target: Target) -> Any:
    """As ``library/scan.py``, a lane for each sequence: a column of an item, or an item without columns."""
    words = WarpWords(module, text, target)
    _WarpScan(words, text).emit()
    return words.finish()


_STEPS: Final[dict[str, Callable[[Any, Vec, Vec], Vec]]] = {
    "cumsum": lambda b, value, x: b.add(value, x),
    "cumprod": lambda b, value, x: b.mul(value, x),
    "cummax": lambda b, value, x: b.select(b.gt(x, value), x, value),
}


class _WarpScan:
    """The descriptor of a scan, and where its elements are."""

    def __init__(self, words: WarpWords, text: KernelText) -> None:
        self.words, self.b, self.ir, self.form = words, words.b, words.ir, text.form
        self.dtype = by_name(text.operands[0].dtype)
        self.length, self.inner, backwards, self.source, self.out = (words[i] for i in range(5))
        self.links = words[5] if text.form == "recurrence" else None
        self.is_backwards = self.ir.icmp_signed("!=", backwards, I64(0))
        self.readable = words.ir.ptrtoint(words.desc, I64)

    def emit(self) -> None:
        b, builder = self.b, self.ir
        stop = builder.mul(self.words.end, self.inner)
        inner = b.splat(narrowed(builder, self.inner), int64).value
        with loop(builder, builder.mul(self.words.begin, self.inner), stop, LANES) as start:
            mask = memory.prefix_mask(b, builder.sub(stop, start))
            first = narrowed(builder, start)
            number = builder.add(b.splat(first, int64).value, b.numbers(first.type))
            item, column = (widened_lanes(b, x) for x in (builder.udiv(number, inner), builder.urem(number, inner)))
            value = Variable(builder, b.type_of(self.dtype), b.const(0, self.dtype).value)
            with loop(builder, I64(0), self.length) as step:
                last = builder.sub(builder.sub(self.length, I64(1)), step)
                row = builder.select(self.is_backwards, last, step)
                at = self._place(item, column, self.length, row)
                is_start = b.splat(builder.icmp_signed("==", step, I64(0)), bool_)
                x = self._load(self.source, at, mask)
                factor = self._factors(item, column, row, mask, is_start)
                following = b.select(is_start, x, self._following(Vec(value.get(), self.dtype), x, factor))
                value.set(following.value)
                memory.store_at(b, following, self._addresses(self.out, at), mask)

    def _place(self, item: Any, column: Any, length: Any, row: Any) -> Any:
        """Which element of its item and column each lane has at ``row``, of ``length``."""
        b, builder = self.b, self.ir
        length, row, inner = (b.splat(x, int64).value for x in (length, row, self.inner))
        return builder.add(builder.mul(builder.add(builder.mul(item, length), row), inner), column)

    def _factors(self, item: Any, column: Any, row: Any, mask: Any, is_start: Vec) -> Vec | None:
        """What links the elements with those before them; the first of all has none."""
        if self.links is None:
            return None
        builder = self.ir
        before = builder.select(self.is_backwards, row, builder.sub(row, I64(1)))
        at = self._place(item, column, builder.sub(self.length, I64(1)), before)
        return self._load(self.links, at, builder.and_(mask, builder.not_(is_start.value)))

    def _following(self, value: Vec, x: Vec, factor: Vec | None) -> Vec:
        if factor is not None:
            return self.b.add(x, self.b.mul(factor, value))
        return _STEPS[self.form](self.b, value, x)

    def _addresses(self, address: Any, at: Any) -> Any:
        b, builder = self.b, self.ir
        size = b.splat(I64(self.dtype.itemsize), int64).value
        return builder.add(b.splat(address, int64).value, builder.mul(at, size))

    def _load(self, address: Any, at: Any, mask: Any) -> Vec:
        return memory.gather(self.b, self._addresses(address, at), self.dtype, mask, self.readable)
