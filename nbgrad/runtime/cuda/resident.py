"""Runs of one tape on one stream that find nearly all memory where the run before had it: calls of a compiled step.

Who makes them has seen to that, and that no other stream uses what is written (``DeviceBuffer.note``). So all there is
to do is a copy of a block that is filled in already, and one launch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from nbgrad.runtime.cuda.block import Block, BoundBlock
from nbgrad.runtime.cuda.devices import Gpu
from nbgrad.runtime.cuda.lane import Lane
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.layout import BASES, CODE, DONE
from nbgrad.runtime.starts import Starts
from nbgrad.system.interrupts import uninterrupted

AGAIN: Final = -1  # what a run answers that has done nothing: it would take more than one launch


class Bound(NamedTuple):
    """A block with addresses, its words, and those of its other slots that a library is told."""

    block: BoundBlock
    memory: memoryview
    told: frozenset[int]


class Resident:
    """``stream`` is the one. Slots are as for the tape: inputs that it reads, results, the arena, the numbers."""

    def __init__(self, gpu: Gpu, lane: Lane, block: Block, starts: Starts | None) -> None:
        self._gpu, self._lane, self._block, self._starts = gpu, lane, block, starts
        self.stream = lane.stream

    def alloc(self, nbytes: int) -> DeviceBuffer:
        """Memory for what a run writes."""
        with self._gpu.lock:
            self._gpu.activate()
            return self._gpu.pool.take(nbytes, self.stream)

    def is_here(self, buffers: Sequence[DeviceBuffer]) -> bool:
        """Whether ``buffers`` are written by the stream, and it is this thread's."""
        stream = self.stream
        return self._gpu.stream == stream and all(b.stream == stream for b in buffers)

    def is_alone(self, buffer: DeviceBuffer) -> bool:
        """Whether nothing but the stream uses ``buffer``, which may be written."""
        return buffer.is_only_on(self.stream)

    def write_numbers(self, memory: memoryview, scalars: Sequence[float | int]) -> None:
        """Have ``memory`` hold the numbers of a run, once they are checked."""
        if self._starts is not None:
            self._starts.check(scalars)
        self._block.write_numbers(memory, scalars)

    def bound(self, others: Sequence[int], addresses: Sequence[int], numbers_address: int) -> Bound:
        """What ``run`` takes: a block with these addresses, by slot. A run says those of ``others``, and its numbers.
        The last slot, the numbers, needs none."""
        there = self._lane.block.address + self._block.scalars_at
        block = self._block.bound(others, [*addresses[:-1], there], numbers_address)
        return Bound(block, block.memory, block.others_in(self._lane.whole.told))

    @uninterrupted
    def run(self, bound: Bound) -> int:
        """Enqueue a run, or answer AGAIN. Word CODE of its memory is 0 when that is done; who wants to know sets it."""
        device, lane = self._gpu, self._lane
        block, memory, told = bound
        with device.lock:
            device.activate()
            lane.runs += 1
            staged = device.staging(self.stream).take(self._block.nbytes)
            moves = []
            for slot, home in lane.homes.places:
                if slot in block.others:
                    word = BASES + block.others.index(slot)
                    if lane.homes.serves(memory[word]):
                        moves.append((home, memory[word]))
                        memory[word] = home.address
                        told = told - {slot}
            block.fill(staged)
            graph = lane.graph_of(lane.whole, staged, stands=not told)
            if not lane.is_at_once(lane.whole, graph):
                return AGAIN
            for home, address in moves:
                device.driver.copy(home.address, address, home.nbytes, self.stream)
            device.driver.copy_in(lane.block.address, staged, self._block.nbytes, self.stream)
            lane.start(lane.whole, graph, staged)
            memory[CODE] = 0
        return DONE
