"""The tape: what was computed, as entries ``{u32 a, u32 b, f64 da, f64 db}``, one for each operation on floats.

An entry's *place* is its number, and that of its result; ``a`` and ``b`` are the places of its operands, ``da`` and
``db`` the partial derivatives by them. Place 0 is nobody's: that of numbers that depend on no argument. The arguments
have the places from 1 on, without entries. The sweep goes back through the entries, and adds up each place's cotangent.

Entries lie in chunks, so that what was recorded never moves; a tape is its first chunk's address, and its head has the
words below. Tapes at rest wait in slots of the process, each with its chunks and its two blocks, for the next call.
A tape that would outgrow its bound, or for which there is no memory, starts over and says so: the function runs to
its end in the room that there is, and its caller raises MemoryError.
"""

from __future__ import annotations

import os
from typing import Any, Final

import numba
import numpy as np

from nbgrad.numba.differentiate.memory import (
    N_SLOTS,
    allocated,
    exchange,
    number,
    numbers_at,
    release,
    set_word,
    word,
)

BASE, NEXT, END = 0, 1, 2  # address of the entry of place 0, were it in this chunk; the next place; the first behind
CHUNK, MOST, OVERFLOWED = 3, 4, 5  # the chunk in use; places that are allowed; whether it started over
BLOCKS: Final = 6  # two blocks of memory, address and size each: the arguments, the cotangents
ROOM, BEFORE, AFTER, FIRST = 10, 11, 12, 13  # of every chunk: its entries, its neighbours, its first place
HEAD_BYTES: Final = 128
ENTRY_BYTES: Final = 24
_FIRST_ROOM: Final = 4096  # entries; each further chunk has twice as many
_LARGEST_ROOM: Final = 1 << 22
_KEPT_BYTES: Final = 1 << 26  # of a tape at rest; what is beyond is given back
MOST_PLACES: Final = (1 << 32) - 2 * _LARGEST_ROOM  # a place is 32 bits wide; the bound is looked at between chunks

ARGUMENTS, COTANGENTS = 0, 1


