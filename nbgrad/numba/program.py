"""A computation for given sizes in memory: numbers that lead from one to the next, for ``@njit`` code to read.

A *program* is shared by all calls. Each call under way has a *frame* of its own: a word for each argument and result
(its address, or the number itself), the kernels' descriptors, in which all is filled in that does not change from call
to call, and the memory of values in between. Frames are kept for the next call, in *places*: who takes one locks its
place. So a call allocates nothing, threads do not wait for each other, and one that is not there after a fork takes a
place with it, no more.

A computation in `@njit` code finds its memory in frames (`numba/program.py`), not in a workspace that the caller makes
for each thread: a call locks a place, by a word and without waiting, which threads choose by where their stack is. That
takes 6 ns, where NumPy's `empty` in `@njit` takes 18, and leaves the descriptors filled in but for the addresses of
arrays: 4 ns for a gradient of two kernels. To look a program up by sizes takes 1 ns, and 10 more with 500 of them in
turn. A value and gradient of 10 dims takes 65 ns, of which the kernels have 35. What Python has to say to such code, a
program for new sizes or an error, it says through one callback; an error crosses `@njit` frames because Numba makes an
exception by calling its class, which raises the one that was noted (`numba/failures.py`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final

import numba
import numpy as np

from nbgrad.graph.spec import Spec
from nbgrad.numba.addresses import lock, unlock
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.executable import Executable, raise_failure
from nbgrad.runtime.layout import CONSTANT, ITEMS, KERNEL, OFFSET, SOURCE, TARGET
from nbgrad.tape.numbers import WORD

# The words of a program; from ``SIZES`` on those of arguments, then of results.
RELOCS, N_RELOCS, ROWS, N_ROWS, PLACES, N_PLACES, SIZES = range(7)
RELOC_WORDS: Final = (
    3  # the word of a frame that is written, the one with the address that it is made of, what is added
)
ROW_WORDS: Final = 3  # a kernel, where in a frame its descriptor is, in bytes, its items
PLACE_WORDS: Final = 8  # a cache line: 1 while a call has the frame; the frame's address, 0 before there is one
CELLS: Final = 1  # of a frame: the first word of arguments and results; before it the address of its place, or 0
_LINE_BYTES: Final = 64

Words = np.ndarray[Any, np.dtype[np.int64]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class Program:
    """``executable`` for arguments and results of these specs. By its buffer's id, an input is the argument of the
    number that ``arguments`` has, or what ``bound`` has. The numbers are bound, too."""

    def __init__(
        self,
        executable: Executable,
        inputs: Sequence[Buffer],
        numbers: Sequence[float | int],
        arguments: dict[int, int],
        bound: dict[int, Bytes],
        specs: Sequence[Spec],
        results: Sequence[Spec],
    ) -> None:
        tape, program, values = executable.tape, executable.program, (*specs, *results)
        self._tape, self.results = tape, tuple(results)
        block = np.zeros(WORD * max(len(tape.scalars), 1), np.uint8)
        executable.write_numbers(block.data, numbers)
        used = [inputs[p] for p in tape.input_positions]
        self._desc_at = CELLS + len(values)
        arena = -(-WORD * (self._desc_at + len(program.desc)) // _LINE_BYTES) * _LINE_BYTES
        self.frame_bytes = arena + tape.arena_bytes

        # Of each slot: the word of a frame with its address, or -1 and the address; whether that counts from the frame.
        def of_value(number: int) -> tuple[int, int, bool]:
            word = CELLS + number
            return (word, 0, False) if values[number].rank else (-1, WORD * word, True)

        slots = [
            of_value(arguments[k]) if (k := id(b)) in arguments else (-1, bound[k].ctypes.data, False) for b in used
        ]
        slots += [of_value(number) for number in range(len(specs), len(values))]
        slots += [(-1, arena, True), (-1, block.ctypes.data, False)]
        word, address, is_own = np.array(slots, np.int64).T

        target, source = program.relocs[:, TARGET], program.relocs[:, SOURCE]
        desc, terms = program.desc.copy(), program.terms
        desc[target] = program.relocs[:, CONSTANT]
        np.add.at(desc, terms[:, TARGET], block.view(np.int64)[terms[:, SOURCE]] * terms[:, CONSTANT])
        moves = word[source] >= 0
        desc[target[~moves]] += address[source[~moves]]
        self._desc, self._own = desc, target[is_own[source] > 0]
        relocs = np.stack([self._desc_at + target, word[source], desc[target]], 1)[moves]
        rows = program.tape[:, [KERNEL, OFFSET, ITEMS]]
        rows[:, 1] = WORD * (self._desc_at + rows[:, 1])
        self._places = np.zeros((_places_for(os.cpu_count() or 1), PLACE_WORDS), np.int64)
        self._frames: dict[int, Words] = {}

        tables = [relocs.copy(), rows.copy(), self._places]
        words = [word for x in tables for word in (x.ctypes.data, len(x))]
        self.words = np.array([*words, *[n for spec in values for n in spec.shape]], np.int64)
        self._kept = executable, block, bound, tables

    def frame(self, place: int) -> int:
        """The address of a new frame, for the place at an address, or for one call (0). MemoryError."""
        memory = np.empty(self.frame_bytes // WORD + 1 + _LINE_BYTES // WORD, np.int64)
        start = -(memory.ctypes.data // -_LINE_BYTES) * _LINE_BYTES
        words = memory[(start - memory.ctypes.data) // WORD :]
        words[0] = place
        desc = words[self._desc_at : self._desc_at + len(self._desc)]
        desc[:] = self._desc
        desc[self._own] += start
        self._frames[place or start] = memory
        if place:
            self._places.reshape(-1)[(place - self._places.ctypes.data) // WORD + 1] = start
        return start

    def drop(self, frame: int) -> None:
        """Forget a frame that was made for one call."""
        del self._frames[frame]

    def trim(self) -> None:
        """Forget the frames of places that no call has taken."""
        for row in range(len(self._places)):
            place = self._places.ctypes.data + WORD * PLACE_WORDS * row
            if _take(place):
                self._places[row, 1] = 0
                self._frames.pop(place, None)
                _give(place)

    @property
    def kept_bytes(self) -> int:
        """What its frames take."""
        return len(self._frames) * self.frame_bytes

    def failure(self, row: int, code: int) -> None:
        """Raise what the code of a kernel stands for, at the line of the user's that it computes."""
        raise_failure(self._tape, row, code)


@numba.njit  # type: ignore[untyped-decorator]
def _take(place: int) -> Any:
    return lock(place)


@numba.njit  # type: ignore[untyped-decorator]
def _give(place: int) -> None:
    unlock(place)


def bytes_of(buffer: Buffer) -> Bytes:
    """A copy of what is in a buffer."""
    return buffer.array((buffer.nbytes,), np.uint8).copy()


def holds(buffer: Buffer, copy: Bytes) -> bool:
    """Whether it still holds what was copied."""
    return np.array_equal(buffer.array((buffer.nbytes,), np.uint8), copy)


def _places_for(cores: int) -> int:
    """How many frames are kept: a power of two, enough for threads to seldom meet."""
    return 1 << min(max(2 * cores - 1, 7).bit_length(), 6)
