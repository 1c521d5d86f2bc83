"""The heart of a matrix product: a block of the result in registers, while one run of k passes by."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

from nbgrad.graph.dtypes import DType
from nbgrad.kernels import ir
from nbgrad.kernels.flow import Variable, loop, smaller
from nbgrad.kernels.library.product import Block
from nbgrad.kernels.memory import load_consecutive, load_splat, masks_to_store, prefetch, prefix_mask, store_consecutive
from nbgrad.kernels.shared import SharedFunctions
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I64, POINTER, Vec, shared_function
from nbgrad.kernels.vector import VectorBuilder
from nbgrad.tape.product_words import FACTORS, MATRICES

AHEAD: Final = 8  # steps of k: where rows of A are its columns in memory, each step is on another line


def product_block(module: ir.Module, dtype: DType, target: Target, rows: int, vectors: int) -> ir.Function:
    """The function for blocks of so many rows and vectors; the kernels of a module share it."""

    def write(function: ir.Function) -> None:
        _ProductBlock(function, dtype, target, rows, vectors).emit()

    kind = ir.FunctionType(ir.VOID, [POINTER])
    return shared_function(module, f"nbp_{dtype.name}_{rows}x{vectors}", kind, write)


class _ProductBlock:
    """Emits ``void block(Block*)``, see ``library/product.py``.

    A ``whole`` block has all its ``rows``; of others the missing ones are computed as copies of the last. ``columns``
    end in the last vector: b is read to its end, x, y and c only to there.
    """

    def __init__(self, function: ir.Function, dtype: DType, target: Target, rows: int, vectors: int) -> None:
        self.function, self.dtype, self.rows, self.vectors = function, dtype, rows, vectors
        self.whole = rows == target.product_rows
        self.ir = ir.IRBuilder(function)
        self.b = VectorBuilder(self.ir, target.lanes(dtype.itemsize), target, SharedFunctions(function.module))

    def emit(self) -> None:
        builder = self.ir
        word = {name: self._word(k) for k, (name, *_) in enumerate(Block._fields_)}
        run, rows, columns = word["run"], word["rows"], word["columns"]
        row_numbers = [I64(i) for i in range(self.rows)]
        if not self.whole:
            lowest = builder.sub(rows, I64(1))
            row_numbers = [I64(0), *[smaller(builder, number, lowest) for number in row_numbers[1:]]]
        lefts = [builder.mul(word["a_row"], i) for i in row_numbers]
        a, b = (Variable(builder, I64, word[name]) for name in FACTORS)
        sums = self._sums(lefts, a, word["a_k"], b, word["b_k"], run)
        begins, ends = (builder.icmp_signed("!=", word[name], I64(0)) for name in ("begins", "ends"))
        x, y, c = ((word[name], word[f"{name}_row"]) for name in MATRICES)
        before_last = (self.vectors - 1) * self.b.lanes
        mask = prefix_mask(self.b, builder.sub(columns, I64(before_last)))
        for live in masks_to_store(self.b, mask):
            self._end(sums, row_numbers, (begins, *x), (ends, *y), c, live)
        builder.ret_void()

    def _word(self, k: int) -> Any:
        return self.ir.load(self.ir.gep(self.function.args[0], [I64(k)], source_etype=I64), typ=I64)

    def _end(
        self,
        sums: list[Variable],
        row_numbers: list[Any],
        x: tuple[Any, Any, Any],
        y: tuple[Any, Any, Any],
        c: tuple[Any, Any],
        mask: Any,
    ) -> None:
        """Add x and y, where they are there, and write c; ``mask`` says how far the last vector of a row goes."""
        builder = self.ir
        masks = ([None] * (self.vectors - 1) + [mask]) * self.rows
        first, last = builder.select(x[0], I64(0), I64(1)), builder.select(y[0], I64(2), I64(1))
        with loop(builder, first, last) as other:  # at 0 x is added, at 1 y
            is_x = builder.icmp_signed("==", other, I64(0))
            start, step = builder.select(is_x, x[1], y[1]), builder.select(is_x, x[2], y[2])
            for place, total, live in zip(self._places(start, step, row_numbers), sums, masks, strict=True):
                value = load_consecutive(self.b, place, self.dtype, live)
                total.set(builder.fadd(value.value, total.get()))
        for place, total, live in zip(self._places(*c, row_numbers), sums, masks, strict=True):
            store_consecutive(self.b, Vec(total.get(), self.dtype), place, live)

    def _places(self, start: Any, row: Any, numbers: list[Any]) -> list[Any]:
        """Where the vectors of the block lie, row by row."""
        rows = [self.ir.add(start, self.ir.mul(row, number)) for number in numbers]
        return [self._vector(at, v) for at, v in product(rows, range(self.vectors))]

    def _sums(self, lefts: list[Any], a: Variable, a_k: Any, b: Variable, b_k: Any, run: Any) -> list[Variable]:
        """The sums over the run, row by row."""
        zero = self.b.const(0.0, self.dtype).value
        sums = [Variable(self.ir, zero.type, zero) for _ in range(self.rows * self.vectors)]
        later = self.ir.mul(a_k, I64(AHEAD))
        with loop(self.ir, I64(0), run):
            row, column = a.get(), b.get()
            prefetch(self.b, self.ir.add(row, later))
            rights = [load_consecutive(self.b, self._vector(column, v), self.dtype) for v in range(self.vectors)]
            for i, left in enumerate(lefts):
                number = load_splat(self.b, self.ir.add(row, left), self.dtype)
                for v, right in enumerate(rights):
                    total = sums[i * self.vectors + v]
                    total.set(self._accumulated(number, right, Vec(total.get(), self.dtype)).value)
            a.add(a_k)
            b.add(b_k)
        return sums

    def _vector(self, row: Any, v: int) -> Any:
        return self.ir.add(row, I64(v * self.b.lanes * self.dtype.itemsize))

    def _accumulated(self, a: Vec, b: Vec, total: Vec) -> Vec:
        """total + a * b, rounded once; twice on a machine that would call a function for it."""
        return self.b.fma(a, b, total) if self.b.target.has_fma else self.b.add(total, self.b.mul(a, b))