def most_places(size_bytes: int | None) -> int:
    """How many places a tape of this size has; without one, of half of this machine's memory."""
    if size_bytes is None:
        size_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return max(1, min(size_bytes // ENTRY_BYTES, MOST_PLACES))


_helper: Final = numba.njit(nogil=True, error_model="numpy")  # compiled when it is first asked for


@_helper  # type: ignore[untyped-decorator]
def _new_chunk(room: int) -> Any:
    chunk = allocated(HEAD_BYTES + ENTRY_BYTES * room)
    if chunk != 0:
        for k in range(HEAD_BYTES // 8):
            set_word(chunk, k, 0)
        set_word(chunk, ROOM, room)
    return chunk


@_helper  # type: ignore[untyped-decorator]
def _begin_chunk(tape: int, chunk: int, first: int) -> None:
    set_word(chunk, FIRST, first)
    set_word(tape, CHUNK, chunk)
    set_word(tape, NEXT, first)
    set_word(tape, BASE, chunk + HEAD_BYTES - ENTRY_BYTES * first)
    set_word(tape, END, first + word(chunk, ROOM))


@_helper  # type: ignore[untyped-decorator]
def open_tape(n_arguments: int, most: int) -> Any:
    """A tape whose arguments have the places 1 to ``n_arguments``, for at most ``most`` entries; 0: no memory."""
    tape = 0
    if n_arguments >= MOST_PLACES:
        return tape
    for slot in range(N_SLOTS):
        tape = exchange(slot, 0)
        if tape != 0:
            break
    if tape == 0:
        tape = _new_chunk(_FIRST_ROOM)
    if tape != 0:
        set_word(tape, MOST, min(1 + n_arguments + most, MOST_PLACES))
        set_word(tape, OVERFLOWED, 0)
        _begin_chunk(tape, tape, 1 + n_arguments)
    return tape


@_helper  # type: ignore[untyped-decorator]
def grow(tape: int) -> None:
    """Make room for the next entries: another chunk, or the first one over again where that is not possible."""
    chunk, first = word(tape, CHUNK), word(tape, NEXT)
    after = word(chunk, AFTER)
    if after == 0 and first < word(tape, MOST):
        after = _new_chunk(min(2 * word(chunk, ROOM), _LARGEST_ROOM))
        if after != 0:
            set_word(chunk, AFTER, after)
            set_word(after, BEFORE, chunk)
    if after == 0 or first >= word(tape, MOST):
        set_word(tape, OVERFLOWED, 1)
        after, first = tape, word(tape, FIRST)
    _begin_chunk(tape, after, first)


@_helper  # type: ignore[untyped-decorator]
def block(tape: int, which: int, size: int) -> Any:
    """The address of at least ``size`` bytes that the tape has for one purpose; 0: no memory."""
    k = BLOCKS + 2 * which
    if word(tape, k) == 0 or word(tape, k + 1) < size:
        release(word(tape, k))
        set_word(tape, k, allocated(max(size, 64)))
        set_word(tape, k + 1, size)
    return word(tape, k)


@_helper  # type: ignore[untyped-decorator]
def _release_from(tape: int, chunk: int) -> None:
    while chunk != 0:
        after = word(chunk, AFTER)
        release(chunk)
        chunk = after


@_helper  # type: ignore[untyped-decorator]
def close_tape(tape: int) -> None:
    """Lay the tape to rest, for whoever asks next."""
    kept, chunk = 0, tape
    while chunk != 0:
        kept += ENTRY_BYTES * word(chunk, ROOM)
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


@_helper  # type: ignore[untyped-decorator]
def cotangents(tape: int, copies: int) -> Any:
    """Zeros, ``copies`` for each place; without any: no memory."""
    count = copies * word(tape, NEXT)
    address = block(tape, COTANGENTS, 8 * count)
    found = numbers_at(address, count if address != 0 else 0)
    found[:] = 0.0
    return found


@_helper  # type: ignore[untyped-decorator]
def sweep(tape: int, g: Any) -> None:
    """Carry the cotangents ``g`` back to the arguments. A place whose cotangent is 0 hands on nothing, so an infinite
    partial derivative that nothing depends on makes no NaN."""
    chunk, end = word(tape, CHUNK), word(tape, NEXT)
    while chunk != 0:
        first = word(chunk, FIRST)
        entry = chunk + HEAD_BYTES + ENTRY_BYTES * (end - first)
        for k in range(end - 1, first - 1, -1):
            entry -= ENTRY_BYTES
            here = g[np.uint64(k)]
            if here != 0.0:
                places = np.uint64(word(entry, 0))
                g[places & np.uint64(0xFFFFFFFF)] += here * number(entry, 1)
                g[places >> np.uint64(32)] += here * number(entry, 2)
        end = first
        chunk = word(chunk, BEFORE)


@_helper  # type: ignore[untyped-decorator]
def sweep_twice(tape: int, g: Any, h: Any) -> None:
    """``sweep`` of entries in pairs, the second with the tangents of the first's partial derivatives: ``h`` is the
    tangent of ``g``."""
    chunk, end = word(tape, CHUNK), word(tape, NEXT)
    while chunk != 0:
        first = word(chunk, FIRST)
        entry = chunk + HEAD_BYTES + ENTRY_BYTES * (end - first)
        for k in range(end - 2, first - 1, -2):
            entry -= 2 * ENTRY_BYTES
            here, along = g[np.uint64(k)], h[np.uint64(k)]
            if here != 0.0 or along != 0.0:
                places = np.uint64(word(entry, 0))
                a, b = places & np.uint64(0xFFFFFFFF), places >> np.uint64(32)
                g[a] += here * number(entry, 1)
                g[b] += here * number(entry, 2)
                h[a] += along * number(entry, 1) + here * number(entry + ENTRY_BYTES, 1)
                h[b] += along * number(entry, 2) + here * number(entry + ENTRY_BYTES, 2)
        end = first
        chunk = word(chunk, BEFORE)
