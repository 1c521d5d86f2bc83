"""Events: places in streams, to wait for and to measure between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbgrad.cuda.devices import gpu_of, raise_unheard, run_pending
from nbgrad.errors import ArgumentError, RunError
from nbgrad.runtime.cuda.devices import Gpu
from nbgrad.runtime.cuda.owned import Owned

if TYPE_CHECKING:
    from nbgrad.cuda.streams import Stream


class Event:
    """A place in a stream, reached when all that was enqueued before is done.

    ``enable_timing``: ``elapsed_time`` may be asked for. The others are taken as PyTorch takes them: waiting is the
    same with both values of ``blocking``, events of other processes there are none, and ``external`` is for graphs that
    a program records itself, of which there are none either.
    """

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, external: bool = False
    ) -> None:
        if interprocess:
            raise ArgumentError("Event(): interprocess=True is not available")
        self._timing = enable_timing
        self._gpu: Gpu | None = None
        self._event: Owned | None = None  # made when it is recorded for the first time
        self._recorded = False

    def record(self, stream: Stream | None = None) -> None:
        """Make this the place that ``stream``, or the current one, has reached when all enqueued so far is done."""
        run_pending()
        owner = gpu_of(None if stream is None else stream.device_index)
        if self._gpu not in (None, owner):
            raise RunError("Event device does not match the recording stream's device")
        self._gpu = owner
        self._event = self._event or owner.new_event(self._timing)
        owner.driver.record(self.cuda_event, owner.stream if stream is None else stream.cuda_stream)
        self._recorded = True

    def wait(self, stream: Stream | None = None) -> None:
        """Let what is enqueued on ``stream``, or the current one, from now on wait until this is reached."""
        run_pending()
        if self._recorded:
            owner = gpu_of(None if stream is None else stream.device_index)
            owner.driver.stream_waits(owner.stream if stream is None else stream.cuda_stream, self.cuda_event)

    def query(self) -> bool:
        """Whether it is reached; an event that was never recorded is."""
        if self._gpu is None:
            return True
        self._gpu.activate()
        return self._gpu.driver.event_done(self.cuda_event)

    def synchronize(self) -> None:
        """Return when it is reached."""
        if self._gpu is not None:
            self._gpu.activate()
            self._gpu.driver.wait_event(self.cuda_event)
            raise_unheard(self._gpu.index)

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this event to ``end_event``. Both were made with ``enable_timing`` and are reached."""
        if not (self._timing and end_event._timing):
            raise RunError("Both events must be created with argument 'enable_timing=True'.")
        if self._gpu is None or end_event._gpu is None:
            raise RunError("Both events must be recorded before calculating elapsed time.")
        if not (self.query() and end_event.query()):
            raise RunError("Both events must be completed before calculating elapsed time.")
        return self._gpu.driver.elapsed_ms(self.cuda_event, end_event.cuda_event)

    @property
    def cuda_event(self) -> int:
        """What the driver knows it by; 0 before it is recorded for the first time."""
        return 0 if self._event is None else self._event.handle

    def __repr__(self) -> str:
        return f"<nbgrad.cuda.Event {self.cuda_event:#x}>" if self._recorded else "<nbgrad.cuda.Event uninitialized>"
