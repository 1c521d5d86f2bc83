"""Frames of a program in which most addresses are filled in for good: a run writes the few that are left.

For calls that come back with the same memory: who runs it calls ``run(bound.address)`` of the runner until that no
longer answers PAUSED. One thread at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from nbgrad.runtime.buffers import Array
from nbgrad.runtime.layout import BASES, POOL, SCALARS, SOURCE, TABLE_WORDS
from nbgrad.runtime.runner import Frame, Program, resets_of

FIRST: Final = BASES  # the word of ``Bound.memory`` where the addresses are that each run writes


class Bound:
    """A frame in which all addresses stand but those of the others, which come from word FIRST of ``memory`` on."""

    __slots__ = ("_frame", "_tables", "address", "memory")

    def __init__(self, frame: Frame, relocs: Array, resets: Array) -> None:
        self._frame = frame
        self._tables = relocs, resets  # the frame has their addresses
        self.address = frame.address
        self.memory = frame.memory


class Binding:
    """Makes frames of ``program`` in which the addresses of all slots stand for good, but for those of ``others``."""

    def __init__(self, program: Program, others: Sequence[int]) -> None:
        self._program = program
        self._n_others = len(others)
        place = np.full(program.n_slots, -1)  # among the others
        place[list(others)] = range(len(others))
        is_open = place[program.relocs[:, SOURCE]] >= 0
        self._target, self._source, self._constant = program.relocs[~is_open].T
        self._relocs = np.ascontiguousarray(program.relocs[is_open]).reshape(-1, TABLE_WORDS)
        self._relocs[:, SOURCE] = place[self._relocs[:, SOURCE]]

    def bound(self, addresses: Sequence[int], scalars_address: int) -> Bound:
        """A frame with these addresses, by slot; numbers are read at ``scalars_address``."""
        desc = self._program.desc.copy()
        desc[self._target] = np.array(addresses, np.int64)[self._source] + self._constant
        resets = resets_of(desc, self._relocs, self._program.terms)
        frame = Frame(self._program, desc, self._relocs, resets, self._n_others)
        frame.memory[POOL] = 0
        frame.memory[SCALARS] = scalars_address
        return Bound(frame, self._relocs, resets)
