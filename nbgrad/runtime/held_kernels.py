"""Which objects somebody else holds, too, and whether objects changed: word functions (``translate``) over CPython's
memory."""

from __future__ import annotations

from nbgrad.runtime.intrinsics import lesser, load, store
from nbgrad.runtime.layout import WORD

COUNT = 0  # of references, of an object: its first word, the lower half from Python 3.12 on
LENGTH = 2  # of a list
ITEMS = 3  # of a list: where its objects' addresses are
LOWER_HALF = 0xFFFFFFFF
SIZE = 2  # of an int: how many digits it has
DIGITS = 3  # of an int: where they are, two in a word
DIGIT_BITS = 30
DIGIT_MASK = (1 << DIGIT_BITS) - 1

PLACE, BITS, EXPECTED, NOTE_WORDS = range(4)  # of a note: (address of a word, which of its bits, what they were)


def mark_held(objects: int, out: int) -> int:
    """For each object of the list at ``objects`` a byte at ``out``: 1 where there are references besides the list's.
    Gives the number of objects; the last word written may hold more bytes."""
    n: int = load(objects, LENGTH)
    items = load(objects, ITEMS)
    for word in range((n + 7) >> 3):
        marks = 0
        for k in range(lesser(8, n - word * 8)):
            if load(load(items, word * 8 + k), COUNT) & LOWER_HALF != 1:
                marks = marks | 1 << k * 8
        store(out, word, marks)
    return n


def all_as_noted(notes: int, count: int) -> int:
    """1 where each of the notes holds, 0 where one does not; none after that is looked at."""
    for _ in range(count):
        if load(load(notes, PLACE), 0) & load(notes, BITS) != load(notes, EXPECTED):
            return 0
        notes += NOTE_WORDS * WORD
    return 1
