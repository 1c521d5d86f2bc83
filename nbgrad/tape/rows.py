"""The kernel of a group that goes over its rows several times, see ``nbgrad/passes/stages.py``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import prod
from typing import Final

from nbgrad.graph.blocks import item_rows
from nbgrad.graph.dtypes import DType, int64
from nbgrad.graph.geometry import base_of
from nbgrad.graph.node import Node
from nbgrad.graph.op import REDUCE
from nbgrad.passes.group import Group, read_by
from nbgrad.passes.stages import Sweep, sweeps_of
from nbgrad.tape.append import combine, offer_in_place
from nbgrad.tape.block import ARENA, Ref
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.descriptor import Dims, make_stmt, operands_of, push_words, row_dims
from nbgrad.tape.kernel import KernelText, Reduction, Stage, Stmt, intern
from nbgrad.tape.loop import ARG_REDUCTIONS, Access, flat_index, packed
from nbgrad.tape.operands import access_of, along, reads_memory, ref_of
from nbgrad.tape.work import element_ps, pieces_of

BESIDE: Final = 1 << 20  # operands with an element for each row count up from here, the others from 0


@dataclass(slots=True)
class Codes:
    """A stage in codes: operands count up, see ``BESIDE``; values count down from -1 through all stages."""

    stmts: list[tuple[Node, list[int]]] = field(default_factory=list)
    stores: list[tuple[int, int]] = field(default_factory=list)
    reductions: list[tuple[Node, list[int], list[int]]] = field(default_factory=list)
    finish: list[tuple[Node, list[int]]] = field(default_factory=list)
    finish_stores: list[tuple[int, int]] = field(default_factory=list)


def lower_rows(t: TapeBuilder, group: Group) -> None:
    """Append the kernel of a staged group."""
    _Rows(t, group).lower()


class _Rows:
    def __init__(self, t: TapeBuilder, group: Group) -> None:
        self.t = t
        self.group = group
        self.sweeps = sweeps_of(group, group.stores)
        self.kept_shape = tuple([n for d, n in enumerate(group.shape) if d not in group.dims])
        self.stored = set(group.stores)
        self.row_elements = prod([group.shape[d] for d in group.dims])
        rows = prod(self.kept_shape)
        self.item_rows = item_rows(self.row_elements, rows) if self.sweeps.runs else 1
        self.items = -(-rows // self.item_rows) if self.sweeps.runs else 1  # of the columns' results
        self.totals: dict[Node, int] = {}  # operands with the columns' results of each item
        self.elements: list[Access] = []
        self.beside: list[Access] = []
        self.first_use: list[int] = []  # the stages in which each operand for elements is used
        self.last_use: list[int] = []
        self.rows: dict[Node, int] = {}  # values that are the same along a row
        self.places: dict[Node, int] = {}  # operands that hold what an earlier stage computed
        self.values = 0
        self._known: dict[Access, int] = {}

    def lower(self) -> None:
        # Reading may copy, which takes an instruction of its own, so it comes before new memory is born.
        for node, x in read_by(self.group.nodes, self.group.finish):
            access_of(self.t, node, node.inputs.index(x), self.group.shape)
        self._push([self._stage(at, sweep) for at, sweep in enumerate(self.sweeps.stages)])
        if self.items > 1:
            self._combine()

    def _stage(self, at: int, sweep: Sweep) -> Codes:
        stage = Codes()
        here: dict[Node, int] = {}
        for node in sweep.nodes:
            if node.op.kind is not REDUCE:
                stage.stmts.append((node, self._args(node, here, at)))
                here[node] = self._value()
                if node not in sweep.again:
                    self._store(node, here[node], stage, at)
        for node in sweep.nodes:
            if node.op.kind is REDUCE:
                across = node in self.sweeps.runs
                outs = self._across(node, at) if across else self._outs(node)
                stage.reductions.append((node, self._args(node, here, at), outs))
                code = self._value()
                if not across:
                    self.rows[node] = code
        for node in sweep.finish:
            stage.finish.append((node, [self._late(node, x) for x in node.inputs]))
            code = self.rows[node] = self._value()
            if node in self.stored and node not in here:
                stage.finish_stores.append((code, self._beside(node.spec.dtype, "out", self._own(node))))
        return stage

    def _value(self) -> int:
        self.values += 1
        return -self.values

    def _args(self, node: Node, here: dict[Node, int], at: int) -> list[int]:
        """Codes of the operands of ``node`` in stage ``at``, which has computed ``here``."""
        codes = []
        for i, x in enumerate(node.inputs):
            if reads_memory(node, i):
                codes.append(self._element(access_of(self.t, node, i, self.group.shape), at))
            elif x in here:
                codes.append(here[x])
            elif x in self.places:
                code = self.places[x]
                self.last_use[code] = at
                codes.append(code)
            elif base_of(x) in self.rows:
                codes.append(self.rows[base_of(x)])
            else:
                codes.append(self._element(access_of(self.t, node, i, self.group.shape), at))
        if node.op.name in ARG_REDUCTIONS:
            strides = flat_index(self.group.shape, self.group.dims)
            codes.append(self._element(Access(int64, "index", Ref(None, 0, (), strides)), at))
        return codes

    def _element(self, access: Access, at: int) -> int:
        """The operand for elements that is read there, in stage ``at``; equal reads are one operand."""
        code = self._known.get(access)
        if code is None:
            code = self._known[access] = self._new_element(access, at)
        self.last_use[code] = at
        return code

    def _new_element(self, access: Access, at: int) -> int:
        self.elements.append(access)
        self.first_use.append(at)
        self.last_use.append(at)
        return len(self.elements) - 1

    def _store(self, node: Node, code: int, stage: Codes, at: int) -> None:
        """Have later stages and other kernels find ``node``, where they need it."""
        if node in self.stored:
            access = Access(node.spec.dtype, "out", self.t.place(node))
        elif node in self.sweeps.kept:
            access = Access(node.spec.dtype, "scratch", Ref(None, self.sweeps.kept[node], (), self._along_row(node)))
        else:
            return
        self.places[node] = self._new_element(access, at)
        stage.stores.append((code, self.places[node]))

    def _along_row(self, node: Node) -> tuple[int, ...]:
        """Strides of a kept row."""
        size = node.spec.dtype.itemsize
        return tuple([s * size for s in flat_index(self.group.shape, self.group.dims)])

    def _outs(self, node: Node) -> list[int]:
        stored = node in self.stored
        out = self._beside(node.spec.dtype, "out", self._own(node)) if stored else -1
        return [-1, out] if node.op.name in ARG_REDUCTIONS else [out]

    def _across(self, node: Node, at: int) -> list[int]:
        """Operands for the running values of a reduction across the rows: those of a run, those of an item."""
        dtype, strides = node.spec.dtype, self._along_row(node)
        run = self._new_element(Access(dtype, "scratch", Ref(None, self.sweeps.runs[node], (), strides)), at)
        size = self.row_elements * dtype.itemsize
        block = self.t.value_block(node) if self.items == 1 else self.t.temporary(self.items * size, ARENA)
        total = self.totals[node] = self._new_element(Access(dtype, "out", Ref(block, 0, (), strides)), at)
        return [run, total]

    def _combine(self) -> None:
        """Fold the items' results, in their order."""
        columns = tuple([self.group.shape[d] for d in self.group.dims])
        folds = [(node, [self.elements[total]], True) for node, total in self.totals.items()]
        combine(self.t, self.items, columns, folds)

    def _own(self, node: Node) -> Ref:
        """New memory for a value with an element for each row."""
        return Ref(self.t.value_block(node), 0, (), packed(self.kept_shape, node.spec.dtype))

    def _late(self, node: Node, x: Node) -> int:
        """The code of what a finish reads."""
        code = self.rows.get(base_of(x))
        if code is not None:
            return code
        ref = ref_of(self.t, x, node.spec.rank)
        return self._beside(
            x.spec.dtype, "late", ref._replace(strides=along(self.kept_shape, x.spec.shape, ref.strides))
        )

    def _beside(self, dtype: DType, role: str, ref: Ref) -> int:
        access = Access(dtype, role, ref)
        if access not in self.beside:
            self.beside.append(access)
        return BESIDE + self.beside.index(access)

    def _push(self, stages: list[Codes]) -> None:
        t, group = self.t, self.group
        dims = row_dims(t, group.shape, group.dims, self.elements, self.beside)
        if self.totals:
            dims = self._by_items(dims)
        accesses = [*self.elements, *self.beside]
        operands, moved = operands_of(accesses, dims, len(self.elements))
        push_words(t, dims.head, accesses, dims.rows)
        first, *then = [self._numbered(stage) for stage in stages]
        text = intern(KernelText("row", len(dims.kept), len(dims.reduced), operands, *first, tuple(then)))
        self._offer_in_place()
        ops = [stmt.op for stage in (first, *then) for stmt in stage.stmts]
        late = [stmt.op for stage in (first, *then) for stmt in stage.finish]
        item_ps = dims.item_elements * element_ps(ops, moved) + element_ps(late, 0)
        chunk, flags = pieces_of(dims.items, item_ps)
        t.push(text, dims.items, chunk, item_ps, flags, group.computed)

    def _by_items(self, dims: Dims) -> Dims:
        """``dims`` with items of several rows; the first stride of their results leads from item to item."""
        for node, total in self.totals.items():
            dims.rows[total][0] = self.row_elements * node.spec.dtype.itemsize
        rows, columns = dims.extra[:2]
        extra = [rows, columns, self.item_rows, dims.items]
        return dims._replace(extra=extra, items=self.items, item_elements=self.row_elements * self.item_rows)

    def _numbered(self, stage: Codes) -> Stage:
        number = self._number

        def stmts(rows: list[tuple[Node, list[int]]]) -> tuple[Stmt, ...]:
            return tuple([make_stmt(n.op.name, tuple(map(number, a)), n.params, n.spec.dtype.name) for n, a in rows])

        def pairs(rows: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
            return tuple([(number(value), number(out)) for value, out in rows])

        folds = []
        for node, args, outs in stage.reductions:
            places = tuple([out if out < 0 else number(out) for out in outs])
            folds.append(Reduction(node.op.name, tuple(map(number, args)), places, node in self.sweeps.runs))
        finish, late = stmts(stage.finish), pairs(stage.finish_stores)
        return Stage(stmts(stage.stmts), pairs(stage.stores), tuple(folds), finish, late)

    def _number(self, code: int) -> int:
        """The number of a value in the kernel's text."""
        if code < 0:
            return len(self.elements) + len(self.beside) - 1 - code
        return code if code < BESIDE else len(self.elements) + code - BESIDE

    def _offer_in_place(self) -> None:
        """Note outputs that may take the memory of an input: it must have been read before they are written."""
        readers = Counter([access.ref.block for access in (*self.elements, *self.beside)])
        for k, (_, role, to) in enumerate(self.elements):
            if role != "out" or k in self.totals.values() or to.block is None:
                continue
            for j, (_, other, ref) in enumerate(self.elements):
                before = other == "in" and self.last_use[j] <= self.first_use[k] and readers[ref.block] == 1
                if before:
                    offer_in_place(self.t, ref, to)
