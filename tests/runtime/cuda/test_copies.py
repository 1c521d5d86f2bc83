"""Values on their way to a device, from it, and between devices; nothing happens before it must (lazy streams)."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.copies import across, device_alloc, to_device, to_host, to_pinned
from nbgrad.runtime.cuda.devices import gpu, here
from nbgrad.runtime.cuda.pinned import is_pinned, pin
from tests.runtime.cuda.devices import simulated

LARGE = 1 << 16
SIZES = [0, 1, 1000, LARGE, 5 * LARGE]


@pytest.mark.parametrize("nbytes", SIZES)
def test_a_value_comes_back_as_it_went_whatever_happens_to_its_source(nbytes: int) -> None:
    with simulated(lazy=True) as driver:
        source = np.arange(nbytes, dtype=np.uint8)
        host = Buffer.from_numpy(source)
        device = to_device(host, 1)
        host.array((nbytes,), np.uint8)[:] = 0
        assert (device.nbytes, device.device_index) == (nbytes, 1)
        assert driver.calls["wait_stream"] == 0, "copies are not waited for"
        np.testing.assert_array_equal(to_host(device).array((nbytes,), np.uint8), source)


def test_another_stream_waits_for_the_copy() -> None:
    with simulated(lazy=True):
        a, b = gpu(0).new_stream(), gpu(0).new_stream()
        here.streams[0] = a
        device = to_device(Buffer.from_numpy(np.arange(10)), 0)
        here.streams[0] = b
        assert to_host(device).array((10,), np.int64).tolist() == list(range(10))


def test_memory_that_another_stream_reads_is_not_written_too_early() -> None:
    with simulated(lazy=True) as driver:
        a, b = gpu(0).new_stream(), gpu(0).new_stream()
        here.streams[0] = a
        device = to_device(Buffer.from_numpy(np.arange(10)), 0)
        result = np.zeros(10, np.int64)
        gpu(0).wait_for(b, a)
        device.used_on(b)
        driver.copy_out(result.ctypes.data, device.address, 80, b)
        address = device.address
        del device
        assert to_device(Buffer.from_numpy(np.zeros(10, np.int64)), 0).address == address
        driver.wait_stream(a)
        driver.wait_stream(b)
        assert result.tolist() == list(range(10))


@pytest.mark.parametrize("nbytes", SIZES)
def test_a_value_goes_from_device_to_device(nbytes: int) -> None:
    with simulated(lazy=True):
        source = np.arange(nbytes, dtype=np.uint8)
        here.streams[0] = gpu(0).new_stream()
        first = to_device(Buffer.from_numpy(source), 0)
        second = across(first, 1)
        assert second.device_index == 1 and across(second, 1) is second
        np.testing.assert_array_equal(to_host(second).array((nbytes,), np.uint8), source)


def test_memory_is_taken_on_the_device_that_is_asked_for() -> None:
    with simulated():
        assert device_alloc(100, 1).device_index == 1
        assert gpu(1).pool.reserved > 0 == gpu(0).pool.reserved


@pytest.mark.parametrize("nbytes", [n for n in SIZES if n])
def test_pinned_memory_is_waited_for_by_nobody(nbytes: int) -> None:
    with simulated(lazy=True) as driver:
        here.streams[0] = gpu(0).new_stream()
        source = np.arange(nbytes, dtype=np.uint8)
        device = to_device(pin(Buffer.from_numpy(source)), 0)
        back, arrival = to_pinned(device)
        assert driver.calls["wait_stream"] == driver.calls["wait_event"] == 0
        assert is_pinned(back) and set(back.array((nbytes,), np.uint8).tolist()) == {255}, "nothing is there yet"
        arrival.wait()
        arrival.wait()
        np.testing.assert_array_equal(back.array((nbytes,), np.uint8), source)
        assert driver.calls["wait_event"] == 1 and driver.calls["wait_stream"] == 0


def test_two_threads_may_wait_for_one_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    with simulated(lazy=True) as driver:
        back, arrival = to_pinned(to_device(Buffer.from_numpy(np.arange(3)), 0))
        wait, met = driver.wait_event, threading.Barrier(2, timeout=60)

        def wait_together(event: int) -> None:
            met.wait()
            wait(event)

        monkeypatch.setattr(driver, "wait_event", wait_together)
        threads = [threading.Thread(target=arrival.wait) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        del arrival
        gpu(0).new_event(timing=False)  # drops what is dead
        assert back.array((3,), np.int64).tolist() == [0, 1, 2] and driver.calls["drop_event"] == 1


def test_a_large_copy_waits_for_nothing() -> None:
    with simulated(lazy=True) as driver:
        done: list[int] = []
        driver.enqueue(0, lambda: done.append(1))
        device = to_device(Buffer.from_numpy(np.arange(LARGE, dtype=np.int64)), 0)
        assert not done and device.streams == {0}
        assert to_host(device).array((LARGE,), np.int64)[-1] == LARGE - 1 and done


def test_memory_of_a_large_copy_is_not_written_before_it_was_read() -> None:
    with simulated(lazy=True) as driver:
        first = to_device(Buffer.from_numpy(np.zeros(LARGE, np.int64)), 0)
        copies = [to_pinned(first)]
        address = first.address
        del first
        second = to_device(Buffer.from_numpy(np.ones(LARGE, np.int64)), 0)
        assert second.address == address
        for back, arrival in copies:
            arrival.wait()
            assert not back.array((LARGE,), np.int64).any()
        assert driver.calls["alloc"] == 1


def test_the_host_does_not_wait_for_copies_between_devices() -> None:
    with simulated(lazy=True) as driver:
        here.streams.update({0: gpu(0).new_stream(), 1: gpu(1).new_stream()})
        first = to_device(Buffer.from_numpy(np.arange(10)), 0)
        second = across(first, 1)
        del first
        to_device(Buffer.from_numpy(np.zeros(10, np.int64)), 0)
        assert driver.calls["wait_stream"] == driver.calls["wait_event"] == 0
        assert to_host(second).array((10,), np.int64).tolist() == list(range(10))


def test_two_threads_may_copy_between_devices_in_both_directions() -> None:
    with simulated():
        buffers = [to_device(Buffer.from_numpy(np.arange(10)), index) for index in (0, 1)]
        found: list[list[int]] = []

        def work(index: int) -> None:
            for _ in range(300):
                made = across(buffers[index], 1 - index)
            found.append(to_host(made).array((10,), np.int64).tolist())

        threads = [threading.Thread(target=work, args=(index,), daemon=True) for index in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert found == [list(range(10))] * 2
