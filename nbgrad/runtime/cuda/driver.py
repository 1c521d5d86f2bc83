"""What the runtime asks of a GPU's driver, and the errors that it answers with.

Two answer: ``bindings`` (the NVIDIA driver) and ``simulated`` (this machine's processor), which says what each call has
to do. Streams, events, modules and functions are handles, memory is addresses; stream 0 is each device's default
stream. What a call does happens on the device that this thread has activated last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from nbgrad.errors import RunError
from nbgrad.kernels.launch import Launch
from nbgrad.kernels.target import Target

if TYPE_CHECKING:
    from nbgrad.runtime.cuda.bindings import NvidiaDriver
    from nbgrad.runtime.cuda.simulated import SimulatedDriver

    Driver: TypeAlias = NvidiaDriver | SimulatedDriver

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
