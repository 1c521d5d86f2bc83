"""Rows added to rows of a table, in their order; threads share the table's columns, never a row's turn.

An item is a chunk of the columns. The statements run over the rows as in a map; instead of being stored, the value is
added to the table from the row's start on. Operand "scatter" is the table: its first stride word is its length, the
second the columns of a chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels import ir, memory
from nbgrad.kernels.cursor import Odometer
from nbgrad.kernels.flow import loop, smaller
from nbgrad.kernels.frame import Frame
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I64
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, KernelText


def emit_scatter_rows(module: ir.Module, text: KernelText, target: Target) -> Any:
    """A kernel of rank 2 or more. ``stores`` are (start, table) and (value, table); form "scatter_rows_of_zeros" begins
    with a table of zeros, which wants starts and length to be multiples of the row's length."""
    return ScatterRows(Frame(module, text, target, text.rank - 1)).emit()


class ScatterRows:
    """The rows of a kernel, and the table that they are added to."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.ir = frame.ir
        self.text = frame.text
        self.cursor = frame.cursor
        (self.start, self.table), (self.value, _) = frame.text.stores
        self.dtype = by_name(frame.text.operands[self.table].dtype)
        self.length = self.cursor.table_length(self.table)
        self.width = self.cursor.size(frame.text.rank - 1)
        self.turns = frame.turns if frame.is_light(frame.turns) else 1

    def walk(self) -> Odometer:
        """Stand before the first row; what goes from row to row."""
        operands = [k for k, o in enumerate(self.text.operands) if o.role != "scatter"]
        self.cursor.start_item([], I64(0), operands)
        return Odometer(self.cursor, range(self.text.rank - 1), operands)

    def emit(self) -> Any:
        odometer = self.walk()
        chunk = self.cursor.stride(self.table, 1)
        with loop(self.ir, self.frame.begin, self.frame.end) as item:
            first = self.ir.mul(item, chunk)
            stop = smaller(self.ir, self.ir.add(first, chunk), self.width)
            if self.text.form == "scatter_rows_of_zeros":
                self._clear(first, stop)
            odometer.seek(I64(0))
            with loop(self.ir, I64(0), self.cursor.product(range(self.text.rank - 1))):
                self.add_row(first, stop)
                odometer.step()
        return self.frame.finish()

    def _clear(self, first: Any, stop: Any) -> None:
        """Write zeros into columns [first, stop) of the table."""
        zero = self.frame.b.const(0, self.dtype)
        with (
            loop(self.ir, I64(0), self.length, self.width) as row,
            loop(self.ir, self.ir.add(row, first), self.ir.add(row, stop), self.frame.lanes) as j,
        ):
            mask = memory.prefix_mask(self.frame.b, self.ir.sub(self.ir.add(row, stop), j))
            for live in memory.masks_to_store(self.frame.b, mask):
                memory.store_consecutive(self.frame.b, zero, self.place(j), live)

    def add_row(self, first: Any, stop: Any) -> None:
        """Add columns [first, stop) of the current row."""
        body, builder = self.frame.body, self.ir
        with builder.if_then(builder.icmp_signed("<", first, stop)):
            body.hoist()
            self.add_columns(self.start_of_row(), first, stop)

    def start_of_row(self) -> Any:
        """Where in the table the current row begins; a row that is not all in it fails the kernel."""
        builder = self.ir
        start = self.frame.b.uniform(self.frame.body.fixed(self.start))
        room = builder.sub(self.length, self.width)
        outside = builder.or_(
            builder.icmp_signed(">", self.width, self.length), builder.icmp_unsigned(">", start, room)
        )
        self.frame.b.fail_where(outside, INDEX_OUT_OF_RANGE)
        return start

    def add_columns(self, start: Any, first: Any, stop: Any) -> None:
        """Add columns [first, stop) of the current row, which begins at ``start``."""
        self.frame.by_vectors(first, stop, self.turns, lambda places, mask: self.add_vectors(start, places, mask))

    def add_vectors(self, start: Any, places: Sequence[Any], mask: Any) -> None:
        """Add the vectors of the current row that begin at ``places``."""
        b = self.frame.b
        for j, values in zip(places, self.frame.body.run(places, mask), strict=True):
            place = self.place(self.ir.add(start, j))
            before = memory.load_consecutive(b, place, self.dtype, mask)
            memory.store_consecutive(b, b.add(before, values[self.value]), place, mask)

    def place(self, index: Any) -> Any:
        """Where an element of the table lies."""
        return self.ir.add(self.cursor.address(self.table), self.ir.mul(index, I64(self.dtype.itemsize)))
