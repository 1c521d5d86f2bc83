"""A baseline program: a bytecode of recorded entries on its way to one tape, by compiled code (kernels)."""

from __future__ import annotations

import itertools
import time
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from struct import pack
from typing import Any, Final

import numpy as np

from nbgrad.config import settings
from nbgrad.kernels.records import WORD, word_of
from nbgrad.runtime.baseline import layout
from nbgrad.runtime.baseline.layout import (
    COTANGENT_WORDS,
    COUNTED,
    DERIVE,
    FOUND_WORDS,
    GROW,
    LAY_OUT,
    LINK,
    MISSING,
    NUMBERS_ROOM,
    PLACE_AND_LINK,
    PREPARE,
    PROGRAM_WORDS,
    PULL_BACK,
    READY,
    REGION_WORDS,
    SCRATCH_PART,
    VALUE_WORDS,
)
from nbgrad.runtime.buffers import Array, Buffer, address_of
from nbgrad.runtime.runner import once, run_once
from nbgrad.runtime.runner_code import baseline_code, good_code, is_for_python, ran_by_python
from nbgrad.runtime.store import store
from nbgrad.runtime.template import NUMBER_DTYPES, Template
from nbgrad.runtime.word_functions import BASELINE, FUNCTIONS
from nbgrad.system.collector import collector_paused
from nbgrad.system.fork_safety import Lock
from nbgrad.system.interrupts import uninterrupted
from nbgrad.tape.numbers import pack_into, packer_once

_ENTRY_S: Final = 0.1e-3  # that Python takes for an entry at each step
_LINE_WORDS: Final = 4  # of an entry, roughly
_MANY_USES: Final = 300  # of a draft: then a process that makes it well pays soon
FIRST_ROOM: Final = 256
ROUND_BYTES: Final = 1 << 14  # what runs need is rounded up, so that the pool has blocks of few sizes
KEPT_BYTES: Final = 1 << 18  # that an idle program may hold on to

_ZERO: Final = array("q", [0])

# A value as Python sees it: (form, slot, where in the list of numbers its views start).
Value = tuple[int, int, tuple[int, ...]]


def zeros(n: int) -> array[int]:
    """So many words of memory."""
    return _ZERO * n


def where(words: array[int]) -> int:
    """The address of its first word."""
    return words.buffer_info()[0]


_ZEROS: Final = zeros(1024)
_NOTHING: Final = zeros(COUNTED.stop - COUNTED.start)
_WORD_OF: Final = {region: word_of(layout.Program, region) for region in REGION_WORDS}


class _Drafted:
    """How often the baseline tier ran by a draft of its code."""

    uses = 0


def _code() -> Callable[[int], int]:
    """The compiled half of the baseline tier; it is asked for as it should be where it is used a lot."""
    found = baseline_code()
    if found.is_draft:
        _Drafted.uses += 1
        if _Drafted.uses == _MANY_USES and settings.compile == "background":
            store.order(BASELINE)
    return found.advance


@uninterrupted  # half a step cannot be done again
def _by_python(program: int) -> int:
    status: int = FUNCTIONS[BASELINE]["nbgrad_advance"](program)
    return status


class RuleTable:
    """Where compiled code finds rules: those of calls by number, those of derivatives by key.

    Rules of calls are written when somebody is about to run them: what turns out to need a plan does without.
    ``unwritten`` are functions that write one each. The kernels of all templates, of calls and of derivatives, are made
    together, right before the first run that may paste them.

    Of derivatives it is only a copy: what it lacks is asked for again, and a cell is written in one store. Threads
    share it; ``lock`` is held by whoever adds to it. An exception between any two steps (Ctrl-C) wastes a number, no
    more.
    """

    __slots__ = ("_keep", "_numbers", "_without_kernels", "cells", "lock", "n_cells", "rules", "unwritten")

    def __init__(self) -> None:
        self.lock = Lock()
        self.rules = zeros(256)
        self.cells = zeros(1024)
        self.n_cells = 0
        self._numbers = itertools.count()
        self._keep: list[Array] = []
        self.unwritten: list[Callable[[], None]] = []
        self._without_kernels: list[Template] = []

    def write_all(self) -> None:
        """Write the rules that nobody has run yet."""
        with self.lock, collector_paused():
            for write in [*self.unwritten]:
                write()
                with suppress(ValueError):  # nested code may have written it, too
                    self.unwritten.remove(write)  # the last: other threads look whether there are any

    def write(self, template: Template) -> int:
        """Write a template, which rules may name from now on; gives its address."""
        address = template.write()
        self._without_kernels.append(template)
        return address

    def make_kernels(self) -> None:
        """Give all templates their kernels."""
        if not self._without_kernels:
            return
        with self.lock, collector_paused():
            templates = [*self._without_kernels]
            store.addresses([text for template in templates for text in template.kernels])
            for template in templates:
                template.enter_kernels()
                with suppress(ValueError):  # likewise
                    self._without_kernels.remove(template)

    def reserve(self) -> int:
        """A number for a new rule of a call."""
        number = next(self._numbers)
        while number >= len(self.rules):
            more = zeros(len(self.rules))
            self.rules = self.rules + more  # in one line: nobody adds one between
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


