"""Which GPUs there are, and what is said where there are none."""

from __future__ import annotations

import os
from collections import deque
from typing import Any

import pytest

from nbgrad.config import override
from nbgrad.errors import RunError
from nbgrad.runtime.cuda import devices
from nbgrad.runtime.cuda.driver import DriverError, NoDriver
from nbgrad.runtime.cuda.simulated import SimulatedDriver
from tests.runtime.cuda.devices import simulated
from tests.threads import in_threads


def test_simulated_devices_are_there_when_asked_for() -> None:
    with override(cuda="simulated"):
        assert devices.device_count() == 2 and devices.why_none() == ""
        assert devices.gpu(1) is devices.gpu(1)
        assert devices.gpu(1).properties.name == "Simulated GPU"


def test_a_device_that_is_not_there_is_refused() -> None:
    with simulated(devices=1), pytest.raises(RunError, match=r"invalid device ordinal: cuda:1, there is 1"):
        devices.gpu(1)
    with simulated(), pytest.raises(RunError, match=r"cuda:-1, there are 2"):
        devices.gpu(-1)


def test_switched_off_there_are_none() -> None:
    with override(cuda="off"):
        assert devices.device_count() == 0
        with pytest.raises(RunError, match=r"device 'cuda' is not available: CUDA is switched off \(NBGRAD_CUDA=off\)"):
            devices.gpu(0)


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (NoDriver("the package cuda.bindings is not installed"), "cuda.bindings is not installed"),
        (
            DriverError("cuInit", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
            "does not answer: CUDA error: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH from cuInit",
        ),
        (None, "the NVIDIA driver finds no device"),
    ],
)
def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, trouble: Exception | None, said: str) -> None:
    def open_driver() -> SimulatedDriver:
        if trouble is not None:
            raise trouble
        return SimulatedDriver(devices=0)

    monkeypatch.setitem(devices._OPEN, "auto", open_driver)
    with override(cuda="auto"):
        devices.use_driver(None, "auto")
        assert devices.device_count() == 0 and said in devices.why_none()
        with pytest.raises(
            RunError, match=r"(?s)device 'cuda' is not available.*NBGRAD_CUDA=simulated .* to try programs"
        ):
            devices.gpu(0)
        devices.use_driver(None, "auto")


def test_what_is_missing_ends_with_one_full_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_driver() -> SimulatedDriver:
        raise NoDriver("the library was not found; is the driver installed? Failed to open it.")

    monkeypatch.setitem(devices._OPEN, "auto", open_driver)
    with override(cuda="auto"):
        devices.use_driver(None, "auto")
        with pytest.raises(RunError, match=r"Failed to open it\. Without a GPU"):
            devices.gpu(0)
        devices.use_driver(None, "auto")


def test_each_thread_has_its_own_current_stream() -> None:
    with simulated():
        gpu = devices.gpu(0)
        devices.here.streams[0] = mine = gpu.new_stream()
        seen: list[int] = []
        in_threads(lambda: seen.append(gpu.stream))
        assert seen == [0] and gpu.stream == mine and devices.gpu(1).stream == 0


def test_streams_are_given_out_again_when_there_are_many() -> None:
    with simulated() as driver:
        gpu = devices.gpu(0)
        streams = [gpu.new_stream() for _ in range(40)]
        assert streams[32:] == streams[:8] and driver.calls["new_stream"] == 32
        assert gpu.new_stream(priority=-1) not in streams


def test_a_forked_process_cannot_use_what_its_parent_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    with simulated():
        devices.gpu(0)
        monkeypatch.setattr(os, "getpid", lambda: 1)
        for index in (0, 7):
            with pytest.raises(RunError, match=r"Cannot re-initialize CUDA in forked subprocess.*'spawn'"):
                devices.gpu(index)


class _TakenMeanwhile(deque[Any]):
    """What another thread takes between a look and the next line."""

    def __bool__(self) -> bool:
        there = len(self) > 0
        self.clear()
        return there


def test_threads_drop_what_is_dead_beside_each_other() -> None:
    with simulated() as driver:
        gpu = devices.gpu(0)
        gpu._dead = _TakenMeanwhile()
        first = gpu.new_event(timing=False)
        del first
        gpu.new_event(timing=False)
        assert driver.calls["new_event"] == 2
