"""Every call of the NVIDIA driver, its arguments and its errors, against a recording stand-in of its module."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import sys
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from nbgrad.config import override
from nbgrad.errors import RunError
from nbgrad.graph.node import apply
from nbgrad.kernels.target import cuda
from nbgrad.log import fallbacks
from nbgrad.runtime.cuda import bindings, devices
from nbgrad.runtime.cuda.bindings import NvidiaDriver, open_driver
from nbgrad.runtime.cuda.driver import DriverError, Grid, NoDriver, OutOfDeviceMemory
from nbgrad.runtime.cuda.simulated import SimulatedDriver
from tests.passes.build import value
from tests.passes.runs import fused
from tests.runtime.cuda.fake_api import ENUMS, FUNCTIONS, CUresult, FakeApi


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    """The stand-in, which everybody finds where the package would be."""
    fake = FakeApi()
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", fake)  # type: ignore[arg-type]
    return fake


LOADS = (1, "cuModuleLoadDataEx"), (2, "cuModuleGetFunction")
NON_BLOCKING, NO_TIMING, RELAXED, DEVICE_ORDINAL = 1, 2, 1, 0
CALLS: list[tuple[str, tuple[Any, ...], list[tuple[Any, ...]], Any]] = [
    ("device_count", (), [("cuDeviceGetCount",)], 2),
    ("memory_info", (), [("cuMemGetInfo",)], (5, 6)),
    ("alloc", (64,), [("cuMemAlloc", 64)], 0x1000),
    ("free", (64,), [("cuMemFree", 64)], None),
    ("device_of", (64,), [("cuPointerGetAttribute", DEVICE_ORDINAL, 64)], 1),
    ("alloc_pinned", (64,), [("cuMemHostAlloc", 64, 1)], 0x2000),
    ("free_pinned", (64,), [("cuMemFreeHost", 64)], None),
    ("copy_in", (1, 2, 3, 4), [("cuMemcpyHtoDAsync", 1, 2, 3, 4)], None),
    ("copy_out", (1, 2, 3, 4), [("cuMemcpyDtoHAsync", 1, 2, 3, 4)], None),
    ("copy", (1, 2, 3, 4), [("cuMemcpyDtoDAsync", 1, 2, 3, 4)], None),
    ("new_stream", (-1,), [("cuStreamCreateWithPriority", NON_BLOCKING, -1)], 0x20),
    ("stream_done", (7,), [("cuStreamQuery", 7)], True),
    ("wait_stream", (7,), [("cuStreamSynchronize", 7)], None),
    ("synchronize", (), [("cuCtxSynchronize",)], None),
    ("new_event", (), [("cuEventCreate", NO_TIMING)], 0x30),
    ("new_event", (True,), [("cuEventCreate", 0)], 0x30),
    ("drop_event", (7,), [("cuEventDestroy", 7)], None),
    ("record", (7, 8), [("cuEventRecord", 7, 8)], None),
    ("event_done", (7,), [("cuEventQuery", 7)], True),
    ("wait_event", (7,), [("cuEventSynchronize", 7)], None),
    ("elapsed_ms", (7, 8), [("cuEventElapsedTime", 7, 8)], 1.5),
    ("stream_waits", (7, 8), [("cuStreamWaitEvent", 7, 8, 0)], None),
    ("function", (7, "name"), [("cuModuleGetFunction", 7, b"name")], 0x50),
]


@pytest.mark.parametrize(("method", "arguments", "calls", "gives"), CALLS, ids=[c[0] for c in CALLS])
def test_each_call_reaches_the_driver_and_its_failure_the_caller(
    api: FakeApi, method: str, arguments: tuple[Any, ...], calls: list[tuple[Any, ...]], gives: Any
) -> None:
    driver = NvidiaDriver(api)
    assert getattr(driver, method)(*arguments) == gives
    assert api.taken() == calls
    name = calls[0][0]
    api.fail(name, CUresult.CUDA_ERROR_LAUNCH_FAILED)
    said = f"CUDA error: CUDA_ERROR_LAUNCH_FAILED from {name}: about CUDA_ERROR_LAUNCH_FAILED"
    with pytest.raises(DriverError, match=said):
        getattr(driver, method)(*arguments)
    api.fail(name, CUresult.CUDA_ERROR_OUT_OF_MEMORY)
    with pytest.raises(OutOfDeviceMemory):
        getattr(driver, method)(*arguments)


def test_every_call_of_the_simulated_driver_is_there() -> None:
    others = {"activate", "copy_across", "launch", "library", "load", "own_function", "properties", "target"}
    covered = {name for name, *_ in CALLS} | others
    of_tests = {"count", "enqueue", "fail", "require"}
    assert covered | of_tests == {
        name for name, member in vars(SimulatedDriver).items() if callable(member) and not name.startswith("_")
    }
    for name in covered:
        assert signature(getattr(NvidiaDriver, name)) == signature(getattr(SimulatedDriver, name))


class Own:
    """A kernel of the user's own."""

    symbol = "nbo_7"

    def code(self, target: Any) -> bytes:
        return f"\x7fELF {target.device}".encode()


