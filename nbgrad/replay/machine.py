"""What a bound call runs on: this machine's runner and memory, or a GPU's.

It speaks of inputs and results by their numbers in the recording.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from nbgrad.multi_device import Alone, DevicePlan, PlacedPlan
from nbgrad.pipeline import Plan
from nbgrad.replay.recording import Missed
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.cuda.resident import Resident
from nbgrad.runtime.executable import SMALL_ARENA
from nbgrad.runtime.interpreted import which_index
from nbgrad.runtime.runner_code import runner_code
from nbgrad.runtime.unchanged import Standing


class Machine:
    """This machine, or (``resident``) a GPU and the stream that was current; what it runs is ``tape``.

    ``inputs`` are those that the tape reads, ``out_bytes`` the sizes of results, ``parted`` the (result, input) that
    may not have the same memory. ``kind`` is that of its buffers. ``is_launched``: a run has no slices, and answers
    AGAIN where it is not possible. ``is_here`` says whether a run may read buffers now.
    """

    def __init__(self, plan: Any, alone: Alone | None = None, resident: Resident | None = None) -> None:
        self._plan, self._executable, self._resident = plan, plan.executable, resident
        self.tape = tape = plan.executable.tape
        inputs = alone.inputs if alone is not None else range(1 + max(tape.input_positions, default=-1))
        results = alone.results if alone is not None else range(len(tape.out_bytes))
        self.inputs = tuple([inputs[p] for p in tape.input_positions])
        self.out_bytes = tuple([tape.out_bytes[number] for number in results])
        self.parted = {(results.index(result), inputs[position]) for result, position in tape.parted}
        self.keeps_arena = tape.arena_bytes <= SMALL_ARENA
        self.is_launched = resident is not None
        self.shares_work = resident is None and plan.executable.shares_work
        n, end = len(self.inputs), len(self.inputs) + len(self.out_bytes)
        self._slots = [*range(n), *[n + number for number in results], end, end + 1]
        self._all_inputs = inputs
        self.kind: type = DeviceBuffer if self.is_launched else Buffer
        self.is_here: Callable[[Sequence[Any]], bool] = _always if resident is None else resident.is_here
        self.alloc: Any = Buffer.alloc if resident is None else resident.alloc
        self.run: Any = runner_code().run if resident is None else resident.run
        self.write_numbers = (plan.executable if resident is None else resident).write_numbers
        self._binding = functools.cache(lambda others: plan.executable.binding(others))

    def bound(self, others: Sequence[int], addresses: Sequence[int]) -> tuple[Any, memoryview, object]:
        """What ``run`` takes, its words, and what it needs to live: ``addresses`` stand by slot (inputs, results,
        arena, numbers), but for those of ``others``."""
        if self._resident is None:
            frame = self._binding(tuple(others)).bound(addresses, addresses[-1])
            return frame.address, frame.memory, frame
        there = [address for _, address in sorted(zip(self._slots, addresses, strict=True))]
        bound = self._resident.bound([self._slots[slot] for slot in others], there, addresses[-1])
        return bound, bound.memory, bound

    def note(self, standing: Standing, buffer: Any, *, written: bool) -> None:
        """Note that a run may read ``buffer``, or write it, where references do not say so; Missed where it may not."""
        if self._resident is not None:
            if not self.is_here([buffer]) or (written and not self._resident.is_alone(buffer)):
                raise Missed("another stream uses the memory")
            buffer.note(standing, written=written)

    def which(self, inputs: Sequence[Any], scalars: Sequence[float | int], error: Any) -> Any:
        """The error of the index that is out of range."""
        if isinstance(self._plan, DevicePlan):
            return self._plan.which_index([inputs[k] for k in self._all_inputs], scalars, error)
        return which_index(self._plan.roots, inputs, scalars, error)

    def serves(self, plan: Any) -> bool:
        """Whether it still is what ``plan`` runs on."""
        return plan.executable is self._executable and (self._resident is None or self._resident.is_here(()))


def _always(_: Any) -> bool:
    return True


def plan_for_one_place(plan: Any) -> Plan | None:
    """The plan that runs all of ``plan`` at one place; None where there is none."""
    if isinstance(plan, PlacedPlan):
        return plan.alone.plan if plan.alone is not None else None
    return plan if type(plan) is Plan else None


def machine_of(plan: Any) -> Machine | None:
    """What ``plan`` runs on now, in this thread; None where no call of it can be bound now."""
    if not isinstance(plan, PlacedPlan):
        return Machine(plan)
    assert plan.alone is not None
    resident = plan.alone.plan.resident
    return None if resident is None else Machine(plan.alone.plan, plan.alone, resident)
