"""What a bound call runs on: this machine's runner and memory.

It speaks of inputs and results by their numbers in the recording.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from nbgrad.pipeline import Plan
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.executable import SMALL_ARENA
from nbgrad.runtime.interpreted import which_index
from nbgrad.runtime.runner_code import runner_code


class Machine:
    """This machine; what it runs is ``tape``.

    ``inputs`` are those that the tape reads, ``out_bytes`` the sizes of results, ``parted`` the (result, input) that
    may not have the same memory.
    """

    def __init__(self, plan: Any) -> None:
        self._plan, self._executable = plan, plan.executable
        self.tape = tape = plan.executable.tape
        self.inputs = tuple(tape.input_positions)
        self.out_bytes = tuple(tape.out_bytes)
        self.parted = set(tape.parted)
        self.keeps_arena = tape.arena_bytes <= SMALL_ARENA
        self.shares_work = plan.executable.shares_work
        self.alloc = Buffer.alloc
        self.run = runner_code().run
        self.write_numbers = plan.executable.write_numbers
        self._binding = functools.cache(lambda others: plan.executable.binding(others))

    def bound(self, others: Sequence[int], addresses: Sequence[int]) -> tuple[Any, memoryview, object]:
        """What ``run`` takes, its words, and what it needs to live: ``addresses`` stand by slot (inputs, results,
        arena, numbers), but for those of ``others``."""
        frame = self._binding(tuple(others)).bound(addresses, addresses[-1])
        return frame.address, frame.memory, frame

    def which(self, inputs: Sequence[Any], scalars: Sequence[float | int], error: Any) -> Any:
        """The error of the index that is out of range."""
        return which_index(self._plan.roots, inputs, scalars, error)

    def serves(self, plan: Any) -> bool:
        """Whether it still is what ``plan`` runs on."""
        return plan.executable is self._executable


def plan_for_one_place(plan: Any) -> Plan | None:
    """The plan that runs all of ``plan`` on this machine; None where there is none."""
    return plan if type(plan) is Plan else None
