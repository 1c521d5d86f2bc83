"""Values between the host's memory and a device's."""

from __future__ import annotations

from typing import Final

from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.devices import Gpu, current_device, gpu
from nbgrad.runtime.cuda.driver import DEFAULT_STREAM
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.cuda.pinned import is_pinned, pinned_memory, used_by

_DEFAULTS: Final = (1, 2)  # the default stream, and that of a thread: nbgrad has one for both
NO_STREAM: Final = -1  # to DLPack: nobody need wait


def device_alloc(nbytes: int, index: int) -> DeviceBuffer:
    """``nbytes`` on device ``index`` with arbitrary contents, of this thread's current stream."""
    to = gpu(index)
    to.activate()
    return to.pool.take(nbytes, to.stream)


def to_device(buffer: Buffer, index: int) -> DeviceBuffer:
    """A copy of ``buffer`` on device ``index``. ``buffer`` may be dropped when this returns; it may be changed,
    too, unless it is pinned: for that nobody waits."""
    to, nbytes = gpu(index), buffer.nbytes
    with to.lock:
        to.activate()
        made = to.pool.take(nbytes, to.stream)
        if nbytes:
            if is_pinned(buffer):
                used_by(buffer, index, to.stream)
            to.driver.copy_in(made.address, buffer.address, nbytes, to.stream)
    return made


def to_host(buffer: DeviceBuffer) -> Buffer:
    """A copy of ``buffer`` in the host's memory, waited for."""
    made = Buffer.alloc(buffer.nbytes)
    if buffer.nbytes:
        source = gpu(buffer.device_index)
        stream = _copy_out(source, made, buffer)
        source.driver.wait_stream(stream)
    return made


def to_pinned(buffer: DeviceBuffer) -> tuple[Buffer, Arrival]:
    """A copy of ``buffer`` in pinned memory, and when it is there: nobody waits."""
    made, source = pinned_memory(buffer.nbytes), gpu(buffer.device_index)
    with source.lock:
        stream = _copy_out(source, made, buffer)
        used_by(made, source.index, stream)
        return made, Arrival(made, source, stream)


def _copy_out(source: Gpu, target: Buffer, buffer: DeviceBuffer) -> int:
    """Enqueue a copy to the host on the current stream, which is given."""
    source.activate()
    stream = source.stream
    _follow(source, stream, buffer)
    source.driver.copy_out(target.address, buffer.address, buffer.nbytes, stream)
    return stream


class Arrival:
    """A copy that is under way to pinned memory, ``buffer``. Several threads may wait for it, so its event lives as
    long as it does. It stands in place of an export (runtime/shared_memory.py): whoever asks for that waits, and then
    finds memory that nobody else sees."""

    __slots__ = ("_event", "_gpu", "_is_there", "buffer")

    def __init__(self, buffer: Buffer, gpu: Gpu, stream: int) -> None:
        self.buffer, self._gpu = buffer, gpu
        self._is_there = False
        self._event = gpu.new_event(timing=False)
        gpu.driver.record(self._event.handle, stream)

    def wait(self) -> None:
        """Return when it is there."""
        if not self._is_there:
            self._gpu.activate()
            self._gpu.driver.wait_event(self._event.handle)
            self._is_there = True

    def alive(self) -> bool:
        self.wait()
        return False

    array = wait


def across(buffer: DeviceBuffer, index: int) -> DeviceBuffer:
    """``buffer`` on device ``index``: itself where it is there already, else a copy. The host does not wait."""
    if buffer.device_index == index:
        return buffer
    source, to, nbytes = gpu(buffer.device_index), gpu(index), buffer.nbytes
    first, second = sorted((source, to), key=lambda device: device.index)  # whoever locks both does so in this order
    with first.lock, second.lock:
        to.activate()
        stream = to.stream
        made = to.pool.take(nbytes, stream)
        if nbytes:
            to.wait_for_device(stream, source, buffer.stream)
            to.driver.copy_across(made.address, index, buffer.address, buffer.device_index, nbytes, stream)
            source.wait_for_device(buffer.stream, to, stream)  # its memory goes to nobody else before
    return made


def duplicate(buffer: DeviceBuffer) -> DeviceBuffer:
    """A copy of ``buffer`` on its device, as it is when the current stream gets there."""
    made = device_alloc(buffer.nbytes, buffer.device_index)
    overwrite(made, buffer)
    return made


def overwrite(target: DeviceBuffer, source: DeviceBuffer) -> None:
    """Write ``source`` into the memory of ``target``, of the same device: memory that others see.

    All who have read it by now see what was there, all who come later what is written. Others may have the same memory
    in a buffer of theirs, of other streams: all copies of such memory keep the order of the default stream, too.
    """
    device = gpu(target.device_index)
    with device.lock:
        device.activate()
        stream = device.stream
        for other in (DEFAULT_STREAM, *target.streams):
            device.wait_for(stream, other)
        target.used_on(stream)
        _follow(device, stream, source)
        if source.nbytes:
            device.driver.copy(target.address, source.address, source.nbytes, stream)
        for other in (DEFAULT_STREAM, target.stream):
            device.wait_for(other, stream)


def follow(buffer: DeviceBuffer) -> None:
    """Let what the current stream and the default stream do from now on come after all that uses ``buffer`` now."""
    device = gpu(buffer.device_index)
    with device.lock:
        device.activate()
        stream = device.stream
        for other in buffer.streams:
            device.wait_for(stream, other)
        buffer.used_on(stream)
        device.wait_for(DEFAULT_STREAM, stream)


def stream_of(index: int) -> int:
    """The current stream of device ``index``, as ``__cuda_array_interface__`` says it: 1 is the default stream."""
    return gpu(index).stream or 1


def device_of(address: int) -> int:
    """The device that has the memory at ``address``; the current one for 0, where nothing lies."""
    device = gpu(current_device())
    device.activate()
    return device.driver.device_of(address) if address else device.index


def follow_stream(index: int, stream: int) -> None:
    """Let the current stream come after another library's one, numbered as ``__cuda_array_interface__`` does."""
    device = gpu(index)
    device.activate()
    device.wait_for(device.stream, DEFAULT_STREAM if stream in _DEFAULTS else stream)


def lead_stream(index: int, stream: int | None) -> None:
    """Let another library's stream, numbered as DLPack does, come after the current one. None is the default stream,
    -1 waits for nothing."""
    if stream != NO_STREAM:
        device = gpu(index)
        device.activate()
        device.wait_for(DEFAULT_STREAM if stream is None or stream in _DEFAULTS else stream, device.stream)


def _follow(device: Gpu, stream: int, buffer: DeviceBuffer) -> None:
    """Have ``stream`` wait for what writes ``buffer``, and the memory for what ``stream`` reads there."""
    if buffer.stream != stream:
        device.wait_for(stream, buffer.stream)
        buffer.used_on(stream)
