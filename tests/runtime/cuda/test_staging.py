"""Pinned memory that copies go through: nothing is overwritten before it has arrived."""

from __future__ import annotations

import ctypes

import pytest

from nbgrad.runtime.cuda.driver import DEFAULT_STREAM
from nbgrad.runtime.cuda.simulated import SimulatedDriver
from nbgrad.runtime.cuda.staging import SEGMENT, SEGMENTS, Staging


@pytest.mark.parametrize("nbytes", [8, 1000, SEGMENT // 2, SEGMENT, 3 * SEGMENT])
def test_nothing_is_overwritten_before_its_copy_is_done(nbytes: int) -> None:
    driver = SimulatedDriver(lazy=True)
    staging = Staging(driver, DEFAULT_STREAM)
    count = 3 * SEGMENTS * SEGMENT // max(nbytes, SEGMENT // 8)
    device = driver.alloc(8 * count)
    for k in range(count):
        address = staging.take(nbytes)
        ctypes.c_int64.from_address(address).value = k
        ctypes.memset(address + 8, 1, nbytes - 8)
        driver.copy_in(device + 8 * k, address, 8, DEFAULT_STREAM)
    host = (ctypes.c_int64 * count)()
    driver.copy_out(ctypes.addressof(host), device, 8 * count, DEFAULT_STREAM)
    driver.wait_stream(DEFAULT_STREAM)
    assert list(host) == list(range(count))


def test_most_copies_cost_no_call() -> None:
    driver = SimulatedDriver()
    staging = Staging(driver, DEFAULT_STREAM)
    for _ in range(16 * SEGMENTS):
        staging.take(SEGMENT // 16)
    assert driver.calls["record"] == SEGMENTS - 1 and driver.calls["wait_event"] == 0


def test_a_ring_that_is_too_small_is_replaced() -> None:
    driver = SimulatedDriver()
    staging = Staging(driver, DEFAULT_STREAM)
    staging.take(100)
    staging.take(SEGMENT + 1)
    assert (driver.calls["alloc_pinned"], driver.calls["free_pinned"]) == (2, 1)
    staging.take(2 * SEGMENT)
    assert driver.calls["alloc_pinned"] == 2
