"""A sheet: a script of recorded entries on its way to one tape, by compiled code (sheet_kernels)."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.layout import ROW_WORDS, WORD
from nbgrad.runtime.runner import run_once
from nbgrad.runtime.runner_code import sheet_code
from nbgrad.runtime.sheet_layout import (
    ARENA,
    BASES,
    BLOCK,
    CELL,
    CHOSEN,
    COTANGENT_WORDS,
    COTANGENTS,
    COUNTED,
    DESC,
    ENTRIES,
    GROW,
    IX,
    KEY_WORDS,
    LAY_OUT,
    LEAVES,
    LINK,
    MEMORY,
    MISSING,
    N_LEAVES,
    N_NUMBERS,
    N_ROWS,
    N_SLOTS,
    N_STAMPS,
    N_WORDS,
    NUMBER_WORDS,
    NUMBERS,
    OWN,
    PLACE,
    POOL,
    PREPARE,
    PULL_BACK,
    READY,
    REGION_WORDS,
    RETAIN,
    ROOM,
    RULES,
    SCRATCH,
    SCRATCH_PART,
    SCRIPT,
    SCRIPT_END,
    SHEET_WORDS,
    SIZE_BYTES,
    SLOT,
    STEP,
    TABLE,
    TABLE_MASK,
    TAPE,
    VALUE_WORDS,
    VALUES,
    VISITED,
)
from nbgrad.runtime.stamp import NUMBER_DTYPES, Array, address_of
from nbgrad.tape.numbers import pack_into, packer

FIRST_ROOM: Final = 256
LINE_BYTES: Final = 64
ROUND_BYTES: Final = 1 << 14  # what runs need is rounded up, so that the pool has blocks of few sizes

# A value as Python sees it: (form, slot, where in the list of numbers its views start).
Value = tuple[int, int, tuple[int, ...]]


def zeros(n: int) -> array[int]:
    """So many words of memory."""
    return array("q", bytes(WORD * n))


def where(words: array[int]) -> int:
    """The address of its first word."""
    return words.buffer_info()[0]


class RuleTable:
    """Where compiled code finds rules: those of calls by number, those of derivatives by key.

    Rules of calls are written when somebody is about to run them: what turns out to need a plan does without.
    ``unwritten`` are the functions that do.

    Of derivatives it is only a copy: what it lacks is asked for again, and a cell is written in one store. Threads
    share it; ``lock`` is held by whoever adds to it. An exception between any two steps (Ctrl-C) wastes a number, no
    more.
    """

    __slots__ = ("_keep", "cells", "lock", "n_cells", "n_rules", "rules", "unwritten")

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.rules = zeros(256)
        self.cells = zeros(1024)
        self.n_rules = self.n_cells = 0
        self._keep: list[Array] = []
        self.unwritten: list[Callable[[], None]] = []

    def write_all(self) -> None:
        """Write the rules that nobody has run yet."""
        with self.lock:
            while self.unwritten:
                self.unwritten[-1]()
                self.unwritten.pop()  # when it is written: other threads look whether there are any

    def reserve(self) -> int:
        """A number for a new rule of a call."""
        number = self.n_rules
        self.n_rules = number + 1
        if number >= len(self.rules):
            self.rules = self.rules + zeros(len(self.rules))
        return number

    def add(self, number: int, rule: Array) -> None:
        """Let compiled code find the rule of this number."""
        self._keep.append(rule)
        self.rules[number] = address_of(rule)

    def keep(self, rule: Array) -> None:
        """Hold on to the rule of a derivative, which cells will name."""
        self._keep.append(rule)

    def enter(self, cell: int, cells: array[int], rule: Array) -> None:
        """Name ``rule`` in a cell that was found empty; a table half full starts again, twice as large."""
        with self.lock:
            cells[cell] = address_of(rule)
            self.n_cells += 1
            if 2 * self.n_cells > len(self.cells):
                self.cells = zeros(2 * len(self.cells))
                self.n_cells = 0


class Sheet:
    """The words and regions that compiled code works on; they grow when it says that they are full.

    ``script`` has the lines of the recorded entries, see sheet_layout.
    """

    __slots__ = ("_address", "_lines", "_place", "_words", "rules", "script")

    def __init__(self, rules: RuleTable) -> None:
        self.rules = rules
        self.script: list[int] = []
        self._lines = array("q")
        self._make_room(FIRST_ROOM, zeros(SHEET_WORDS), {})

    def _make_room(self, room: int, before: array[int], places: dict[int, int]) -> None:
        old = before[ROOM]
        words = self._words = zeros(SHEET_WORDS + room * sum(REGION_WORDS.values()))
        words[:SHEET_WORDS] = before[:SHEET_WORDS]
        self._address = where(words)
        self._place: dict[int, int] = {}  # where each region starts
        at = SHEET_WORDS
        for region, width in REGION_WORDS.items():
            if old:
                words[at : at + width * old] = before[places[region] : places[region] + width * old]
            self._place[region] = at
            words[region] = self._address + at * WORD
            at += width * room
        words[ROOM] = room

    def reuse(self) -> Sheet:
        """The sheet, empty again."""
        self.script = []
        self._lines = array("q")
        words = self._words
        for word in COUNTED:
            words[word] = 0
        return self

    def _do(self, step: int) -> int:
        """Run compiled code until it has what it needs, except a rule."""
        function = sheet_code().advance
        words, table = self._words, self.rules
        rules, cells = table.rules, table.cells  # other threads may replace them meanwhile
        words[RULES], words[TABLE], words[TABLE_MASK] = where(rules), where(cells), len(cells) - 1
        words[STEP] = step
        while (status := function(self._address)) == GROW:
            self._make_room(2 * self._words[ROOM], self._words, self._place)
        return status

    def lay_out(self) -> None:
        """Take in the lines added to the script."""
        self._read()
        self._do(LAY_OUT)

    def _read(self) -> None:
        """Copy the lines added to the script to where compiled code finds them."""
        if self.rules.unwritten:
            self.rules.write_all()
        words, lines = self._words, self._lines
        lines.extend(array("q", self.script[len(lines) :]))
        words[SCRIPT], words[SCRIPT_END] = where(lines), len(lines)

    def pull_back(
        self,
        seeds: Sequence[tuple[int, int, int]],
        chosen: Sequence[int] | None,
        retain: bool,
        make_rule: Callable[[Sequence[int]], Array],
    ) -> list[int] | None:
        """Differentiate: the leaves that cotangents reached, last first; None where it takes a graph.

        ``seeds``: (whose cotangent, the entry that has it or -1, else the form of the constant that it is). ``chosen``:
        the only leaves wanted. ``make_rule(key)`` gives the rule of a derivative that is missing.
        """
        self._read()
        words = self._words
        leaves = self._place[LEAVES]
        words[CHOSEN], words[N_LEAVES] = chosen is not None, 0
        for k, ix in enumerate(chosen or ()):
            words[leaves + k] = ix
            words[N_LEAVES] = k + 1
        self._do(PREPARE)
        words = self._words
        for owner, entry, form in seeds:
            at = self._place[COTANGENTS] + owner * COTANGENT_WORDS
            value = self._place[VALUES] + entry * VALUE_WORDS
            seed = words[value : value + COTANGENT_WORDS] if entry >= 0 else array("q", (form, -1, 0, 0))
            words[at : at + COTANGENT_WORDS] = seed
        words[RETAIN], words[IX], words[N_LEAVES] = retain, words[ENTRIES] - 1, 0
        status = MISSING
        while status == MISSING:
            cells = self.rules.cells
            status = self._do(PULL_BACK)
            if status == MISSING:
                words = self._words
                key = self._place[SCRATCH] + 2 * SCRATCH_PART * words[ROOM]
                rule = make_rule(words[key : key + words[KEY_WORDS]].tolist())
                self.rules.enter(words[CELL], cells, rule)
        words, leaves = self._words, self._place[LEAVES]
        return words[leaves : leaves + words[N_LEAVES]].tolist() if status == READY else None

    def cotangent(self, ix: int) -> Value | None:
        """The cotangent of entry ``ix`` after a derivative."""
        words = self._words
        at = self._place[COTANGENTS] + ix * COTANGENT_WORDS
        form, slot, starts, count = words[at : at + COTANGENT_WORDS]
        if form < 0:
            return None
        pool = self._place[POOL] + starts
        return form, slot, tuple(words[pool : pool + count])

    def was_visited(self, ix: int) -> bool:
        """Whether entry ``ix`` was differentiated, so that its values may be gone."""
        return self._words[self._place[VISITED] + ix] != 0

    def slots(self, lines: Sequence[int]) -> list[int]:
        """Where the bases of the values of these lines are."""
        words, at = self._words, self._place[VALUES] + SLOT
        return [words[at + ix * VALUE_WORDS] for ix in lines]

    @property
    def n_slots(self) -> int:
        return self._words[N_SLOTS]

    @property
    def n_stamps(self) -> int:
        return self._words[N_STAMPS]

    @property
    def size_bytes(self) -> int:
        """What a run needs at most: all slots but those of tensors from memory, and the stamps' own memory."""
        return self._words[SIZE_BYTES] + self._words[ARENA]

    def run(self, bases: array[int], scalars: Sequence[float | int]) -> None:
        """Link and run once; slot k lies at ``bases[k]``, or in memory of this run where that is 0.

        Raises ``InstructionFailed``.
        """
        words, alloc = self._words, Buffer.alloc
        if not words[N_STAMPS]:
            return
        block = self._block(scalars) if words[N_NUMBERS] else None
        advance = sheet_code().advance
        words[BASES], words[STEP] = where(bases), PLACE
        own = (advance(self._address) + LINE_BYTES) & -LINE_BYTES
        tape = own + ((words[ARENA] + LINE_BYTES) & -LINE_BYTES)
        desc = tape + words[N_ROWS] * ROW_WORDS * WORD
        memory = alloc((desc + words[N_WORDS] * WORD + ROUND_BYTES) & -ROUND_BYTES)
        at = memory.address
        words[MEMORY], words[OWN] = at, at + own
        words[BLOCK], words[TAPE], words[DESC] = block.address if block else at, at + tape, at + desc
        words[STEP] = LINK
        shared_ps = advance(self._address)
        run_once(at + tape, words[N_ROWS], at + desc, shared_ps)

    def _block(self, scalars: Sequence[float | int]) -> Buffer:
        """The numbers that stamps read, in their order, each as a word of its dtype."""
        n, at = self._words[N_NUMBERS], self._place[NUMBERS]
        block = Buffer.alloc(WORD * n)
        read = self._words[at : at + n * NUMBER_WORDS]
        dtypes = [NUMBER_DTYPES[code] for code in read[1::2]]
        view: Any = block.array((WORD * n,), np.uint8)
        pack_into(packer(dtypes), dtypes, memoryview(view), [scalars[place] for place in read[::2]])
        return block
