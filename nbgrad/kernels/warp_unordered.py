"""Sums through indices by warps that add to a place as they come: ``use_deterministic_algorithms(False)``.

Elsewhere a warp has places of its own and looks at all indices, so that each place gets its terms in their order. Here
it has indices of its own, which is less to read, and the memory adds: the bits of a sum depend on who comes first. On a
GPU a sum or a term below the least normal float32 counts as 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.graph.dtypes import bool_, by_name, int64
from nbgrad.kernels import ir, memory
from nbgrad.kernels.flow import loop
from nbgrad.kernels.frame import Frame
from nbgrad.kernels.scatter_rows import ScatterRows
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I1, I64, Vec
from nbgrad.kernels.words import WarpWords
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, LANES, KernelText


def emit_unordered(module: ir.Module, text: KernelText, target: Target) -> Any:
    """As ``emit_warp_scatter``; an item is LANES indices."""
    words = WarpWords(module, text, target)
    b, builder, dtype = words.b, words.ir, by_name(text.operands[0].dtype)
    count, dst, length, index, values = (words[i] for i in (0, 1, 2, 3, 5))
    size = b.constant(str(dtype.itemsize), I64)
    with loop(builder, words.begin, words.end) as item:
        i = builder.mul(item, I64(LANES))
        mask = memory.prefix_mask(b, builder.sub(count, i))
        places = memory.load_consecutive(b, builder.add(index, builder.mul(i, I64(8))), int64, mask)
        outside = builder.icmp_unsigned(">=", places.value, b.splat(length, int64).value)
        b.live = mask
        b.fail_if(Vec(outside, bool_), INDEX_OUT_OF_RANGE)
        at = builder.add(values, builder.mul(i, I64(dtype.itemsize)))
        terms = memory.load_consecutive(b, at, dtype, mask)
        b.add_some(terms, builder.add(b.splat(dst, int64).value, builder.mul(places.value, size)), mask)
    return words.finish()


def emit_unordered_rows(module: ir.Module, text: KernelText, target: Target) -> Any:
    """As ``emit_warp_scatter_rows``; an item is a row."""
    return _Unordered(Frame(module, text, target, text.rank - 1)).emit()


class _Unordered(ScatterRows):
    def emit(self) -> Any:
        builder, frame, odometer = self.ir, self.frame, self.walk()
        with builder.if_then(builder.icmp_signed("<", frame.begin, frame.end)):
            odometer.seek(frame.begin)
            with loop(builder, frame.begin, frame.end):
                self.add_row(I64(0), self.width)
                odometer.step()
        return frame.finish()

    def add_vectors(self, start: Any, places: Sequence[Any], mask: Any) -> None:
        b = self.frame.b
        everywhere = b.constant("true", I1) if mask is None else mask
        for j, values in zip(places, self.frame.body.run(places, mask), strict=True):
            first = self.place(self.ir.add(start, j))
            b.add_some(values[self.value], memory.lanes_from(b, first, I64(self.dtype.itemsize)), everywhere)
