"""Running sums, running products and linear recurrences: each element needs the one before it.

``Scan`` knows the words and the three ways to go on; here one thread takes rows, ``warp_scan.py`` has a warp do it. The
forms, with what element i is after element h:

    cumsum      h + x_i
    cumprod     h * x_i
    recurrence  x_i + a * h, where a links the two: a is an array with one element less

The first element is x_0. ``backwards`` goes from the last element to the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels import ir
from nbgrad.kernels.flow import Variable, loop, remainder, smaller
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I32, I64, POINTER, memory_type
from nbgrad.kernels.words import Words
from nbgrad.tape.kernel import OK, KernelText

# Rows of one thread that go on side by side, as an addition waits for the one before. Measured on 1024 x 1024 float32:
# 1.3, 0.7, 1.3, 5.9 ms with 1, 2, 4, 8. So many rows of 4096 bytes do not fit into the sets of a cache.
TOGETHER: Final = 2


class Scan:
    """The descriptor of a scan over in[o, i, k] along i; an item is one o.

    Operands in, out, and a of a recurrence, contiguous. Words: length of i, length of k, 1 to go backwards, then the
    addresses.
    """

    def __init__(self, words: Words, text: KernelText) -> None:
        self.ir, self.form = words.ir, text.form
        self.dtype = by_name(text.operands[0].dtype)
        self.length, self.inner, backwards, self.source, self.out = (words[i] for i in range(5))
        self.links = words[5] if text.form == "recurrence" else None
        self.is_backwards = self.ir.icmp_signed("!=", backwards, I64(0))

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


def emit_scan(module: ir.Module, text: KernelText, target: Target) -> Any:
    """Rows of elements that follow each other TOGETHER at a time, others column by column."""
    words = Words(module, text, target)
    builder = words.ir
    rows = _Rows(words, text)
    with builder.if_else(builder.icmp_signed("==", rows.inner, I64(1))) as (alone, beside):
        with alone:
            whole = builder.sub(words.end, remainder(builder, builder.sub(words.end, words.begin), I64(TOGETHER)))
            with loop(builder, words.begin, whole, TOGETHER) as item:
                rows.along([builder.add(item, I64(r)) for r in range(TOGETHER)])
            with loop(builder, whole, words.end) as item:
                rows.along([item])
        with beside, loop(builder, words.begin, words.end) as item:
            rows.across(item)
    builder.ret(I32(OK))
    return words.function


class _Rows(Scan):
    def along(self, items: Sequence[Any]) -> None:
        """All elements of some rows, each row's value in a register."""
        builder, none = self.ir, I64(0)
        values = [Variable(builder, memory_type(self.dtype)) for _ in items]

        def each(step: Any, value: Callable[[Any, Any, Any], Any]) -> None:
            row = self.row(step)
            for item, variable in zip(items, values, strict=True):
                at = self.element(item, row, none)
                variable.set(value(at, variable, self.link(item, row, none)))
                self._store(variable.get(), at)

        with loop(builder, none, smaller(builder, self.length, I64(1))) as step:
            each(step, lambda at, value, link: self._load(self.source, at))
        with loop(builder, I64(1), self.length) as step:
            each(step, lambda at, value, link: self._following(value.get(), at, link))

    def across(self, item: Any) -> None:
        """A row of columns after the other."""
        builder = self.ir
        with (
            loop(builder, I64(0), smaller(builder, self.length, I64(1))) as step,
            loop(builder, I64(0), self.inner) as column,
        ):
            at = self.element(item, self.row(step), column)
            self._store(self._load(self.source, at), at)
        with loop(builder, I64(1), self.length) as step:
            row, before = self.row(step), self.row(builder.sub(step, I64(1)))
            with loop(builder, I64(0), self.inner) as column:
                at = self.element(item, row, column)
                value = self._load(self.out, self.element(item, before, column))
                self._store(self._following(value, at, self.link(item, row, column)), at)

    def _following(self, value: Any, at: Any, link: Any) -> Any:
        x, builder = self._load(self.source, at), self.ir
        is_float = self.dtype.is_floating_point
        if self.form == "cumprod":
            return (builder.fmul if is_float else builder.mul)(value, x)
        if self.form == "recurrence":
            factor = self._load(self.links, link)
            x, value = (builder.fmul if is_float else builder.mul)(factor, value), x
        return (builder.fadd if is_float else builder.add)(value, x)

    def _pointer(self, address: Any, at: Any) -> Any:
        return self.ir.inttoptr(self.ir.add(address, self.ir.mul(at, I64(self.dtype.itemsize))), POINTER)

    def _load(self, address: Any, at: Any) -> Any:
        return self.ir.load(self._pointer(address, at), typ=memory_type(self.dtype))

    def _store(self, value: Any, at: Any) -> None:
        self.ir.store(value, self._pointer(self.out, at))
