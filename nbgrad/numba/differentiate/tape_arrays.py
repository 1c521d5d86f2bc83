"""What a tape notes of the arrays among the arguments, and what is done with their numbers: functions of words alone,
as in ``tape_functions.py``."""

from __future__ import annotations

from nbgrad.kernels.njit import njit
from nbgrad.numba.differentiate.memory import byte, number, number32, set_number, set_number32, set_word, word
from nbgrad.numba.differentiate.tape import (
    BLOCKS,
    COTANGENTS_AT,
    DATA,
    DIMS,
    FIRST_PLACE,
    HIGH,
    IS_WRITTEN,
    ITEM_WORDS,
    LAID,
    LAID_AT,
    LOW,
    NEXT,
    NOTE_WORDS,
    NOTES,
    NUMBER_BYTES,
    OTHER_SHAPE,
    RANK,
    SHARED,
    STATUS,
)


@njit(nogil=True)
def _size_of(x: int) -> int:
    n = 1
    for k in range(word(x, RANK)):
        n *= word(x, DIMS + k)
    return n


@njit(nogil=True)
def _row_of(x: int, i: int) -> tuple[int, int, int]:
    """The address of the i-th number; how many there are in the last dimension, and the bytes between these."""
    at, rank = word(x, DATA), word(x, RANK)
    for k in range(rank - 1, -1, -1):
        before = i // word(x, DIMS + k)
        at += (i - before * word(x, DIMS + k)) * word(x, DIMS + rank + k)
        i = before
    return at, word(x, DIMS + rank - 1), word(x, DIMS + 2 * rank - 1)


@njit(nogil=True)
def _number_at(at: int, size: int) -> float:
    return number32(at, 0) if size == 4 else number(at, 0)


@njit(nogil=True)
def note_of(tape: int, k: int) -> int:
    """The address of the k-th."""
    return word(tape, NOTES) + 8 * NOTE_WORDS * k


@njit(nogil=True)
def note_extent(tape: int, k: int, x: int) -> None:
    """Note where an array lies, as if it were written to."""
    low = high = word(x, DATA)
    rank = word(x, RANK)
    for one in range(rank):
        way = (word(x, DIMS + one) - 1) * word(x, DIMS + rank + one)
        low += min(way, 0)
        high += max(way, 0)
    note = note_of(tape, k)
    set_word(note, LOW, low)
    set_word(note, HIGH, low if _size_of(x) == 0 else high + word(x, NUMBER_BYTES))
    set_word(note, IS_WRITTEN, 1)


@njit(nogil=True)
def _begin_array(tape: int, k: int, x: int, words: int, item_words: int) -> int:
    """Where the k-th array's numbers are laid out, ``words`` each, in room for ``item_words``."""
    note_extent(tape, k, x)
    note, first = note_of(tape, k), word(tape, LAID)
    address = word(tape, BLOCKS) + 8 * item_words * (first - 1)
    set_word(note, FIRST_PLACE, first)
    set_word(note, LAID_AT, address)
    set_word(note, ITEM_WORDS, words)
    set_word(tape, LAID, first + _size_of(x))
    return address


@njit(nogil=True)
def lay_out(tape: int, k: int, x: int) -> int:
    """Lay out an array's numbers as (value, place); the address. It is the k-th of those that are noted."""
    place, is_short, count, i = word(tape, LAID), word(x, NUMBER_BYTES) == 4, _size_of(x), 0
    address = to = _begin_array(tape, k, x, 2, 2)
    while i < count:
        at, n, step = _row_of(x, i)
        for _ in range(n):
            if is_short:
                set_number32(to, 0, number32(at, 0))
            else:
                set_number(to, 0, number(at, 0))
            set_word(to, 1, place)
            at, to, place = at + step, to + 16, place + 1
        i += n
    return address


