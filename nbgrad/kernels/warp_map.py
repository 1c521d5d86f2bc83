"""Maps of several dims by warps: an item is an element, in row-major order, and each lane finds its own position.

So lanes lie on neighbours however short rows are; to divide costs less than to wait for memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.graph.dtypes import by_name, int64
from nbgrad.kernels import ir, memory
from nbgrad.kernels.body import Body
from nbgrad.kernels.flow import narrowed, widened_lanes
from nbgrad.kernels.frame import Frame, is_light
from nbgrad.kernels.launch import is_flat_map
from nbgrad.kernels.map import emit_map
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I64, Vec
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
    body, builder = _FlatBody(frame), frame.ir
    body.hoist()

    def positions(first: Any) -> list[Any]:
        """Each lane's position in each dim, of elements from ``first`` on."""
        first = narrowed(builder, first)
        linear = builder.add(frame.b.splat(first, int64).value, frame.b.numbers(first.type))
        return _positions_of(frame, linear, range(frame.text.rank))

    turns = frame.turns if is_light(frame.text, frame.turns) else 0
    frame.by_vectors(
        *(frame.begin, frame.end, turns),
        lambda elements, mask: body.run_and_store([positions(first) for first in elements], mask),
    )


def _positions_of(frame: Frame, linear: Any, dims: Sequence[int]) -> list[Any]:
    """Each lane's position in ``dims`` at its row-major position ``linear``, an int64 or what ``narrowed`` gave."""
    b, builder, cursor = frame.b, frame.ir, frame.cursor
    found = []
    for dim in reversed(dims[1:]):
        size = narrowed(builder, cursor.size(dim))
        before = b.quotients(linear, size)
        found.append(builder.sub(linear, b.times(before, size)))
        linear = before
    return [widened_lanes(b, x) for x in (linear, *reversed(found))][: len(dims)]


class _FlatBody(Body):
    """Statements on elements whose lanes lie anywhere; a place is the position in each dim."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame.text, frame.b, frame.cursor)
        self.readable = frame.ir.ptrtoint(frame.desc, I64)
        self.runs = {}

    def _find_moving(self) -> set[int]:
        moving = set(self.inputs)
        for number, stmt in enumerate(self.stage.stmts, self.first):
            if any(a in moving for a in stmt.args):
                moving.add(number)
        return moving

    def _addresses(self, operand: int, positions: list[Any]) -> Any:
        b, builder = self.b, self.b.ir
        place = b.splat(self.cursor.address(operand), int64).value
        for dim, position in enumerate(positions):
            place = builder.add(place, b.times(position, self.cursor.stride(operand, dim)))
        return place

    def _load(self, k: int, j: Any) -> Vec:
        addresses = self._addresses(k, j)
        if self.text.operands[k].role == "index":
            return Vec(addresses, int64)
        return memory.gather(self.b, addresses, by_name(self.text.operands[k].dtype), self.b.live, self.readable)

    def store_to(self, operand: int, x: Vec, j: Any, mask: Any = None) -> None:
        memory.store_at(self.b, x, self._addresses(operand, j), mask)
