"""Streams: queues of a GPU that run beside each other.

What a thread has recorded is enqueued on the stream that was current while it did so: changing streams enqueues it. A
tensor that another stream makes is waited for where it is used, and its memory is not written again too early, so no
``wait_stream`` or ``record_stream`` is needed for correct results. ``backward`` enqueues derivatives on the stream that
is current where it is called.
"""

from __future__ import annotations

from typing import Any

from nbgrad.cuda.devices import gpu_of, raise_unheard, run_pending
from nbgrad.cuda.events import Event
from nbgrad.device import Device
from nbgrad.errors import DTypeError
from nbgrad.runtime.cuda.devices import Gpu, gpu, here
from nbgrad.runtime.cuda.driver import DEFAULT_STREAM


class Stream:
    """A queue of a GPU. What is enqueued on it runs in order; it does not wait for other streams.

    ``priority``: a negative number comes before 0. As a ``with`` block: the current stream.
    """

    __slots__ = ("_before", "_gpu", "cuda_stream", "priority")

    def __init__(self, device: Any = None, priority: int = 0) -> None:
        self._gpu: Gpu = gpu_of(device)
        self.priority = priority
        self.cuda_stream = self._gpu.new_stream(priority)
        self._before: list[StreamContext] = []

    @staticmethod
    def _of(owner: Gpu, handle: int) -> Stream:
        """The stream that the driver knows by ``handle``."""
        self: Stream = object.__new__(Stream)
        self._gpu, self.cuda_stream, self.priority, self._before = owner, handle, 0, []
        return self

    @property
    def device(self) -> Device:
        return Device("cuda", self._gpu.index)

    @property
    def device_index(self) -> int:
        return self._gpu.index

    def query(self) -> bool:
        """Whether everything that was enqueued on it is done."""
        run_pending()
        self._gpu.activate()
        return self._gpu.driver.stream_done(self.cuda_stream)

    def synchronize(self) -> None:
        """Return when everything that was enqueued on it is done."""
        run_pending()
        self._gpu.activate()
        self._gpu.driver.wait_stream(self.cuda_stream)
        raise_unheard(self._gpu.index)

    def record_event(self, event: Event | None = None) -> Event:
        """An event that is reached when everything enqueued so far is done."""
        found = Event() if event is None else event
        found.record(self)
        return found

    def wait_event(self, event: Event) -> None:
        """Let what is enqueued from now on wait for ``event``."""
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        """Let what is enqueued from now on wait for what ``stream`` has to do now."""
        self.wait_event(stream.record_event())

    def __enter__(self) -> Stream:
        context = StreamContext(self)
        context.__enter__()
        self._before.append(context)
        return self

    def __exit__(self, *error: object) -> None:
        self._before.pop().__exit__(*error)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stream):
            return False
        return (self._gpu.index, self.cuda_stream) == (other._gpu.index, other.cuda_stream)

    def __hash__(self) -> int:
        return hash((self._gpu.index, self.cuda_stream))

    def __repr__(self) -> str:
        return f"<nbgrad.cuda.Stream device=cuda:{self._gpu.index} cuda_stream={self.cuda_stream:#x}>"


class ExternalStream(Stream):
    """A stream that another library made: ``stream_ptr`` is what the driver knows it by. It lives as long as that
    library lets it."""

    __slots__ = ()

    def __init__(self, stream_ptr: int, device: Any = None) -> None:
        if not isinstance(stream_ptr, int):
            raise DTypeError(f"ExternalStream(): stream_ptr must be int, not {type(stream_ptr).__name__}")
        self._gpu, self.cuda_stream, self.priority, self._before = gpu_of(device), stream_ptr, 0, []


def default_stream(device: Any = None) -> Stream:
    """The stream that is current where nobody has set another."""
    return Stream._of(gpu_of(device), DEFAULT_STREAM)


def current_stream(device: Any = None) -> Stream:
    """The stream on which this thread's work for a GPU is enqueued."""
    owner = gpu_of(device)
    return Stream._of(owner, owner.stream)


def set_stream(stream: Stream | None) -> None:
    """Enqueue this thread's work for the stream's GPU on ``stream`` from now on, and let "cuda" mean that GPU."""
    if stream is None:
        return
    if not isinstance(stream, Stream):
        raise DTypeError(f"set_stream(): expected a Stream, got {type(stream).__name__}")
    run_pending()
    here.streams[stream.device_index] = stream.cuda_stream
    here.device = stream.device_index


class StreamContext:
    """A ``with`` block in which ``stream`` is the current stream of its GPU, and that GPU is the current one."""

    def __init__(self, stream: Stream | None) -> None:
        if not isinstance(stream, Stream | None):
            raise DTypeError(f"stream(): expected a Stream, got {type(stream).__name__}")
        self.stream = stream
        self._device = 0
        self._handle = DEFAULT_STREAM

    def __enter__(self) -> None:
        if self.stream is not None:
            self._device = here.device
            self._handle = gpu(self.stream.device_index).stream
            set_stream(self.stream)

    def __exit__(self, *error: object) -> None:
        if self.stream is not None:
            try:
                run_pending()
            finally:
                here.streams[self.stream.device_index] = self._handle
                here.device = self._device


def stream(stream: Stream | None) -> StreamContext:
    """A ``with`` block in which ``stream`` is the current one; None changes nothing."""
    return StreamContext(stream)
