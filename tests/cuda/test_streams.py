"""Streams and events: which one is current, and what waits for what. Nothing happens before somebody waits."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.runtime.cuda.devices import gpu
from tests.passes.build import value
from tests.runtime.cuda.devices import on_device, on_host, simulated
from tests.threads import in_threads


def test_a_stream_is_current_in_its_block_and_its_device_too() -> None:
    with simulated():
        s, other = nb.cuda.Stream(), nb.cuda.Stream(device=1)
        assert nb.cuda.current_stream() == nb.cuda.default_stream() != s
        with nb.cuda.stream(s):
            assert nb.cuda.current_stream() == s
            with nb.cuda.stream(other):
                assert (nb.cuda.current_device(), nb.cuda.current_stream()) == (1, other)
                assert nb.cuda.current_stream(0) == s
            with nb.cuda.stream(None), s:
                assert (nb.cuda.current_device(), nb.cuda.current_stream()) == (0, s)
            assert nb.cuda.current_stream() == s and nb.cuda.current_stream(1) == nb.cuda.default_stream(1)
        assert nb.cuda.current_stream() == nb.cuda.default_stream()
        nb.cuda.set_stream(s)
        nb.cuda.set_stream(None)
        assert nb.cuda.current_stream() == s
        seen: list[nb.cuda.Stream] = []
        in_threads(lambda: seen.append(nb.cuda.current_stream()))
        assert seen == [nb.cuda.default_stream()]


def test_streams_are_equal_by_device_and_handle() -> None:
    with simulated():
        assert nb.cuda.default_stream(0) != nb.cuda.default_stream(1)
        assert len({nb.cuda.default_stream(), nb.cuda.current_stream(), nb.cuda.Stream()}) == 2
        s = nb.cuda.Stream(priority=-1)
        assert s.priority == -1 and s.device_index == 0 and f"{s.cuda_stream:#x}" in repr(s)
        assert s != "s"


@pytest.mark.parametrize("call", [nb.cuda.stream, nb.cuda.set_stream])
def test_what_is_no_stream_is_refused(call: object) -> None:
    with simulated(), pytest.raises(TypeError, match="expected a Stream, got int"):
        call(3)  # type: ignore[operator]


def test_work_on_a_stream_is_waited_for_by_asking_for_it() -> None:
    with simulated(lazy=True):
        s = nb.cuda.Stream()
        with nb.cuda.stream(s):
            on_device(np.arange(4))
        assert not s.query()
        s.synchronize()
        assert s.query()
        with nb.cuda.stream(s):
            on_device(np.arange(4))
        nb.cuda.synchronize()
        assert s.query()


def test_events_say_when_a_stream_got_there() -> None:
    with simulated(lazy=True):
        event = nb.cuda.Event()
        assert event.query() and "uninitialized" in repr(event)
        event.synchronize()
        on_device(np.arange(4))
        event.record()
        assert not event.query()
        event.synchronize()
        assert event.query() and nb.cuda.current_stream().query()


@pytest.mark.parametrize("how", ["wait_stream", "wait_event", "event.wait"])
def test_one_stream_waits_for_another(how: str) -> None:
    with simulated(lazy=True) as driver:
        a, b = nb.cuda.Stream(), nb.cuda.Stream()
        with nb.cuda.stream(a):
            x = on_device(np.arange(4))
        y = gpu(0).pool.take(32, b.cuda_stream)
        if how == "wait_stream":
            b.wait_stream(a)
        elif how == "wait_event":
            b.wait_event(a.record_event())
        else:
            event = nb.cuda.Event()
            a.record_event(event)
            event.wait(b)
        driver.copy(y.address, x.address, 32, b.cuda_stream)
        with nb.cuda.stream(b):
            assert on_host(y, value(8)).view(np.int64).tolist() == [0, 1, 2, 3]


def test_a_tensor_may_name_streams_that_use_it_but_not_on_the_cpu() -> None:
    with simulated():
        nb.ones(3, device="cuda").record_stream(nb.cuda.Stream())
        with pytest.raises(TypeError, match="'s' must be Stream, not int"):
            nb.ones(3, device="cuda").record_stream(0)
        with pytest.raises(NotImplementedError, match="this tensor is on the CPU"):
            nb.ones(3).record_stream(nb.cuda.Stream())


def test_no_time_passes_between_events_of_two_devices() -> None:
    with simulated():
        begin, end = (nb.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        end.record(nb.cuda.current_stream(1))
        with pytest.raises(RuntimeError, match="CUDA_ERROR_INVALID_HANDLE"):
            begin.elapsed_time(end)


def test_time_passes_between_events_that_measure() -> None:
    with simulated(lazy=True):
        begin, end = nb.cuda.Event(enable_timing=True), nb.cuda.Event(enable_timing=True)
        with pytest.raises(RuntimeError, match="must be recorded before"):
            begin.elapsed_time(end)
        begin.record()
        end.record(nb.cuda.current_stream())
        with pytest.raises(RuntimeError, match="must be completed before"):
            begin.elapsed_time(end)
        nb.cuda.synchronize()
        assert begin.elapsed_time(end) >= 0
        with pytest.raises(RuntimeError, match="enable_timing=True"):
            begin.elapsed_time(nb.cuda.Event())


def test_an_event_stays_on_its_device_and_in_its_process() -> None:
    with simulated():
        event = nb.cuda.Event()
        event.record()
        with pytest.raises(RuntimeError, match="device does not match"):
            event.record(nb.cuda.Stream(1))
        with pytest.raises(ValueError, match="interprocess"):
            nb.cuda.Event(interprocess=True)


def test_events_are_given_back() -> None:
    with simulated() as driver:
        for _ in range(5):
            nb.cuda.Event().record()
            gc.collect()
        assert driver.calls["new_event"] - driver.calls["drop_event"] == 1, "the last one goes when the next is made"


def test_a_stream_of_another_library_is_one_like_others() -> None:
    with simulated(lazy=True):
        s = nb.cuda.Stream(1)
        theirs = nb.cuda.ExternalStream(s.cuda_stream, device=1)
        assert theirs == s and theirs.device == nb.device("cuda:1")
        with theirs:
            assert nb.cuda.current_stream() == s
            on_device(np.arange(4), 1)
        assert not theirs.query()
        theirs.synchronize()
        assert s.query()
        with pytest.raises(TypeError, match="stream_ptr"):
            nb.cuda.ExternalStream("7")