def test_a_kernel_of_the_user_s_own_is_loaded_and_has_its_own_grid(api: FakeApi) -> None:
    driver = NvidiaDriver(api)
    driver.properties(0)
    api.taken()
    assert driver.own_function(Own(), 0) == 0x50  # type: ignore[arg-type]
    loaded, found = [call for call in api.taken() if call[0].startswith("cuModule")]
    assert loaded[1] == b"\x7fELF sm_90\0" and found == ("cuModuleGetFunction", 0x40, b"nbo_7")
    driver.launch(0x50, Grid(1, 32, 64, dims=(5, 4, 3, 8, 2, 1)), 4, [0x1000])
    ((name, *arguments),) = api.taken()
    assert (name, *arguments[:9]) == ("cuLaunchKernel", 0x50, 5, 4, 3, 8, 2, 1, 64, 4)


def test_what_is_not_done_yet_is_no_error(api: FakeApi) -> None:
    driver = NvidiaDriver(api)
    for name in ("cuStreamQuery", "cuEventQuery"):
        api.fail(name, CUresult.CUDA_ERROR_NOT_READY)
    assert not driver.stream_done(7) and not driver.event_done(7)


def test_a_device_is_activated_by_its_primary_context_that_is_asked_for_once(api: FakeApi) -> None:
    driver = NvidiaDriver(api)
    driver.activate(1)
    driver.activate(1)
    assert api.taken() == [
        ("cuDeviceGet", 1),
        ("cuDevicePrimaryCtxRetain", 70),
        ("cuCtxSetCurrent", 0x10),
        ("cuCtxSetCurrent", 0x10),
    ]
    api.fail("cuCtxSetCurrent", CUresult.CUDA_ERROR_LAUNCH_FAILED)
    with pytest.raises(DriverError, match="cuCtxSetCurrent"):
        driver.activate(1)


def test_properties_are_asked_for_by_name(api: FakeApi) -> None:
    found = NvidiaDriver(api).properties(1)
    assert found[:5] == ("Some GPU", 9, 0, 1 << 33, 132)
    assert found[5:] == (2048, 49152, 232448, 65536, 50 << 20, 32)
    asked = [call[1] for call in api.calls if call[0] == "cuDeviceGetAttribute"]
    assert asked == list(range(len(ENUMS["CUdevice_attribute"])))


def test_code_is_for_the_devices_architecture(api: FakeApi) -> None:
    target = NvidiaDriver(api).target(0)
    assert (target.cpu, target.device, target.driver) == ("sm_90", "sm_90", 13)
    assert NvidiaDriver(api).target(0).key != cuda("sm_90", 12).key, "machine code that a driver takes"


def test_numba_cuda_makes_code_where_that_is_asked_for(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    assert NvidiaDriver(api).target(0).jit == ""
    with override(cuda_compiler="numba"):
        monkeypatch.setattr(importlib.metadata, "version", lambda package: "0.30")
        assert NvidiaDriver(api).target(0).jit == "numba-cuda 0.30"
        monkeypatch.setattr(importlib.metadata, "version", missing_package)
        assert NvidiaDriver(api).target(0).jit == ""
    assert any("numba-cuda is not installed" in text for text in fallbacks())


def missing_package(name: str) -> str:
    raise importlib.metadata.PackageNotFoundError(name)


def test_a_copy_between_devices_names_both_contexts(api: FakeApi) -> None:
    NvidiaDriver(api).copy_across(1, 0, 2, 1, 3, 4)
    assert api.calls[-1] == ("cuMemcpyPeerAsync", 1, 0x10, 2, 0x10, 3, 4)


def test_a_launch_has_its_arguments_behind_one_pointer(api: FakeApi) -> None:
    driver = NvidiaDriver(api)
    driver.launch(0x50, Grid(10, 128, 0), 4, [0x1000, 77, 9, 0x2000, 0, 5])
    ((name, *arguments),) = api.taken()
    assert (name, *arguments[:9]) == ("cuLaunchKernel", 0x50, 10, 1, 1, 128, 1, 1, 0, 4)
    assert api.launched == [[0x1000, 77, 9, 0x2000, 0, 5]]
    api.fail("cuLaunchKernel", CUresult.CUDA_ERROR_LAUNCH_FAILED)
    with pytest.raises(DriverError, match="cuLaunchKernel"):
        driver.launch(0x50, Grid(10, 128, 0), 4, [0x1000, 77, 9, 0x2000, 0, 5])


def test_code_that_the_driver_refuses_comes_with_its_complaint(api: FakeApi) -> None:
    driver = NvidiaDriver(api)
    assert driver.load(b".version") == 0x40
    (name, image, count, _, values) = api.taken()[0]
    assert (name, image, count, values[1]) == ("cuModuleLoadDataEx", b".version\0", 2, 8192)
    api.fail("cuModuleLoadDataEx", CUresult.CUDA_ERROR_INVALID_PTX)
    api.said = b"ptxas error: line 3"
    with pytest.raises(DriverError, match="CUDA_ERROR_INVALID_PTX from cuModuleLoadDataEx: ptxas error: line 3"):
        driver.load(b".version")


def test_the_driver_opens(api: FakeApi) -> None:
    assert open_driver().version() == 13000


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)  # type: ignore[arg-type]
    with pytest.raises(NoDriver, match=r"cuda\.bindings is not installed \(pip install 'nbgrad\[cuda\]'\)"):
        open_driver()


