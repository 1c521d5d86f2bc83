"""Maps of several dims by warps: an item is an element, in row-major order.

Where rows are long a warp goes along them, and lanes lie on neighbours in a row. Short rows would leave most lanes
without work: there lanes lie on neighbours in row-major order, and each finds its own position.
"""

from __future__ import annotations

from typing import Any

from nbgrad.graph.dtypes import int64
from nbgrad.kernels import ir, memory
from nbgrad.kernels.cursor import Odometer
from nbgrad.kernels.flat import FlatBody, positions_of
from nbgrad.kernels.flow import larger, loop, narrowed, quotient, smaller
from nbgrad.kernels.frame import Frame, is_light
from nbgrad.kernels.launch import SHORT_ROW, is_flat_map
from nbgrad.kernels.map import block_width, emit_map, sweep
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I64
from nbgrad.tape.kernel import KernelText


def emit_warp_map(module: ir.Module, text: KernelText, target: Target) -> Any:
    """As ``emit_map``, with other items where ``launch.is_flat_map`` says so."""
    if not is_flat_map(text):
        return emit_map(module, text, target)
    frame = Frame(module, text, target, text.rank - 1)
    with frame.ir.if_then(frame.ir.icmp_signed("<", frame.begin, frame.end)):
        is_short = frame.ir.icmp_signed("<", frame.cursor.size(text.rank - 1), I64(SHORT_ROW))
        with frame.ir.if_else(is_short) as (short, long):
            with short:
                _Flat(frame).emit()
            with long:
                _emit_rows(frame)
    return frame.finish()


def _emit_rows(frame: Frame) -> None:
    """Row by row; the first and the last one may be there in part."""
    builder, cursor, rank = frame.ir, frame.cursor, frame.text.rank
    operands = [k for k, o in enumerate(frame.text.operands) if o.role != "table"]
    cursor.start_item([], I64(0), operands)
    odometer = Odometer(cursor, range(rank - 1), operands)
    inner = cursor.size(rank - 1)
    first, last = quotient(builder, frame.begin, inner), quotient(builder, builder.sub(frame.end, I64(1)), inner)
    width = block_width(frame)
    with loop(builder, I64(0), inner, width) as block:
        odometer.seek(first)
        with loop(builder, first, builder.add(last, I64(1))) as row:
            before = builder.mul(row, inner)
            start = larger(builder, block, builder.sub(frame.begin, before))
            stop = smaller(builder, smaller(builder, builder.add(block, width), inner), builder.sub(frame.end, before))
            with builder.if_then(builder.icmp_signed("<", start, stop)):
                sweep(frame, start, stop)
            odometer.step()


class _Flat:
    """Lanes over the elements of all rows."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.body = FlatBody(frame)

    def emit(self) -> None:
        frame, builder, lanes = self.frame, self.frame.ir, self.frame.lanes
        self.body.hoist()
        start, step = frame.begin, lanes * frame.turns
        if is_light(frame.text, frame.turns):
            start = builder.add(start, builder.and_(builder.sub(frame.end, start), I64(-step)))
            with loop(builder, frame.begin, start, step) as first:
                places = [self._places(builder.add(first, I64(turn * lanes))) for turn in range(frame.turns)]
                for place, values in zip(places, self.body.run(places), strict=True):
                    self.body.store(values, place)
        with loop(builder, start, frame.end, lanes) as first:
            mask = memory.prefix_mask(frame.b, builder.sub(frame.end, first))
            place = self._places(first)
            self.body.store(self.body.run([place], mask)[0], place, mask)

    def _places(self, first: Any) -> list[Any]:
        """Each lane's position in each dim, of elements from ``first`` on."""
        b = self.frame.b
        first = narrowed(self.frame.ir, first)
        linear = self.frame.ir.add(b.splat(first, int64).value, b.numbers(first.type))
        return positions_of(self.frame, linear, range(self.frame.text.rank))
