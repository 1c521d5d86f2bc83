"""The tape: what was computed, as entries, one for each group of operations on floats (``groups.py``).

A result that is seen outside of its group has a *place*, a number; an entry has the places of its group's operands and
the partial derivatives inside of it, and knows the next places as those of its results. Place 0 is nobody's: that of
numbers that depend on no argument. The arguments have the places from 1 on, without entries. The sweep goes back
through the entries, and adds up each place's cotangent. What an entry looks like is told by the number of its group,
its last 4 bytes: ``entries.py`` has the code that writes it, ``sweep.py`` that which carries cotangents back through.

Entries lie in chunks, so that what was recorded never moves; a tape is its first chunk's address, and its head has the
words below. Tapes at rest wait in slots of the process, each with its chunks and its two blocks, for the next call.
A tape that would outgrow its bound, or for which there is no memory, starts over and says so: the function runs to
its end in the room that there is, and its caller raises MemoryError.
"""

from __future__ import annotations

import os
from typing import Final

AT, NEXT, END = 0, 1, 2  # address of the next entry; the next place; the address behind this chunk
CHUNK, MOST, OVERFLOWED = 3, 4, 5  # the chunk in use; bytes that are allowed; whether it started over
BLOCKS: Final = 6  # two blocks of memory, address and size each: the arguments, the cotangents
COTANGENTS_AT: Final = BLOCKS + 2
ROOM, BEFORE, AFTER, BEHIND = 10, 11, 12, 13  # of every chunk: its bytes, its neighbours, the end of its entries
FIRST, USED, NO_GROUP = 14, 16, 17  # the first place; bytes in the chunks before; 0, as an entry's number would be
STEP, STATUS = 18, 19  # the last operation on whole arrays, see steps.py; what went wrong, one of the below
LAID, NOTES = 20, 21  # the next place of an argument; where notes of arrays begin
# Words of a step: the one before, a function, the first place of its result, its size, the tape; order of jets, floats
# in an item, rows and columns of a, b and the result; behind them are jets and places.
BEFORE_STEP, ADJOINT, PLACE, STEP_BYTES, TAPE_OF_STEP, ORDER, PARTS, SHAPES, STEP_WORDS = 0, 1, 2, 3, 4, 5, 6, 7, 13
STEP_ENTRY: Final = 16  # bytes of a step's entry: its address, 0, and as the number of a group
# Words of an argument's note, which arrays have: the addresses of its first byte, and of the one behind its last
# (without items twice the same), and whether it is written to; of a differentiable one its first place, and where it is
# laid out, in how many words an item.
LOW, HIGH, IS_WRITTEN, FIRST_PLACE, LAID_AT, ITEM_WORDS, NOTE_WORDS = range(7)
# Words of an array as the tape's functions are given it: address, rank, bytes of a number, then the sizes, and then the
# strides in bytes. The last dimension is walked through first; a complex number is one of two numbers.
DATA, RANK, NUMBER_BYTES, DIMS = range(4)
STEP_GROUP: Final = (1 << 31) - 1
SINGULAR, NO_ROOM, SHARED, OTHER_SHAPE = 1, 2, 3, 4  # an adjoint failed, ...
HEAD_BYTES: Final = 176
FIRST_ROOM: Final = 1 << 17  # bytes; each further chunk has twice as many
LARGEST_ROOM: Final = 1 << 27
KEPT_BYTES: Final = 1 << 26  # of a tape at rest; what is beyond is given back
MOST_PLACES: Final = (1 << 32) - LARGEST_ROOM // 4  # a place is 32 bits wide; the bound is looked at between chunks

ARGUMENTS, COTANGENTS = 0, 1


def most_bytes(size_bytes: int | None) -> int:
    """What a tape may take; by itself, half of this machine's memory."""
    if size_bytes is None:
        size_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return max(1, size_bytes)
