"""The form "map": every element on its own."""

from __future__ import annotations

from typing import Any, Final

from nbgrad.kernels import ir
from nbgrad.kernels.cursor import Odometer
from nbgrad.kernels.flow import loop, smaller
from nbgrad.kernels.frame import Frame
from nbgrad.kernels.places import sweep_places
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I64
from nbgrad.tape.kernel import STRIDE_OTHER, KernelText, Operand

# Elements, so cache lines. Measured: 16 to 64 are alike, from 128 on sets of the cache overflow; where rows are powers
# of two, from 32 on.
CROSSWISE_BLOCK: Final = 16


def emit_map(module: ir.Module, text: KernelText, target: Target) -> Any:
    """A map kernel. Rank 1: items are elements; more: rows of the inner dim; 0: the one element."""
    if text.rank == 0:
        return _emit_single(Frame(module, text, target, None))
    frame = Frame(module, text, target, text.rank - 1)
    if text.rank == 1:
        _emit_elements(frame)
    else:
        _emit_rows(frame)
    return frame.finish()


def _emit_single(frame: Frame) -> Any:
    frame.cursor.start_item([], I64(0), range(len(frame.text.operands)))
    with frame.ir.if_then(frame.ir.icmp_signed("<", frame.begin, frame.end)):
        frame.body.hoist()
        frame.body.run_and_store([I64(0)])
    return frame.finish()


def _emit_elements(frame: Frame) -> None:
    frame.cursor.start_item([], I64(0), range(len(frame.text.operands)))
    with frame.ir.if_then(frame.ir.icmp_signed("<", frame.begin, frame.end)):
        sweep(frame, frame.begin, frame.end)


def _emit_rows(frame: Frame) -> None:
    cursor, rank = frame.cursor, frame.text.rank
    operands = [k for k, o in enumerate(frame.text.operands) if o.role != "table"]
    cursor.start_item([], I64(0), operands)
    odometer = Odometer(cursor, range(rank - 1), operands)
    inner = cursor.size(rank - 1)
    width = block_width(frame)
    with loop(frame.ir, I64(0), inner, width) as start:
        odometer.seek(frame.begin)
        with loop(frame.ir, frame.begin, frame.end):
            sweep(frame, start, smaller(frame.ir, frame.ir.add(start, width), inner))
            odometer.step()


def block_width(frame: Frame) -> Any:
    """How many elements of each row are done before going on to the next row: all, unless rows are read crosswise.

    Where an operand's elements lie closer together from row to row than along the row (a transposed matrix), a block of
    rows reuses the cache lines that it fetched (2048 x 2048 float32: 4 ms instead of 61).
    """
    cursor, rank, builder = frame.cursor, frame.text.rank, frame.ir
    width = cursor.size(rank - 1)
    for k, operand in enumerate(frame.text.operands):
        if _is_apart(operand):
            along, across = (_magnitude(builder, cursor.stride(k, dim)) for dim in (rank - 1, rank - 2))
            crosswise = builder.icmp_signed("<", across, along)
            block = smaller(builder, width, I64(max(CROSSWISE_BLOCK, frame.lanes)))
            width = builder.select(crosswise, block, width)
    return width


def _is_apart(operand: Operand) -> bool:
    return operand.stride == STRIDE_OTHER and operand.role in ("in", "out")


def _may_be_crosswise(text: KernelText) -> bool:
    return text.rank > 1 and any(_is_apart(operand) for operand in text.operands)


def _magnitude(builder: ir.IRBuilder, x: Any) -> Any:
    return builder.select(builder.icmp_signed("<", x, I64(0)), builder.neg(x), x)


def sweep(frame: Frame, start: Any, stop: Any) -> None:
    """Run the body over elements start, ..., stop - 1 (at least one) of the vector dim."""
    frame.body.hoist()
    if frame.text.has_places:
        sweep_places(frame, start, stop)
    else:
        most = CROSSWISE_BLOCK // frame.lanes if _may_be_crosswise(frame.text) else frame.turns
        turns = max(1, min(most, frame.turns))
        turns = turns if frame.is_light(turns) else 0
        frame.by_vectors(start, stop, turns, frame.body.run_and_store)
