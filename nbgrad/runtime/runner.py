"""Run a tape: a ``Program`` holds its flat arrays, a ``Frame`` one run of it."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import numpy as np

from nbgrad.config import settings
from nbgrad.kernels.records import WORD
from nbgrad.runtime.buffers import Array, Buffer, address_of
from nbgrad.runtime.layout import (
    BASES,
    CHUNK,
    CODE,
    COST,
    DONE,
    FAILED,
    FLAGS,
    ITEMS,
    KERNEL,
    N_RELOCS,
    OFFSET,
    PAUSED,
    PC,
    POOL,
    POS,
    ROW_WORDS,
    SHARED,
    SOURCE,
    SPLIT,
    TABLE_WORDS,
    TARGET,
    WAVE,
)
from nbgrad.runtime.pool import control
from nbgrad.runtime.runner_code import good_code, is_for_python, ran_by_python, runner_code
from nbgrad.runtime.word_functions import FUNCTIONS, RUNNER
from nbgrad.system.interrupts import uninterrupted
from nbgrad.tape.numbers import word_packer
from nbgrad.tape.work import SHARE_PS, WAKE_PS

_HEAD: Final = word_packer(SHARED + 1)
_ROW_S: Final = 8e-6  # that Python takes for a row
_S_PER_SHARED_PS: Final = 4e-12  # what is lost where work is not shared, at worst: estimates are off by as much
_MOST_ALTERNATING: Final = 1 << 12  # words of descriptors, of which a program may have two
SLICE_S: Final = 0.05  # a run comes back to Python this often, so that Ctrl-C is heard


class InstructionFailed(Exception):
    """The kernel of instruction ``pc`` returned ``code``."""

    def __init__(self, pc: int, code: int) -> None:
        super().__init__(f"instruction {pc} failed with code {code}")
        self.pc = pc
        self.code = code


class RunOver(BaseException):
    """``error`` came when a run had done all its work: Ctrl-C, or what another signal's handler raises. Memory of its
    inputs may hold results, which ``results`` are, once they are known."""

    def __init__(self, error: BaseException, results: Any = None) -> None:
        super().__init__()
        self.error, self.results = error, results


class Renewed(list[Any]):
    """By place of result the memory of an input that the run may write it to, or None; ``results`` are the buffers of
    all. Nested code that comes right behind the run finds out that it is over (``is_over``): the old values are gone,
    as such memory is written at the end, without a pause."""

    __slots__ = ("done", "results", "words")

    def __init__(self, memory: Sequence[Any]) -> None:
        super().__init__(memory)
        self.results: list[Any] = []
        self.words: Array | None = None  # of the run's frame, once it began
        self.done = False

    @property
    def is_over(self) -> bool:
        words = self.words
        return self.done or (words is not None and not (words[PC] or words[POS] or words[CODE]))


class Frame:
    """The memory of one run: the runner's words, the base addresses, the descriptors. ``bases`` are those for which the
    descriptors were filled in last, where nothing else goes into them."""

    __slots__ = ("address", "bases", "block", "memory", "words")

    def __init__(self, program: Program, desc: Array, relocs: Array, resets: Array, n_bases: int) -> None:
        size = BASES + n_bases
        self.block = Buffer.alloc((size + len(desc)) * WORD)
        self.address = self.block.address
        self.words = self.block.array((size + len(desc),), np.int64)
        self.memory = memoryview(cast("Any", self.words))  # the form in which it is packed soonest
        self.bases: Sequence[int] | None = None
        self.words[size:] = desc
        tables = [word for table in (relocs, resets, program.terms) for word in (address_of(table), len(table))]
        rows = address_of(program.tape), len(program.tape), self.address + size * WORD
        _begin(self.memory, *rows, tables, program.commit, program.shared_ps)


def _begin(
    words: memoryview | array[int],
    tape: int,
    n_rows: int,
    desc: int,
    tables: Sequence[int],
    commit: int,
    shared_ps: int,
) -> None:
    """Write the words PC to SHARED of the layout, in their order. ``tables``: addresses and lengths of the three."""
    clock = int(SLICE_S * 1e9), time.CLOCK_MONOTONIC
    _HEAD.pack_into(words, 0, 0, 0, 0, tape, n_rows, desc, *tables, commit, *clock, shared_ps)


class Program:
    """A tape that can be run, by several threads at once.

    tape     (instructions, 6): kernel address, descriptor offset in words, items, chunk, picoseconds per item, flags
    desc     the descriptors' words; those that ``relocs`` and ``terms`` name are filled in by each run
    relocs   (n, 3): word, slot, constant       desc[word] = base[slot] + constant
    terms    (n, 3): word, scalar, coefficient  desc[word] += scalar[i] * coefficient, after the relocs
    commit   the first instruction that writes to memory which outlives the run: no Ctrl-C is heard from there on
    """

    __slots__ = (
        "_frames",
        "_may_alternate",
        "_pack",
        "_run",
        "commit",
        "desc",
        "n_scalar_bytes",
        "n_slots",
        "relocs",
        "resets",
        "shared_ps",
        "tape",
        "terms",
    )

    def __init__(
        self,
        tape: Array,
        desc: Array,
        relocs: Array,
        terms: Array,
        n_slots: int,
        n_scalar_bytes: int = 0,
        commit: int | None = None,
    ) -> None:
        self.tape = _table(tape, ROW_WORDS)
        self.desc = np.ascontiguousarray(desc, np.int64)
        self.relocs = _table(relocs, TABLE_WORDS)
        self.terms = _table(terms, TABLE_WORDS)
        self.n_slots = n_slots
        self.n_scalar_bytes = n_scalar_bytes
        self.commit = len(self.tape) if commit is None else commit
        if settings.check:
            check(self)
        self.resets = resets_of(self.desc, self.relocs, self.terms)
        self._pack = word_packer(2 + n_slots).pack_into
        self._frames: list[Frame] = []
        self._may_alternate = len(self.terms) == 0 and len(self.desc) <= _MOST_ALTERNATING
        self._run: Callable[[int], int] | None = None
        work_ps = self.tape[:, ITEMS] * self.tape[:, COST]
        waves = self.tape[:, FLAGS] & WAVE != 0
        split = (self.tape[:, FLAGS] & SPLIT != 0) & (work_ps >= SHARE_PS)
        self.shared_ps = int(work_ps[split | waves | np.roll(waves, 1)].sum())

    def run(self, bases: Sequence[int], scalars_address: int, renewed: Renewed | None = None) -> None:
        """Run the whole tape with the memory of slot k at ``bases[k]``; raises ``InstructionFailed``.

        Any exception, Ctrl-C included, abandons this run and leaves the program ready for the next. One that comes when
        all is done is a ``RunOver``.
        """
        frames = self._frames
        run = self._run or self._runner()
        try:
            frame = frames.pop(0)  # what was not used for longest
        except IndexError:
            frame = self._new_frame()
        pool = control() if self.shared_ps >= WAKE_PS and run is not _walked_by_python else 0
        if frame.bases == bases:  # its descriptors are filled in
            frame.memory[N_RELOCS] = 0
            frame.memory[POOL] = pool
        else:
            if frame.bases is not None:
                frame = self._other_frame(frame)
                frame.memory[N_RELOCS] = len(self.relocs)
            self._pack(frame.memory, POOL * WORD, pool, scalars_address, *bases)
        begun, status = False, PAUSED
        try:
            begun = True
            if renewed is None:
                status = run(frame.address)
            else:
                frame.words[CODE] = 0
                # In one line, as nothing may come between the two.
                renewed.words = frame.words; status = run(frame.address)  # fmt: skip  # noqa: E702  (nothing may come between)
                renewed.done = status == DONE
            while status == PAUSED:  # between two slices Python hears Ctrl-C
                status = run(frame.address)
                if renewed is not None:
                    renewed.done = status == DONE
            if status == FAILED:
                raise InstructionFailed(int(frame.words[PC]), int(frame.words[CODE]))
            if len(self.terms) == 0:
                frame.bases = bases
            frames.append(frame)
        except InstructionFailed:
            raise
        except BaseException as stop:
            # Python walks from there, too, and only Ctrl-C waits for its end.
            is_told = status == DONE or run is not _walked_by_python or isinstance(stop, KeyboardInterrupt)
            if begun and is_told and not (frame.words[PC] or frame.words[POS] or frame.words[CODE]):
                raise RunOver(stop) from None
            raise

    def _other_frame(self, frame: Frame) -> Frame:
        """Where ``frame`` is filled in with other addresses: another one, the first time. Programs that write where
        they wrote two runs ago find the one of their two that is filled in, from then on."""
        if not self._may_alternate:
            return frame
        self._may_alternate = False
        self._frames.append(frame)
        return self._new_frame()

    def _new_frame(self) -> Frame:
        return Frame(self, self.desc, self.relocs, self.resets, self.n_slots)

    def _runner(self) -> Callable[[int], int]:
        """The compiled runner; Python, this time, where that is not there."""
        if _is_for_python(len(self.tape), self.shared_ps):
            return _walked_by_python
        self._run = runner_code().run
        return self._run

    def __len__(self) -> int:
        return len(self.tape)


def _is_for_python(n_rows: int, shared_ps: int) -> bool:
    """Whether Python walks a tape this time, and alone: sharing its work would gain less time than compiling takes."""
    cost_s = n_rows * _ROW_S + shared_ps * _S_PER_SHARED_PS
    if not is_for_python(RUNNER, cost_s):
        return False
    ran_by_python(RUNNER, cost_s)
    return True


@uninterrupted  # Ctrl-C is heard between slices, as from the compiled runner
def _walked_by_python(frame: int) -> int:
    status: int = FUNCTIONS[RUNNER]["nbgrad_run"](frame)
    return status


def once() -> array[int]:
    """The words of a frame for ``run_once``."""
    return array("q", bytes(BASES * WORD))


def run_once(words: array[int], tape: int, n_rows: int, desc: int, shared_ps: int) -> None:
    """Run the tape at address ``tape`` whose descriptors are complete; raises ``InstructionFailed``.

    For tapes that will not run again. ``words`` are those of ``once``. ``shared_ps`` is the work that several threads
    may do, in estimated picoseconds.
    """
    here = words.buffer_info()[0]
    _begin(words, tape, n_rows, desc, (here, 0) * 3, n_rows, shared_ps)
    by_python, good = False, good_code(RUNNER)
    if good is not None:
        run = good.run
    else:
        by_python = _is_for_python(n_rows, shared_ps)
        run = _walked_by_python if by_python else runner_code().run
    words[POOL] = control() if shared_ps >= WAKE_PS and not by_python else 0
    status = run(here)
    while status == PAUSED:
        status = run(here)
    if status == FAILED:
        raise InstructionFailed(words[PC], words[CODE])


def _table(rows: Any, width: int) -> Array:
    return np.ascontiguousarray(rows, np.int64).reshape(-1, width)


def resets_of(desc: Array, relocs: Array, terms: Array) -> Array:
    """What to set the words of ``terms`` to before adding, where no reloc sets them anyway."""
    if not len(terms):
        return terms
    found = {*terms[:, TARGET].tolist()} - {*relocs[:, TARGET].tolist()}  # NumPy's sets import a lot
    words = np.array(sorted(found), np.int64)
    return np.stack([words, np.zeros_like(words), desc[words]], axis=1)


def check(program: Program) -> None:
    """Raise ``ValueError`` where a program would read or write outside its own memory."""
    tape, relocs, terms = program.tape, program.relocs, program.terms
    words = len(program.desc)
    for wrong, what in (
        (tape[:, KERNEL] == 0, "no kernel"),
        ((tape[:, OFFSET] < 0) | (tape[:, OFFSET] > words), "a descriptor outside the descriptors"),
        (tape[:, ITEMS] < 0, "a negative number of items"),
        (tape[:, CHUNK] < 0, "a negative chunk"),
        (tape[:, COST] < 0, "a negative cost"),
        (tape[-1:, FLAGS] & WAVE != 0, "no next instruction to run beside"),
        ((relocs[:, TARGET] < 0) | (relocs[:, TARGET] >= words), "a reloc outside the descriptors"),
        ((relocs[:, SOURCE] < 0) | (relocs[:, SOURCE] >= program.n_slots), "a reloc from an unknown slot"),
        ((terms[:, TARGET] < 0) | (terms[:, TARGET] >= words), "a term outside the descriptors"),
        ((terms[:, SOURCE] < 0) | (terms[:, SOURCE] * WORD >= program.n_scalar_bytes), "a term from an unknown scalar"),
    ):
        if np.any(wrong):
            raise ValueError(f"tape: row {int(np.argmax(wrong))} has {what}")
