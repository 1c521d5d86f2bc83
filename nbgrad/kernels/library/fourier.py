"""Fourier transforms of rows by a loop of NumPy's: an item is a row."""

from ctypes import Structure, c_int64
from typing import Final

from nbgrad.kernels.njit import njit
from nbgrad.kernels.pointers import call, room
from nbgrad.kernels.records import Item, Pointer, record
from nbgrad.tape.kernel import OK

THREE: Final = c_int64 * 3
FIVE: Final = c_int64 * 5


@record
class Rows(Structure):
    """The loop, what it is told, where the factor of results stands; how many numbers rows have, how far rows and
    numbers are apart, of both operands; where they are."""

    function: int
    told: Pointer[Item]
    factor: int
    given: int
    made: int
    given_row: int
    made_row: int
    given_step: int
    made_step: int
    x: int
    out: int


@njit(nogil=True)
def fourier(words: Rows, begin: int, end: int) -> int:
    """The operands are x, the factor and out; of each its distance from row to row, then that from number to number."""
    operands, sizes, steps = room(THREE), room(THREE), room(FIVE)
    operands[0] = words.x + begin * words.given_row
    operands[1] = words.factor
    operands[2] = words.out + begin * words.made_row
    sizes[0], sizes[1], sizes[2] = end - begin, words.given, words.made
    steps[0], steps[1], steps[2] = words.given_row, 0, words.made_row
    steps[3], steps[4] = words.given_step, words.made_step
    call(words.function, operands, sizes, steps, words.told)
    return OK
