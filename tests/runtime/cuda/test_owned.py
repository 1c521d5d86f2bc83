"""What is dropped is told to the driver without a line of Python, in which Ctrl-C would be lost."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.runtime.cuda.driver import DEFAULT_STREAM
from nbgrad.runtime.cuda.owned import Owned
from nbgrad.runtime.cuda.pinned import pinned_memory
from tests.runtime.cuda.devices import simulated


def test_whoever_is_told_hears_it_once_when_the_last_reference_goes() -> None:
    told: list[int] = []
    owned = Owned(7, partial(told.append, 7))
    again = owned
    del owned
    assert told == [] and again.handle == 7
    del again
    assert told == [7]


def test_a_cycle_is_told_by_the_garbage_collector() -> None:
    class Node:
        me: Any

    told: list[int] = []
    node = Node()
    node.me = node, Owned(7, partial(told.append, 7))
    del node
    gc.collect()
    assert told == [7]


def an_event() -> object:
    event = nb.cuda.Event()
    event.record()
    return event


def a_buffer_that_another_stream_uses() -> object:
    buffer = gpu(0).pool.take(100, DEFAULT_STREAM)
    buffer.used_on(gpu(0).new_stream())
    return buffer


@pytest.mark.parametrize(
    "make",
    [
        an_event,
        lambda: gpu(0).pool.take(100, DEFAULT_STREAM),
        a_buffer_that_another_stream_uses,
        lambda: pinned_memory(100),
    ],
    ids=["event", "buffer", "used buffer", "pinned memory"],
)
def test_no_line_of_python_runs_when_it_is_dropped(make: Callable[[], object]) -> None:
    lines: list[str] = []

    def trace(frame: FrameType, what: str, _: object) -> Any:
        lines.append(f"{frame.f_code.co_qualname}: {what}")
        return trace

    with simulated():
        held = [make()]
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            held.clear()
        finally:
            sys.settrace(before)
    assert lines == []
