"""What the runtime asks of a GPU's driver, and the errors that it answers with.

Two answer: ``bindings`` (the NVIDIA driver) and ``simulated`` (this machine's processor). Streams, events, modules
and functions are handles, memory is addresses; stream 0 is each device's default stream. What a call does
happens on the device that this thread has activated last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from nbgrad.errors import RunError
from nbgrad.kernels.launch import Launch
from nbgrad.kernels.target import Target
from nbgrad.runtime.cuda.library import Library

DEFAULT_STREAM = 0
NO_DEVICE = "the NVIDIA driver finds no device (is CUDA_VISIBLE_DEVICES set to hide them?)"


class Properties(NamedTuple):
    """What a device is."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    max_threads_per_multi_processor: int
    shared_memory_per_block: int
    shared_memory_per_block_optin: int
    regs_per_multiprocessor: int
    L2_cache_size: int
    warp_size: int = 32


class Grid(NamedTuple):
    """How one kernel is spread over a device."""

    blocks: int
    threads: int
    shared_bytes: int
    dims: tuple[int, ...] = ()  # of a kernel of the user's own: blocks, then threads, along x, y and z


class OwnKernel(Protocol):
    """A kernel of the user's own, with the arguments of ``launch`` below."""

    symbol: str

    def code(self, target: Target) -> bytes:
        """Machine code, or PTX."""

    def launch(self, words: Sequence[int]) -> Launch:
        """How it is launched for a descriptor's words."""

    def simulate(self, desc: int, grid: Grid) -> None:
        """Do on this machine's processor what a launch does, with a descriptor at ``desc``."""


class DriverError(RunError):
    """A call of the driver failed: ``call``, and the driver's own name for the error."""

    def __init__(self, call: str, code: str, said: str = "") -> None:
        super().__init__(f"CUDA error: {code} from {call}" + (f": {said}" if said else ""))
        self.call = call
        self.code = code
        self.said = said

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is copied, for each of the values that need what failed."""
        return type(self), (self.call, self.code, self.said), self.__dict__


class OutOfDeviceMemory(DriverError):
    """The device has no room for an allocation."""


class NoDriver(Exception):
    """There is no way to a GPU; the text says what is missing."""


class Driver(Protocol):
    """The calls. What takes a stream returns before it is done, but for ``wait_*`` and ``synchronize``."""

    name: str

    def device_count(self) -> int: ...

    def properties(self, device: int) -> Properties: ...

    def target(self, device: int) -> Target:
        """What code for the device is made for."""

    def activate(self, device: int) -> None:
        """Make ``device`` the one that this thread's calls mean."""

    def memory_info(self) -> tuple[int, int]:
        """Bytes free and in all."""

    def alloc(self, nbytes: int) -> int:
        """Memory on the device, at an address divisible by 256; raises OutOfDeviceMemory."""

    def free(self, address: int) -> None:
        """Give memory of ``alloc`` back. Nothing that was enqueued may still use it."""

    def device_of(self, address: int) -> int:
        """The device that has the memory at ``address``, whoever asked for it."""

    def alloc_pinned(self, nbytes: int) -> int:
        """Host memory that copies need not stage."""

    def free_pinned(self, address: int) -> None: ...

    def copy_in(self, target: int, source: int, nbytes: int, stream: int) -> None:
        """From the host to the device. Pinned memory must stay as it is until the copy is done, any other may change
        when this returns."""

    def copy_out(self, target: int, source: int, nbytes: int, stream: int) -> None:
        """From the device to the host."""

    def copy(self, target: int, source: int, nbytes: int, stream: int) -> None:
        """From the device to itself."""

    def copy_across(self, target: int, to: int, source: int, device: int, nbytes: int, stream: int) -> None:
        """From one device to another; ``stream`` is the target's."""

    def new_stream(self, priority: int = 0) -> int:
        """A stream that does not wait for the default stream."""

    def stream_done(self, stream: int) -> bool: ...

    def wait_stream(self, stream: int) -> None:
        """Return when all that was enqueued on ``stream`` is done; raises what failed meanwhile."""

    def synchronize(self) -> None:
        """Return when the device has nothing more to do."""

    def new_event(self, timing: bool = False) -> int: ...

    def drop_event(self, event: int) -> None: ...

    def record(self, event: int, stream: int) -> None: ...

    def event_done(self, event: int) -> bool: ...

    def wait_event(self, event: int) -> None: ...

    def elapsed_ms(self, begin: int, end: int) -> float: ...

    def stream_waits(self, stream: int, event: int) -> None:
        """What is enqueued on ``stream`` from now on begins when ``event`` is done."""

    def load(self, image: bytes) -> int:
        """A module of machine code (or PTX), loaded."""

    def function(self, module: int, name: str) -> int: ...

    def own_function(self, kernel: OwnKernel, device: int) -> int:
        """The function of a kernel of the user's own."""

    def launch(self, function: int, grid: Grid, stream: int, arguments: Sequence[int]) -> None:
        """Run a kernel's entry point with ``arguments`` of 64 bits; the first ones are the addresses and numbers
        (descriptor, items, chunk, status): warp w takes the items [w * chunk, (w + 1) * chunk), then goes on by the
        number of warps, and writes a failure code to ``status``. See kernels/ptx.py for the others.
        """

    def library(self) -> Library | None:
        """What multiplies large matrices on the device; None, which was said, where there is no such library."""
