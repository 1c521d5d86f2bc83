"""Pinned memory of a user's tensors."""

from __future__ import annotations

import numpy as np

from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.copies import to_device, to_host
from nbgrad.runtime.cuda.pinned import is_pinned, pin
from tests.runtime.cuda.devices import simulated
from tests.threads import in_threads


def test_it_holds_a_copy() -> None:
    with simulated():
        source = Buffer.from_numpy(np.arange(3))
        copy = pin(source)
        assert is_pinned(copy) and not is_pinned(source)
        assert copy.array((3,), np.int64).tolist() == [0, 1, 2]


def test_it_is_given_back_by_whatever_thread_drops_it() -> None:
    with simulated() as driver:
        held = [pin(Buffer.from_numpy(np.arange(3)))]
        in_threads(held.clear)
        again = pin(Buffer.from_numpy(np.arange(3)))
        assert is_pinned(again) and driver.calls["alloc_pinned"] == 2 and driver.calls["free_pinned"] == 1


def test_a_copy_under_way_keeps_it() -> None:
    with simulated(lazy=True) as driver:
        source = pin(Buffer.from_numpy(np.arange(3)))
        device = to_device(source, 1)
        del source
        pin(Buffer.from_numpy(np.zeros(3, np.int64)))
        assert driver.calls["free_pinned"] == 0
        assert to_host(device).array((3,), np.int64).tolist() == [0, 1, 2]
        pin(Buffer.from_numpy(np.zeros(3, np.int64)))
        assert driver.calls["free_pinned"] == 2
