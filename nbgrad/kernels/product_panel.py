"""Panels: a few columns of a product's right factor, copied to where the inner loop finds them one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from nbgrad.graph.dtypes import DType, int64
from nbgrad.kernels.flow import larger, loop, smaller
from nbgrad.kernels.library.product import LINE_BYTES, TABLE_STEP, VECTORS
from nbgrad.kernels.memory import gather, load_consecutive, load_guarded, prefetch, prefix_mask, store_consecutive
from nbgrad.kernels.values import I64, POINTER, Vec, memory_type, shuffle_mask
from nbgrad.kernels.vector import VectorBuilder

AHEAD: Final = 12  # rows of B asked for in advance: they lie far apart, no prefetcher of the machine finds them


class Panel:
    """PRODUCT_RUN rows of VECTORS vectors at ``address``. What a row has beyond its columns is unspecified."""

    def __init__(self, b: VectorBuilder, dtype: DType, address: Any) -> None:
        self.b, self.ir, self.dtype = b, b.ir, dtype
        self.columns = VECTORS * b.lanes
        self.row_bytes = self.columns * dtype.itemsize
        self.address = address

    def copy_rows(self, source: Any, apart: Any, run: Any, columns: Any) -> None:
        """Fill the panel from ``run`` rows of consecutive elements, ``apart`` bytes from one to the next."""
        full = self.ir.icmp_signed("==", columns, I64(self.columns))
        with self.ir.if_else(full) as (then, otherwise):
            with then:
                self._copy_rows(source, apart, run, [None] * VECTORS)
            with otherwise:
                self.copy_masked(source, apart, run, columns)

    def copy_masked(self, source: Any, apart: Any, run: Any, columns: Any) -> None:
        """The same in less code."""
        left = [larger(self.ir, self.ir.sub(columns, I64(v * self.b.lanes)), I64(0)) for v in range(VECTORS)]
        self._copy_rows(source, apart, run, [prefix_mask(self.b, n) for n in left])

    def _copy_rows(self, source: Any, apart: Any, run: Any, masks: list[Any]) -> None:
        builder, vector_bytes = self.ir, self.b.lanes * self.dtype.itemsize
        with loop(builder, I64(0), run) as p:
            row = builder.add(source, builder.mul(p, apart))
            to = builder.add(self.address, builder.mul(p, I64(self.row_bytes)))
            self.ask_for(builder.add(row, builder.mul(apart, I64(AHEAD))))
            for v, mask in enumerate(masks):
                place = builder.add(row, I64(v * vector_bytes))
                if mask is None:
                    value = load_consecutive(self.b, place, self.dtype)
                else:
                    value = load_guarded(self.b, place, I64(self.dtype.itemsize), self.dtype, mask, otherwise=row)
                store_consecutive(self.b, value, builder.add(to, I64(v * vector_bytes)))

    def ask_for(self, row: Any) -> None:
        """Have the elements of a panel's row from ``row`` on brought to the cache; ``row`` may be any number."""
        for at in range(0, self.row_bytes, LINE_BYTES):
            prefetch(self.b, self.ir.add(row, I64(at)))

    def collect(self, start: Any, rows: Any, of_columns: Any, run: Any, columns: Any) -> None:
        """Fill the panel from elements that lie a number of one table and one of the other, int64 in bytes, from
        ``start``: the first for the row, the second for the column. Vectors of neighbours are loaded as such.
        """
        builder, lanes, size = self.ir, self.b.lanes, self.dtype.itemsize
        for v in range(VECTORS):
            low = I64(v * lanes)
            with builder.if_then(builder.icmp_signed(">", columns, low)):
                count = smaller(builder, builder.sub(columns, low), I64(lanes))
                before_last = builder.sub(count, I64(1))
                at = builder.add(of_columns, I64(v * lanes * TABLE_STEP))
                begin = self._number(at)
                end = self._number(builder.add(at, builder.mul(before_last, I64(TABLE_STEP))))
                follow = builder.icmp_signed("==", builder.sub(end, begin), builder.mul(before_last, I64(size)))
                mask = prefix_mask(self.b, count)
                places = load_consecutive(self.b, at, int64, mask).value
                with builder.if_else(follow) as (neighbours, others):
                    with neighbours, self._rows(v, start, rows, run) as (row, to):
                        value = load_consecutive(self.b, builder.add(row, begin), self.dtype, mask)
                        store_consecutive(self.b, value, to)
                    with others, self._rows(v, start, rows, run) as (row, to):
                        addresses = builder.add(self.b.splat(row, int64).value, places)
                        value = gather(self.b, addresses, self.dtype, mask, builder.add(row, begin))
                        store_consecutive(self.b, value, to)

    def _number(self, at: Any) -> Any:
        return self.ir.load(self.ir.inttoptr(at, POINTER), typ=I64)

    @contextmanager
    def _rows(self, v: int, start: Any, rows: Any, run: Any) -> Iterator[tuple[Any, Any]]:
        """For each row of the run: where it starts, and where vector ``v`` of it belongs."""
        builder = self.ir
        with loop(builder, I64(0), run) as p:
            number = self._number(builder.add(rows, builder.mul(p, I64(TABLE_STEP))))
            to = builder.add(self.address, builder.mul(p, I64(self.row_bytes)))
            yield builder.add(start, number), builder.add(to, I64(v * self.b.lanes * self.dtype.itemsize))

    def copy_columns(self, source: Any, apart: Any, run: Any, columns: Any) -> None:
        """Fill the panel from columns of consecutive elements, ``apart`` bytes from one to the next."""
        builder, lanes, size = self.ir, self.b.lanes, self.dtype.itemsize
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
            for k, vector in enumerate(transposed(self.b, vectors)):
                store_consecutive(self.b, vector, builder.add(to, I64(k * self.row_bytes)))

    def copy_elements(self, source: Any, apart: Any, run: Any, columns: Any) -> None:
        """The same element by element, which is little code."""
        builder, size = self.ir, self.dtype.itemsize
        with loop(builder, I64(0), columns) as column, loop(builder, I64(0), run) as p:
            place = builder.add(builder.add(source, builder.mul(column, apart)), builder.mul(p, I64(size)))
            at = builder.add(builder.mul(p, I64(self.row_bytes)), builder.mul(column, I64(size)))
            value = builder.load(builder.inttoptr(place, POINTER), typ=memory_type(self.dtype))
            builder.store(value, builder.inttoptr(builder.add(self.address, at), POINTER))


def transposed(b: VectorBuilder, vectors: list[Vec]) -> list[Vec]:
    """Lane i of vector k as lane k of vector i: interleaving vector i with vector i + half, log2(lanes) times."""
    half = b.lanes // 2
    low = shuffle_mask(tuple([lane for i in range(half) for lane in (i, b.lanes + i)]))
    high = shuffle_mask(tuple([lane for i in range(half, b.lanes) for lane in (i, b.lanes + i)]))
    values = [v.value for v in vectors]
    for _ in range(b.lanes.bit_length() - 1):
        pairs = [(values[i], values[i + half]) for i in range(half)]
        values = [b.ir.shuffle_vector(x, y, mask) for x, y in pairs for mask in (low, high)]
    return [Vec(value, vectors[0].dtype) for value in values]
