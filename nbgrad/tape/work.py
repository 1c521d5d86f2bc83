"""How much work an instruction is, and in what pieces threads may take it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from nbgrad.graph.op import lookup

PS_PER_COST: Final = 60  # operators state nanoseconds for 16 float32 elements
PS_PER_BYTE: Final = 60  # one core moves about 16 GB/s
PS_PER_FLOP: Final = {"float32": 8, "float64": 18}  # of a matrix product on one core
CHUNK_ELEMENTS: Final = 16384  # less is not worth another thread's attention
CHUNK_PS: Final = 1_000_000_000  # a chunk of at most 1 ms, so that Ctrl-C and the other threads don't wait


def element_ps(ops: Iterable[str], bytes_moved: int) -> int:
    """Estimated picoseconds for one element of a loop."""
    return int(sum([lookup(op).cost for op in ops]) * PS_PER_COST) + bytes_moved * PS_PER_BYTE + 1


def chunk_items(items: int, elements: int, item_ps: int) -> int:
    """Items of ``elements`` elements each that one thread takes at a time."""
    least = -(-CHUNK_ELEMENTS // max(elements, 1))
    most = max(1, CHUNK_PS // item_ps)
    return max(1, min(items, least, most)) if least < items else max(1, min(items, most))
