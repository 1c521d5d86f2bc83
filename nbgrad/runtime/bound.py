"""A frame of a program in which most addresses are filled in for good: a run writes the few that are left.

For calls that come back with the same memory: who runs it calls ``run(bound.address)`` of the runner until that no
longer answers PAUSED. One thread at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from nbgrad.runtime.layout import BASES, POOL, SCALARS, SOURCE, TABLE_WORDS
from nbgrad.runtime.runner import Frame, Program, resets_of

FIRST: Final = BASES  # the word of ``Bound.memory`` where the addresses are that each run writes


class Bound:
    """``known`` are the addresses of slots, for good; those of ``others`` stand in this order from word FIRST of
    ``memory`` on. Numbers are read at ``scalars_address``."""

    __slots__ = ("_frame", "_relocs", "_resets", "address", "memory")

    def __init__(self, program: Program, known: Mapping[int, int], others: Sequence[int], scalars_address: int) -> None:
        at = np.zeros(program.n_slots, np.int64)
        place = np.full(program.n_slots, -1)  # among the others
        place[list(others)] = range(len(others))
        at[list(known)] = [*known.values()]
        desc, relocs = program.desc.copy(), program.relocs.copy()
        is_open = place[relocs[:, SOURCE]] >= 0
        target, source, constant = relocs[~is_open].T
        desc[target] = at[source] + constant
        relocs = np.ascontiguousarray(relocs[is_open]).reshape(-1, TABLE_WORDS)
        relocs[:, SOURCE] = place[relocs[:, SOURCE]]
        self._relocs, self._resets = relocs, resets_of(desc, relocs, program.terms)  # the frame has their addresses
        self._frame = Frame(program, desc, relocs, self._resets, len(others))
        self.address = self._frame.address
        self.memory = self._frame.memory
        self.memory[POOL] = 0
        self.memory[SCALARS] = scalars_address

    def write(self, k: int, address: int) -> None:
        """The address of the k-th of the others."""
        self.memory[FIRST + k] = address
