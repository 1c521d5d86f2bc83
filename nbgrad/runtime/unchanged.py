"""Whether objects stand as they did, quickly: the compiled look at one attribute takes 1 ns, Python's 15."""

from __future__ import annotations

import ctypes
import functools
from array import array
from collections.abc import Callable
from itertools import chain
from typing import Any, Final

from nbgrad.kernels.records import WORD
from nbgrad.runtime.held import IS_KNOWN
from nbgrad.runtime.held_kernels import COUNT, DIGIT_BITS, DIGIT_MASK, DIGITS, LOWER_HALF, NOTE_WORDS, SIZE
from nbgrad.runtime.runner_code import is_for_python, ran_by_python, runner_code
from nbgrad.runtime.word_functions import FUNCTIONS, RUNNER

_LOOK_S: Final = 2e-6  # by Python
_ALL: Final = -1  # of a word's bits
_NOTHING: Final = array("q")


class Standing:
    """What attributes (slots) of objects are, and how many references some have. Looked at in the order in which they
    were noted, up to the first that is another: an object may be gone that was held by an attribute noted before."""

    def __init__(self, before: Standing | None = None) -> None:
        self._rows: list[tuple[int, int, int]] = []
        self._before = _NOTHING if before is None else before._noted()
        self._alive: list[Any] = [before]
        self._table = self._before
        self._n_rows = self._address = 0
        self._look: Callable[[int, int], int] | None = None

    def attribute(self, x: Any, kind: type, name: str) -> None:
        """Note what the slot ``name``, which ``kind`` gave ``x``, holds: that object, whatever it is equal to."""
        self._rows.append((id(x) + offset_of(kind, name), _ALL, id(getattr(x, name))))

    def holder(self, x: Any, kind: type, name: str, held: Any) -> None:
        """Note that the slot ``name``, which ``kind`` gave ``x``, holds ``held``, which it may not do yet."""
        self._rows.append((id(x) + offset_of(kind, name), _ALL, id(held)))

    def number(self, x: Any, kind: type, name: str) -> None:
        """Note the int below 2**60 that the slot ``name`` holds, as a number: who holds ``x`` may have been given
        another object since, which happens to lie where ``x`` lay."""
        self.attribute(x, kind, name)
        n = getattr(x, name)
        self._rows.append((id(n) + SIZE * WORD, _ALL, _word_at(id(n) + SIZE * WORD)))
        used = _ALL if n >> DIGIT_BITS else LOWER_HALF
        self._rows.append((id(n) + DIGITS * WORD, used, n & DIGIT_MASK | n >> DIGIT_BITS << 32))

    def references(self, x: Any, count: int) -> None:
        """Note that there are so many references to ``x``."""
        self._rows.append((id(x) + COUNT * WORD, LOWER_HALF, count))

    def word(self, address: int, mask: int, expected: int) -> None:
        """Note what a word of memory holds, as far as ``mask`` goes."""
        self._rows.append((address, mask, expected))

    def keep(self, objects: list[Any]) -> None:
        """Keep what such words are addresses of."""
        self._alive += objects

    def close(self) -> None:
        """All is noted."""
        self._table = self._before + array("q", chain.from_iterable(self._rows))
        self._address = self._table.buffer_info()[0]

    def _noted(self) -> array[int]:
        if len(self._rows) > self._n_rows:  # of what a function reaches it is hundreds
            self.close()
            self._n_rows = len(self._rows)
        return self._table

    @property
    def notes(self) -> tuple[int, int]:
        """Where what was noted lies, and how much that is, for ``all_as_noted``."""
        return self._address, len(self._table) // NOTE_WORDS

    def holds(self) -> bool:
        """Whether all of it is so now."""
        return (self._look or self._who_looks())(*self.notes) != 0

    def _who_looks(self) -> Callable[[int, int], int]:
        cost_s = self.notes[1] * _LOOK_S
        if is_for_python(RUNNER, cost_s):
            ran_by_python(RUNNER, cost_s)
            return FUNCTIONS[RUNNER]["nbgrad_all_as_noted"]
        code = runner_code()
        if not code.is_draft:
            self._look = code.all_as_noted
        return code.all_as_noted


def _word_at(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


@functools.cache
def offset_of(kind: type, name: str) -> int:
    """Where in an object the slot ``name`` is that ``kind`` gave it, in bytes: there a mark shows up that is put into
    it."""
    x: Any = object.__new__(kind)
    mark = object()
    setattr(x, name, mark)
    words = (ctypes.c_int64 * (kind.__basicsize__ // WORD)).from_address(id(x))
    (place,) = [k for k, word in enumerate(words) if word == id(mark)]
    return place * WORD


@functools.cache
def can_tell() -> bool:
    """Whether this Python keeps objects where it is looked for: found out by a try."""
    if not IS_KNOWN:
        return False
    x, kept, standing = _Example(), [object()], Standing()
    x.value = kept
    standing.attribute(x, _Example, "value")
    standing.references(kept[0], 1)
    standing.close()
    answers = [standing.holds()]
    also = kept[0]
    answers.append(standing.holds())
    del also
    x.value = [*kept]
    answers.append(standing.holds())
    return answers == [True, False, False] and _can_tell_numbers()


def _can_tell_numbers() -> bool:
    answers = []
    for n in (5 << 20, 3 << 40, 1 << 59):
        x, standing = _Example(), Standing()
        x.value = n
        standing.number(x, _Example, "value")
        standing.close()
        answers.append(standing.holds())
        x.value = n + 64
        answers.append(standing.holds())
    return answers == [True, False] * 3


class _Example:
    __slots__ = ("other", "value")
    value: Any
