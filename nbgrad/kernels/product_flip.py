"""Products of few rows, flipped: the left factor becomes the panel, the right factor is read where it lies."""

from __future__ import annotations

from typing import Any, Final

from nbgrad.graph.dtypes import DType
from nbgrad.kernels import ir
from nbgrad.kernels.flow import loop, smaller
from nbgrad.kernels.memory import load_consecutive, masks_to_store, prefix_mask, store_consecutive
from nbgrad.kernels.product_block import VECTORS
from nbgrad.kernels.product_panel import LINE_BYTES, transposed
from nbgrad.kernels.values import I64, memory_type
from nbgrad.kernels.vector import VectorBuilder

MOST_COLUMNS: Final = 192  # of a tile, for which there is room
# Measured, in multiplications: to turn round an element of a factor, and to turn back one of the result.
TURN, TURN_BACK = 8, 16


class Flip:
    """Where B lies column by column, a product of few rows takes a third of its time to turn B round. C^T = B^T A^T has
    the same bits, and turns A round, which is small; what it gives is turned back tile by tile.

    Room on the stack for a tile of C^T: a row of VECTORS vectors for each of its columns.
    """

    def __init__(self, b: VectorBuilder, dtype: DType) -> None:
        self.b, self.ir, self.dtype = b, b.ir, dtype
        width = VECTORS * b.lanes
        self.row_bytes = width * dtype.itemsize
        room = ir.ArrayType(memory_type(dtype), (MOST_COLUMNS + b.lanes) * width)
        place = b.ir.alloca(room, align=LINE_BYTES)
        self.address = b.ir.ptrtoint(place, I64)
        self.room = self.address, I64(self.row_bytes)  # as a matrix: where it starts, bytes from row to row

    def pays(self, word: dict[str, Any], steps: dict[str, Any], has_x: Any, rows: Any, columns: Any) -> Any:
        """Whether a tile of so many rows and columns is better flipped: there is one term, nothing comes before it, and
        less has to be turned round.
        """
        builder, size = self.ir, I64(self.dtype.itemsize)

        def both(*conditions: Any) -> Any:
            first, *others = conditions
            for other in others:
                first = builder.and_(first, other)
            return first

        is_alone = both(builder.icmp_signed("==", word["terms"], I64(1)), builder.not_(has_x))
        width, lanes = I64(VECTORS * self.b.lanes), self.b.lanes
        padded = builder.and_(builder.add(rows, I64(lanes - 1)), I64(-lanes))
        gain = builder.mul(steps["k"], builder.mul(builder.sub(columns, padded), I64(TURN)))
        idle = builder.mul(builder.sub(padded, rows), builder.mul(columns, steps["k"]))
        loss = builder.add(idle, builder.mul(builder.mul(padded, columns), I64(TURN_BACK)))
        fits = both(
            builder.icmp_signed("<=", rows, width),
            builder.icmp_signed("<=", columns, I64(MOST_COLUMNS)),
            builder.icmp_signed(">", gain, loss),
        )
        by_column = both(
            builder.icmp_signed("==", steps["b_k"], size),
            builder.icmp_signed("!=", steps["b_column"], size),
            builder.icmp_signed("==", steps["a_k"], size),
        )
        return both(is_alone, fits, by_column)

    def steps(self, flips: Any, steps: dict[str, Any]) -> dict[str, Any]:
        """The steps of the flipped factors where a tile flips."""
        choose = self.ir.select
        return {
            **steps,
            "a_row": choose(flips, steps["b_column"], steps["a_row"]),
            "a_k": choose(flips, steps["b_k"], steps["a_k"]),
            "b_k": choose(flips, steps["a_k"], steps["b_k"]),
            "b_column": choose(flips, steps["a_row"], steps["b_column"]),
        }

    def turn_back(self, rows: Any, columns: Any, y: tuple[Any, Any, Any], c: tuple[Any, Any]) -> None:
        """Write the tile of C, ``rows`` x ``columns``, to ``c``: (address, bytes from row to row), and add ``y``: the
        same, and whether it is there.
        """
        builder, lanes, size = self.ir, self.b.lanes, self.dtype.itemsize
        y_start, y_row, has_y = y
        with loop(builder, I64(0), columns, lanes) as column, loop(builder, I64(0), rows, lanes) as row:
            at = builder.add(builder.mul(column, I64(self.row_bytes)), builder.mul(row, I64(size)))
            start = builder.add(self.address, at)
            places = [builder.add(start, I64(k * self.row_bytes)) for k in range(lanes)]
            vectors = [load_consecutive(self.b, place, self.dtype) for place in places]
            for place, vector in zip(places, transposed(self.b, vectors), strict=True):
                store_consecutive(self.b, vector, place)
            mask = prefix_mask(self.b, builder.sub(columns, column))
            across = builder.mul(column, I64(size))
            with loop(builder, I64(0), smaller(builder, I64(lanes), builder.sub(rows, row))) as i:
                number = builder.add(row, i)
                value = load_consecutive(self.b, builder.add(start, builder.mul(i, I64(self.row_bytes))), self.dtype)
                to = builder.add(builder.add(c[0], builder.mul(number, c[1])), across)
                with builder.if_else(has_y) as (then, otherwise):
                    with then:
                        place = builder.add(builder.add(y_start, builder.mul(number, y_row)), across)
                        last = load_consecutive(self.b, place, self.dtype, mask)
                        for live in masks_to_store(self.b, mask):
                            store_consecutive(self.b, self.b.add(last, value), to, live)
                    with otherwise:
                        for live in masks_to_store(self.b, mask):
                            store_consecutive(self.b, value, to, live)
