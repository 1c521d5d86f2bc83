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
from typing import Any, Final

from nbgrad.numba.differentiate.helpers import helper
from nbgrad.numba.differentiate.memory import (
    N_SLOTS,
    allocated,
    exchange,
    number,
    numbers_at,
    release,
    set_number,
    set_word,
    swept,
    word,
)

AT, NEXT, END = 0, 1, 2  # address of the next entry; the next place; the address behind this chunk
CHUNK, MOST, OVERFLOWED = 3, 4, 5  # the chunk in use; bytes that are allowed; whether it started over
BLOCKS: Final = 6  # two blocks of memory, address and size each: the arguments, the cotangents
COTANGENTS_AT: Final = BLOCKS + 2
ROOM, BEFORE, AFTER, BEHIND = 10, 11, 12, 13  # of every chunk: its bytes, its neighbours, the end of its entries
FIRST, USED, NO_GROUP = 14, 16, 17  # the first place; bytes in the chunks before; 0, as an entry's number would be
STEP, STATUS = 18, 19  # the last operation on whole arrays, see steps.py; what went wrong, one of the below
LAID, NOTES = 20, 21  # the next place of an argument; where notes of arrays begin
# Words of a step: the one before, a function, the first place of its result, its size, the tape.
BEFORE_STEP, ADJOINT, PLACE, STEP_BYTES, TAPE_OF_STEP = 0, 1, 2, 3, 4
STEP_ENTRY: Final = 16  # bytes of a step's entry: its address, 0, and as the number of a group
NOTE_WORDS: Final = 6  # of an array among the arguments, see arguments.py
STEP_GROUP: Final = (1 << 31) - 1
SINGULAR, NO_ROOM, SHARED, OTHER_SHAPE = 1, 2, 3, 4  # an adjoint failed, ...
HEAD_BYTES: Final = 176
_FIRST_ROOM: Final = 1 << 17  # bytes; each further chunk has twice as many
_LARGEST_ROOM: Final = 1 << 27
_KEPT_BYTES: Final = 1 << 26  # of a tape at rest; what is beyond is given back
MOST_PLACES: Final = (1 << 32) - _LARGEST_ROOM // 4  # a place is 32 bits wide; the bound is looked at between chunks

ARGUMENTS, COTANGENTS = 0, 1


def most_bytes(size_bytes: int | None) -> int:
    """What a tape may take; by itself, half of this machine's memory."""
    if size_bytes is None:
        size_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return max(1, size_bytes)


