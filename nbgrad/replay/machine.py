"""What a steady call runs on: this machine's runner and memory, or a GPU's.

Both speak of inputs and results by their numbers in the recording.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from nbgrad.errors import TensorIndexError
from nbgrad.pipeline import Plan
from nbgrad.placed import Alone, PlacedPlan
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.cuda.resident import Resident
from nbgrad.runtime.executable import SMALL_ARENA, Executable
from nbgrad.runtime.interpreted import which_index
from nbgrad.runtime.runner_code import runner_code
from nbgrad.runtime.unchanged import Standing
from nbgrad.tape.tape import Tape


class Shape(NamedTuple):
    """What a tape takes and gives: the inputs that it reads, each result's bytes, the (result, input) that may not have
    the same memory, and the rest."""

    inputs: tuple[int, ...]
    out_bytes: tuple[int, ...]
    parted: frozenset[tuple[int, int]]
    arena_bytes: int
    n_scalars: int


class Machine(Protocol):
    """What it runs is ``tape``, of ``shape``; ``kind`` is that of its buffers. ``reuses``: a small result that nobody
    has kept may be written again. ``is_launched``: a run has no slices, and answers AGAIN where it is not possible.
    ``run`` takes a frame that ``bound`` has made, for the slots ``others``: inputs, results, arena, numbers."""

    kind: type
    reuses: bool
    is_launched: bool
    tape: Tape
    shape: Shape
    keeps_arena: bool
    shares_work: bool
    alloc: Callable[[int], Any]
    run: Callable[[Any], int]
    write_numbers: Callable[[memoryview, Sequence[float | int]], None]
    is_here: Callable[[Sequence[Any]], bool]  # whether a run may read these buffers now
    may_write: Callable[[Any], bool]  # whether nothing but its runs uses a buffer, as far as references do not say

    def bound(self, others: Sequence[int], addresses: Sequence[int], numbers: int) -> tuple[Any, memoryview, object]:
        """The frame, its words, and what it needs to live. Addresses by slot; numbers are read at ``numbers``."""

    def note(self, standing: Standing, buffer: Any, *, written: bool) -> None:
        """Note what has to stay as it is for ``is_here``, and for ``may_write``."""

    def which(self, inputs: Sequence[Any], scalars: Sequence[float | int], error: TensorIndexError) -> TensorIndexError:
        """The error of the index that is out of range."""

    def serves(self, plan: Any) -> bool:
        """Whether it still is what ``plan`` runs on."""


class Host(Machine):
    """This machine."""

    kind, reuses, is_launched = Buffer, True, False

    def __init__(self, plan: Plan, executable: Executable) -> None:
        self.tape = tape = executable.tape
        self._plan, self._executable = plan, executable
        self.alloc = Buffer.alloc
        self.is_here = self.may_write = _always
        self.shape = _shape(tape, range(1 + max(tape.input_positions, default=-1)), range(len(tape.out_bytes)))
        self.keeps_arena = tape.arena_bytes <= SMALL_ARENA
        self.shares_work = executable.shares_work
        self.run = runner_code().run
        self.write_numbers = executable.write_numbers
        self._bindings: dict[tuple[int, ...], Any] = {}

    def bound(self, others: Sequence[int], addresses: Sequence[int], numbers: int) -> tuple[Any, memoryview, object]:
        key = tuple(others)
        binding = self._bindings.get(key)
        if binding is None:
            binding = self._bindings[key] = self._executable.binding(others)
        frame = binding.bound(addresses, numbers)
        return frame.address, frame.memory, frame

    def note(self, standing: Standing, buffer: Any, *, written: bool) -> None:
        """References say it all."""

    def which(self, inputs: Sequence[Any], scalars: Sequence[float | int], error: TensorIndexError) -> TensorIndexError:
        return which_index(self._plan.roots, inputs, scalars, error)

    def serves(self, plan: Any) -> bool:
        return plan.executable is self._executable


class Device(Machine):
    """A GPU, and the stream that was current."""

    kind, reuses, is_launched = DeviceBuffer, False, True

    def __init__(self, alone: Alone, executable: Any, resident: Resident) -> None:
        self.tape = tape = executable.tape
        self.keeps_arena, self.shares_work = tape.arena_bytes <= SMALL_ARENA, False
        self._alone, self._executable, self._resident = alone, executable, resident
        self.shape = _shape(tape, alone.inputs, alone.results)
        n_inputs, n_results = len(tape.input_positions), len(tape.out_bytes)
        results = [n_inputs + number for number in alone.results]
        self._slots = [*range(n_inputs), *results, n_inputs + n_results, n_inputs + n_results + 1]
        self.alloc, self.run, self.write_numbers = resident.alloc, resident.run, resident.write_numbers
        self.is_here, self.may_write = resident.is_here, resident.is_alone

    def bound(self, others: Sequence[int], addresses: Sequence[int], numbers: int) -> tuple[Any, memoryview, object]:
        there = [0] * len(self._slots)
        for slot, address in zip(self._slots, addresses, strict=True):
            there[slot] = address
        bound = self._resident.bound([self._slots[slot] for slot in others], there, numbers)
        return bound, bound.memory, bound

    def note(self, standing: Standing, buffer: DeviceBuffer, *, written: bool) -> None:
        buffer.note(standing, written=written)

    def which(self, inputs: Sequence[Any], scalars: Sequence[float | int], error: TensorIndexError) -> TensorIndexError:
        return self._alone.plan.which_index([inputs[k] for k in self._alone.inputs], scalars, error)

    def serves(self, plan: Any) -> bool:
        return plan.executable is self._executable and self._resident.is_here(())


def _always(_: Any) -> bool:
    return True


def _shape(tape: Tape, inputs: Sequence[int], results: Sequence[int]) -> Shape:
    """The shape of ``tape``, whose k-th input is ``inputs[k]``, and whose result ``results[k]`` is the k-th."""
    place = {number: k for k, number in enumerate(results)}
    return Shape(
        tuple([inputs[p] for p in tape.input_positions]),
        tuple([tape.out_bytes[number] for number in results]),
        frozenset([(place[result], inputs[position]) for result, position in tape.parted]),
        tape.arena_bytes,
        len(tape.scalars),
    )


def runs_steadily(plan: Any) -> Plan | None:
    """The plan that runs all of ``plan`` at one place; None where there is none."""
    if isinstance(plan, PlacedPlan):
        return plan.alone.plan if plan.alone is not None else None
    return plan if type(plan) is Plan else None


def machine_of(plan: Any) -> Machine | None:
    """What ``plan`` runs on now, in this thread; None where no call of it can be steady now."""
    if isinstance(plan, PlacedPlan):
        assert plan.alone is not None
        resident = plan.alone.plan.resident
        return None if resident is None else Device(plan.alone, plan.alone.plan.executable, resident)
    return Host(plan, plan.executable)
