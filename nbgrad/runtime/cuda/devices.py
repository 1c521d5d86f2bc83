"""The GPUs of this process: which driver there is or what is missing, each device's memory and streams."""

from __future__ import annotations

import atexit
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from nbgrad.config import settings
from nbgrad.errors import RunError
from nbgrad.runtime.cuda.driver import DEFAULT_STREAM, NO_DEVICE, DriverError, NoDriver, OwnKernel, Properties
from nbgrad.runtime.cuda.library import Library
from nbgrad.runtime.cuda.memory import DeviceBuffer, DevicePool
from nbgrad.runtime.cuda.owned import Owned
from nbgrad.runtime.store import KernelStore
from nbgrad.system.fork_safety import Lock
from nbgrad.system.imports import import_module

if TYPE_CHECKING:
    from nbgrad.runtime.cuda.driver import Driver

_HINT: Final = (
    ". Without a GPU, NBGRAD_CUDA=simulated (in code: nbgrad.config.override(cuda='simulated')) lets this machine's "
    "processor stand for two, to try programs"
)
_MOST_STREAMS: Final = 32  # of a device and a priority; then they are given out again, in turn


class _Here(threading.local):
    """What this thread works with."""

    def __init__(self) -> None:
        self.device = 0
        self.streams: dict[int, int] = {}  # by device; without an entry the default stream


here: Final = _Here()


class Gpu:
    """One device of one driver."""

    def __init__(self, driver: Driver, index: int) -> None:
        self.driver = driver
        self.index = index
        self.pool = DevicePool(driver, index)
        self.lock = Lock()  # held while work is enqueued: blocks are one thread's at a time
        self._streams: dict[int, list[int]] = {}  # by priority
        self._next_stream: dict[int, int] = {}
        self._properties: Properties | None = None
        self._kernels: KernelStore | None = None
        self._library: Library | None = None
        self._has_looked = False
        self._workspaces: dict[int, DeviceBuffer] = {}  # a library's, by stream
        self._own: dict[OwnKernel, int] = {}
        self._event = 0
        self._dead: deque[tuple[Callable[[int], None], int]] = deque()  # how to drop it, and what

    def activate(self) -> None:
        """Make this device the one that the thread's calls of the driver mean."""
        self.driver.activate(self.index)

    def synchronize(self) -> None:
        """Return when the device has nothing more to do."""
        self.driver.synchronize()

    @property
    def properties(self) -> Properties:
        if self._properties is None:
            self._properties = self.driver.properties(self.index)
        return self._properties

    @property
    def kernels(self) -> KernelStore:
        """The device's kernels."""
        if self._kernels is None:
            with self.lock:
                target = self.driver.target(self.index)
                new_loader = partial(ModuleLoader, self)
                self._kernels = self._kernels or KernelStore(target=lambda: target, new_loader=new_loader)
                atexit.register(self._kernels.stop_worker)
        return self._kernels

    @property
    def library(self) -> Library | None:
        """What multiplies large matrices here; None where nothing but our own kernels does."""
        if not self._has_looked:
            with self.lock:
                if not self._has_looked:
                    self.activate()
                    self._library = self.driver.library()
                    self._has_looked = True
        return self._library

    def own_function(self, kernel: OwnKernel) -> int:
        """The function of a kernel of the user's own here."""
        with self.lock:
            if kernel not in self._own:
                self.activate()
                self._own[kernel] = self.driver.own_function(kernel, self.index)
            return self._own[kernel]

    def library_workspace(self, stream: int, nbytes: int) -> DeviceBuffer:
        """Memory for a library's calls on ``stream``, which are done one after the other. It stays where it is until
        one needs more."""
        found = self._workspaces.get(stream)
        if found is None or found.nbytes < nbytes:
            found = self._workspaces[stream] = self.pool.take(nbytes, stream)
        return found

    def empty_cache(self) -> None:
        """Give the driver back what lies idle, and what programs get on without."""
        with self.lock:
            self.activate()
            self._workspaces.clear()
            self.pool.empty_cache()

    @property
    def stream(self) -> int:
        """This thread's current stream."""
        return here.streams.get(self.index, DEFAULT_STREAM)

    def new_stream(self, priority: int = 0) -> int:
        """A stream: a new one, or when there are many, one that was given out before."""
        self.activate()
        with self.lock:
            streams = self._streams.setdefault(priority, [])
            if len(streams) < _MOST_STREAMS:
                streams.append(self.driver.new_stream(priority))
                return streams[-1]
            turn = self._next_stream.get(priority, 0)
            self._next_stream[priority] = (turn + 1) % _MOST_STREAMS
            return streams[turn]

    def new_event(self, timing: bool) -> Owned:
        """An event, which goes with the first event that is made after nobody has it."""
        self._tidy()
        return self._owned(self.driver.drop_event, self.driver.new_event(timing))

    def pinned(self, nbytes: int, uses: set[tuple[int, int]]) -> Owned:
        """Pinned memory, which goes in the same way, once the streams that use it have nothing to do: (device,
        stream)."""
        self._tidy()

        def drop(address: int) -> None:
            for device, stream in uses:
                self.driver.activate(device)
                if not self.driver.stream_done(stream):
                    self._dead.append((drop, address))
                    break
            else:
                self.driver.free_pinned(address)
            self.activate()

        return self._owned(drop, self.driver.alloc_pinned(nbytes))

    def _owned(self, drop: Callable[[int], None], handle: int) -> Owned:
        return Owned(handle, partial(self._dead.append, (drop, handle)))

    def _tidy(self) -> None:
        """Drop what is dead. Not where it died: that thread may mean another device, or none."""
        for _ in range(len(self._dead)):
            try:
                drop, handle = self._dead.popleft()
            except IndexError:  # another thread has taken it
                return
            drop(handle)

    def wait_for(self, stream: int, other: int) -> None:
        """What is enqueued on ``stream`` from now on begins when all that ``other`` has now is done."""
        if stream != other:
            with self.lock:
                self.driver.stream_waits(stream, self._end_of(other))

    def wait_for_device(self, stream: int, gpu: Gpu, other: int) -> None:
        """The same for the stream ``other`` of ``gpu``, where the caller has the locks of both devices. Afterwards this
        one is what calls mean."""
        gpu.activate()
        event = gpu._end_of(other)
        self.activate()
        self.driver.stream_waits(stream, event)

    def _end_of(self, stream: int) -> int:
        """An event that is reached when all that ``stream`` has now is done. The next call may take it over: who waits
        by then waits for what it was."""
        self._event = self._event or self.driver.new_event()
        self.driver.record(self._event, stream)
        return self._event


