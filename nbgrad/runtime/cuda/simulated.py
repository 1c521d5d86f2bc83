"""A GPU's driver on this machine's processor: how everything but speed is tested without a GPU.

Device memory is memory of this process, filled with ones (NaN, -1) when it is allocated. Kernels are host code with
the kernel ABI; the warps of a launch run one after the other, the last one first. Calls are counted. With ``lazy``,
what is enqueued happens when somebody waits for it, as late as the rules of streams and events allow, so that a missing
wait gives wrong numbers. ``fail`` makes a call fail as the driver might.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections import Counter, deque
from collections.abc import Sequence
from typing import Final

from nbgrad.kernels.target import Target, host_warps
from nbgrad.runtime.cuda.driver import DEFAULT_STREAM, DriverError, Grid, OutOfDeviceMemory, OwnKernel, Properties
from nbgrad.runtime.cuda.library import Library
from nbgrad.runtime.cuda.simulated_code import loaded, run_warps
from nbgrad.runtime.cuda.simulated_library import SimulatedLibrary
from nbgrad.runtime.cuda.simulated_memory import PINNED, Memory
from nbgrad.runtime.cuda.simulated_streams import Mark, Stream, Work
from nbgrad.system.fork_safety import Lock

GIB: Final = 1 << 30
_MOST_WAITING: Final = 1024  # a stream that has more to do does some of it: programs that never look must not grow


class SimulatedDriver:
    """``devices`` GPUs with ``memory`` bytes each."""

    name = "simulated"

    def __init__(self, devices: int = 2, memory: int = GIB, lazy: bool = False) -> None:
        self.lazy = lazy
        self.calls: Counter[str] = Counter()
        self._failures: dict[str, deque[str]] = {}
        self._device_count = devices
        self._memory = Memory(devices, memory)
        self._lock = Lock()
        self._here = threading.local()
        self._handles = itertools.count(1)
        self._streams: dict[int, Stream] = {}
        self._defaults = [Stream(device) for device in range(devices)]
        self._events: dict[int, Mark | None] = {}  # where each was recorded last
        self._made: dict[int, tuple[int, bool]] = {}  # events: the device of each, and whether it takes the time
        self._own: dict[int, OwnKernel] = {}

    def fail(self, call: str, code: str = "CUDA_ERROR_UNKNOWN", times: int = 1) -> None:
        """Let the next calls of ``call`` fail."""
        self._failures.setdefault(call, deque()).extend([code] * times)

    def count(self, call: str) -> None:
        """Count a call, which fails where it was to."""
        self.calls[call] += 1
        waiting = self._failures.get(call)
        if waiting:
            code = waiting.popleft()
            raise (OutOfDeviceMemory if code == "CUDA_ERROR_OUT_OF_MEMORY" else DriverError)(call, code)

    # Devices.

    def device_count(self) -> int:
        return self._device_count

    def properties(self, device: int) -> Properties:
        return Properties("Simulated GPU", 8, 0, self._memory.total, 4, 2048, 48 << 10, 99 << 10, 65536, 4 << 20)

    def target(self, device: int) -> Target:
        """What code for the device is made for."""
        return host_warps()

    def activate(self, device: int) -> None:
        """Make ``device`` the one that this thread's calls mean."""
        self._here.device = device

    @property
    def _device(self) -> int:
        return getattr(self._here, "device", 0)

    # Memory.

    def memory_info(self) -> tuple[int, int]:
        """Bytes free and in all."""
        return self._memory.free[self._device], self._memory.total

    def alloc(self, nbytes: int) -> int:
        """Memory on the device, at an address divisible by 256; raises OutOfDeviceMemory."""
        self.count("alloc")
        if not nbytes:
            raise DriverError("alloc", "CUDA_ERROR_INVALID_VALUE", "no bytes")
        return self._memory.alloc(nbytes, self._device)

    def alloc_pinned(self, nbytes: int) -> int:
        """Host memory that copies need not stage."""
        self.count("alloc_pinned")
        return self._memory.alloc(nbytes, PINNED)

    def free(self, address: int) -> None:
        """Give memory of ``alloc`` back. Nothing that was enqueued may still use it."""
        self._drop_block("free", address)

    def free_pinned(self, address: int) -> None:
        self._drop_block("free_pinned", address)

    def _drop_block(self, call: str, address: int) -> None:
        self.count(call)
        with self._lock:
            self._memory.require_start(call, address)
            for stream in (*self._defaults, *self._streams.values()):
                stream.drain()  # what may still use it
            self._memory.drop(address)

    def device_of(self, address: int) -> int:
        """The device that has the memory at ``address``, whoever asked for it."""
        return self.require("device_of", address, 1)

    def require(self, call: str, address: int, nbytes: int) -> int:
        """The device that has the bytes; raises where they are not all in one block of one."""
        return self._memory.require(call, address, nbytes)

    # Copies.

    def copy_in(self, target: int, source: int, nbytes: int, stream: int) -> None:
        """From the host to the device. Pinned memory must stay as it is until the copy is done, any other may change
        when this returns."""
        kept = None if self._memory.is_pinned(source) else ctypes.create_string_buffer(ctypes.string_at(source, nbytes))
        here = source if kept is None else ctypes.addressof(kept)
        self._move("copy_in", target, here, nbytes, stream, [target], kept)

    def copy_out(self, target: int, source: int, nbytes: int, stream: int) -> None:
        """From the device to the host."""
        self._move("copy_out", target, source, nbytes, stream, [source])

    def copy(self, target: int, source: int, nbytes: int, stream: int) -> None:
        """From the device to itself."""
        self._move("copy", target, source, nbytes, stream, [target, source])

    def copy_across(self, target: int, to: int, source: int, device: int, nbytes: int, stream: int) -> None:
        """From one device to another; ``stream`` is the target's."""
        self._move("copy_across", target, source, nbytes, stream, [target, source])

    def _move(
        self, call: str, target: int, source: int, nbytes: int, stream: int, own: Sequence[int], keep: object = None
    ) -> None:
        """Copy bytes, of which those at ``own`` have to be a device's."""
        for address in own:
            self.require(call, address, nbytes)
        self.count(call)
        self.enqueue(stream, lambda: _memmove(target, source, nbytes, keep))

    # Streams and events.

    def new_stream(self, priority: int = 0) -> int:
        """A stream that does not wait for the default stream."""
        self.count("new_stream")
        handle = next(self._handles)
        self._streams[handle] = Stream(self._device)
        return handle

    def _stream(self, handle: int) -> Stream:
        return self._defaults[self._device] if handle == DEFAULT_STREAM else self._streams[handle]

    def enqueue(self, handle: int, work: Work) -> None:
        """Have the stream do ``work`` when it gets there: one of the device that is activated."""
        stream = self._stream(handle)
        if stream.device != self._device:
            raise DriverError("enqueue", "CUDA_ERROR_INVALID_HANDLE", f"a stream of device {stream.device}")
        with self._lock:
            if self.lazy:
                stream.queue.append(work)
                if len(stream.queue) > _MOST_WAITING:
                    stream.queue.popleft()()
            else:
                work()

    def _drain(self, stream: Stream) -> None:
        with self._lock:
            stream.drain()

    def stream_done(self, stream: int) -> bool:
        return not self._stream(stream).queue

    def wait_stream(self, stream: int) -> None:
        """Return when all that was enqueued on ``stream`` is done; raises what failed meanwhile."""
        self.count("wait_stream")
        self._drain(self._stream(stream))

    def synchronize(self) -> None:
        """Return when the device has nothing more to do."""
        self.count("synchronize")
        for stream in (*self._defaults, *self._streams.values()):
            if stream.device == self._device:
                self._drain(stream)

    def new_event(self, timing: bool = False) -> int:
        self.count("new_event")
        handle = next(self._handles)
        self._events[handle] = None
        self._made[handle] = self._device, timing
        return handle

    def drop_event(self, event: int) -> None:
        self.count("drop_event")
        del self._events[event], self._made[event]

    def record(self, event: int, stream: int) -> None:
        self.count("record")
        if self._made[event][0] != self._stream(stream).device:
            raise DriverError("record", "CUDA_ERROR_INVALID_HANDLE", f"an event of device {self._made[event][0]}")
        mark = self._events[event] = Mark(self._stream(stream))
        self.enqueue(stream, mark.reached)

    def event_done(self, event: int) -> bool:
        mark = self._events[event]
        return mark is None or mark.done

    def wait_event(self, event: int) -> None:
        self.count("wait_event")
        mark = self._events[event]
        if mark is not None:
            with self._lock:
                mark.reach()

    def elapsed_ms(self, begin: int, end: int) -> float:
        first, last = self._events[begin], self._events[end]
        if first is None or last is None or not (self._made[begin][1] and self._made[end][1]):
            raise DriverError("elapsed_ms", "CUDA_ERROR_INVALID_HANDLE")
        if self._made[begin][0] != self._made[end][0]:
            raise DriverError("elapsed_ms", "CUDA_ERROR_INVALID_HANDLE", "events of two devices")
        if not (first.done and last.done):
            raise DriverError("elapsed_ms", "CUDA_ERROR_NOT_READY")
        return (last.at_s - first.at_s) * 1e3

    def stream_waits(self, stream: int, event: int) -> None:
        """What is enqueued on ``stream`` from now on begins when ``event`` is done."""
        self.count("stream_waits")
        mark = self._events[event]
        if mark is not None:
            self.enqueue(stream, mark.reach)

    # Code.

    def load(self, image: bytes) -> int:
        """A module of machine code (or PTX), loaded."""
        self.count("load")
        loaded.load(image)
        return next(self._handles)

    def function(self, module: int, name: str) -> int:
        found = loaded.address(name)
        if not found:
            raise DriverError("function", "CUDA_ERROR_NOT_FOUND", name)
        return found

    def own_function(self, kernel: OwnKernel, device: int) -> int:
        """The function of a kernel of the user's own."""
        handle = next(self._handles)
        self._own[handle] = kernel
        return handle

    def launch(self, function: int, grid: Grid, stream: int, arguments: Sequence[int]) -> None:
        """Run a kernel's entry point with ``arguments`` of 64 bits; the first ones are the addresses and numbers
        (descriptor, items, chunk, status): warp w takes the items [w * chunk, (w + 1) * chunk), then goes on by the
        number of warps, and writes a failure code to ``status``. See kernels/ptx.py for the others."""
        self.count("launch")
        desc, _, chunk, status, *_ = arguments
        threads_fit = 32 <= grid.threads <= 1024 and grid.threads % 32 == 0
        if not (threads_fit and grid.blocks >= 1 and chunk >= 1):
            raise DriverError("launch", "CUDA_ERROR_INVALID_VALUE", str(grid))
        self.require("launch", desc, 8)
        self.require("launch", status, 4)
        own = self._own.get(function)
        self.enqueue(stream, lambda: own.simulate(desc, grid) if own else run_warps(function, *arguments[:4]))

    def library(self) -> Library | None:
        """What multiplies large matrices on the device; None, which was said, where there is no such library."""
        return SimulatedLibrary(self)


def _memmove(target: int, source: int, nbytes: int, keep: object) -> None:
    ctypes.memmove(target, source, nbytes)