def test_without_the_drivers_library_that_is_said(monkeypatch: pytest.MonkeyPatch, api: FakeApi) -> None:
    def missing(flags: int) -> None:
        raise OSError("libcuda.so.1: not there")

    monkeypatch.setattr(api, "cuInit", missing, raising=False)
    with pytest.raises(NoDriver, match=r"library, libcuda\.so\.1, was not found; is the driver installed\? libcuda"):
        open_driver()


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (CUresult.CUDA_ERROR_NO_DEVICE, "finds no device"),
        (CUresult.CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "does not start: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
    ],
)
def test_a_driver_that_does_not_start_says_why(api: FakeApi, result: CUresult, said: str) -> None:
    api.fail("cuInit", result)
    with pytest.raises(NoDriver, match=said):
        open_driver()


def test_a_driver_that_is_too_old_is_refused(monkeypatch: pytest.MonkeyPatch, api: FakeApi) -> None:
    monkeypatch.setitem(FUNCTIONS, "cuDriverGetVersion", (0, (11080,)))
    with pytest.raises(NoDriver, match=r"for CUDA 11\.8, nbgrad needs 12\.0 or later"):
        open_driver()


def test_devices_use_the_driver_that_is_found(api: FakeApi) -> None:
    with override(cuda="auto"):
        devices.use_driver(None, "auto")
        try:
            assert devices.device_count() == 2
            devices.gpu(1).activate()
            assert api.calls[-1] == ("cuCtxSetCurrent", 0x10)
            with pytest.raises(RunError, match="cuda:2"):
                devices.gpu(2)
        finally:
            devices.use_driver(None, "auto")


def test_kernels_come_as_ptx_with_their_entries(
    api: FakeApi, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cuda.bindings.nvjitlink", None)  # type: ignore[arg-type]
    plan = fused([apply("tanh", value(40) * 2.0)])
    assert plan._executable is not None
    texts = [i.text for i in plan._executable.tape.instructions]
    with override(cuda="auto", cache_dir=tmp_path / "cache", log="llvm,asm"):
        devices.use_driver(None, "auto")
        try:
            assert devices.gpu(0).kernels.addresses(texts) == [0x50]
            assert devices.gpu(1).kernels.ready(texts) == [0x50], "found on disk"
        finally:
            devices.use_driver(None, "auto")
    (image, again), names = ([call[k] for call in api.calls if call[0] == name] for k, name in LOADS)
    assert image == again and b".target sm_90" in image and image.count(b".entry") == 1
    assert b".visible .entry " + texts[0].symbol.encode() in image
    assert names == [texts[0].symbol.encode()] * 2
    printed = capfd.readouterr().err
    assert "define ptx_kernel void" in printed and ".visible .entry" in printed


def test_the_real_module_has_the_functions_with_as_many_arguments() -> None:
    if importlib.util.find_spec("cuda") is None or importlib.util.find_spec("cuda.bindings") is None:
        pytest.skip("cuda.bindings is not installed: the stand-in's table is compared where it is")
    real = importlib.import_module(bindings._PACKAGE)
    for name, (count, _) in FUNCTIONS.items():
        first = (getattr(real, name).__doc__ or "").splitlines()[0]
        inside = re.sub(r"\[[^\]]*\]", "", first[first.index("(") + 1 : first.rindex(")")])
        assert len([a for a in inside.split(",") if a.strip()]) == count, first
    for kind, members in ENUMS.items():
        assert all(hasattr(getattr(real, kind), member) for member in members)
    assert all(getattr(real.CUresult, r.name).value == r.value for r in CUresult)
