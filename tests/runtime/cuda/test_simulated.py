"""The simulated driver keeps the rules of a real one, so that breaking them shows."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from nbgrad.runtime.cuda.driver import DEFAULT_STREAM, DriverError, Grid, OutOfDeviceMemory
from nbgrad.runtime.cuda.simulated import SimulatedDriver
from tests.runtime.toys import add, fail

Array = np.ndarray[tuple[int], np.dtype[np.int64]]
ONE_WARP = Grid(1, 32, 0)


def at(array: Array) -> int:
    return int(array.ctypes.data)


def put(driver: SimulatedDriver, values: list[int], stream: int = DEFAULT_STREAM) -> int:
    """Fresh device memory with ``values``; the driver is done with them."""
    host = np.array(values, np.int64)
    address = driver.alloc(max(host.nbytes, 8))
    driver.copy_in(address, at(host), host.nbytes, stream)
    driver.wait_stream(stream)
    return address


def got(driver: SimulatedDriver, address: int, count: int, stream: int = DEFAULT_STREAM) -> list[int]:
    host = np.zeros(count, np.int64)
    driver.copy_out(at(host), address, host.nbytes, stream)
    driver.wait_stream(stream)
    return host.tolist()


def test_fresh_memory_holds_no_zeros() -> None:
    driver = SimulatedDriver()
    assert got(driver, driver.alloc(24), 3) == [-1, -1, -1]


def test_a_kernel_works_on_all_items_and_says_why_it_failed() -> None:
    driver = SimulatedDriver()
    x, y, status = put(driver, list(range(1000))), put(driver, [1] * 1000), put(driver, [0])
    driver.launch(add(), ONE_WARP, DEFAULT_STREAM, [put(driver, [x, y]), 1000, 1, status])
    assert got(driver, y, 1000) == list(range(1, 1001))
    assert got(driver, status, 1) == [0]
    driver.launch(fail(), ONE_WARP, DEFAULT_STREAM, [put(driver, [567]), 1000, 1, status])
    assert got(driver, status, 1) == [7]


def test_memory_that_is_not_the_devices_is_refused() -> None:
    driver = SimulatedDriver()
    x, host = driver.alloc(64), np.zeros(8, np.int64)
    for call in (
        lambda: driver.copy_in(x, at(host), 65, DEFAULT_STREAM),
        lambda: driver.copy_in(at(host), x, 8, DEFAULT_STREAM),
        lambda: driver.copy_out(x, at(host), 8, DEFAULT_STREAM),
        lambda: driver.launch(add(), ONE_WARP, DEFAULT_STREAM, [at(host), 1, 1, x]),
    ):
        with pytest.raises(DriverError, match="ILLEGAL_ADDRESS"):
            call()
    driver.free(x)
    with pytest.raises(DriverError, match="ILLEGAL_ADDRESS"):
        driver.copy_out(at(host), x, 8, DEFAULT_STREAM)
    with pytest.raises(DriverError, match="no such memory"):
        driver.free(x)


@pytest.mark.parametrize(
    ("grid", "chunk"), [(Grid(0, 32, 0), 1), (Grid(1, 48, 0), 1), (Grid(1, 2048, 0), 1), (Grid(1, 32, 0), 0)]
)
def test_a_grid_that_no_device_takes_is_refused(grid: Grid, chunk: int) -> None:
    driver = SimulatedDriver()
    x = driver.alloc(64)
    with pytest.raises(DriverError, match="INVALID_VALUE"):
        driver.launch(add(), grid, DEFAULT_STREAM, [x, 1, chunk, x])


def test_memory_runs_out() -> None:
    driver = SimulatedDriver(memory=1 << 20)
    first = driver.alloc(1 << 19)
    with pytest.raises(OutOfDeviceMemory):
        driver.alloc((1 << 19) + 1)
    assert driver.memory_info() == (1 << 19, 1 << 20)
    driver.free(first)
    driver.alloc(1 << 20)


def test_lazily_nothing_happens_before_somebody_waits() -> None:
    driver = SimulatedDriver(lazy=True)
    x, host = driver.alloc(8), np.array([5])
    driver.copy_in(x, at(host), 8, DEFAULT_STREAM)
    pinned = driver.alloc_pinned(8)
    value = ctypes.c_int64.from_address(pinned)
    value.value, host[0] = 7, 6
    assert not driver.stream_done(DEFAULT_STREAM)
    assert got(driver, x, 1) == [5], "what is not pinned may be changed at once"
    driver.copy_in(x, pinned, 8, DEFAULT_STREAM)
    value.value = 8
    assert got(driver, x, 1) == [8], "pinned memory that is changed too early must show"
    assert driver.stream_done(DEFAULT_STREAM)


def test_a_stream_does_not_grow_without_end() -> None:
    driver = SimulatedDriver(lazy=True)
    x, host = driver.alloc(8), np.array([5])
    for _ in range(3000):
        driver.copy_in(x, at(host), 8, DEFAULT_STREAM)
    assert len(driver._defaults[0].queue) <= 1024


def test_streams_know_of_each_other_by_events_only() -> None:
    driver = SimulatedDriver(lazy=True)
    a, b = driver.new_stream(), driver.new_stream()
    x, y, host = put(driver, [1]), put(driver, [2]), np.array([3])
    driver.copy_in(x, at(host), 8, a)
    driver.copy(y, x, 8, b)
    driver.wait_stream(b)
    assert got(driver, y, 1, b) == [1], "b did not wait for a"
    event = driver.new_event()
    driver.record(event, a)
    driver.stream_waits(b, event)
    driver.copy(y, x, 8, b)
    assert got(driver, y, 1, b) == [3]


def test_an_event_means_the_place_where_it_was_recorded_when_somebody_asked_to_wait() -> None:
    driver = SimulatedDriver(lazy=True)
    a, b = driver.new_stream(), driver.new_stream()
    x, y, hosts = put(driver, [1]), put(driver, [2]), np.array([3, 4])
    event = driver.new_event()
    driver.copy_in(x, at(hosts), 8, a)
    driver.record(event, a)
    driver.stream_waits(b, event)
    driver.copy_in(x, at(hosts) + 8, 8, a)
    driver.record(event, a)
    driver.copy(y, x, 8, b)
    assert got(driver, y, 1, b) == [3]
    driver.wait_event(event)
    assert got(driver, x, 1, b) == [4]


def test_events_take_time_between_them() -> None:
    driver = SimulatedDriver(lazy=True)
    begin, end = driver.new_event(timing=True), driver.new_event(timing=True)
    with pytest.raises(DriverError, match="INVALID_HANDLE"):
        driver.elapsed_ms(begin, end)
    driver.record(begin, DEFAULT_STREAM)
    driver.record(end, DEFAULT_STREAM)
    with pytest.raises(DriverError, match="NOT_READY"):
        driver.elapsed_ms(begin, end)
    driver.synchronize()
    assert driver.elapsed_ms(begin, end) >= 0


def test_calls_fail_as_they_are_told() -> None:
    driver = SimulatedDriver()
    driver.fail("alloc", "CUDA_ERROR_LAUNCH_FAILED", times=2)
    for _ in range(2):
        with pytest.raises(DriverError, match="CUDA error: CUDA_ERROR_LAUNCH_FAILED from alloc"):
            driver.alloc(8)
    driver.alloc(8)
    driver.fail("alloc", "CUDA_ERROR_OUT_OF_MEMORY")
    with pytest.raises(OutOfDeviceMemory):
        driver.alloc(8)
    assert driver.calls["alloc"] == 4


def test_what_the_real_driver_refuses_is_refused() -> None:
    driver = SimulatedDriver()
    x, stream, event = driver.alloc(8), driver.new_stream(), driver.new_event()
    driver.record(event, stream)
    with pytest.raises(DriverError, match="INVALID_VALUE"):
        driver.alloc(0)
    with pytest.raises(DriverError, match="INVALID_HANDLE"):
        driver.elapsed_ms(event, event)
    driver.activate(1)
    driver.synchronize()
    for call in (lambda: driver.record(event, DEFAULT_STREAM), lambda: driver.copy(x, x, 8, stream)):
        with pytest.raises(DriverError, match="INVALID_HANDLE"):
            call()
