"""The statements of a kernel on one vector of elements: load, compute, store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

import nbgrad.ops  # noqa: F401  fills the table of operators
from nbgrad.graph.dtypes import bool_, by_name
from nbgrad.graph.op import lookup
from nbgrad.kernels import memory
from nbgrad.kernels.cursor import Cursor
from nbgrad.kernels.values import I64, Vec
from nbgrad.kernels.vector import VectorBuilder
from nbgrad.tape.kernel import APART, INDEX_OUT_OF_RANGE, STRIDE_BACK, STRIDE_ONE, KernelText, Stage, Stmt

Values = dict[int, Vec]
READ: Final = ("in", "late", "guarded", "table")  # roles of operands that no kernel of theirs writes to


class Body:
    """Runs one stage's statements. What doesn't change along the vector dim is computed by ``hoist``, once a row.

    ``known`` holds what earlier finishes made, the same for all elements of a row; the stage's own finish adds to it.
    """

    def __init__(
        self, text: KernelText, b: VectorBuilder, cursor: Cursor, number: int = 0, known: Values | None = None
    ) -> None:
        self.text = text
        self.first, self.stage = text.stages[number]
        self.first_result = self.first + len(self.stage.stmts)
        self.known: Values = {} if known is None else known
        self.b = b
        self.cursor = cursor
        self.inputs = _elements_used(text, self.stage)
        self.moving = self._find_moving()
        self.runs = self._find_runs()
        self._fixed: Values = {}

    def _find_moving(self) -> set[int]:
        """The values that change along the vector dim."""
        moving = self._moving_operands()
        for number, stmt in enumerate(self.stage.stmts, self.first):
            if any(a in moving for a in stmt.args):
                moving.add(number)
        return moving

    def _moving_operands(self) -> set[int]:
        guarded = [k for k, o in enumerate(self.text.operands) if o.role == "guarded"]
        return {k for k in (*self.inputs, *guarded) if self.cursor.moves(k)}

    def _find_runs(self) -> dict[int, tuple[int, int]]:
        """The values that are a number of the row plus the place in it: where such indices lead lies in a row, too.

        By their number those of the two.
        """
        found = {}
        for number, stmt in enumerate(self.stage.stmts, self.first):
            for start, ramp in (stmt.args, stmt.args[::-1]) if stmt.op == "add" and stmt.dtype == "int64" else ():
                operand = self.text.operands[ramp] if ramp < len(self.text.operands) else None
                is_ramp = operand is not None and operand.role == "index" and operand.stride == STRIDE_ONE
                if is_ramp and ramp in self.moving and start not in self.moving:
                    found[number] = (start, ramp)
        return found

    def hoist(self) -> None:
        """Compute the values of the current row that are the same for all its elements. It must have some."""
        self._begin(None)
        self._fixed = self._evaluate([None], fixed=True, settled={})[0]

    def fixed(self, number: int) -> Vec:
        """A value that is the same along the row, hoisted."""
        return self._fixed[number]

    def run(self, places: Sequence[Any], mask: Any = None, settled: Mapping[int, bool] | None = None) -> list[Values]:
        """The values of the vectors that start at elements ``places`` of the vector dim.

        ``settled`` are masks that are known to be the same for all their elements.

        Statement by statement over all vectors: a processor looks about a hundred instructions ahead, so independent
        work must stand close together (a chain of 60 additions runs 1.7 times as fast with four vectors side by side).
        """
        self._begin(mask)
        return self._evaluate(places, fixed=False, settled=settled or {})

    def run_and_store(
        self, places: Sequence[Any], mask: Any = None, settled: Mapping[int, bool] | None = None
    ) -> list[Values]:
        """``run``, and then write what the kernel stores for each element."""
        vectors = self.run(places, mask, settled)
        for values, j in zip(vectors, places, strict=True):
            self.store(values, j, mask)
        return vectors

    def _begin(self, mask: Any) -> None:
        """What follows is for the lanes of ``mask``, and is reached by ways of its own."""
        self.b.live = mask
        self.b.loops.clear()

    def _evaluate(self, places: Sequence[Any], fixed: bool, settled: Mapping[int, bool]) -> list[Values]:
        vectors = [dict(self.known if fixed else self._fixed) for _ in places]
        for k in self.inputs:
            if (k in self.moving) is not fixed:
                for values, j in zip(vectors, places, strict=True):
                    values[k] = self.load(k, j)
        done: dict[Any, Vec] = {}
        for number, stmt in enumerate(self.stage.stmts, self.first):
            if (number in self.moving) is not fixed:
                for values, j in zip(vectors, places, strict=True):
                    if stmt.op == "guard":
                        values[number] = self._guarded(stmt, values, j, settled.get(stmt.args[1]))
                        continue
                    if stmt.op == "take" and stmt.args[1] in self.runs:
                        values[number] = self._take_run(stmt, values, j)
                        continue
                    if stmt.op == "where" and stmt.args[0] in settled:
                        values[number] = values[stmt.args[1 if settled[stmt.args[0]] else 2]]
                        continue
                    key = (stmt.op, stmt.params, stmt.dtype, *[id(values.get(a, a)) for a in stmt.args])
                    if key not in done:
                        done[key] = self._apply(stmt, values)
                    values[number] = done[key]
        return vectors

    def finish(self, results: Sequence[Vec | None], j: Any, mask: Any = None) -> Values:
        """Compute and write what is made of the reductions' ``results`` for outputs j, j + 1, ... of the vector dim.

        In row form, where lanes don't lie along outputs, all lanes hold the one output's values.
        """
        self._begin(mask)
        values = self.known | {k: x for k, x in enumerate(results, self.first_result) if x is not None}
        for k in _used(self.stage.finish):
            if k < len(self.text.operands):
                values[k] = self.load(k, j)
        for number, stmt in enumerate(self.stage.finish, self.first_result + len(results)):
            values[number] = self._apply(stmt, values)
        for value, operand in self.stage.finish_stores:
            self.store_to(operand, values[value], j, mask)
        return values

    def _apply(self, stmt: Stmt, values: Values) -> Vec:
        if stmt.op == "take":
            return self._take(stmt.args[0], values[stmt.args[1]])
        emit = lookup(stmt.op).emit
        assert emit is not None, f"operator {stmt.op} has no element body"
        result: Vec = emit(self.b, *[values[a] for a in stmt.args], *stmt.params)
        assert result.dtype.name == stmt.dtype, f"{stmt.op} gave {result.dtype.name}, the kernel says {stmt.dtype}"
        return result

    def _take(self, table: int, index: Vec) -> Vec:
        """table[index]; an index outside the table fails the kernel."""
        b, dtype = self.b, by_name(self.text.operands[table].dtype)
        length = b.splat(self.cursor.table_length(table), index.dtype).value
        inside = b.ir.icmp_unsigned("<", index.value, length)  # a negative index is a huge one
        b.fail_if(b.bit_not(Vec(inside, bool_)), INDEX_OUT_OF_RANGE)
        size = b.const(dtype.itemsize, index.dtype)
        start = b.splat(self.cursor.address(table), index.dtype)
        places = b.add(start, b.mul(index, size)).value
        # Lanes that aren't live may hold any index; the descriptor is memory that they can read.
        readable = b.ir.ptrtoint(self.cursor.desc, I64)
        with self._memory_of(table):
            return memory.gather(b, places, dtype, inside, otherwise=readable)

    def _take_run(self, stmt: Stmt, values: Values, j: Any) -> Vec:
        """table[start + j], table[start + j + 1], ...: one load (an embedding's row)."""
        b, cursor, (table, index) = self.b, self.cursor, stmt.args
        dtype, length = by_name(stmt.dtype), cursor.table_length(table)
        start, ramp = self.runs[index]
        first = b.ir.add(b.uniform(values[start]), cursor.place(ramp, j))
        if b.live is None:
            last = b.ir.add(first, I64(b.lanes - 1))
            ends = [b.ir.icmp_unsigned(">=", end, length) for end in (first, last)]
            b.fail_where(b.ir.or_(*ends), INDEX_OUT_OF_RANGE)
        else:
            inside = b.ir.icmp_unsigned("<", values[index].value, b.splat(length, values[index].dtype).value)
            b.fail_if(b.bit_not(Vec(inside, bool_)), INDEX_OUT_OF_RANGE)
        place = b.ir.add(cursor.address(table), b.ir.mul(first, I64(dtype.itemsize)))
        with self._memory_of(table):
            return memory.load_consecutive(b, place, dtype, b.live)

    def _guarded(self, stmt: Stmt, values: Values, j: Any, settled: bool | None) -> Vec:
        """The operand of a ``guard`` where its mask is true."""
        b, cursor, (k, mask) = self.b, self.cursor, stmt.args
        dtype = by_name(stmt.dtype)
        if settled is not None:
            return self.load(k, j) if settled else b.const(0, dtype)
        live = values[mask].value if b.live is None else b.ir.and_(values[mask].value, b.live)
        stride = cursor.lane_stride(k) if cursor.moves(k) else I64(0)
        readable = b.ir.ptrtoint(cursor.desc, I64)
        with self._memory_of(k):
            found = memory.load_guarded(b, cursor.place(k, j), stride, dtype, live, readable)
        return b.select(values[mask], found, b.const(0, dtype))

    def load(self, k: int, j: Any) -> Vec:
        """Operand ``k`` at element ``j`` of the vector dim, as far as its lanes are live."""
        with self._memory_of(k):
            return self._load(k, j)

    def _memory_of(self, k: int) -> AbstractContextManager[Any]:
        """Where the operand lies: inside, what is loaded and stored is there."""
        role = self.text.operands[k].role
        if role == "scratch":
            return self.b.in_scratch()
        return self.b.unwritten() if role in READ and APART in self.text.traits else nullcontext()

    def _load(self, k: int, j: Any) -> Vec:
        b, cursor = self.b, self.cursor
        operand = self.text.operands[k]
        dtype, place = by_name(operand.dtype), cursor.place(k, j)
        if operand.role == "index":
            if not cursor.moves(k):
                return b.splat(place, dtype)
            return Vec(memory.lanes_from(b, place, cursor.lane_stride(k)), dtype)
        if not cursor.moves(k):
            return memory.load_splat(b, place, dtype)
        if operand.stride == STRIDE_ONE:
            return memory.load_consecutive(b, place, dtype, b.live)
        if operand.stride == STRIDE_BACK:
            return memory.load_backwards(b, place, dtype, b.live)
        return memory.load_strided(b, place, cursor.lane_stride(k), dtype, b.live)

    def store(self, values: Values, j: Any, mask: Any = None) -> None:
        """Write what the kernel stores for each element."""
        for live in memory.masks_to_store(self.b, mask) if self.stage.stores else ():
            for value, operand in self.stage.stores:
                self.store_to(operand, values[value], j, live)

    def store_to(self, operand: int, x: Vec, j: Any, mask: Any = None) -> None:
        """Write ``x`` to an operand at element ``j`` of the vector dim."""
        b, cursor = self.b, self.cursor
        spec = self.text.operands[operand]
        assert spec.dtype == x.dtype.name, f"storing {x.dtype.name} into {spec.dtype}"
        place = cursor.place(operand, j)
        with self._memory_of(operand):
            if not cursor.moves(operand):
                memory.store_first(b, x, place)
            elif spec.stride == STRIDE_ONE:
                memory.store_consecutive(b, x, place, mask)
            else:
                memory.store_strided(b, x, place, cursor.lane_stride(operand), mask)


def _used(stmts: Sequence[Stmt]) -> list[int]:
    """The values that ``stmts`` read, by number."""
    return sorted({a for stmt in stmts for a in stmt.args})


def _elements_used(text: KernelText, stage: Stage) -> list[int]:
    """The operands that ``stage`` loads for its elements."""
    used = {*_used(stage.stmts), *[value for value, _ in stage.stores], *[a for r in stage.reductions for a in r.args]}
    return sorted([k for k in used if k < len(text.operands) and text.operands[k].role not in ("table", "guarded")])
