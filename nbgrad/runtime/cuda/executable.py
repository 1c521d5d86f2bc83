"""A tape bound to a device's machine code. A run is one copy of a small block, then one launch, and no wait.

From the second run on a stream all launches are one graph: recorded once, launched whole (``lane.py``). Nothing in it
changes from run to run but the block, at whose addresses in device memory all launches look; a library's calls are told
addresses, so there is a graph for each set of them.

Where instructions can fail, the launches are two graphs: the first ends with the last of those, and is waited for. On a
device nothing stops at a failure, so results that are made in the memory of inputs, all in the second one, are begun
when it is known that there was none. What has not failed does not fail again: where that depends on inputs alone that
are the same memory, and were not written since, all is one graph, and nobody waits.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.block import Block
from nbgrad.runtime.cuda.copies import to_device
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.runtime.cuda.lane import Lane
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.cuda.parts import divided, inputs_of_head, inputs_told
from nbgrad.runtime.cuda.resident import Resident
from nbgrad.runtime.executable import raise_failure
from nbgrad.runtime.starts import Starts
from nbgrad.tape.numbers import WORD
from nbgrad.tape.tape import Tape

_numbers: Final = itertools.count()


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
        self._told = inputs_told(tape, self._parts)
        self._lanes: dict[int, Lane] = {}  # by stream
        self._number = next(_numbers)
        self._decisive = inputs_of_head(tape, self._block) if self._block.fallible else None

    def run(
        self, inputs: Sequence[DeviceBuffer], scalars: Sequence[float | int], spare: Sequence[Any] | None = None
    ) -> list[DeviceBuffer]:
        """Buffers with the results, or what will be the results when the current stream gets there: fresh ones, or
        those of ``spare``, where nobody but the current stream uses them.

        Raises what a failing instruction stands for, at the user's line; a tape that has such instructions is waited
        for, up to the last of them, unless they have had the same inputs before.
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
            lane.runs += 1
            asked = self._asked(used)
            span = lane.whole if asked is None else lane.tail
            own = self._in_place(inputs, spare, stream) if spare is not None else None
            arena = take(tape.arena_bytes, stream)
            given = own if own is not None else [None] * len(tape.out_bytes)
            outs = [b or take(nbytes, stream) for b, nbytes in zip(given, tape.out_bytes, strict=True)]
            staged = device.staging(stream).take(self._block.nbytes)
            places = lane.homes.addresses(used)
            self._fill(lane, staged, places, (*outs, arena), scalars)
            graph = lane.graph_of(span, staged)
            stay = own or ()
            if own is not None and not lane.is_at_once(span, graph):  # inputs are not written by halves
                outs = [out if b is None else take(b.nbytes, stream) for b, out in zip(own, outs, strict=True)]
                own = None
                self._fill(lane, staged, places, (*outs, arena), scalars)
                graph = lane.graph_of(span, staged)
            for b in own or ():
                if b is not None:
                    b.checked = None
            head = lane.graph_of(lane.head, staged) if asked is not None else 0
            for buffer in foreign:
                buffer.used_on(stream)
            lane.homes.fill(device, stream, used)
            if graph or not span.calls:
                lane.homes.found_graph()
            else:
                lane.homes.watch(device, stream, used, stay)
            device.driver.copy_in(lane.block.address, staged, self._block.nbytes, stream)
            if asked is None:
                lane.start(span, graph, staged)
                return outs
            lane.start(lane.head, head, staged)
            codes = self._ask_for_codes(lane, stream)
            if own is None:
                lane.start(span, graph, staged)
            self._check_codes(lane, codes)
            for b in asked:
                if b.is_pooled and (own is None or b not in own):
                    b.checked = {*(b.checked or ()), self._number}
            if own is not None:
                lane.start(span, graph, staged)
        return outs

    def resident(self, stream: int) -> Resident | None:
        """Its runs on ``stream`` that find most memory where it was; None where it can fail, or has not run there."""
        lane = self._lanes.get(stream)
        return None if lane is None or self._block.fallible else Resident(self._gpu, lane, self._block, self._starts)

    def _asked(self, used: Sequence[DeviceBuffer]) -> list[DeviceBuffer] | None:
        """None: this run cannot fail. Else the inputs that it depends on alone whether it does: while they are not
        written anew, they need not be asked again."""
        if not self._block.fallible:
            return None
        asked = [used[slot] for slot in self._decisive or ()]
        is_known = asked and all(b.checked is not None and self._number in b.checked for b in asked)
        return None if is_known else asked

    def _in_place(
        self, inputs: Sequence[DeviceBuffer], spare: Sequence[Any], stream: int
    ) -> Sequence[DeviceBuffer | None] | None:
        """The buffers of ``spare`` in which results can be made by launches of ``stream``; None: there is none."""
        sizes = self.tape.out_bytes
        own = [
            b if b is not None and b.nbytes == n and b.is_only_on(stream) else None
            for b, n in zip(spare, sizes, strict=True)
        ]
        for result, position in self.tape.parted:
            if own[result] is inputs[position]:
                own[result] = None
        return own if any(b is not None for b in own) else None

    def _lane(self, stream: int) -> Lane:
        lane = self._lanes.get(stream)
        if lane is None:
            if self._consts.stream != stream:
                self._gpu.wait_for(stream, self._consts.stream)
                self._consts.used_on(stream)
            lane = self._lanes[stream] = Lane(self._gpu, stream, self._parts, self._block.nbytes, self._told)
        return lane

    def _fill(
        self,
        lane: Lane,
        staged: int,
        inputs: Sequence[int],
        buffers: Sequence[DeviceBuffer],
        scalars: Sequence[float | int],
    ) -> None:
        """Write the run's block to ``staged``, in the host's memory."""
        bases = [*inputs, *[b.address for b in buffers], lane.block.address + self._block.scalars_at]
        self._block.fill(staged, bases, scalars)

    def _ask_for_codes(self, lane: Lane, stream: int) -> int:
        """Enqueue a copy of the status words; where they will be when the lane's event is reached."""
        driver, nbytes = self._gpu.driver, WORD * len(self._block.fallible)
        staged = self._gpu.staging(stream).take(nbytes)
        driver.copy_out(staged, lane.block.address + self._block.status_at, nbytes, stream)
        lane.event = lane.event or self._gpu.new_event(timing=False)
        driver.record(lane.event.handle, stream)
        return staged

    def _check_codes(self, lane: Lane, staged: int) -> None:
        """Wait for the status words; raise what the first failure stands for."""
        assert lane.event is not None
        self._gpu.driver.wait_event(lane.event.handle)
        codes = (ctypes.c_int64 * len(self._block.fallible)).from_address(staged)
        for pc, code in zip(self._block.fallible, codes, strict=True):
            if code:
                raise_failure(self.tape, pc, code)
