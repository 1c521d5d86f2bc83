"""Functions of the user's own, by their addresses: ``void entry(int64* arrays, int64* status)``.

``arrays`` has the address and the sizes of each; the entry writes a failure code where it fails, see
``nbgrad/tape/kernel.py``.
"""

from ctypes import Structure, c_int64
from typing import Final

from nbgrad.kernels.njit import njit
from nbgrad.kernels.pointers import call, room
from nbgrad.kernels.records import record
from nbgrad.tape.kernel import OK

STATUS: Final = c_int64 * 1


@record
class Word(Structure):
    """The first of some words."""

    value: int


@record
class Native(Structure):
    """The entry, and what it is told."""

    entry: int
    arrays: Word


@njit(nogil=True)
def native(words: Native, begin: int, end: int) -> int:
    """Call the entry: there is one item."""
    status = room(STATUS)
    status[0] = OK
    call(words.entry, words.arrays, status)
    code: int = status[0]
    return code
