"""Calls of Python's into a BLAS, see ``nbgrad/kernels/blas.py``."""

from nbgrad.kernels.blas import enter, leave
from nbgrad.kernels.njit import njit
from nbgrad.kernels.records import Words
from nbgrad.tape.blas import Blas


@njit(nogil=True)
def turn(address: int, is_inside: int) -> int:
    """Enter the library at ``address``, or leave it; the word at ``is_inside`` says which, and is changed with it."""
    place = Words.from_address(is_inside)
    if place[0] == 0:
        enter(Blas.from_address(address))
    else:
        leave(Blas.from_address(address))
    place[0] = 1 - place[0]
    return place[0]
