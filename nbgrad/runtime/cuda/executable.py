"""A tape bound to a device's machine code. A run is one copy of a small block, and then its launches.

All launches look for their addresses in the block, so their arguments are the same in each run on a stream. A library's
calls are told addresses. Where instructions can fail, the launches up to the last of those are waited for: on a device
nothing stops at a failure, so what comes after them, all that writes the memory of inputs, is begun when it is known
that there was none.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.block import Block
from nbgrad.runtime.cuda.copies import to_device
from nbgrad.runtime.cuda.devices import Gpu, gpu
from nbgrad.runtime.cuda.driver import Grid
from nbgrad.runtime.cuda.library import LibraryCalls
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.cuda.parts import Parts, Step, divided
from nbgrad.runtime.executable import raise_failure
from nbgrad.runtime.starts import Starts
from nbgrad.tape.tape import Tape

Launches = list[tuple[int, Grid, tuple[int, ...]]]  # (function, grid, arguments)


class CudaExecutable:
    """One tape, ready to run on device ``index``. ``functions`` are those of its instructions, as the driver knows
    them. Several threads may run it."""

    def __init__(self, tape: Tape, index: int, functions: Sequence[int]) -> None:
        self.tape = tape
        self._gpu = gpu(index)
        consts = Buffer.from_numpy(np.frombuffer(tape.consts, np.uint8))
        self._consts = to_device(consts, index)
        self._block = Block(tape, self._consts.address)
        self._starts = Starts(tape.starts) if tape.starts else None
        self._parts = divided(tape, functions, self._block, self._gpu)
        self._lanes: dict[int, _Lane] = {}  # by stream

    def run(
        self, inputs: Sequence[DeviceBuffer], scalars: Sequence[float | int], spare: Sequence[Any] | None = None
    ) -> list[DeviceBuffer]:
        """Buffers with the results, or what will be the results when the current stream gets there: fresh ones, or
        those of ``spare``, where nobody but the current stream uses them.

        Raises what a failing instruction stands for, at the user's line.
        """
        if self._starts is not None:
            self._starts.check(scalars)
        device, tape, n_head = self._gpu, self.tape, self._parts.n_head
        with device.lock:
            device.activate()
            stream = device.stream
            used = [inputs[p] for p in tape.input_positions]
            foreign = [b for b in used if b.stream != stream]
            for other in {b.stream for b in foreign}:
                device.wait_for(stream, other)
            lane = self._lane(stream)
            own = self._in_place(inputs, spare, stream)
            outs = [b or device.pool.take(nbytes, stream) for b, nbytes in zip(own, tape.out_bytes, strict=True)]
            arena = device.pool.take(tape.arena_bytes, stream)
            bases = [*[b.address for b in (*used, *outs, arena)], lane.block.address + self._block.scalars_at]
            block = self._block.filled(bases, scalars)
            words = block.ctypes.data
            for buffer in foreign:
                buffer.used_on(stream)
            device.driver.copy_in(lane.block.address, words, self._block.nbytes, stream)
            if n_head:
                lane.start(0, n_head, words)
                self._raise_failures(lane)
            lane.start(n_head, len(self._parts.all), words)
        return outs

    def _in_place(
        self, inputs: Sequence[DeviceBuffer], spare: Sequence[Any] | None, stream: int
    ) -> list[DeviceBuffer | None]:
        """By result, the buffer of ``spare`` in which it can be made by launches of ``stream``."""
        sizes = self.tape.out_bytes
        own = [
            b if b is not None and b.nbytes == n and b.is_only_on(stream) else None
            for b, n in zip(spare or [None] * len(sizes), sizes, strict=True)
        ]
        for result, position in self.tape.parted:
            if own[result] is inputs[position]:
                own[result] = None
        return own

    def _lane(self, stream: int) -> _Lane:
        lane = self._lanes.get(stream)
        if lane is None:
            if self._consts.stream != stream:
                self._gpu.wait_for(stream, self._consts.stream)
                self._consts.used_on(stream)
            lane = self._lanes[stream] = _Lane(self._gpu, stream, self._parts, self._block.nbytes)
        return lane

    def _raise_failures(self, lane: _Lane) -> None:
        """Wait for the status words; raise what the first failure stands for."""
        driver, fallible = self._gpu.driver, self._block.fallible
        codes = (ctypes.c_int64 * len(fallible))()
        status = lane.block.address + self._block.status_at
        driver.copy_out(ctypes.addressof(codes), status, ctypes.sizeof(codes), lane.stream)
        driver.wait_stream(lane.stream)
        for pc, code in zip(fallible, codes, strict=True):
            if code:
                raise_failure(self.tape, pc, code)


class _Lane:
    """What the runs on ``stream`` share: ``block``, the run's block on the device, the memory of large rows, the
    launches with these addresses."""

    def __init__(self, gpu: Gpu, stream: int, parts: Parts, block_bytes: int) -> None:
        self._gpu = gpu
        self.stream = stream
        self.block = gpu.pool.take(block_bytes, stream)
        self._workspace = gpu.pool.take(parts.workspace_bytes, stream)
        self._stretches: list[tuple[Launches, list[LibraryCalls]]] = []
        for part in parts.all:
            launches: Launches = []
            for step in part.steps:
                of = step.launch
                grid = Grid(of.blocks, of.threads, of.shared_bytes, of.dims)
                launches.append((step.function, grid, self._arguments(step)))
            self._stretches.append((launches, part.calls))

    def _arguments(self, step: Step) -> tuple[int, ...]:
        base = self.block.address
        return step.launch.arguments(base + step.desc, base + step.status, self._workspace.address)

    def start(self, first: int, end: int, words: int) -> None:
        """Enqueue the parts from ``first`` on, of the run whose block is at ``words`` in the host's memory."""
        for launches, calls in self._stretches[first:end]:
            for function, grid, arguments in launches:
                self._gpu.driver.launch(function, grid, self.stream, arguments)
            if calls:
                self._multiply(calls, words)

    def _multiply(self, calls: Sequence[LibraryCalls], words: int) -> None:
        library = self._gpu.library
        assert library is not None, "the plan was made where there was one"
        bound = [each for call in calls for each in call.bound(library, words)]
        nbytes = max([prepared.workspace_bytes for prepared, _ in bound])
        workspace = self._gpu.library_workspace(self.stream, nbytes).address if nbytes else 0
        for prepared, addresses in bound:
            library.multiply(prepared, addresses, workspace, self.stream)