@njit(nogil=True)
def lay_out_twice(tape: int, k: int, x: int, along: int) -> int:
    """The same as ((value, tangent), place)."""
    place, is_short, count, i = word(tape, LAID), word(x, NUMBER_BYTES) == 4, _size_of(x), 0
    words = 2 if is_short else 3
    address = to = _begin_array(tape, k, x, words, 3)
    while i < count:
        at, n, step = _row_of(x, i)
        from_, _, further = _row_of(along, i)
        for _ in range(n):
            if is_short:
                set_number32(to, 0, number32(at, 0))
                set_number32(to, 1, number32(from_, 0))
            else:
                set_number(to, 0, number(at, 0))
                set_number(to, 1, number(from_, 0))
            set_word(to, words - 1, place)
            at, from_, to, place = at + step, from_ + further, to + 8 * words, place + 1
        i += n
    return address


@njit(nogil=True)
def gradient(tape: int, copy: int, k: int, out: int) -> None:
    """The cotangents of the k-th array of those that are noted, as one row; copy 1: their tangents."""
    g = word(tape, COTANGENTS_AT) + 8 * (copy * word(tape, NEXT) + word(note_of(tape, k), FIRST_PLACE))
    at, count = word(out, DATA), _size_of(out)
    if word(out, NUMBER_BYTES) == 4:
        for i in range(count):
            set_number32(at, i, number(g, i))
    else:
        for i in range(count):
            set_number(at, i, number(g, i))


@njit(nogil=True)
def note_written(tape: int, k: int, x: int) -> None:
    """Note whether an argument's laid out items were written to: whether they have other places, or are other numbers
    than those of ``x``, which is the k-th."""
    note, bytes_, count, i, found = note_of(tape, k), word(x, NUMBER_BYTES), _size_of(x), 0, 0
    laid, words, place = word(note, LAID_AT), word(note, ITEM_WORDS), word(note, FIRST_PLACE)
    while i < count:
        at, n, step = _row_of(x, i)
        for _ in range(n):
            before, value = _number_at(at, bytes_), _number_at(laid, bytes_)
            is_other = value != before and (value == value or before == before)
            if is_other or word(laid, words - 1) != place:
                found = 1
            at, laid, place = at + step, laid + 8 * words, place + 1
        i += n
    set_word(note, IS_WRITTEN, found)


@njit(nogil=True)
def note_different(tape: int, k: int, a: int, b: int) -> None:
    """Note whether the k-th array, of whole numbers, differs from its copy."""
    bytes_, count, i, found = word(a, NUMBER_BYTES), _size_of(a), 0, 0
    while i < count:
        at, n, step = _row_of(a, i)
        of, _, further = _row_of(b, i)
        for _ in range(n):
            for one in range(bytes_):
                if byte(at, one) != byte(of, one):
                    found = 1
            at, of = at + step, of + further
        i += n
    set_word(note_of(tape, k), IS_WRITTEN, found)


@njit(nogil=True)
def add_cotangents(tape: int, places: int, v: int) -> None:
    """Add the cotangents ``v`` of results that have these places."""
    if word(tape, STATUS) != 0:
        return
    for k in range(word(v, RANK)):
        if word(places, DIMS + k) != word(v, DIMS + k):
            set_word(tape, STATUS, OTHER_SHAPE)
            return
    g, bytes_, count, i = word(tape, COTANGENTS_AT), word(v, NUMBER_BYTES), _size_of(v), 0
    while i < count:
        at, n, step = _row_of(places, i)
        of, _, further = _row_of(v, i)
        for _ in range(n):
            place = word(at, 0)
            if place != 0:
                set_number(g, place, number(g, place) + _number_at(of, bytes_))
            at, of = at + step, of + further
        i += n


@njit(nogil=True)
def are_shared(tape: int, n: int) -> int:
    """Whether two of n arrays share memory, and one of them is written to."""
    for i in range(n):
        a = note_of(tape, i)
        for j in range(i):
            b = note_of(tape, j)
            is_apart = word(a, LOW) >= word(b, HIGH) or word(b, LOW) >= word(a, HIGH)
            if not is_apart and word(a, IS_WRITTEN) + word(b, IS_WRITTEN) > 0:
                return 1
    return 0


@njit(nogil=True)
def refuse_shared(tape: int, n: int) -> None:
    """Have that be what went wrong, if so."""
    if are_shared(tape, n) != 0:
        set_word(tape, STATUS, SHARED)
