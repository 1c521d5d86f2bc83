"""Tiles of C^T, of products of few rows, turned back."""

from __future__ import annotations

from typing import Any

from nbgrad.graph.dtypes import DType
from nbgrad.kernels.flow import loop, smaller
from nbgrad.kernels.library.product import VECTORS
from nbgrad.kernels.memory import load_consecutive, masks_to_store, prefix_mask, store_consecutive
from nbgrad.kernels.product_panel import transposed
from nbgrad.kernels.values import I64
from nbgrad.kernels.vector import VectorBuilder


def turn_back(
    b: VectorBuilder,
    dtype: DType,
    address: Any,
    rows: Any,
    columns: Any,
    y: Any,
    y_row: Any,
    has_y: Any,
    c: Any,
    c_row: Any,
) -> None:
    """Write the tile of C, ``rows`` x ``columns``, whose columns lie as rows of VECTORS vectors from ``address`` on, to
    ``c``, ``c_row`` bytes from row to row, and add ``y``, which lies likewise, where ``has_y`` is not 0.
    """
    builder, lanes, size = b.ir, b.lanes, dtype.itemsize
    row_bytes = VECTORS * lanes * size
    adds = builder.icmp_signed("!=", has_y, I64(0))
    with loop(builder, I64(0), columns, lanes) as column, loop(builder, I64(0), rows, lanes) as row:
        at = builder.add(builder.mul(column, I64(row_bytes)), builder.mul(row, I64(size)))
        start = builder.add(address, at)
        places = [builder.add(start, I64(k * row_bytes)) for k in range(lanes)]
        vectors = [load_consecutive(b, place, dtype) for place in places]
        for place, vector in zip(places, transposed(b, vectors), strict=True):
            store_consecutive(b, vector, place)
        mask = prefix_mask(b, builder.sub(columns, column))
        across = builder.mul(column, I64(size))
        with loop(builder, I64(0), smaller(builder, I64(lanes), builder.sub(rows, row))) as i:
            number = builder.add(row, i)
            value = load_consecutive(b, builder.add(start, builder.mul(i, I64(row_bytes))), dtype)
            to = builder.add(builder.add(c, builder.mul(number, c_row)), across)
            with builder.if_else(adds) as (then, otherwise):
                with then:
                    place = builder.add(builder.add(y, builder.mul(number, y_row)), across)
                    last = load_consecutive(b, place, dtype, mask)
                    for live in masks_to_store(b, mask):
                        store_consecutive(b, b.add(last, value), to, live)
                with otherwise:
                    for live in masks_to_store(b, mask):
                        store_consecutive(b, value, to, live)
