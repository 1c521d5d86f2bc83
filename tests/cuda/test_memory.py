"""What values take of a GPU's memory."""

from __future__ import annotations

import numpy as np

import nbgrad as nb
from nbgrad.config import override
from tests.runtime.cuda.devices import on_device, simulated

MIB = 1 << 20


def test_bytes_are_counted_by_device() -> None:
    with simulated():
        assert nb.cuda.memory_allocated() == nb.cuda.memory_reserved() == 0
        x = on_device(np.zeros(MIB, np.uint8))
        assert nb.cuda.memory_allocated() == MIB and nb.cuda.memory_allocated(1) == 0
        del x
        assert (nb.cuda.memory_allocated(), nb.cuda.max_memory_allocated()) == (0, MIB)
        assert (nb.cuda.memory_reserved(), nb.cuda.max_memory_reserved()) == (MIB, MIB)
        assert nb.cuda.memory_stats(0)["allocated_bytes.all.peak"] == MIB
        nb.cuda.reset_peak_memory_stats()
        assert nb.cuda.max_memory_allocated() == 0 and nb.cuda.max_memory_reserved() == MIB


def test_idle_memory_goes_back_to_the_driver() -> None:
    with simulated():
        total = nb.cuda.mem_get_info()[1]
        x = on_device(np.zeros(MIB, np.uint8))
        y = on_device(np.zeros(MIB, np.uint8))
        del x
        nb.cuda.empty_cache()
        assert nb.cuda.memory_reserved() == MIB == y.nbytes
        assert nb.cuda.mem_get_info() == (total - MIB, total)


def test_without_a_gpu_no_memory_is_taken() -> None:
    with override(cuda="off"):
        nb.cuda.empty_cache()
        assert nb.cuda.memory_allocated() == nb.cuda.max_memory_allocated() == 0
        assert nb.cuda.memory_reserved() == nb.cuda.max_memory_reserved() == 0
        assert nb.cuda.memory_stats() == {}
