"""What the stages of a row kernel are before they are numbered, and what a GPU's block keeps of its operands.

A processor's cache has the row that a stage has just read. A GPU's blocks share a cache that is smaller than their
rows, so what they would load again they keep in their scratch, where what they have computed is, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from operator import itemgetter

from nbgrad.graph.blocks import SHARED_ROWS
from nbgrad.graph.node import Node
from nbgrad.graph.spec import Shape
from nbgrad.passes.stages import places_of
from nbgrad.tape.block import Ref
from nbgrad.tape.loop import Access, flat_index


@dataclass(slots=True)
class Codes:
    """A stage in codes: operands count up, see ``BESIDE`` in rows.py; values count down from -1 through all stages."""

    stmts: list[tuple[Node, list[int]]] = field(default_factory=list)
    stores: list[tuple[int, int]] = field(default_factory=list)
    reductions: list[tuple[Node, list[int], list[int]]] = field(default_factory=list)
    finish: list[tuple[Node, list[int]]] = field(default_factory=list)
    finish_stores: list[tuple[int, int]] = field(default_factory=list)

    def replace(self, old: int, new: int) -> None:
        """Have another operand loaded for elements."""
        for args in [*[args for _, args in self.stmts], *[args for _, args, _ in self.reductions]]:
            args[:] = [new if code == old else code for code in args]
        self.stores = [(new if value == old else value, out) for value, out in self.stores]


def keep_operands(
    elements: list[Access],
    first_use: list[int],
    last_use: list[int],
    stages: Sequence[Codes],
    shape: Shape,
    dims: Shape,
) -> None:
    """Have each operand for elements that several stages load kept by the first, where there is room.

    ``first_use`` and ``last_use`` are the stages in which each is used; ``dims`` of ``shape`` are a row's.
    """
    _Keeping(elements, first_use, last_use, stages, shape, dims).keep()


class _Keeping:
    def __init__(
        self,
        elements: list[Access],
        first_use: list[int],
        last_use: list[int],
        stages: Sequence[Codes],
        shape: Shape,
        dims: Shape,
    ) -> None:
        self.elements, self.first_use, self.last_use, self.stages = elements, first_use, last_use, stages
        self.along_row = flat_index(shape, dims)
        self.row_elements = prod([shape[d] for d in dims])
        self.dims = dims
        self.own = [d for d, n in enumerate(shape) if d not in dims and n > 1]  # dims along which rows lie

    def keep(self) -> None:
        for code in range(len(self.elements)):
            _, role, ref = self.elements[code]
            moves = all(any(ref.strides[d] for d in dims) for dims in (self.own, self.dims))
            if moves and role in ("in", "out") and self.first_use[code] < self.last_use[code] and self._has_room(code):
                self._keep(code)
        rows = self._rows()
        places, _ = places_of([self._life(code) for code in rows])
        for code, place in zip(rows, places, strict=True):
            access = self.elements[code]
            self.elements[code] = access._replace(ref=access.ref._replace(offset=place))

    def _rows(self) -> list[int]:
        """The operands in the scratch, in the order in which they are stored."""
        rows = [code for code, access in enumerate(self.elements) if access.role == "scratch"]
        return sorted(rows, key=self.first_use.__getitem__)

    def _life(self, code: int) -> tuple[int, int, int]:
        """Of an operand: from which stage to which, and the bytes of a row."""
        return self.first_use[code], self.last_use[code], self.row_elements * self.elements[code].dtype.itemsize

    def _has_room(self, code: int) -> bool:
        """Whether a row more fits what every GPU grants, or a place that is free meanwhile."""
        lives = [self._life(row) for row in self._rows()]
        _, before = places_of(lives)
        _, after = places_of(sorted([*lives, self._life(code)], key=itemgetter(0)))
        return after <= max(before, SHARED_ROWS)

    def _keep(self, code: int) -> None:
        first, last, _ = self._life(code)
        dtype, role, _ = self.elements[code]
        kept = len(self.elements)
        strides = tuple([s * dtype.itemsize for s in self.along_row])
        self.elements.append(Access(dtype, "scratch", Ref(None, 0, (), strides)))
        self.first_use.append(first)
        self.last_use.append(last)
        self.last_use[code] = first
        stores = self.stages[first].stores
        value = code if role == "in" else next(value for value, out in stores if out == code)
        stores.append((value, kept))
        for stage in self.stages[first + 1 :]:
            stage.replace(code, kept)
