"""Rows added to rows of a table by warps, with the words of ``nbgrad/kernels/scatter_rows.py``.

A warp has a stretch of the table: it looks at all rows in their order, and adds what falls into its stretch. So each
element gets its terms in the order of the rows, however they lie across each other.
"""

from __future__ import annotations

from typing import Any

from nbgrad.kernels import ir, memory
from nbgrad.kernels.flow import larger, loop, smaller
from nbgrad.kernels.frame import Frame
from nbgrad.kernels.launch import SCATTER_ELEMENTS
from nbgrad.kernels.scatter_rows import ScatterRows
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I64
from nbgrad.tape.kernel import KernelText


def emit_warp_scatter_rows(module: ir.Module, text: KernelText, target: Target) -> Any:
    """As ``emit_scatter_rows``; an item is SCATTER_ELEMENTS elements of the table."""
    return _Stretch(Frame(module, text, target, text.rank - 1)).emit()


class _Stretch(ScatterRows):
    def emit(self) -> Any:
        builder, frame, odometer = self.ir, self.frame, self.walk()
        low = builder.mul(frame.begin, I64(SCATTER_ELEMENTS))
        high = smaller(builder, builder.mul(frame.end, I64(SCATTER_ELEMENTS)), self.length)
        with builder.if_then(builder.icmp_signed("<", frame.begin, frame.end)):
            if self.text.form == "scatter_rows_of_zeros":
                self._clear_stretch(low, high)
                frame.b.settle()
            odometer.seek(I64(0))
            is_work = builder.icmp_signed(">", self.width, I64(0))
            rows = builder.select(is_work, self.cursor.product(range(self.text.rank - 1)), I64(0))
            with loop(builder, I64(0), rows):
                frame.body.hoist()
                start = self.start_of_row()
                first = larger(builder, builder.sub(low, start), I64(0))
                stop = smaller(builder, builder.sub(high, start), self.width)
                with builder.if_then(builder.icmp_signed("<", first, stop)):
                    self.add_columns(start, first, stop)
                    frame.b.settle()  # the next row may have other lanes at the same places
                odometer.step()
        return frame.finish()

    def _clear_stretch(self, low: Any, high: Any) -> None:
        zero = self.frame.b.const(0, self.dtype)
        with loop(self.ir, low, high, self.frame.lanes) as j:
            mask = memory.prefix_mask(self.frame.b, self.ir.sub(high, j))
            memory.store_consecutive(self.frame.b, zero, self.place(j), mask)
