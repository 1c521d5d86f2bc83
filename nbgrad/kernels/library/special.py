"""Functions of C by their addresses, element by element: an item is an element. They compute in float64."""

from ctypes import Structure, c_double
from typing import Final

from nbgrad.kernels.njit import njit
from nbgrad.kernels.pointers import called, called_for_four, number, room
from nbgrad.kernels.records import Item, Pointer, record
from nbgrad.tape.kernel import OK

FOUR: Final = c_double * 4


@record
class Unary(Structure):
    """The function and its operands."""

    function: int
    x: Pointer[Item]
    out: Pointer[Item]


@record
class Binary(Structure):
    """The same with two inputs."""

    function: int
    a: Pointer[Item]
    x: Pointer[Item]
    out: Pointer[Item]


@record
class OneOfFour(Structure):
    """A function of one number that gives four, and which of them is wanted."""

    function: int
    place: int
    x: Pointer[Item]
    out: Pointer[Item]


@njit(nogil=True)
def special_1(words: Unary, begin: int, end: int) -> int:
    """out = function(x)"""
    function, x, out = words.function, words.x, words.out
    for i in range(begin, end):
        out[i] = number(out, called(function, x[i]))
    return OK


@njit(nogil=True)
def special_2(words: Binary, begin: int, end: int) -> int:
    """out = function(a, x)"""
    function, a, x, out = words.function, words.a, words.x, words.out
    for i in range(begin, end):
        out[i] = number(out, called(function, a[i], x[i]))
    return OK


@njit(nogil=True)
def special_one_of_four(words: OneOfFour, begin: int, end: int) -> int:
    """out = function(x)[place]"""
    function, place, x, out, found = words.function, words.place, words.x, words.out, room(FOUR)
    for i in range(begin, end):
        called_for_four(function, x[i], found)
        out[i] = number(out, found[place])
    return OK
