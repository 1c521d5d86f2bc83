"""Maps of several dims by warps: an item is an element, in row-major order, and each lane finds its own position.

So lanes lie on neighbours however short rows are; to divide costs less than to wait for memory.
"""

from __future__ import annotations

from typing import Any

from nbgrad.graph.dtypes import int64
from nbgrad.kernels import ir, memory
from nbgrad.kernels.flat import FlatBody, positions_of
from nbgrad.kernels.flow import loop, narrowed
from nbgrad.kernels.frame import Frame, is_light
from nbgrad.kernels.launch import is_flat_map
from nbgrad.kernels.map import emit_map
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I64
from nbgrad.tape.kernel import KernelText


def emit_warp_map(module: ir.Module, text: KernelText, target: Target) -> Any:
    """As ``emit_map``, with other items where ``launch.is_flat_map`` says so."""
    if not is_flat_map(text):
        return emit_map(module, text, target)
    frame = Frame(module, text, target, text.rank - 1)
    with frame.ir.if_then(frame.ir.icmp_signed("<", frame.begin, frame.end)):
        _emit_elements(frame)
    return frame.finish()


def _emit_elements(frame: Frame) -> None:
    body, builder, lanes = FlatBody(frame), frame.ir, frame.lanes
    body.hoist()

    def places(first: Any) -> list[Any]:
        """Each lane's position in each dim, of elements from ``first`` on."""
        first = narrowed(builder, first)
        linear = builder.add(frame.b.splat(first, int64).value, frame.b.numbers(first.type))
        return positions_of(frame, linear, range(frame.text.rank))

    start, step = frame.begin, lanes * frame.turns
    if is_light(frame.text, frame.turns):
        start = builder.add(start, builder.and_(builder.sub(frame.end, start), I64(-step)))
        with loop(builder, frame.begin, start, step) as first:
            turns = [places(builder.add(first, I64(turn * lanes))) for turn in range(frame.turns)]
            for place, values in zip(turns, body.run(turns), strict=True):
                body.store(values, place)
    with loop(builder, start, frame.end, lanes) as first:
        mask, place = memory.prefix_mask(frame.b, builder.sub(frame.end, first)), places(first)
        body.store(body.run([place], mask)[0], place, mask)
