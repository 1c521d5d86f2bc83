"""Lanes that lie anywhere among the elements: each finds its own position in every dim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.graph.dtypes import by_name, int64
from nbgrad.kernels import memory
from nbgrad.kernels.body import Body, Values
from nbgrad.kernels.flow import narrowed, widened_lanes
from nbgrad.kernels.frame import Frame
from nbgrad.kernels.values import I64, Vec


def positions_of(frame: Frame, linear: Any, dims: Sequence[int]) -> list[Any]:
    """Each lane's position in ``dims`` at its row-major position ``linear``, an int64 or what ``narrowed`` gave."""
    b, builder, cursor = frame.b, frame.ir, frame.cursor
    found = []
    for dim in reversed(dims[1:]):
        size = narrowed(builder, cursor.size(dim))
        before = b.quotients(linear, size)
        found.append(builder.sub(linear, b.times(before, size)))
        linear = before
    return [widened_lanes(b, x) for x in (linear, *reversed(found))][: len(dims)]


class FlatBody(Body):
    """Statements on elements whose lanes lie anywhere; a place is the position in each dim, or in the kept ones."""

    def __init__(self, frame: Frame, number: int = 0, known: Values | None = None) -> None:
        super().__init__(frame.text, frame.b, frame.cursor, number, known)
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
