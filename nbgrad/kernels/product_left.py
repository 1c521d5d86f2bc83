"""Columns of a product's left factor, turned: what a block reads at one step of k beside what it reads at the next."""

from __future__ import annotations

from typing import Any, Final

from nbgrad.graph.dtypes import DType
from nbgrad.kernels import ir
from nbgrad.kernels.flow import larger, loop
from nbgrad.kernels.memory import load_consecutive, prefetch, prefix_mask, store_consecutive
from nbgrad.kernels.product_panel import LINE_BYTES
from nbgrad.kernels.values import I64, POINTER, Vec, memory_type, shuffle_mask
from nbgrad.kernels.vector import VectorBuilder
from nbgrad.ops.library import CROWDED_BYTES, LEFT_BYTES, PRODUCT_RUN

LEAST_PANELS: Final = 3  # that read what was copied
AHEAD: Final = 12  # steps of k asked for in advance


class Left:
    """Room on the stack for LEFT_BYTES of a tile's rows of A, in blocks of ``rows``; a cache line lies between blocks.

    It serves where A lies column by column, as it does in the gradient of a weight, and its lines crowd in the cache:
    every block and panel would load them again. 512 x 768 x 128 takes a tenth less time. Where lines do not crowd it
    gains nothing (384 x 768 x 128), and a tile of fewer rows costs a tenth (256 x 512 x 784).
    """

    def __init__(self, b: VectorBuilder, dtype: DType, rows: int) -> None:
        self.b, self.ir, self.dtype, self.rows = b, b.ir, dtype, rows
        self.row_bytes = rows * dtype.itemsize  # of the rows of a block, at one step of k
        self.apart = PRODUCT_RUN * self.row_bytes + LINE_BYTES  # from block to block
        most_blocks = LEFT_BYTES // (PRODUCT_RUN * self.row_bytes)
        self.most_rows = most_blocks * rows
        self.span = max(LINE_BYTES // dtype.itemsize, rows)  # rows that are copied together
        room = most_blocks * self.apart // dtype.itemsize
        place = b.ir.alloca(ir.ArrayType(memory_type(dtype), room), align=LINE_BYTES)
        self.address = b.ir.ptrtoint(place, I64)

    def pays(self, steps: dict[str, Any], rows: Any, panels: Any) -> Any:
        """Whether a tile's run of A is better copied."""
        builder = self.ir
        conditions = (
            builder.icmp_signed("==", steps["a_row"], I64(self.dtype.itemsize)),
            builder.icmp_signed("==", builder.and_(steps["a_k"], I64(CROWDED_BYTES - 1)), I64(0)),
            builder.icmp_signed("<=", rows, I64(self.most_rows)),
            builder.icmp_signed(">=", panels, I64(LEAST_PANELS)),
        )
        found = conditions[0]
        for condition in conditions[1:]:
            found = builder.and_(found, condition)
        return found

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