class ModuleLoader:
    """Brings code to a device."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._module = 0  # the last one

    def load(self, object_code: bytes) -> None:
        self._gpu.activate()
        self._module = self._gpu.driver.load(object_code)

    def addresses(self, symbols: Sequence[str]) -> list[int]:
        """The functions that the code loaded last has under these names."""
        return [self._gpu.driver.function(self._module, symbol) for symbol in symbols]


class Gpus:
    """All devices of ``driver``."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.pid = os.getpid()
        self.devices = [Gpu(driver, index) for index in range(driver.device_count())]


class _Known:
    """What was found, so that nobody looks again."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.by_mode: dict[str, Gpus | NoDriver] = {}


_known = _Known()


def _real() -> Driver:
    driver: Driver = import_module("nbgrad.runtime.cuda.bindings").open_driver()
    return driver


def _simulated() -> Driver:
    driver: Driver = import_module("nbgrad.runtime.cuda.simulated").SimulatedDriver(lazy=True)
    return driver


def _off() -> Driver:
    raise NoDriver("CUDA is switched off (NBGRAD_CUDA=off)")


_OPEN: Final[dict[str, Callable[[], Driver]]] = {"auto": _real, "simulated": _simulated, "off": _off}


def _found() -> Gpus | NoDriver:
    mode = settings.cuda
    found = _known.by_mode.get(mode)
    if found is None:
        with _known.lock:
            found = _known.by_mode.get(mode) or _look(mode)
            _known.by_mode[mode] = found
    return found


def _look(mode: str) -> Gpus | NoDriver:
    try:
        gpus = Gpus(_OPEN[mode]())
    except NoDriver as missing:
        return missing
    except DriverError as error:
        return NoDriver(f"the NVIDIA driver does not answer: {error.args[0]}")
    return gpus if gpus.devices else NoDriver(NO_DEVICE)


def is_open() -> bool:
    """Whether GPUs were looked for and found."""
    return isinstance(_known.by_mode.get(settings.cuda), Gpus)


def use_driver(driver: Driver | Gpus | None, mode: str = "simulated") -> Gpus | None:
    """Have ``driver`` stand for ``mode`` from now on; None: look again when asked. For tests. Gives the GPUs that stood
    for it: what is compiled for them has constants in their memory."""
    with _known.lock:
        before = _known.by_mode.pop(mode, None)
        if driver is not None:
            _known.by_mode[mode] = driver if isinstance(driver, Gpus) else Gpus(driver)
    return before if isinstance(before, Gpus) else None


def device_count() -> int:
    """How many GPUs there are; 0 where there is no way to one."""
    found = _found()
    return len(found.devices) if isinstance(found, Gpus) else 0


def why_none() -> str:
    """What is missing for CUDA; "" where there is a GPU."""
    found = _found()
    return str(found) if isinstance(found, NoDriver) else ""


def gpu(index: int) -> Gpu:
    """Device ``index``; RuntimeError says what is missing."""
    found = _found()
    if isinstance(found, NoDriver):
        hint = _HINT if settings.cuda == "auto" else ""
        missing = str(found).rstrip(".") if hint else str(found)
        raise RunError(f"device 'cuda' is not available: {missing}{hint}")
    if found.pid != os.getpid():
        raise RunError(
            "Cannot re-initialize CUDA in forked subprocess: CUDA was used before this process was forked. To use CUDA "
            "with multiprocessing, you must use the 'spawn' start method"
        )
    if not 0 <= index < len(found.devices):
        count = len(found.devices)
        raise RunError(
            f"CUDA error: invalid device ordinal: cuda:{index}, there {'is' if count == 1 else 'are'} {count}"
        )
    return found.devices[index]


def current_device() -> int:
    """The device that this thread means by "cuda"."""
    return here.device
