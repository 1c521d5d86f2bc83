"""A tape bound to a device's machine code. A run is one copy of a small block, then the launches, and no wait.

From the second run on a stream the launches are one graph: recorded once, launched whole. Nothing in it changes from
run to run but the block, at whose addresses in device memory all launches look.

Where instructions can fail, the launches are two graphs: the first ends with the last of those, and is waited for. On a
device nothing stops at a failure, so results that are made in the memory of inputs, all in the second one, are begun
when it is known that there was none.

A library's calls are told addresses: where there are such, each stretch between them is a graph, and results have
memory of their own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.kernels.launch import RECORD, Launch, grid_of, launch_of, side_by_side
from nbgrad.log import fall_back
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.block import Block
from nbgrad.runtime.cuda.copies import to_device
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.runtime.cuda.driver import DriverError, Grid
from nbgrad.runtime.cuda.library import LibraryCalls, workspace_of
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


Launches = list[tuple[int, Grid, tuple[int, ...]]]  # (function, grid, arguments)


class _Part(NamedTuple):
    """What a run does one after the other: steps of our own, in groups that are launched together, then a library's."""

    groups: list[list[_Step]]
    calls: list[LibraryCalls]


class _Stretch:
    """The launches of a part on one stream, and the graph of them all; what a library does after them."""

    def __init__(self, launches: Launches, calls: Sequence[LibraryCalls]) -> None:
        self.launches = launches
        self.calls = calls
        self.graph = 0


