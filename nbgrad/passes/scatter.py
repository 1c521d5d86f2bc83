"""Additions to rows of a table: an index a row instead of one an element, and what is added made on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from nbgrad.graph.geometry import Geometry, resolve
from nbgrad.graph.node import Node, apply, rewritten, toposort
from nbgrad.graph.op import MAP, VIEW, Params
from nbgrad.ops.scatter_rows import SCATTER_ROWS, RowProgram
from nbgrad.ops.view import reshape_to
from nbgrad.passes.fold import is_repeated
from nbgrad.passes.group import PLACED

MOST_STEPS: Final = 24  # operators in one kernel
LEAST_WIDTH: Final = 4  # elements in a row: fewer are as soon added one by one


def scatter(roots: Sequence[Node]) -> list[Node]:
    """``scatter_add`` of whole rows, the gradient of an embedding, as an operator that takes one index for each row.

    Needs: a canonical graph.   Gives: ``scatter_rows`` where the index is a number of the row plus the place in it;
    maps that only it reads are made while they are added, and views of anything are read where they lie.
    Keeps: values bit for bit: rows are added in their order; shapes, sites.   Cost: one walk, and what is moved.
    """
    order = toposort(roots)
    if not any(node.op.name == "scatter_add" for node in order):
        return list(roots)
    readers = Counter([x for node in order for x in set(node.inputs)])
    readers.update(roots)

    def by_rows(node: Node, new: dict[Node, Node]) -> Node | None:
        return _Writer(node, readers, new).node() if node.op.name == "scatter_add" else None

    return rewritten(roots, order, by_rows)


class _Writer:
    """The program of one ``scatter_add``."""

    def __init__(self, node: Node, readers: Counter[Node], new: dict[Node, Node]) -> None:
        self.scatter = node
        self.readers = readers
        self.new = new
        self.operands: dict[Node, int] = {}
        self.steps: list[tuple[str, tuple[int, ...], Params, str]] = []
        self.codes: dict[Node, int] = {}
        self.geometries: dict[Node, Geometry] = {}

    def node(self) -> Node | None:
        """The operator; None where the indices are no rows."""
        table, index, values = self.scatter.inputs
        places = _unflattened(index)
        start = self._start_of(places)
        if start is None:
            return None
        shape = places.spec.shape
        values = _unflattened(values)
        flat = None if values.spec.shape == shape else reshape_to(self.new[values], shape)
        aligned = _is_multiple(start, shape[-1]) and table.spec.size % shape[-1] == 0
        start_code = self._code(start, is_start=True)
        value_code = self._code(values, is_start=False) if flat is None else self._operand(flat)
        program = RowProgram(shape, tuple(self.steps), start_code, value_code, aligned)
        return apply(SCATTER_ROWS, self.new[table], *self.operands, params=(program,), site=self.scatter.site)

    def _start_of(self, places: Node) -> Node | None:
        """What ``places`` adds to the index along its last dim; None where it is not of that form."""
        shape = places.spec.shape
        if places.op.name != "add" or len(shape) < 2 or shape[-1] < LEAST_WIDTH:
            return None
        for ramp, start in (places.inputs, places.inputs[::-1]):
            if ramp.op.name == "iota" and ramp.params == (shape, len(shape) - 1) and self._is_of_row(start, MOST_STEPS):
                return start
        return None

    def _is_of_row(self, x: Node, depth: int) -> bool:
        """Whether ``x`` is the same along the last dim."""
        if not x.spec.shape:
            return True
        if x.op.kind is MAP:
            return depth > 0 and x.op.name != "take" and all(self._is_of_row(i, depth - 1) for i in x.inputs)
        return resolve(x, self.geometries).strides[-1] == 0

    def _code(self, x: Node, is_start: bool) -> int:
        found = self.codes.get(x)
        if found is not None:
            return found
        if not self._is_made_here(x, is_start):
            return self._operand(self.new[x.inputs[0] if is_repeated(x) else x])
        args = tuple([self._code(i, is_start) for i in x.inputs])
        self.steps.append((x.op.name, args, x.params, x.spec.dtype.name))
        self.codes[x] = -len(self.steps)
        return self.codes[x]

    def _is_made_here(self, x: Node, is_start: bool) -> bool:
        """Whether ``x`` is computed in the kernel: rows' starts always, they are cheap; values that it alone reads."""
        if x.op.kind is not MAP or not x.spec.shape or x.op.name in PLACED or len(self.steps) >= MOST_STEPS:
            return False
        return is_start or self.readers[x] == 1

    def _operand(self, x: Node) -> int:
        return self.operands.setdefault(x, len(self.operands))


def _unflattened(x: Node) -> Node:
    """``x`` before it was put in a row."""
    while x.op.name == "reshape":
        x = x.inputs[0]
    return x


def _is_multiple(x: Node, width: int) -> bool:
    """Whether all elements of ``x`` are known to be multiples of ``width``."""
    while x.op.kind is VIEW:
        x = x.inputs[0]
    if x.op.name == "const":
        return bool(x.params[0] % width == 0)
    if x.op.name == "mul":
        return any(_is_multiple(i, width) for i in x.inputs)
    return x.op.name == "add" and all(_is_multiple(i, width) for i in x.inputs)
