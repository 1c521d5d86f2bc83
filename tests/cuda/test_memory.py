"""What values take of a GPU's memory."""

from __future__ import annotations

import numpy as np
import pytest

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


def test_idle_memory_of_all_gpus_goes_back() -> None:
    with simulated() as driver:
        for index in (0, 1):
            on_device(np.zeros(MIB, np.uint8), index)
        assert nb.cuda.memory_reserved(0) == nb.cuda.memory_reserved(1) == MIB
        with nb.cuda.device(0):
            nb.cuda.empty_cache()
            assert nb.cuda.memory_reserved(0) == nb.cuda.memory_reserved(1) == 0
            assert driver.calls["free"] == 2
            assert on_device(np.zeros(MIB, np.uint8)).device_index == 0
        before = driver.calls.copy()
        nb.cuda.empty_cache()
        assert driver.calls["synchronize"] == before["synchronize"] + 1, "a GPU that has nothing is left alone"


def test_without_a_gpu_no_memory_is_taken() -> None:
    with override(cuda="off"):
        nb.cuda.empty_cache()
        assert nb.cuda.memory_allocated() == nb.cuda.max_memory_allocated() == 0
        assert nb.cuda.memory_reserved() == nb.cuda.max_memory_reserved() == 0
        assert nb.cuda.memory_stats() == {}


def test_a_summary_says_what_is_taken() -> None:
    with simulated(memory=8 * MIB):
        x = on_device(np.zeros(3 * MIB, np.uint8))
        lines = nb.cuda.memory_summary(0).splitlines()
        assert lines[0].split() == ["memory", "of", "cuda:0", "now", "at", "most"]
        assert "3.00 MiB" in lines[1] and "3.00 MiB" in lines[2] and x.nbytes == 3 * MIB
        assert lines[-1].split()[-4:] == ["5.00", "MiB", "8.00", "MiB"]
        assert len(nb.cuda.memory_summary(abbreviated=True).splitlines()) == len(lines) - 1
    with override(cuda="off"):
        assert nb.cuda.memory_summary().startswith("no GPU")


def test_shortages_are_counted() -> None:
    with simulated(memory=4 * MIB):
        x = on_device(np.zeros(3 * MIB, np.uint8))
        with pytest.raises(nb.cuda.OutOfMemoryError):
            on_device(np.zeros(2 * MIB, np.uint8))
        assert [nb.cuda.memory_stats()[name] for name in ("num_alloc_retries", "num_ooms")] == [1, 1]
        del x
        on_device(np.zeros(2 * MIB, np.uint8))
        assert [nb.cuda.memory_stats()[name] for name in ("num_alloc_retries", "num_ooms")] == [2, 1]
        nb.cuda.reset_max_memory_allocated()
        assert nb.cuda.max_memory_allocated() == 0
