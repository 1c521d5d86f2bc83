"""How reductions are cut into blocks: by logical sizes alone, for it decides the order of additions.

The orders themselves are written down in nbgrad/tape/kernel.py.
"""

from __future__ import annotations

from typing import Final, NamedTuple

ROW_BLOCK: Final = 8192  # elements of a row-form block: enough work for a thread, short enough for accuracy
ROW_RUN: Final = 512  # elements of a row that lanes add up before what they hold is put aside: a share for a warp
COLUMN_RUN: Final = 256  # elements of a column that are added one after the other
COLUMN_OUTPUTS: Final = 128  # more outputs are items enough; combining costs a kernel
COLUMN_BLOCK: Final = 1 << 16  # elements of a column-form block, over all outputs: some 20 us of work
ENOUGH_WARPS: Final = 4096  # a large GPU holds as many at a time; with fewer its memory waits
SCRATCH_BYTES: Final = 1 << 18  # what a kernel keeps of a row: it should stay in the second-level cache


class Cut(NamedTuple):
    """How columns are folded: blocks of ``length`` elements, ``run`` of them one after the other."""

    length: int
    blocks: int
    run: int = COLUMN_RUN


def row_blocks(outer: int, inner: int) -> tuple[int, int, int, int]:
    """How one row-form output of ``outer`` x ``inner`` elements is cut: (rows, columns, segments, blocks)."""
    if inner >= ROW_BLOCK:
        segments = -(-inner // ROW_BLOCK)
        return 1, ROW_BLOCK, segments, outer * segments
    rows = max(1, ROW_BLOCK // inner)
    return rows, inner, 1, -(-outer // rows)


def column_blocks(outputs: int, reduced: int) -> tuple[int, int]:
    """How column-form ``outputs`` of ``reduced`` elements each are cut: (reduced elements in a block, blocks)."""
    if outputs > COLUMN_OUTPUTS:
        return reduced, 1
    length = max(1, COLUMN_BLOCK // max(outputs, 1) // COLUMN_RUN) * COLUMN_RUN
    return (length, -(-reduced // length)) if reduced > length else (reduced, 1)


def runs_apart(cut: Cut, reduced: int, warps: int) -> tuple[Cut, Cut | None]:
    """``cut`` of ``reduced`` elements for a GPU, where a block is the work of so many ``warps``.

    Where these are too few, blocks are the runs, whose results the second cut folds to what ``cut`` gives. That keeps
    the order of additions: each run is added up from the identity, and runs one after the other.
    """
    if cut.length <= cut.run or warps * cut.blocks >= ENOUGH_WARPS:
        return cut, None
    runs = -(-cut.length // cut.run)
    return Cut(cut.run, -(-reduced // cut.run)), Cut(runs, cut.blocks, max(runs, COLUMN_RUN))


def item_rows(outputs: int, reduced: int) -> int:
    """How many of ``reduced`` rows with ``outputs`` columns one item of a row kernel folds across; 0: it cannot.

    It keeps the order of the column form: items are its blocks, or runs, which are few enough to be folded in one run.
    """
    length, blocks = column_blocks(outputs, reduced)
    if blocks > 1:
        return length
    return COLUMN_RUN if reduced <= COLUMN_RUN * COLUMN_RUN else 0