class _Lane:
    """What the runs on one stream share: the block's memory on the device and that of large rows, the launches with
    these addresses (the first ``n_head`` stretches are the head, which alone can fail), the tables of those that go
    together, the event that ends the head."""

    def __init__(self, block: DeviceBuffer, workspace: DeviceBuffer, parts: Sequence[_Part], n_head: int) -> None:
        self.block = block
        self.workspace = workspace
        self.runs = 0
        self.event = 0
        rows = [[[self._arguments(step) for step in group] for group in part.groups] for part in parts]
        others = np.array([row for groups in rows for group in groups for row in group[1:]], np.int64)
        self.table = to_device(Buffer.from_numpy(others), block.device_index)
        table = self.table.address
        self.stretches: list[_Stretch] = []
        for part, arguments in zip(parts, rows, strict=True):
            launches: Launches = []
            for group, (first, *rest) in zip(part.groups, arguments, strict=True):
                grid = Grid(*grid_of([step.launch for step in group]), len(group))
                launches.append((group[0].function, grid, (*first, table)))
                table += RECORD * len(rest)
            self.stretches.append(_Stretch(launches, part.calls))
        self.head, self.tail = self.stretches[:n_head], self.stretches[n_head:]

    @property
    def is_whole(self) -> bool:
        """Whether nothing lies between the launches of head or tail: each is one graph, or one launch, or none."""
        return not any(s.calls or (len(s.launches) > 1 and not s.graph) for s in self.stretches)

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
        self._parts, self._n_head = self._divided(functions)
        launches = [step.launch for part in self._parts for group in part.groups for step in group]
        self._workspace_bytes = max([launch.workspace_bytes for launch in launches], default=0)
        self._lanes: dict[int, _Lane] = {}  # by stream
        self._capturing = True

    def _divided(self, functions: Sequence[int]) -> tuple[list[_Part], int]:
        """The tape's instructions, cut after those that can fail and after each library's calls; how many parts the
        head has. Instructions of a wave do not depend on each other."""
        tape, fallible = self.tape, self._block.fallible
        last_fallible = fallible[-1] if fallible else -1
        n_head = 0
        parts = [_Part([], [])]
        wave: list[_Step] = []
        calls: list[LibraryCalls] = []
        for pc, (i, function) in enumerate(zip(tape.instructions, functions, strict=True)):
            if not i.text.has_code:
                calls.append(LibraryCalls(i, tape.words))
            elif (launch := launch_of(i, tape.words)) is not None:
                wave.append(_Step(function, i.text.joins, launch, WORD * i.at, self._block.status_of(pc)))
            if pc != last_fallible and i.flags & WAVE:
                continue
            parts[-1].groups.extend(_groups_of(wave))
            parts[-1].calls.extend(calls)
            if calls or pc == last_fallible:
                parts.append(_Part([], []))
            if pc == last_fallible:
                n_head = len(parts) - 1
            wave, calls = [], []
        return parts, n_head

    def run(
        self, inputs: Sequence[DeviceBuffer], scalars: Sequence[float | int], spare: Sequence[Any] | None = None
    ) -> list[DeviceBuffer]:
        """Buffers with the results, or what will be the results when the current stream gets there: fresh ones, or
        those of ``spare``, where nobody but the current stream uses them.

        Raises what a failing instruction stands for, at the user's line; a tape that has such instructions is waited
        for, up to the last of them.
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
            lane = self._lane(stream)
            own = self._in_place(inputs, spare, stream) if spare is not None and lane.is_whole else None
            if own is None:
                outs = [take(nbytes, stream) for nbytes in tape.out_bytes]
            else:
                outs = [b or take(nbytes, stream) for b, nbytes in zip(own, tape.out_bytes, strict=True)]
            arena = take(tape.arena_bytes, stream)
            for buffer in foreign:
                buffer.used_on(stream)
            words = self._upload(lane, stream, [b.address for b in (*used, *outs, arena)], scalars)
            lane.runs += 1
            if not self._block.fallible:
                self._start(lane, lane.tail, stream, words)
                return outs
            self._start(lane, lane.head, stream, words)
            staged = self._ask_for_codes(lane, stream)
            if own is None:
                self._start(lane, lane.tail, stream, words)
            self._check_codes(lane, staged)
            if own is not None:
                self._start(lane, lane.tail, stream, words)
        return outs

    def _in_place(
        self, inputs: Sequence[DeviceBuffer], spare: Sequence[Any], stream: int
    ) -> list[DeviceBuffer | None] | None:
        """The buffers of ``spare`` in which results can be made by launches of ``stream``; None: there is none."""
        only = {stream}
        sizes = self.tape.out_bytes
        own = [
            b if b is not None and b.is_pooled and b.nbytes == n and b.streams == only else None
            for b, n in zip(spare, sizes, strict=True)
        ]
        for result, position in self.tape.parted:
            if own[result] is inputs[position]:
                own[result] = None
        return own if any(b is not None for b in own) else None

    def _lane(self, stream: int) -> _Lane:
        lane = self._lanes.get(stream)
        if lane is None:
            if self._consts.stream != stream:
                self._gpu.wait_for(stream, self._consts.stream)
                self._consts.used_on(stream)
            take = self._gpu.pool.take
            workspace = take(self._workspace_bytes, stream)
            block = take(self._block.nbytes, stream)
            lane = self._lanes[stream] = _Lane(block, workspace, self._parts, self._n_head)
        return lane

    def _upload(self, lane: _Lane, stream: int, bases: list[int], scalars: Sequence[float | int]) -> int:
        """Bring the run's block to the device; gives where it lies on the host until the run is enqueued."""
        block, device = self._block, self._gpu
        staged = device.staging(stream).take(block.nbytes)
        bases.append(lane.block.address + block.scalars_at)
        block.fill(staged, bases, scalars)
        device.driver.copy_in(lane.block.address, staged, block.nbytes, stream)
        return staged

    def _start(self, lane: _Lane, stretches: Sequence[_Stretch], stream: int, words: int) -> None:
        """Enqueue head or tail, each stretch as a graph where there is one, or where it is time to have one."""
        for stretch in stretches:
            launches = stretch.launches
            is_time = self._capturing and lane.runs >= GRAPH_FROM and len(launches) >= LEAST_LAUNCHES
            if is_time and not stretch.graph:
                stretch.graph = self._captured(launches)
            if stretch.graph:
                self._gpu.driver.launch_graph(stretch.graph, stream)
            else:
                self._launch_each(launches, stream)
            for call in stretch.calls:
                self._call(call, stream, words)

    def _call(self, call: LibraryCalls, stream: int, words: int) -> None:
        """Enqueue a library's calls. Their workspace is the stream's again when they are enqueued."""
        library = self._gpu.library
        assert library is not None, "the plan was made where there was one"
        calls = call.bound(library, words)
        workspace = self._gpu.pool.take(workspace_of(calls), stream)
        for prepared, addresses in calls:
            library.multiply(prepared, addresses, workspace.address, stream)

    def _launch_each(self, launches: Launches, stream: int) -> None:
        launch = self._gpu.driver.launch
        for function, grid, arguments in launches:
            launch(function, grid, stream, arguments)

    def _captured(self, launches: Launches) -> int:
        """The launches as a graph; 0 where the driver does not make one, which is said."""
        device = self._gpu
        driver, side = device.driver, device.capture_stream
        try:
            driver.begin_capture(side)
            try:
                self._launch_each(launches, side)
            finally:
                graph = driver.end_capture(side)
        except DriverError as error:
            self._capturing = False
            fall_back("tape", f"CUDA: no graph of {len(launches)} launches, they are enqueued one by one: {error}")
            return 0
        return graph

    def _ask_for_codes(self, lane: _Lane, stream: int) -> int:
        """Enqueue a copy of the status words; where they will be when the lane's event is reached."""
        driver, nbytes = self._gpu.driver, WORD * len(self._block.fallible)
        staged = self._gpu.staging(stream).take(nbytes)
        driver.copy_out(staged, lane.block.address + self._block.status_at, nbytes, stream)
        lane.event = lane.event or self._gpu.new_event(timing=False)
        driver.record(lane.event, stream)
        return staged

    def _check_codes(self, lane: _Lane, staged: int) -> None:
        """Wait for the status words; raise what the first failure stands for."""
        self._gpu.driver.wait_event(lane.event)
        codes = (ctypes.c_int64 * len(self._block.fallible)).from_address(staged)
        for pc, code in zip(self._block.fallible, codes, strict=True):
            if code:
                raise_failure(self.tape, pc, code)

    def __del__(self) -> None:
        for lane in getattr(self, "_lanes", {}).values():
            for stretch in lane.stretches:
                if stretch.graph:
                    self._gpu.drop_graph(stretch.graph)
            if lane.event:
                self._gpu.drop_event(lane.event)


def _groups_of(wave: Sequence[_Step]) -> list[list[_Step]]:
    """What is launched together, of steps that do not depend on each other: those of one kernel and like sizes."""
    alike: dict[tuple[int, int], list[_Step]] = {}
    for k, step in enumerate(wave):
        alike.setdefault((step.function, 0 if step.joins else k), []).append(step)
    return [[same[i] for i in group] for same in alike.values() for group in side_by_side([s.launch for s in same])]
