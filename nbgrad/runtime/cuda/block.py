"""What a run tells its kernels, in one stretch of memory that one copy brings to the device.

    descriptor words of all instructions, the run's numbers, a status word (0) for each instruction that can fail

It is filled in on the host, by the same code as a run of the CPU's. Where most addresses are the same in each run, they
stand in a copy for good (``BoundBlock``).
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from nbgrad.kernels.records import WORD
from nbgrad.runtime.executable import words_of
from nbgrad.runtime.layout import (
    BASES,
    CONSTANT,
    DESC,
    N_RELOCS,
    N_TERMS,
    RELOCS,
    SCALARS,
    SOURCE,
    TABLE_WORDS,
    TARGET,
    TERMS,
)
from nbgrad.runtime.runner_code import runner_code
from nbgrad.tape.donations import may_fail
from nbgrad.tape.numbers import pack_into, packer, word_packer
from nbgrad.tape.tape import Tape


class Block:
    """The block of one tape. One thread at a time fills it in."""

    def __init__(self, tape: Tape, consts_address: int) -> None:
        words = words_of(tape, consts_address)
        self._dtypes = [dtype for _, dtype in tape.scalars]
        self._positions = [position for position, _ in tape.scalars]
        # How many numbers there are where a run takes all, in their order.
        self._takes_all = len(tape.scalars) if self._positions == list(range(len(tape.scalars))) else -1
        self._pack: struct.Struct | None = packer(self._dtypes) if tape.scalars else None
        self.fallible = [pc for pc, i in enumerate(tape.instructions) if may_fail(i.text)]
        self._status_words = {pc: k for k, pc in enumerate(self.fallible)}
        self.scalars_at = len(words) * WORD  # in bytes from the block's start, like the next ones
        self.status_at = self.scalars_at + WORD * len(tape.scalars)
        self.nbytes = self.status_at + WORD * (len(self.fallible) + 1)  # the last word is for those that cannot fail
        self._n_slots = tape.slots
        self._words = np.zeros(self.nbytes // WORD, np.int64)
        self._words[: len(words)] = words
        self._address = _address(self._words)
        memory = memoryview(cast("Any", self._words)).cast("B")
        self._numbers = memory[self.scalars_at : self.status_at]
        self._relocs = np.array(tape.relocs, np.int64).reshape(-1, 3)
        self._terms = np.array(tape.terms, np.int64).reshape(-1, 3)
        self._frame = np.zeros(BASES + tape.slots, np.int64)  # of a tape without rows: all the runner does is binding
        self._frame[[RELOCS, N_RELOCS]] = _address(self._relocs), len(self._relocs)
        self._frame[[TERMS, N_TERMS]] = _address(self._terms), len(self._terms)
        self._frame[SCALARS] = self._address + self.scalars_at
        self._frame_address = _address(self._frame)
        self._frame_words = memoryview(cast("Any", self._frame))
        self._bases = word_packer(tape.slots)
        self._run = runner_code().run

    def status_of(self, pc: int) -> int:
        """Where instruction ``pc`` writes its failure code, in bytes from the block's start."""
        return self.status_at + WORD * self._status_words.get(pc, len(self.fallible))

    def write_numbers(self, memory: memoryview, scalars: Sequence[float | int]) -> None:
        """Have ``memory`` hold the numbers of a run, as they are in a block."""
        if self._pack is not None:
            values = scalars if self._takes_all == len(scalars) else [scalars[p] for p in self._positions]
            pack_into(self._pack, self._dtypes, memory, values)

    def bound(self, others: Sequence[int], addresses: Sequence[int], numbers_address: int) -> BoundBlock:
        """A copy with these addresses, by slot, but for those of ``others``; each run copies its numbers from
        ``numbers_address``, where ``write_numbers`` has put them."""
        place = np.full(self._n_slots, -1)  # among the others
        place[list(others)] = range(len(others))
        is_open = place[self._relocs[:, SOURCE]] >= 0
        relocs = np.ascontiguousarray(self._relocs[is_open]).reshape(-1, TABLE_WORDS)
        relocs[:, SOURCE] = place[relocs[:, SOURCE]]
        words, known = self._words.copy(), self._relocs[~is_open]
        words[known[:, TARGET]] = np.array(addresses, np.int64)[known[:, SOURCE]] + known[:, CONSTANT]
        numbers = self.scalars_at, numbers_address, self.status_at - self.scalars_at
        return BoundBlock(words, relocs, self._terms, tuple(others), numbers)

    def fill(self, target: int, bases: Sequence[int], scalars: Sequence[float | int]) -> None:
        """Write the block of a run to ``target``, in the host's memory; ``bases`` are the slots' addresses."""
        self.write_numbers(self._numbers, scalars)
        ctypes.memmove(target, self._address, self.nbytes)
        self._frame_words[DESC] = target
        self._bases.pack_into(self._frame_words, BASES * WORD, *bases)
        self._run(self._frame_address)


class BoundBlock:
    """A block in which all addresses stand but those of the slots ``others``: a run writes these from word BASES of
    ``memory`` on. One thread at a time."""

    def __init__(
        self, words: Any, relocs: Any, terms: Any, others: tuple[int, ...], numbers: tuple[int, int, int]
    ) -> None:
        self.others = others
        self._words, self._tables = words, (relocs, terms)  # the frame has their addresses
        self._address, self._nbytes = _address(words), len(words) * WORD
        self._numbers_at, self._numbers, self._numbers_nbytes = numbers
        frame = np.zeros(BASES + len(others), np.int64)
        frame[[RELOCS, N_RELOCS]] = _address(relocs), len(relocs)
        frame[[TERMS, N_TERMS]] = _address(terms), len(terms)
        frame[SCALARS] = self._numbers
        self._frame_address = _address(frame)
        self.memory = memoryview(cast("Any", frame))
        self._run = runner_code().run

    def others_in(self, words: Any) -> frozenset[int]:
        """Those of ``others`` whose addresses go into one of ``words``."""
        relocs, _ = self._tables
        inside = np.isin(relocs[:, TARGET], words)
        return frozenset([self.others[k] for k in relocs[inside, SOURCE].tolist()])

    def fill(self, target: int) -> None:
        """Write the block of a run to ``target``, in the host's memory."""
        ctypes.memmove(target, self._address, self._nbytes)
        ctypes.memmove(target + self._numbers_at, self._numbers, self._numbers_nbytes)
        self.memory[DESC] = target
        self._run(self._frame_address)


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])
