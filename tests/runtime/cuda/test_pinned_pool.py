"""Pinned memory goes to somebody else when those who used it are done, and no sooner."""

from __future__ import annotations

import pytest

from nbgrad.runtime.cuda.pinned_pool import PinnedPool
from nbgrad.runtime.cuda.simulated import SimulatedDriver


def pool(driver: SimulatedDriver) -> PinnedPool:
    return PinnedPool(driver, 0, driver.activate)


@pytest.mark.parametrize(("nbytes", "size"), [(0, 512), (1, 512), (512, 512), (513, 1024), (70_000, 1 << 17)])
def test_blocks_are_powers_of_two(nbytes: int, size: int) -> None:
    assert pool(SimulatedDriver()).take(nbytes)[1] == size


def test_a_block_comes_back() -> None:
    driver = SimulatedDriver()
    memory = pool(driver)
    first = memory.take(1000)
    memory.giver(*first, set())()
    assert memory.take(600) == first and driver.calls["alloc_pinned"] == 1


@pytest.mark.parametrize("device", [0, 1])
def test_a_block_waits_for_those_that_used_it(device: int) -> None:
    driver = SimulatedDriver(lazy=True)
    memory = pool(driver)
    driver.activate(device)
    stream = driver.new_stream()
    place = driver.alloc(1000)
    driver.activate(0)
    first = memory.take(1000)
    driver.activate(device)
    driver.copy_in(place, first[0], 1000, stream)
    driver.activate(0)
    memory.giver(*first, {(device, stream)})()
    second = memory.take(1000)
    assert second != first
    driver.wait_stream(stream)
    assert memory.take(1000) == first and driver.calls["drop_event"] == driver.calls["new_event"] == 1
    assert driver._device == 0
