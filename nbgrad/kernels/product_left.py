"""Columns of a product's left factor, turned: what a block reads at one step of k beside what it reads at the next."""

from __future__ import annotations

from typing import Any, Final

from nbgrad.graph.dtypes import DType
from nbgrad.kernels.flow import larger, loop
from nbgrad.kernels.library.product import LINE_BYTES
from nbgrad.kernels.memory import load_consecutive, prefetch, prefix_mask, store_consecutive
from nbgrad.kernels.values import I64, POINTER, Vec, shuffle_mask
from nbgrad.kernels.vector import VectorBuilder
from nbgrad.ops.library import PRODUCT_RUN

AHEAD: Final = 12  # steps of k asked for in advance


class Left:
    """A tile's rows of A at ``address``, in blocks of ``rows``; a cache line lies between blocks."""

    def __init__(self, b: VectorBuilder, dtype: DType, rows: int, address: Any) -> None:
        self.b, self.ir, self.dtype, self.rows, self.address = b, b.ir, dtype, rows, address
        self.row_bytes = rows * dtype.itemsize  # of the rows of a block, at one step of k
        self.apart = PRODUCT_RUN * self.row_bytes + LINE_BYTES  # from block to block
        self.span = max(LINE_BYTES // dtype.itemsize, rows)  # rows that are copied together

    def copy(self, source: Any, a_k: Any, run: Any, rows: Any) -> None:
        """Fill the blocks from ``rows`` neighbours at each of ``run`` steps of k, which are ``a_k`` bytes apart.

        Step by step: a run of k lies on more pages than the processor knows by heart.
        """
        builder, lanes = self.ir, self.b.lanes
        vectors = range(self.span // lanes)
        whole = builder.sub(rows, builder.urem(rows, I64(self.span)))
        counts = [builder.sub(builder.sub(rows, whole), I64(v * lanes)) for v in vectors]
        live = [builder.icmp_signed(">", count, I64(0)) for count in counts]
        masks = [prefix_mask(self.b, larger(builder, count, I64(0))) for count in counts]
        with loop(builder, I64(0), run) as p:
            step = builder.add(source, builder.mul(p, a_k))
            to = builder.add(self.address, builder.mul(p, I64(self.row_bytes)))
            with loop(builder, I64(0), whole, self.span) as row:
                start, place = self._at(step, to, row)
                prefetch(self.b, builder.add(start, builder.mul(a_k, I64(AHEAD))))
                for v in vectors:
                    self._move(v, start, place, None)
            start, place = self._at(step, to, whole)
            for v in vectors:
                with builder.if_then(live[v]):
                    self._move(v, start, place, masks[v])

    def _at(self, step: Any, to: Any, row: Any) -> tuple[Any, Any]:
        """Where the elements from ``row`` on lie, and where they belong."""
        builder = self.ir
        block = builder.mul(builder.udiv(row, I64(self.rows)), I64(self.apart))
        return builder.add(step, builder.mul(row, I64(self.dtype.itemsize))), builder.add(to, block)

    def _move(self, v: int, source: Any, to: Any, mask: Any) -> None:
        """Vector ``v`` to the block, or blocks, that it belongs to."""
        builder, lanes, size = self.ir, self.b.lanes, self.dtype.itemsize
        value = load_consecutive(self.b, builder.add(source, I64(v * lanes * size)), self.dtype, mask)
        for first in range(0, lanes, self.rows):
            block, row = divmod(v * lanes + first, self.rows)
            place = builder.add(to, I64(block * self.apart + row * size))
            if lanes <= self.rows:
                store_consecutive(self.b, value, place)
            else:
                self._store_part(value, first, place)

    def _store_part(self, value: Vec, first: int, place: Any) -> None:
        """The lanes for one block."""
        builder = self.ir
        lanes = shuffle_mask(tuple(range(first, first + self.rows)))
        part = builder.shuffle_vector(value.value, value.value, lanes)
        builder.store(part, builder.inttoptr(place, POINTER), align=self.dtype.itemsize)
