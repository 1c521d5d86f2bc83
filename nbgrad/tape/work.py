"""How much work an instruction is, and in what pieces threads may take it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from nbgrad.graph.op import lookup

SPLIT: Final = 1  # flag: several threads may share the instruction's items
WAVE: Final = 2  # flag: several threads may run it beside the next instruction, see ``waves.py``
# Measured (bench/threads.py), where values are in cache: whether little work is shared must be known best.
PS_PER_COST: Final = 20  # operators state nanoseconds for 16 float32 elements, from a slower CPU
PS_PER_BYTE: Final = 12
PS_PER_SERIAL_BYTE: Final = 60  # where an element waits for the one before
PS_PER_SORTED_BYTE: Final = 3000  # of a key
PS_PER_FLOP: Final = {"float32": 8, "float64": 18}  # of a matrix product on one core
COSTLY: Final = 8.0  # operators from this cost on are functions of many instructions
CHUNK_PS: Final = 1_000_000_000  # a call of at most 1 ms, so that Ctrl-C is heard
# Measured, too: a job for a thread that looks out for it costs 1.3 us; to wake one takes 30 us.
SHARE_PS: Final = 4_000_000  # least work that several threads take together
WAKE_PS: Final = 45_000_000  # least work, of a tape or one instruction, for which a thread is woken


def element_ps(ops: Iterable[str], bytes_moved: int) -> int:
    """Estimated picoseconds for one element of a loop."""
    return int(sum([lookup(op).cost for op in ops]) * PS_PER_COST) + bytes_moved * PS_PER_BYTE + 1


def chunk_items(items: int, item_ps: int) -> int:
    """The items that one call takes at most."""
    return max(1, min(items, CHUNK_PS // item_ps))


def pieces_of(items: int, item_ps: int) -> tuple[int, int]:
    """How many of ``items`` a thread takes at a time, and the flags that say whether several threads do."""
    return chunk_items(items, item_ps), SPLIT if items > 1 and items * item_ps >= SHARE_PS else 0
