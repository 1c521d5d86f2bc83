"""Panels: a few columns of a product's right factor, copied to where the inner loop finds them one after the other."""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir

from nbgrad.graph.dtypes import DType
from nbgrad.kernels.flow import larger, loop, smaller
from nbgrad.kernels.memory import load_consecutive, prefetch, prefix_mask, store_consecutive
from nbgrad.kernels.product_block import VECTORS
from nbgrad.kernels.values import I64, Vec, memory_type, shuffle_mask
from nbgrad.kernels.vector import VectorBuilder
from nbgrad.ops.library import PRODUCT_RUN

LINE_BYTES: Final = 64
AHEAD: Final = 12  # rows of B asked for in advance: they lie far apart, no prefetcher of the machine finds them


class Panel:
    """Room on the stack for PRODUCT_RUN rows of VECTORS vectors. What a row has beyond its columns is unspecified.

    ``plain``: columns are copied element by element, which is little code.
    """

    def __init__(self, b: VectorBuilder, dtype: DType, *, plain: bool) -> None:
        self.b, self.ir, self.dtype, self.plain = b, b.ir, dtype, plain
        self.columns = VECTORS * b.lanes
        self.row_bytes = self.columns * dtype.itemsize
        place = b.ir.alloca(ir.ArrayType(memory_type(dtype), PRODUCT_RUN * self.columns))
        place.align = LINE_BYTES
        self.address = b.ir.ptrtoint(place, I64)

    def copy_rows(self, source: Any, apart: Any, run: Any, columns: Any) -> None:
        """Fill the panel from ``run`` rows of consecutive elements, ``apart`` bytes from one to the next."""
        full = self.ir.icmp_signed("==", columns, I64(self.columns))
        with self.ir.if_else(full) as (then, otherwise):
            with then:
                self._copy_rows(source, apart, run, [None] * VECTORS)
            with otherwise:
                left = [larger(self.ir, self.ir.sub(columns, I64(v * self.b.lanes)), I64(0)) for v in range(VECTORS)]
                self._copy_rows(source, apart, run, [prefix_mask(self.b, n) for n in left])

    def _copy_rows(self, source: Any, apart: Any, run: Any, masks: list[Any]) -> None:
        builder, vector_bytes = self.ir, self.b.lanes * self.dtype.itemsize
        with loop(builder, I64(0), run) as p:
            row = builder.add(source, builder.mul(p, apart))
            to = builder.add(self.address, builder.mul(p, I64(self.row_bytes)))
            later = builder.add(row, builder.mul(apart, I64(AHEAD)))
            for at in range(0, self.row_bytes, LINE_BYTES):
                prefetch(self.b, builder.add(later, I64(at)))
            for v, mask in enumerate(masks):
                value = load_consecutive(self.b, builder.add(row, I64(v * vector_bytes)), self.dtype, mask)
                store_consecutive(self.b, value, builder.add(to, I64(v * vector_bytes)))

    def copy_columns(self, source: Any, apart: Any, run: Any, columns: Any) -> None:
        """Fill the panel from columns of consecutive elements, ``apart`` bytes from one to the next."""
        builder, lanes, size = self.ir, self.b.lanes, self.dtype.itemsize
        if self.plain:
            self._copy_elements(source, apart, run, columns)
            return
        last = builder.sub(columns, I64(1))
        with loop(builder, I64(0), columns, lanes) as column, loop(builder, I64(0), run, lanes) as p:
            mask = prefix_mask(self.b, builder.sub(run, p))
            start = builder.add(source, builder.mul(p, I64(size)))
            vectors = []
            for k in range(lanes):
                number = smaller(builder, builder.add(column, I64(k)), last)  # what lies beyond may not be read
                place = builder.add(start, builder.mul(number, apart))
                vectors.append(load_consecutive(self.b, place, self.dtype, mask))
            at = builder.add(builder.mul(p, I64(self.columns)), column)
            to = builder.add(self.address, builder.mul(at, I64(size)))
            for k, vector in enumerate(_transposed(self.b, vectors)):
                store_consecutive(self.b, vector, builder.add(to, I64(k * self.row_bytes)))

    def _copy_elements(self, source: Any, apart: Any, run: Any, columns: Any) -> None:
        builder, size = self.ir, self.dtype.itemsize
        pointer = ir.PointerType(memory_type(self.dtype))
        with loop(builder, I64(0), columns) as column, loop(builder, I64(0), run) as p:
            place = builder.add(builder.add(source, builder.mul(column, apart)), builder.mul(p, I64(size)))
            at = builder.add(builder.mul(p, I64(self.row_bytes)), builder.mul(column, I64(size)))
            value = builder.load(builder.inttoptr(place, pointer))
            builder.store(value, builder.inttoptr(builder.add(self.address, at), pointer))


def _transposed(b: VectorBuilder, vectors: list[Vec]) -> list[Vec]:
    """Lane i of vector k as lane k of vector i: interleaving vector i with vector i + half, log2(lanes) times."""
    half = b.lanes // 2
    low = shuffle_mask(tuple([lane for i in range(half) for lane in (i, b.lanes + i)]))
    high = shuffle_mask(tuple([lane for i in range(half, b.lanes) for lane in (i, b.lanes + i)]))
    values = [v.value for v in vectors]
    for _ in range(b.lanes.bit_length() - 1):
        pairs = [(values[i], values[i + half]) for i in range(half)]
        values = [b.ir.shuffle_vector(x, y, mask) for x, y in pairs for mask in (low, high)]
    return [Vec(value, vectors[0].dtype) for value in values]
