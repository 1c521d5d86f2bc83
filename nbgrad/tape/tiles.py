"""How the work of a matrix product is cut into tiles of its result, for threads to take."""

from __future__ import annotations

import heapq
from functools import lru_cache
from typing import Final, NamedTuple

from nbgrad.graph.dtypes import DType
from nbgrad.ops.library import LEFT_BYTES, PRODUCT_RUN
from nbgrad.tape.work import PS_PER_FLOP

VECTOR_BYTES: Final = 64  # of the widest vectors, three of which make a panel
MOST_VECTORS: Final = 12  # of a tile's row: four panels
MOST_ROWS: Final = 256  # of a tile: with PRODUCT_RUN columns of A they keep in the second cache
ROW_STEP: Final = 8  # rows of a block
PANEL_ROWS: Final = 8  # bringing a panel of B to where it is read costs as much as so many rows of A
TILE_FLOPS: Final = 100_000  # what a tile costs by itself, as the work that would take as long
SHARE_FLOPS: Final = 500_000  # what it costs to call other threads
# The speeds of threads: a tape does not know how many there will be, nor whose core others slow down: halves of one
# product took 1.54 and 1.19 ms. Finer tiles, which cost no more, are shared out as threads get free.
THREADS: Final = ((1.0, 1.0), (1.0, 0.75), (1.0, 1.0, 1.0, 1.0), (1.0, 1.0, 1.0, 0.75))
LEAST_SHARE: Final = 0.95  # of the work of one tile, that of several: panels of three and one are less than one of four
MOST_TILES: Final = 16  # more need no care: threads are done with them at about the same time


class Cut(NamedTuple):
    """(rows, columns) of a tile, how many tiles all products of a batch have, and what one costs in picoseconds."""

    rows: int
    columns: int
    items: int
    cost: int


def cut_of(m: int, n: int, k: int, batch: int, dtype: DType, is_crowded: bool) -> Cut:
    """The work of products that add ``k`` terms to each element, in tiles. ``is_crowded``: the left factor's lines are
    copied."""
    most_rows = LEFT_BYTES // (PRODUCT_RUN * dtype.itemsize) if is_crowded else MOST_ROWS
    rows, columns, tiles = tiles_of(m, n, k, batch, dtype.itemsize, most_rows)
    return Cut(rows, columns, batch * tiles, 2 * rows * columns * k * PS_PER_FLOP[dtype.name] + 1)


@lru_cache(4096)
def tiles_of(m: int, n: int, k: int, batch: int, itemsize: int, most_rows: int = MOST_ROWS) -> tuple[int, int, int]:
    """(rows, columns) of a tile, and how many tiles a product has: those that a few threads are done with soonest."""
    vectors = -(-n * itemsize // VECTOR_BYTES)
    if batch == 1 and m <= most_rows and vectors <= MOST_VECTORS and _is_for_one_thread(m, vectors, k):
        return m, n, 1
    best = None
    for down in range(-(-m // most_rows), -(-m // ROW_STEP) + 1):
        for across in range(-(-vectors // MOST_VECTORS), vectors + 1):
            tiles = down * across * batch
            if best is not None and tiles > MOST_TILES:
                break
            rows = min(m, -(-m // down // ROW_STEP) * ROW_STEP)
            width = -(-vectors // across)
            found = _time(m, vectors, k, batch, rows, width), rows, width
            best = found if best is None else min(best, found)
    assert best is not None
    _, rows, width = best
    columns = min(n, width * VECTOR_BYTES // itemsize)
    return rows, columns, -(-m // rows) * -(-n // columns)


def _is_for_one_thread(m: int, vectors: int, k: int) -> bool:
    """Whether even threads that share a product evenly do not make up for what it costs to call them, so that tiles
    need not be tried: most products of small networks."""
    work, unit = (m + PANEL_ROWS) * _panels(vectors), _flops(k)
    alone = len(THREADS) * (work + TILE_FLOPS / unit)
    return alone < sum([SHARE_FLOPS / unit + LEAST_SHARE * work / sum(speeds) for speeds in THREADS])


def _flops(k: int) -> int:
    """Those of one row of one vector."""
    return 2 * VECTOR_BYTES // 4 * k


def _time(m: int, vectors: int, k: int, batch: int, rows: int, width: int) -> float:
    """How long some threads take for tiles of ``rows`` and ``width`` vectors, which each takes as it gets free."""
    heights = [min(rows, m - row) for row in range(0, m, rows)]
    widths = [min(width, vectors - at) for at in range(0, vectors, width)]
    work = [(h + PANEL_ROWS) * _panels(w) for h in heights for w in widths]
    unit = _flops(k)
    fixed = TILE_FLOPS / unit
    total = len(THREADS) * SHARE_FLOPS / unit if len(work) * batch > 1 else 0.0
    for speeds in THREADS:
        if len(work) * batch > MOST_TILES:
            total += (sum(work) + fixed * len(work)) * batch / sum(speeds) + max(work) / 2
            continue
        busy = [(0.0, speed) for speed in speeds]
        for tile in work * batch:
            until, speed = busy[0]
            heapq.heapreplace(busy, (until + (tile + fixed) / speed, speed))
        total += max(busy)[0]
    return total


def _panels(vectors: int) -> float:
    """The time of so many vectors of columns: in panels of three, of two a little more each, of one still more."""
    return 4.5 if vectors == 4 else vectors + (0, 0.3, 0.25)[vectors % 3]
