"""The memory of a value while the tape is built: where it will lie is decided when its life is known."""

from __future__ import annotations

from typing import Final, NamedTuple

from nbgrad.graph.geometry import Terms
from nbgrad.graph.spec import Shape

# Slots of the tape's bases: inputs and outputs first, then these two, which get their numbers at the end.
ARENA: Final = -1
SCALARS: Final = -2
CONSTS: Final = -3  # no slot: constants live as long as the plan, their addresses stand in the descriptor

_FIRST_OUTPUT: Final = -4


def output_slot(index: int) -> int:
    """The slot of result ``index`` until the number of inputs is known; of such a slot the result."""
    return _FIRST_OUTPUT - index


class Block:
    """``nbytes`` at ``offset`` of base ``slot``. ``born``, ``last``: the first and the last instruction to use it, when
    all of them are known; before that ``born`` is the first."""

    __slots__ = ("born", "last", "nbytes", "offset", "slot")

    def __init__(self, nbytes: int, slot: int, born: int, offset: int = 0) -> None:
        self.nbytes = nbytes
        self.slot = slot
        self.born = born
        self.last = born
        self.offset = offset

    @property
    def start(self) -> Ref:
        """Where it begins."""
        return Ref(self, 0, (), ())


class Ref(NamedTuple):
    """Elements of a block, in bytes: address ``offset + terms + sum(index * strides)``.

    Without a block it is an index ramp: the address itself is the value. ``is_part``: one of several places of the
    block that do not overlap, each written once.
    """

    block: Block | None
    offset: int
    terms: Terms
    strides: Shape
    is_part: bool = False
