"""The part of a map in which each lane loads and stores 16 bytes at once, where operands lie so that it can.

Lanes lie on several neighbours each, not on one: elements are computed each on its own, so their bits stay. Reductions
do not come here: the order of additions says which lane has which element.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from nbgrad.graph.dtypes import by_name, int64
from nbgrad.kernels import memory
from nbgrad.kernels.body import Body
from nbgrad.kernels.flow import loop
from nbgrad.kernels.frame import Frame
from nbgrad.kernels.values import I64, Vec
from nbgrad.tape.kernel import STRIDE_ONE

WORD_BYTES: Final = 16  # the most that a lane loads at once


class Part(NamedTuple):
    """Of the elements of a turn from ``first`` on, those with ``number`` among each lane's own."""

    first: Any
    number: int


def wide_loop(frame: Frame, start: Any, stop: Any) -> Any:
    """Run the body over as many whole turns as there are, if words are aligned; gives the first element left.

    What is the same for the whole row must have been hoisted.
    """
    body = _WideBody(frame)
    if not body.aligned or frame.body.runs or any(o.role == "guarded" for o in frame.text.operands):
        return start  # those are found by where a whole vector begins
    builder, own, step = frame.ir, body.count * frame.lanes, frame.turns * frame.lanes
    whole = builder.and_(builder.sub(stop, start), I64(-step))
    last = builder.add(start, builder.select(body.is_aligned(start), whole, I64(0)))
    with loop(builder, start, last, step) as j:
        firsts = [builder.add(j, I64(turn)) for turn in range(0, step, own)]
        places = [Part(first, number) for first in firsts for number in range(body.count)]
        for place, values in zip(places, body.run(places), strict=True):
            body.store(values, place)
    return last


class _WideBody(Body):
    """Statements on elements that lie side by side in each lane; a place is a ``Part``."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame.text, frame.b, frame.cursor)
        self._fixed = frame.body.hoisted
        moving = [k for k in self.inputs if self.cursor.moves(k)] + [k for _, k in self.stage.stores]
        self.aligned = [k for k in dict.fromkeys(moving) if self._is_consecutive(k)]
        largest = max([self._itemsize(k) for k in self.aligned], default=WORD_BYTES)
        self.count = min(frame.turns, WORD_BYTES // largest)
        self._loaded: dict[tuple[int, Any], list[Any]] = {}
        self._waiting: dict[int, list[Vec]] = {}  # by operand, what is stored with the last part

    def _is_consecutive(self, k: int) -> bool:
        operand = self.text.operands[k]
        return operand.stride == STRIDE_ONE and operand.role in ("in", "out")

    def _itemsize(self, k: int) -> int:
        return by_name(self.text.operands[k].dtype).itemsize

    def is_aligned(self, start: Any) -> Any:
        """Whether what a lane has at once is one aligned word of each operand, from element ``start`` on."""
        builder = self.b.ir
        rest: Any = I64(0)
        for k in self.aligned:
            within = I64(self.count * self._itemsize(k) - 1)
            rest = builder.or_(rest, builder.and_(self.cursor.place(k, start), within))
        return builder.icmp_unsigned("==", rest, I64(0))

    def _load(self, k: int, j: Part) -> Vec:
        b, operand = self.b, self.text.operands[k]
        dtype = by_name(operand.dtype)
        if self._is_consecutive(k):
            if (k, j.first) not in self._loaded:
                place = self.cursor.place(k, j.first)
                self._loaded[k, j.first] = memory.load_side_by_side(b, place, dtype, self.count)
            found: Vec = self._loaded[k, j.first][j.number]
            return found
        place, stride = self._along(k, j)
        if operand.role == "index":
            return Vec(memory.lanes_from(b, place, stride), int64)
        return memory.load_strided(b, place, stride, dtype)

    def _along(self, k: int, j: Part) -> tuple[Any, Any]:
        """Where lane 0 has its element, and how far it is to that of the next lane."""
        builder = self.b.ir
        stride = builder.mul(self.cursor.lane_stride(k), I64(self.count))
        return self.cursor.place(k, builder.add(j.first, I64(j.number))), stride

    def store_to(self, operand: int, x: Vec, j: Part, mask: Any = None) -> None:
        if not self._is_consecutive(operand):
            memory.store_strided(self.b, x, *self._along(operand, j))
            return
        waiting = self._waiting.setdefault(operand, [])
        waiting.append(x)
        if j.number == self.count - 1:
            memory.store_side_by_side(self.b, waiting, self.cursor.place(operand, j.first))
            waiting.clear()
