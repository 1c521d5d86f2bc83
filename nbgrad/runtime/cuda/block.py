"""What a run tells its kernels, in one stretch of memory that one copy brings to the device.

descriptor words of all instructions, the run's numbers, a status word (0) for each instruction that can fail

"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from nbgrad.kernels.records import WORD
from nbgrad.runtime.executable import words_of
from nbgrad.tape.donations import may_fail
from nbgrad.tape.numbers import pack_into, packer
from nbgrad.tape.tape import Tape


class Block:
    """The block of one tape, with the addresses and numbers that every run has; the others are put into copies."""

    def __init__(self, tape: Tape, consts_address: int) -> None:
        words = words_of(tape, consts_address)
        self._dtypes = [dtype for _, dtype in tape.scalars]
        self._positions = [position for position, _ in tape.scalars]
        self._pack: struct.Struct | None = packer(self._dtypes) if tape.scalars else None
        self.fallible = [pc for pc, i in enumerate(tape.instructions) if may_fail(i.text)]
        self._status_words = {pc: k for k, pc in enumerate(self.fallible)}
        self.scalars_at = len(words) * WORD  # in bytes from the block's start, like the next ones
        self.status_at = self.scalars_at + WORD * len(tape.scalars)
        self.nbytes = self.status_at + WORD * (len(self.fallible) + 1)  # the last word is for those that cannot fail
        self._words = np.zeros(self.nbytes // WORD, np.int64)
        self._words[: len(words)] = words
        self._relocs = np.array(tape.relocs, np.int64).reshape(-1, 3).T
        self._terms = np.array(tape.terms, np.int64).reshape(-1, 3).T

    def status_of(self, pc: int) -> int:
        """Where instruction ``pc`` writes its failure code, in bytes from the block's start."""
        return self.status_at + WORD * self._status_words.get(pc, len(self.fallible))

    def filled(self, bases: Sequence[int], scalars: Sequence[float | int]) -> Any:
        """The words of a run's block; ``bases`` are the slots' addresses."""
        words = self._words.copy()
        numbers = words[self.scalars_at // WORD : self.status_at // WORD]
        if self._pack is not None:
            memory = memoryview(cast("Any", numbers)).cast("B")
            pack_into(self._pack, self._dtypes, memory, [scalars[p] for p in self._positions])
        target, slot, constant = self._relocs
        words[target] = np.array(bases, np.int64)[slot] + constant
        target, scalar, coefficient = self._terms
        np.add.at(words, target, numbers[scalar] * coefficient)
        return words
