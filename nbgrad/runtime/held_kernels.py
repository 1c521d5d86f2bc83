"""Which objects somebody else holds, too, and whether objects changed: a look at CPython's memory."""

from ctypes import Structure, sizeof
from typing import Annotated, Final

from nbgrad.kernels.njit import njit
from nbgrad.kernels.records import MANY, WORD, Pointer, Words, record, word_of

LOWER_HALF: Final = 0xFFFFFFFF
DIGIT_BITS: Final = 30
DIGIT_MASK: Final = (1 << DIGIT_BITS) - 1


@record
class Object(Structure):
    """What every object begins with."""

    count: int  # of references; in the lower half from Python 3.12 on
    kind: int


@record
class ListObject(Object):
    length: int
    items: Pointer[int]  # addresses of objects


@record
class IntObject(Object):
    size: int  # how many digits
    digits: Annotated[Pointer[int], MANY]  # two in a word


@record
class Note(Structure):
    """That a word of memory holds something, as far as ``bits`` goes."""

    place: int
    bits: int
    expected: int


COUNT, SIZE, DIGITS = word_of(IntObject, "count"), word_of(IntObject, "size"), word_of(IntObject, "digits")
NOTE_WORDS: Final = sizeof(Note) // WORD


@njit(nogil=True)
def mark_held(objects: int, out: int) -> int:
    """For each object of the list at ``objects`` a byte at ``out``: 1 where there are references besides the list's.
    Gives the number of objects; the last word written may hold more bytes."""
    n = ListObject.from_address(objects).length
    items = ListObject.from_address(objects).items
    all_marks = Words.from_address(out)
    for word in range((n + 7) >> 3):
        marks = 0
        for k in range(min(8, n - word * 8)):
            if Object.from_address(items[word * 8 + k]).count & LOWER_HALF != 1:
                marks |= 1 << k * 8
        all_marks[word] = marks
    return n


@njit(nogil=True)
def all_as_noted(address: int, count: int) -> int:
    """1 where each of the notes at ``address`` holds, 0 where one does not; none after that is looked at."""
    for k in range(count):
        note = Note.from_address(address + k * NOTE_WORDS * WORD)
        if Words.from_address(note.place)[0] & note.bits != note.expected:
            return 0
    return 1
