"""The pool of a device: blocks come back in the order of their stream, and what other streams use is waited for."""

from __future__ import annotations

import gc
import weakref
from itertools import pairwise

import pytest

from nbgrad.errors import ArgumentError, OutOfMemoryError
from nbgrad.runtime.buffers import size_class
from nbgrad.runtime.cuda.driver import DEFAULT_STREAM
from nbgrad.runtime.cuda.memory import ROUND, DeviceBuffer, DevicePool
from nbgrad.runtime.cuda.simulated import SimulatedDriver

MIB = 1 << 20


def pool(memory: int = 1 << 30) -> tuple[SimulatedDriver, DevicePool]:
    driver = SimulatedDriver(memory=memory)
    return driver, DevicePool(driver, 0)


def test_a_dropped_block_serves_the_next_request_of_its_size_and_stream() -> None:
    driver, memory = pool()
    stream = driver.new_stream()
    for nbytes in (0, 1, 512, 5000, 300_000, 3 * MIB):
        first = memory.take(nbytes, DEFAULT_STREAM)
        address = first.address
        other = memory.take(nbytes, stream)
        assert address % 256 == 0 and other.address != address
        del first
        assert memory.take(nbytes, stream).address != address
        assert memory.take(nbytes, DEFAULT_STREAM).address == address


def test_blocks_do_not_overlap() -> None:
    _, memory = pool()
    buffers = [memory.take(nbytes, DEFAULT_STREAM) for nbytes in (1, 700, 5000, 100_000, 300_000, 0, 260_000) * 9]
    ends = sorted((b.address, b.address + max(b.nbytes, 1)) for b in buffers)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(ends))


@pytest.mark.parametrize("nbytes", [0, 1, 512, 513, 4096, 4097, 5000, 100_000, 12_345_678])
def test_a_block_is_at_most_a_quarter_too_large(nbytes: int) -> None:
    size = size_class(nbytes, ROUND)
    assert size % 512 == 0 or size > 4096
    assert nbytes <= size <= max(nbytes * 5 / 4, nbytes + 512)


def test_what_another_stream_uses_is_waited_for_before_it_is_written_again() -> None:
    driver, memory = pool()
    reader = driver.new_stream()
    used = memory.take(MIB, DEFAULT_STREAM)
    address = used.address
    used.used_on(DEFAULT_STREAM)
    used.used_on(reader)
    del used
    assert driver.calls["stream_waits"] == 0
    assert memory.take(MIB, DEFAULT_STREAM).address == address
    assert (driver.calls["record"], driver.calls["stream_waits"]) == (1, 1)
    used = memory.take(MIB, DEFAULT_STREAM)
    used.used_on(DEFAULT_STREAM)
    del used
    memory.take(MIB, DEFAULT_STREAM)
    assert driver.calls["stream_waits"] == 1, "its own stream needs no wait"


def test_bytes_are_counted() -> None:
    _, memory = pool()
    a = memory.take(1000, DEFAULT_STREAM)
    assert (memory.allocated, memory.reserved) == (1024, 1024)
    b = memory.take(3 * MIB, DEFAULT_STREAM)
    assert (memory.allocated, memory.reserved) == (1024 + 3 * MIB, 1024 + 3 * MIB)
    del a, b
    assert (memory.allocated, memory.reserved) == (0, 1024 + 3 * MIB)
    assert (memory.most_allocated, memory.most_reserved) == (1024 + 3 * MIB, 1024 + 3 * MIB)


def test_empty_cache_gives_back_what_nobody_has() -> None:
    driver, memory = pool()
    kept, gone = memory.take(1000, DEFAULT_STREAM), memory.take(1000, DEFAULT_STREAM)
    stream = driver.new_stream()
    idle, large = memory.take(1000, stream), memory.take(3 * MIB, DEFAULT_STREAM)
    large.used_on(stream)
    del gone, idle, large
    memory.empty_cache()
    assert memory.reserved == 1024, "the block that is kept"
    again = memory.take(1000, DEFAULT_STREAM)
    assert driver.calls["alloc"] == 5 and again.address != kept.address
    del kept, again
    memory.empty_cache()
    assert memory.reserved == 0 and driver.memory_info()[0] == 1 << 30
    memory.take(1000, DEFAULT_STREAM)
    assert memory.reserved == 1024


def test_where_memory_is_short_idle_blocks_make_room() -> None:
    driver, memory = pool(memory=4 * MIB)
    memory.take(3 * MIB, DEFAULT_STREAM)
    large = memory.take(4 * MIB, DEFAULT_STREAM)
    assert large.nbytes == 4 * MIB and driver.calls["free"] == 1


def test_out_of_memory_says_how_much_there_is() -> None:
    _, memory = pool(memory=4 * MIB)
    kept = memory.take(3 * MIB, DEFAULT_STREAM)
    said = (
        r"CUDA out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total capacity of 4.00 MiB of which 1.00 MiB is "
        r"free. 3.00 MiB is allocated by nbgrad, and 0 bytes is reserved by nbgrad but unallocated."
    )
    with pytest.raises(OutOfMemoryError, match=said) as caught:
        memory.take(2 * MIB, DEFAULT_STREAM)
    assert isinstance(caught.value, RuntimeError)
    assert memory.allocated == 3 * MIB == kept.nbytes
    assert memory.take(MIB, DEFAULT_STREAM).nbytes == MIB


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(ArgumentError, match="-1 bytes"):
        pool()[1].take(-1, DEFAULT_STREAM)


def test_wrapped_memory_is_its_owners() -> None:
    class Owner: ...

    driver, memory = pool()
    owner = Owner()
    gone = weakref.ref(owner)
    buffer = DeviceBuffer.wrap(memory, driver.alloc(64), 64, owner)
    del owner
    gc.collect()
    assert gone() is not None and not buffer.is_pooled and buffer.device_index == 0
    del buffer
    assert gone() is None and memory.allocated == 0
