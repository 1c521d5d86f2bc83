"""The kernels of a device: compiled for it, kept on disk, made in the background like the CPU's."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from nbgrad.config import override
from nbgrad.graph.node import apply
from nbgrad.kernels.target import host, named
from nbgrad.multi_device import DevicePlan
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.runtime.cuda.driver import DriverError
from nbgrad.runtime.cuda.simulated import SimulatedDriver
from nbgrad.tape.kernel import KernelText
from tests.passes.build import value
from tests.passes.runs import fused, run_plan
from tests.runtime.cuda.devices import on_device, on_host, simulated

ROOTS = [apply("tanh", value(40) * 2.0 + 1.0)]


def texts() -> list[KernelText]:
    plan = fused(ROOTS)
    assert plan._executable is not None
    return [i.text for i in plan._executable.tape.instructions]


def test_code_is_loaded_once_for_a_device_and_found_on_disk_by_the_next(tmp_path: Path) -> None:
    with simulated() as driver, override(cache_dir=tmp_path / "cache"):
        first = gpu(0).kernels.addresses(texts())
        assert first == gpu(0).kernels.addresses(texts()) and driver.calls["load"] == len(first)
        assert gpu(1).kernels.ready(texts()) is not None, "compiled once for all devices of a kind"
        assert driver.calls["load"] == 2 * len(first)
    with simulated(), override(cache_dir=tmp_path / "other"):
        assert gpu(0).kernels.ready(texts()) is None


def test_code_for_another_target_is_other_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Entries on disk are found for their own target only."""
    other = named("x86-64") if host().level != "sse2" else named("haswell")
    with override(cache_dir=tmp_path / "cache"):
        with simulated():
            gpu(0).kernels.addresses(texts())
        monkeypatch.setattr(SimulatedDriver, "target", lambda self, device: other)
        with simulated():
            assert gpu(0).kernels.ready(texts()) is None
            assert gpu(0).kernels.addresses(texts())


def test_code_that_a_device_refuses_is_an_error(tmp_path: Path) -> None:
    with simulated() as driver, override(cache_dir=tmp_path / "cache"):
        driver.fail("load", "CUDA_ERROR_INVALID_PTX")
        with pytest.raises(DriverError, match="CUDA_ERROR_INVALID_PTX"):
            gpu(0).kernels.addresses(texts())
        assert gpu(0).kernels.addresses(texts())


def test_a_plan_runs_unfused_until_its_fused_kernels_are_made_in_the_background(tmp_path: Path) -> None:
    x = np.linspace(-2, 2, 40, dtype="f")
    expected = run_plan(fused(ROOTS), [x])[0].tobytes()
    with simulated() as driver, override(compile="background", cache_dir=tmp_path / "cache"):
        plan = DevicePlan(ROOTS, "", False, 2)
        tiers = set()
        deadline_s = time.monotonic() + 60
        while plan.tier == "unfused" and time.monotonic() < deadline_s:
            (out,) = plan.run([on_device(x, 1)])
            assert on_host(out, ROOTS[0]).tobytes() == expected
            tiers.add(plan.tier)
            time.sleep(0.01)
        assert tiers == {"unfused", "fused"}
        driver.calls.clear()
        (out,) = plan.run([on_device(x, 1)])
        assert driver.calls["launch"] == 1 and out.device_index == 1
        assert on_host(out, ROOTS[0]).tobytes() == expected
        gpu(1).kernels.stop_worker()
