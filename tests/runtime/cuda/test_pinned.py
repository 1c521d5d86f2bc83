"""Pinned memory of a user's tensors."""

from __future__ import annotations

import threading

import numpy as np

from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.pinned import is_pinned, pin
from tests.runtime.cuda.devices import simulated


def test_it_holds_a_copy() -> None:
    with simulated():
        source = Buffer.from_numpy(np.arange(3))
        copy = pin(source)
        assert is_pinned(copy) and not is_pinned(source)
        assert copy.array((3,), np.int64).tolist() == [0, 1, 2]


def test_it_is_given_back_by_a_thread_that_means_the_device() -> None:
    with simulated() as driver:
        held = [pin(Buffer.from_numpy(np.arange(3)))]
        dropping = threading.Thread(target=held.clear)
        dropping.start()
        dropping.join()
        assert driver.calls["free_pinned"] == 0, "the other thread has no device"
        again = pin(Buffer.from_numpy(np.arange(3)))
        assert driver.calls["free_pinned"] == 1 and is_pinned(again)
