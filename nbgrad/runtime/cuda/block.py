"""What a run tells its kernels, in one stretch of memory that one copy brings to the device.

    descriptor words of all instructions, the run's numbers, a status word (0) for each instruction that can fail

It is filled in on the host, by the same code as a run of the CPU's.
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
    DESC,
    N_RELOCS,
    N_TERMS,
    RELOCS,
    SCALARS,
    TERMS,
)
from nbgrad.runtime.runner_code import runner_code
from nbgrad.tape.donations import may_fail
from nbgrad.tape.numbers import pack_into, packer, word_packer
from nbgrad.tape.tape import SAFE, Tape


class Block:
    """The block of one tape. One thread at a time fills it in."""

    def __init__(self, tape: Tape, consts_address: int) -> None:
        words = words_of(tape, consts_address)
        self._dtypes = [dtype for _, dtype in tape.scalars]
        self._positions = [position for position, _ in tape.scalars]
        self._pack: struct.Struct | None = packer(self._dtypes) if tape.scalars else None
        self.fallible = [pc for pc, i in enumerate(tape.instructions) if may_fail(i.text) and not i.flags & SAFE]
        self._status_words = {pc: k for k, pc in enumerate(self.fallible)}
        self.scalars_at = len(words) * WORD  # in bytes from the block's start, like the next ones
        self.status_at = self.scalars_at + WORD * len(tape.scalars)
        self.nbytes = self.status_at + WORD * (len(self.fallible) + 1)  # the last word is for those that cannot fail
        self._n_slots = tape.slots
        self._words = np.zeros(self.nbytes // WORD, np.int64)
        self._words[: len(words)] = words
        self._address = _address(self._words)
        self._filled = self._words.copy()
        memory = memoryview(cast("Any", self._words)).cast("B")
        self._numbers = memory[self.scalars_at : self.status_at]
        self._relocs = np.array(tape.relocs, np.int64).reshape(-1, 3)
        self._terms = np.array(tape.terms, np.int64).reshape(-1, 3)
        self._frame = np.zeros(BASES + tape.slots, np.int64)  # of a tape without rows: all the runner does is binding
        self._frame[[RELOCS, N_RELOCS]] = _address(self._relocs), len(self._relocs)
        self._frame[[TERMS, N_TERMS]] = _address(self._terms), len(self._terms)
        self._frame[[SCALARS, DESC]] = self._address + self.scalars_at, _address(self._filled)
        self._frame_address = _address(self._frame)
        self._frame_words = memoryview(cast("Any", self._frame))
        self._bases = word_packer(tape.slots)
        self._run = runner_code().run

    def status_of(self, pc: int) -> int:
        """Where instruction ``pc`` writes its failure code, in bytes from the block's start."""
        return self.status_at + WORD * self._status_words.get(pc, len(self.fallible))

    def fill(self, bases: Sequence[int], scalars: Sequence[float | int]) -> int:
        """Where the block of a run lies in the host's memory, until the next one's does; ``bases`` are the slots'
        addresses."""
        if self._pack is not None:
            pack_into(self._pack, self._dtypes, self._numbers, [scalars[p] for p in self._positions])
        target = _address(self._filled)
        ctypes.memmove(target, self._address, self.nbytes)
        self._bases.pack_into(self._frame_words, BASES * WORD, *bases)
        self._run(self._frame_address)
        return target


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])
