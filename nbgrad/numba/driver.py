"""What runs a program inside ``@njit``: it finds the one for the sizes of its arguments, takes a frame, fills in
addresses and calls the kernels one after the other. No Python, no allocation, no lock that anybody waits for."""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np
from numba import types

from nbgrad.numba.addresses import at, call_kernel, call_with_words, lock, on_stack, stack_address, unlock
from nbgrad.numba.failures import Failed
from nbgrad.numba.program import (
    N_PLACES,
    N_RELOCS,
    N_ROWS,
    PLACE_WORDS,
    PLACES,
    RELOC_WORDS,
    RELOCS,
    ROW_WORDS,
    ROWS,
    SIZES,
)
from nbgrad.tape.numbers import WORD

# What Python is asked: the program for sizes; a frame; to drop one; to note why a run failed, a result does not fit,
# two arrays overlap.
PLAN, FRAME, DROP, FAILED, MISFIT, OVERLAP = range(6)
CODES: Final = 16  # a failure is its row times this, plus the kernel's code
_GOLDEN: Final = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio, which spreads consecutive numbers
_STACK_BITS: Final = 16  # threads' stacks are further apart than 2^16 bytes
_PLACE_BYTES: Final = PLACE_WORDS * WORD

_word = types.int64
_helper = numba.njit(nogil=True)


def table_of(programs: dict[tuple[int, ...], Any]) -> Any:
    """Where ``find`` looks: a table of addresses of programs, at least half of it empty, by a hash of their sizes;
    before it the number of bits of a place in it."""
    bits = (2 * len(programs)).bit_length()
    table = np.zeros(1 + (1 << bits), np.int64)
    table[0] = bits
    for sizes, program in programs.items():
        key = 0
        for n in (*sizes, 0):
            key = (key ^ n) * _GOLDEN % (1 << 64)
        place = key >> (64 - bits)
        while table[1 + place]:
            place = (place + 1) % (1 << bits)
        table[1 + place] = program.words.ctypes.data
    return table


@_helper  # type: ignore[untyped-decorator]
def find(first: Any, asked: Any, sizes: Any) -> Any:
    """The address of the program for these sizes, behind which a 0 stands."""
    table = at(at(first, _word)[0], _word)
    bits, key = np.uint64(table[0]), np.uint64(0)
    for n in sizes:
        key = (key ^ np.uint64(n)) * np.uint64(_GOLDEN)
    place = np.int64(key >> (np.uint64(64) - bits))
    while table[1 + place] != 0:
        program = at(table[1 + place], _word)
        is_it = True
        for dim in range(len(sizes) - 1):
            is_it = is_it and program[SIZES + dim] == sizes[dim]
        if is_it:
            return table[1 + place]
        place = (place + 1) & ((1 << table[0]) - 1)
    found = call_with_words(asked, PLAN, on_stack(sizes), 0)
    if found == 0:
        raise Failed
    return found


@_helper  # type: ignore[untyped-decorator]
def take(program: Any, asked: Any) -> Any:
    """The address of a frame that no other call has."""
    words = at(program, _word)
    mask = words[N_PLACES] - 1
    start = np.int64((np.uint64(stack_address() >> _STACK_BITS) * np.uint64(_GOLDEN)) >> np.uint64(48))
    for k in range(mask + 1):
        place = words[PLACES] + _PLACE_BYTES * ((start + k) & mask)
        if lock(place):
            frame = at(place, _word)[1]
            if frame == 0:
                frame = call_with_words(asked, FRAME, program, place)
                if frame == 0:
                    unlock(place)
                    raise Failed
            return frame
    frame = call_with_words(asked, FRAME, program, 0)
    if frame == 0:
        raise Failed
    return frame


@_helper  # type: ignore[untyped-decorator]
def give(program: Any, frame: Any, asked: Any) -> None:
    """Have other calls take a frame."""
    place = at(frame, _word)[0]
    if place != 0:
        unlock(place)
    else:
        call_with_words(asked, DROP, program, frame)


@_helper  # type: ignore[untyped-decorator]
def run(program: Any, frame: Any) -> Any:
    """Run a program in a frame whose cells are filled in. Gives 0, or which kernel failed, and how."""
    words, cells = at(program, _word), at(frame, _word)
    relocs, rows = at(words[RELOCS], _word), at(words[ROWS], _word)
    for k in range(0, RELOC_WORDS * words[N_RELOCS], RELOC_WORDS):
        cells[relocs[k]] = cells[relocs[k + 1]] + relocs[k + 2]
    for k in range(0, ROW_WORDS * words[N_ROWS], ROW_WORDS):
        code = call_kernel(rows[k], frame + rows[k + 1], 0, rows[k + 2])
        if code != 0:
            return k // ROW_WORDS * CODES + code
    return 0


@_helper  # type: ignore[untyped-decorator]
def succeed(program: Any, code: Any, asked: Any) -> None:
    """Raise what a run's code stands for, if it is not 0."""
    if code != 0:
        call_with_words(asked, FAILED, program, code)
        raise Failed


@_helper  # type: ignore[untyped-decorator]
def misfit(program: Any, asked: Any, number: int, shape: Any) -> None:
    """Refuse an array of a shape that is not that of the result ``number``."""
    call_with_words(asked, MISFIT, program, on_stack((number, *shape)))
    raise Failed


@_helper  # type: ignore[untyped-decorator]
def part(asked: Any, result: int, other: int, y: Any, y_bytes: Any, x: Any, x_bytes: Any) -> None:
    """Refuse an array for a result, at address ``y``, that has memory in common with the one at ``x``."""
    if y < x + x_bytes and x < y + y_bytes:
        call_with_words(asked, OVERLAP, result, other)
        raise Failed
