"""Values between the host's memory and a device's."""

from __future__ import annotations

import ctypes
from typing import Final

from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.devices import Gpu, current_device, gpu
from nbgrad.runtime.cuda.driver import DEFAULT_STREAM
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.cuda.staging import SEGMENT

_DEFAULTS: Final = (1, 2)  # the default stream, and that of a thread: nbgrad has one for both
STAGED: Final = SEGMENT // 4  # copies up to this go through pinned memory, and nobody waits for them


def device_alloc(nbytes: int, index: int) -> DeviceBuffer:
    """``nbytes`` on device ``index`` with arbitrary contents, of this thread's current stream."""
    to = gpu(index)
    to.activate()
    return to.pool.take(nbytes, to.stream)


def to_device(buffer: Buffer, index: int) -> DeviceBuffer:
    """A copy of ``buffer`` on device ``index``; ``buffer`` may be dropped or changed when this returns."""
    to, nbytes = gpu(index), buffer.nbytes
    with to.lock:
        to.activate()
        stream = to.stream
        made = to.pool.take(nbytes, stream)
        if 0 < nbytes <= STAGED:
            staged = to.staging(stream).take(nbytes)
            ctypes.memmove(staged, buffer.address, nbytes)
            to.driver.copy_in(made.address, staged, nbytes, stream)
        elif nbytes:
            to.driver.copy_in(made.address, buffer.address, nbytes, stream)
            to.driver.wait_stream(stream)
    return made


def to_host(buffer: DeviceBuffer) -> Buffer:
    """A copy of ``buffer`` in the host's memory, waited for."""
    made = Buffer.alloc(buffer.nbytes)
    if buffer.nbytes:
        source = gpu(buffer.device_index)
        source.activate()
        stream = source.stream
        _follow(source, stream, buffer)
        source.driver.copy_out(made.address, buffer.address, buffer.nbytes, stream)
        source.driver.wait_stream(stream)
    return made


def across(buffer: DeviceBuffer, index: int) -> DeviceBuffer:
    """``buffer`` on device ``index``: itself where it is there already, else a copy."""
    if buffer.device_index == index:
        return buffer
    source, to, nbytes = gpu(buffer.device_index), gpu(index), buffer.nbytes
    source.activate()
    source.driver.wait_stream(buffer.stream)
    to.activate()
    stream = to.stream
    made = to.pool.take(nbytes, stream)
    if nbytes:
        to.driver.copy_across(made.address, index, buffer.address, buffer.device_index, nbytes, stream)
        to.driver.wait_stream(stream)
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


def finish(index: int) -> None:
    """Return when what the current stream of device ``index`` has to do is done."""
    device = gpu(index)
    device.activate()
    device.driver.wait_stream(device.stream)


def stream_of(index: int) -> int:
    """The current stream of device ``index``, as ``__cuda_array_interface__`` says it: 1 is the default stream."""
    return gpu(index).stream or 1


def device_of(address: int) -> int:
    """The device that has the memory at ``address``; the current one for 0, where nothing lies."""
    device = gpu(current_device())
    device.activate()
    return device.driver.device_of(address) if address else device.index


def await_stream(index: int, stream: int) -> None:
    """Return when another library's stream, numbered as ``__cuda_array_interface__`` does, is done."""
    device = gpu(index)
    device.activate()
    device.driver.wait_stream(DEFAULT_STREAM if stream in _DEFAULTS else stream)


def _follow(device: Gpu, stream: int, buffer: DeviceBuffer) -> None:
    """Have ``stream`` wait for what writes ``buffer``, and the memory for what ``stream`` reads there."""
    if buffer.stream != stream:
        device.wait_for(stream, buffer.stream)
        buffer.used_on(stream)