@helper
def _new_chunk(room: int) -> Any:
    chunk = allocated(HEAD_BYTES + room)
    if chunk != 0:
        for k in range(HEAD_BYTES // 8):
            set_word(chunk, k, 0)
        set_word(chunk, ROOM, room)
    return chunk


@helper
def _begin_chunk(tape: int, chunk: int) -> None:
    set_word(tape, CHUNK, chunk)
    set_word(tape, AT, chunk + HEAD_BYTES)
    set_word(tape, END, chunk + HEAD_BYTES + word(chunk, ROOM))


@helper
def _start(tape: int, is_over: int) -> None:
    set_word(tape, OVERFLOWED, is_over)
    set_word(tape, USED, 0)
    set_word(tape, STATUS, 0)
    set_word(tape, NEXT, word(tape, FIRST))
    _begin_chunk(tape, tape)


@helper
def open_tape(n_numbers: int, n_floats: int, n_arrays: int, item_words: int, most: int) -> Any:
    """A tape for at most ``most`` bytes. Its arguments have the places from 1 on: numbers the first ones, then the
    floats of arrays, which are laid out in ``item_words`` each. 0: no memory."""
    tape, count = 0, n_numbers + n_floats
    if count >= MOST_PLACES:
        return tape
    for slot in range(N_SLOTS):
        tape = exchange(slot, 0)
        if tape != 0:
            break
    if tape == 0:
        tape = _new_chunk(_FIRST_ROOM)
    if tape != 0:
        set_word(tape, MOST, most)
        set_word(tape, FIRST, 1 + count)
        set_word(tape, LAID, 1 + n_numbers)
        _start(tape, 0)
        items = 8 * item_words * count
        address = block(tape, ARGUMENTS, items + 8 * NOTE_WORDS * n_arrays)
        if address == 0:
            close_tape(tape)
            return 0
        set_word(tape, NOTES, address + items)
    return tape


@helper
def grow(tape: int) -> None:
    """Make room for the next entries: another chunk, or the first one over again where that is not possible."""
    chunk = word(tape, CHUNK)
    set_word(chunk, BEHIND, word(tape, AT))
    used = word(tape, USED) + word(tape, AT) - chunk - HEAD_BYTES
    after, is_allowed = word(chunk, AFTER), used < word(tape, MOST) and word(tape, NEXT) < MOST_PLACES
    if after == 0 and is_allowed:
        after = _new_chunk(min(2 * word(chunk, ROOM), _LARGEST_ROOM))
        if after != 0:
            set_word(chunk, AFTER, after)
            set_word(after, BEFORE, chunk)
    if after == 0 or not is_allowed:
        _start(tape, 1)
    else:
        set_word(tape, USED, used)
        _begin_chunk(tape, after)


@helper
def block(tape: int, which: int, size: int) -> Any:
    """The address of at least ``size`` bytes that the tape has for one purpose; 0: no memory."""
    k = BLOCKS + 2 * which
    if word(tape, k) == 0 or word(tape, k + 1) < size:
        release(word(tape, k))
        set_word(tape, k, allocated(max(size, 64)))
        set_word(tape, k + 1, size)
    return word(tape, k)


@helper
def last_step(tape: int) -> Any:
    """The last step; one whose result has no place, because it raised or depends on no argument, is forgotten."""
    step = word(tape, STEP)
    if step != 0 and word(step, PLACE) == 0:
        _forget_step(tape)
    return word(tape, STEP)


@helper
def _forget_step(tape: int) -> None:
    step = word(tape, STEP)
    set_word(tape, STEP, word(step, BEFORE_STEP))
    set_word(tape, MOST, word(tape, MOST) + word(step, STEP_BYTES))
    release(step)


@helper
def _release_from(tape: int, chunk: int) -> None:
    while chunk != 0:
        after = word(chunk, AFTER)
        release(chunk)
        chunk = after


@helper
def close_tape(tape: int) -> None:
    """Lay the tape to rest, for whoever asks next."""
    while word(tape, STEP) != 0:
        _forget_step(tape)
    kept, chunk = 0, tape
    while chunk != 0:
        kept += word(chunk, ROOM)
        after = word(chunk, AFTER)
        if kept > _KEPT_BYTES and after != 0:
            _release_from(tape, after)
            set_word(chunk, AFTER, 0)
            break
        chunk = after
    for which in range(2):
        k = BLOCKS + 2 * which
        if word(tape, k + 1) > _KEPT_BYTES:
            release(word(tape, k))
            set_word(tape, k, 0)
            set_word(tape, k + 1, 0)
    for slot in range(N_SLOTS):
        tape = exchange(slot, tape)
        if tape == 0:
            return
    release(word(tape, BLOCKS))
    release(word(tape, BLOCKS + 2))
    _release_from(tape, tape)


@helper
def cotangents(tape: int, copies: int) -> None:
    """Make zeros, ``copies`` for each place, unless there is no memory, or the tape started over."""
    count, address = copies * word(tape, NEXT), 0
    if word(tape, OVERFLOWED) == 0:
        address = block(tape, COTANGENTS, 8 * count)
    if address == 0:
        set_word(tape, STATUS, NO_ROOM)
    else:
        numbers_at(address, count)[:] = 0.0


@helper
def cotangent(tape: int, copy: int, place: int) -> Any:
    """That of a place, or (copy 1) its tangent."""
    return number(word(tape, COTANGENTS_AT), copy * word(tape, NEXT) + place)


@helper
def add_cotangent(tape: int, place: int, v: float) -> None:
    """Add the cotangent of a result."""
    if word(tape, STATUS) == 0 and place != 0:
        g = word(tape, COTANGENTS_AT)
        set_number(g, place, number(g, place) + v)


@helper
def sweep(tape: int, back: int) -> Any:
    """Carry the cotangents back to the arguments, and their tangents; the status. ``back`` is the address of the code
    that does it for the entries of a chunk."""
    if word(tape, STATUS) == 0:
        chunk, at, place = word(tape, CHUNK), word(tape, AT), word(tape, NEXT)
        g = word(tape, COTANGENTS_AT)
        h = g + 8 * place
        while chunk != 0:
            place = swept(back, at, place, g, h)
            chunk = word(chunk, BEFORE)
            at = word(chunk, BEHIND) if chunk != 0 else 0
    return word(tape, STATUS)
