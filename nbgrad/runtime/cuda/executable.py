"""A tape bound to a device's machine code. A run is one copy of a small block, then the launches, and no wait.

From the second run on a stream the launches are one graph: recorded once, launched whole. Nothing in it changes from
run to run but the block, at whose addresses in device memory all launches look.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from nbgrad.kernels.launch import RECORD, Launch, grid_of, launch_of, side_by_side
from nbgrad.log import fall_back
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.block import Block
from nbgrad.runtime.cuda.copies import to_device
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.runtime.cuda.driver import DriverError, Grid
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.executable import raise_failure
from nbgrad.runtime.starts import Starts
from nbgrad.tape.numbers import WORD
from nbgrad.tape.tape import WAVE, Tape

GRAPH_FROM: Final = 2  # the run on a stream that records a graph
LEAST_LAUNCHES: Final = 2  # of a graph: a single one needs none


class _Step(NamedTuple):
    """One instruction: its function, how that is launched, where its words lie in the block (bytes)."""

    function: int
    joins: bool
    launch: Launch
    desc: int
    status: int


class _Lane:
    """What the runs on one stream share: the block's memory on the device and that of large rows, the launches with
    these addresses, the tables of those that go together, the graph of them all."""

    def __init__(self, block: DeviceBuffer, workspace: DeviceBuffer, groups: Sequence[Sequence[_Step]]) -> None:
        self.block = block
        self.workspace = workspace
        self.runs = 0
        self.graph = 0
        rows = [[self._arguments(step) for step in group] for group in groups]
        others = np.array([row for group in rows for row in group[1:]], np.int64)
        self.table = to_device(Buffer.from_numpy(others), block.device_index)
        table = self.table.address
        self.launches: list[tuple[int, Grid, tuple[int, ...]]] = []
        for group, (first, *rest) in zip(groups, rows, strict=True):
            grid = Grid(*grid_of([step.launch for step in group]), len(group))
            self.launches.append((group[0].function, grid, (*first, table)))
            table += RECORD * len(rest)

    def _arguments(self, step: _Step) -> tuple[int, ...]:
        base = self.block.address
        return step.launch.arguments(base + step.desc, base + step.status, self.workspace.address)


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
        waves: list[list[_Step]] = [[]]  # steps that do not depend on each other
        for pc, (i, function) in enumerate(zip(tape.instructions, functions, strict=True)):
            launch = launch_of(i, tape.words)
            if launch is not None:
                waves[-1].append(_Step(function, i.text.joins, launch, WORD * i.at, self._block.status_of(pc)))
            if not i.flags & WAVE:
                waves.append([])
        self._groups = [group for wave in waves for group in _groups_of(wave)]
        launches = [step.launch for group in self._groups for step in group]
        self._workspace_bytes = max([launch.workspace_bytes for launch in launches], default=0)
        self._lanes: dict[int, _Lane] = {}  # by stream
        self._capturing = len(self._groups) >= LEAST_LAUNCHES

    def run(
        self, inputs: Sequence[DeviceBuffer], scalars: Sequence[float | int], spare: Sequence[object] | None = None
    ) -> list[DeviceBuffer]:
        """Fresh buffers with the results, or what will be the results when the current stream gets there.

        ``spare`` is not used: memory that other launches still read would have to be waited for. Raises what a failing
        instruction stands for, at the user's line; a tape that has such instructions is waited for.
        """
        if self._starts is not None:
            self._starts.check(scalars)
        device, tape = self._gpu, self.tape
        with device.lock:
            device.activate()
            stream = device.stream
            take = device.pool.take
            used = [inputs[p] for p in tape.input_positions]
            foreign = [b for b in used if b.stream != stream]
            for other in {b.stream for b in foreign}:
                device.wait_for(stream, other)
            outs = [take(nbytes, stream) for nbytes in tape.out_bytes]
            arena = take(tape.arena_bytes, stream)
            lane = self._lane(stream)
            for buffer in foreign:
                buffer.used_on(stream)
            self._upload(lane, stream, [b.address for b in (*used, *outs, arena)], scalars)
            self._start(lane, stream)
            codes = self._codes(lane, stream)
        if codes is not None:
            self._raise_first(codes)
        return outs

    def _lane(self, stream: int) -> _Lane:
        lane = self._lanes.get(stream)
        if lane is None:
            if self._consts.stream != stream:
                self._gpu.wait_for(stream, self._consts.stream)
                self._consts.used_on(stream)
            take = self._gpu.pool.take
            workspace = take(self._workspace_bytes, stream)
            lane = self._lanes[stream] = _Lane(take(self._block.nbytes, stream), workspace, self._groups)
        return lane

    def _upload(self, lane: _Lane, stream: int, bases: list[int], scalars: Sequence[float | int]) -> None:
        block, device = self._block, self._gpu
        staged = device.staging(stream).take(block.nbytes)
        bases.append(lane.block.address + block.scalars_at)
        block.fill(staged, bases, scalars)
        device.driver.copy_in(lane.block.address, staged, block.nbytes, stream)

    def _start(self, lane: _Lane, stream: int) -> None:
        """Enqueue all launches: as a graph where there is one, or where it is time to have one."""
        lane.runs += 1
        if lane.graph == 0 and self._capturing and lane.runs >= GRAPH_FROM:
            lane.graph = self._captured(lane)
        if lane.graph:
            self._gpu.driver.launch_graph(lane.graph, stream)
        else:
            self._launch_each(lane, stream)

    def _launch_each(self, lane: _Lane, stream: int) -> None:
        launch = self._gpu.driver.launch
        for function, grid, arguments in lane.launches:
            launch(function, grid, stream, arguments)

    def _captured(self, lane: _Lane) -> int:
        """The launches as a graph; 0 where the driver does not make one, which is said."""
        device = self._gpu
        driver, side = device.driver, device.capture_stream
        try:
            driver.begin_capture(side)
            try:
                self._launch_each(lane, side)
            finally:
                graph = driver.end_capture(side)
        except DriverError as error:
            self._capturing = False
            fall_back("tape", f"CUDA: no graph of {len(self._groups)} launches, they are enqueued one by one: {error}")
            return 0
        return graph

    def _codes(self, lane: _Lane, stream: int) -> list[int] | None:
        """The status words, waited for; None where nothing can fail."""
        count = len(self._block.fallible)
        if not count:
            return None
        driver, nbytes = self._gpu.driver, WORD * count
        staged = self._gpu.staging(stream).take(nbytes)
        driver.copy_out(staged, lane.block.address + self._block.status_at, nbytes, stream)
        driver.wait_stream(stream)
        return list((ctypes.c_int64 * count).from_address(staged))

    def _raise_first(self, codes: list[int]) -> None:
        for pc, code in zip(self._block.fallible, codes, strict=True):
            if code:
                raise_failure(self.tape, pc, code)

    def __del__(self) -> None:
        for lane in getattr(self, "_lanes", {}).values():
            if lane.graph:
                self._gpu.drop_graph(lane.graph)


def _groups_of(wave: Sequence[_Step]) -> list[list[_Step]]:
    """What is launched together, of steps that do not depend on each other: those of one kernel and like sizes."""
    alike: dict[tuple[int, int], list[_Step]] = {}
    for k, step in enumerate(wave):
        alike.setdefault((step.function, 0 if step.joins else k), []).append(step)
    return [[same[i] for i in group] for same in alike.values() for group in side_by_side([s.launch for s in same])]