class Program:
    """The words and regions that compiled code works on; they grow when it says that they are full.

    ``bytecode`` has the lines of the recorded entries, see layout.
    """

    __slots__ = ("_address", "_cells", "_frame", "_lines", "_memory", "_place", "_words", "bytecode", "head", "rules")

    def __init__(self, rules: RuleTable) -> None:
        self.rules = rules
        self.bytecode: list[int] = []
        self._lines = array("q")
        self._cells = rules.cells  # where compiled code looked last
        self._frame = once()
        self._memory: Buffer | None = None
        self._make_room(FIRST_ROOM, zeros(PROGRAM_WORDS), {})

    def _make_room(self, room: int, before: array[int], places: dict[str, int]) -> None:
        words = self._words = zeros(PROGRAM_WORDS + room * sum(REGION_WORDS.values()))
        words[:PROGRAM_WORDS] = before[:PROGRAM_WORDS]
        self._address = where(words)
        self.head = layout.Program.from_address(self._address)
        old = self.head.room
        self._place: dict[str, int] = {}  # where each region starts
        at = PROGRAM_WORDS
        for region, width in REGION_WORDS.items():
            if old:
                words[at : at + width * old] = before[places[region] : places[region] + width * old]
            self._place[region] = at
            words[_WORD_OF[region]] = self._address + at * WORD
            at += width * room
        self.head.room = room

    def reuse(self) -> Program:
        """The program, empty again."""
        self.bytecode = []
        self._lines = array("q")
        self._words[COUNTED] = _NOTHING
        return self

    def _do(self, step: int) -> int:
        """Run compiled code until it has what it needs, except a rule."""
        head, table = self.head, self.rules
        rules, cells = table.rules, table.cells  # other threads may replace them meanwhile
        self._cells = cells
        head.rules, head.table, head.table_mask = where(rules), where(cells), len(cells) - 1
        head.step = step
        while (status := self._advance()) == GROW:
            self._make_room(2 * self.head.room, self._words, self._place)
        return status

    def _advance(self) -> int:
        """Run the compiled half of the baseline tier, once; by Python, while it is not compiled and this is short."""
        if (good := good_code(BASELINE)) is not None:
            return int(good.advance(self._address))
        head = self.head
        cost_s = _ENTRY_S * (head.entries + (len(self.bytecode) - head.at) // _LINE_WORDS)
        if not is_for_python(BASELINE, cost_s):
            return _code()(self._address)
        begun_s = time.thread_time()
        status = _by_python(self._address)
        ran_by_python(BASELINE, time.thread_time() - begun_s)
        return status

    def lay_out(self) -> None:
        """Take in the lines added to the bytecode."""
        if self.head.at == len(self.bytecode):
            return
        self._read()
        self._do(LAY_OUT)

    def _read(self) -> None:
        """Copy the lines added to the bytecode to where compiled code finds them."""
        if self.rules.unwritten:
            self.rules.write_all()
        lines = self.lines()
        self._make_likely_room(len(lines) // _LINE_WORDS)
        head = self.head
        head.bytecode, head.bytecode_end = where(lines), len(lines)

    def _make_likely_room(self, entries: int) -> None:
        """Grow at once to what so many entries need at least: each time all is copied."""
        room = self.head.room
        while room <= entries:
            room *= 2
        if room > self.head.room:
            self._make_room(room, self._words, self._place)

    def lines(self) -> array[int]:
        """The bytecode, as words."""
        lines = self._lines
        n = len(self.bytecode) - len(lines)
        if n:
            lines.frombytes(pack(f"={n}q", *(self.bytecode[-n:] if lines else self.bytecode)))
        return lines

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
        head = self.head
        head.chosen, head.n_leaves = chosen is not None, len(chosen or ())
        for k, ix in enumerate(chosen or ()):
            head.leaves[k] = ix
        self._do(PREPARE)
        words, head = self._words, self.head
        for owner, entry, form in seeds:
            at = self._place["cotangents"] + owner * COTANGENT_WORDS
            value = self._place["values"] + entry * VALUE_WORDS
            seed = words[value : value + COTANGENT_WORDS] if entry >= 0 else array("q", (form, -1, 0, 0))
            words[at : at + COTANGENT_WORDS] = seed
        head.retain, head.ix, head.n_leaves = retain, head.entries - 1, 0
        status = self._differentiate(PULL_BACK, make_rule)
        leaves = self._place["leaves"]
        return self._words[leaves : leaves + self.head.n_leaves].tolist() if status == READY else None

    def _differentiate(self, step: int, make_rule: Callable[[Sequence[int]], Array]) -> int:
        """Run compiled code of a derivative, from this step on; every rule that is missing is made."""
        while True:
            status = self._do(step)
            if status != MISSING:
                return status
            words, head = self._words, self.head
            key = self._place["scratch"] + 2 * SCRATCH_PART * head.room
            rule = make_rule(words[key : key + head.key_words].tolist())
            self.rules.enter(head.cell, self._cells, rule)
            step = PULL_BACK

    def derive(
        self, owner: int, form: int, make_rule: Callable[[Sequence[int]], Array]
    ) -> list[tuple[int, Value]] | None:
        """Differentiate one entry, whose cotangent is a constant of ``form``: the leaves, each with its cotangent, last
        first; None where it takes a graph. Nothing is left for another derivative."""
        self._read()
        head = self.head
        head.chosen = head.retain = 0
        head.seed, head.seed_form = owner, form
        if self._differentiate(DERIVE, make_rule) != READY:
            return None
        words, at, pool = self._words, self._place["scratch"], self._place["pool"]
        found = []
        word = iter(words[at : at + FOUND_WORDS * self.head.n_leaves].tolist())
        for ix, g_form, slot, starts, count in zip(word, word, word, word, word, strict=True):
            found.append((ix, (g_form, slot, tuple(words[pool + starts : pool + starts + count]) if count else ())))
        return found

    def cotangent(self, ix: int) -> Value | None:
        """The cotangent of entry ``ix`` after a derivative."""
        words = self._words
        at = self._place["cotangents"] + ix * COTANGENT_WORDS
        form, slot, starts, count = words[at : at + COTANGENT_WORDS]
        if form < 0:
            return None
        pool = self._place["pool"] + starts
        return form, slot, tuple(words[pool : pool + count])

    def was_visited(self, ix: int) -> bool:
        """Whether entry ``ix`` was differentiated, so that its values may be gone."""
        return self._words[self._place["visited"] + ix] != 0

    def slots(self, lines: Sequence[int]) -> list[int]:
        """Where the bases of the values of these lines are."""
        values = self.head.values
        return [values[ix].slot for ix in lines]

    @property
    def n_slots(self) -> int:
        return self.head.n_slots

    @property
    def n_templates(self) -> int:
        return self.head.n_templates

    @property
    def size_bytes(self) -> int:
        """What a run needs at most: all slots but those of tensors from memory, and the templates' own memory."""
        return self.head.size_bytes + self.head.arena

    def bases(self) -> tuple[array[int], int]:
        """(words, where among them the addresses of the slots begin), all 0 now: slot k lies in memory of the run
        unless an address is written down for it."""
        words, at = self._words, self._place["bases"]
        n = self.head.n_slots
        words[at : at + n] = _ZEROS[:n] if n <= len(_ZEROS) else zeros(n)
        return words, at

    def run(self, scalars: Sequence[float | int]) -> None:
        """Link and run once, on ``bases``. Raises ``InstructionFailed``."""
        head = self.head
        if not head.n_templates:
            return
        self.rules.make_kernels()
        block = self._block(scalars) if head.n_numbers else None
        head.block = 0 if block is None else block.address
        head.step = PLACE_AND_LINK
        shared_ps = self._advance()
        if shared_ps < 0:
            memory = self._memory = Buffer.alloc((ROUND_BYTES - shared_ps) & -ROUND_BYTES)
            head.memory, head.memory_bytes = memory.address, memory.nbytes
            head.step = LINK
            shared_ps = self._advance()
        run_once(self._frame, head.tape, head.n_rows, head.desc, shared_ps)
        if head.memory_bytes > KEPT_BYTES:
            self._memory, head.memory_bytes = None, 0

    def _block(self, scalars: Sequence[float | int]) -> Buffer:
        """The numbers that templates read, in their order, each as a word of its dtype."""
        n, at = self.head.n_numbers, self._place["numbers"]
        block = Buffer.alloc(WORD * n)
        read = self._words[at : at + n * REGION_WORDS["numbers"] // NUMBERS_ROOM]
        codes = read[1::2]
        view: Any = block.array((WORD * n,), np.uint8)
        values = [scalars[place] for place in read[::2]]
        pack_into(packer_once(codes), map(NUMBER_DTYPES.__getitem__, codes), memoryview(view), values)
        return block
