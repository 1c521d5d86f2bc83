"""What a process tries on NVIDIA's own ``cuda.bindings`` over the library of libcuda.c; kernels run on the processor.

    python -m tests.runtime.cuda.standin.trials LIBRARY      prints {trial: what went wrong, or ""} as JSON

A process of its own, because a library once loaded stays: the other tests must find no GPU.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import sys
import traceback
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.graph.node import apply
from nbgrad.kernels.ptx import ptx_text
from nbgrad.kernels.target import host_warps
from nbgrad.runtime.cuda.bindings import NvidiaDriver, open_driver
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.runtime.cuda.driver import DriverError, Grid
from nbgrad.runtime.cuda.linker import assembled
from nbgrad.runtime.cuda.simulated_code import run_warps
from nbgrad.runtime.store import KernelStore
from tests.passes.build import value
from tests.passes.runs import fused
from tests.runtime.cuda.fake_api import FUNCTIONS

TRIALS: Final[dict[str, Callable[[], None]]] = {}


def trial(f: Callable[[], None]) -> Callable[[], None]:
    TRIALS[f.__name__] = f
    return f


class Recorder:
    """The real module, and which of its functions were called."""

    def __init__(self) -> None:
        self.module: Any = importlib.import_module("cuda.bindings.driver")
        self.called: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.called.add(name)
        return getattr(self.module, name)


def recorded() -> tuple[NvidiaDriver, Recorder]:
    """A driver that is started, with device 0 activated."""
    driver: Any = open_driver()
    driver._api = Recorder()
    driver.activate(0)
    return driver, driver._api


def refusal(f: Callable[..., Any], *arguments: Any) -> str:
    """The driver's name for the error."""
    with pytest.raises(DriverError) as refused:
        f(*arguments)
    return refused.value.code


@trial
def every_function_takes_what_it_is_given() -> None:
    driver, api = recorded()
    assert driver.device_count() == 2
    assert driver.properties(1)[:5] == ("Stand-in 1", 9, 0, 1 << 34, 132)
    assert driver.properties(1)[5:] == (2048, 48 << 10, 227 << 10, 65536, 50 << 20, 32)
    assert (driver.target(0).cpu, driver.target(0).driver) == ("sm_90", 13)
    assert driver.memory_info() == (1 << 33, 1 << 34)
    _copies(driver)
    _streams_and_events(driver)
    _code(driver)
    missed = set(FUNCTIONS) - api.called - {"cuInit"}
    assert not missed, f"no trial calls {missed}"


def _copies(driver: NvidiaDriver) -> None:
    numbers, found = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    first, second, pinned = driver.alloc(20), driver.alloc(20), driver.alloc_pinned(20)
    assert driver.device_of(first) == 0 and first % 256 == 0
    driver.activate(1)
    third = driver.alloc(20)
    driver.activate(0)
    driver.copy_in(first, numbers.ctypes.data, 20, 0)
    driver.copy(second, first, 20, 0)
    driver.activate(1)
    driver.copy_across(third, 1, second, 0, 20, 0)
    driver.copy_out(pinned, third, 20, 0)
    ctypes.memmove(found.ctypes.data, pinned, 20)
    assert found.tolist() == numbers.tolist()
    assert refusal(driver.copy_out, pinned, first, 20, 0) == "CUDA_ERROR_INVALID_VALUE", "the other device's"
    driver.free(third)
    assert refusal(driver.free, third) == "CUDA_ERROR_INVALID_VALUE"
    driver.activate(0)
    assert refusal(driver.copy, second, first, 21, 0) == "CUDA_ERROR_INVALID_VALUE"
    for address in (first, second):
        driver.free(address)
    driver.free_pinned(pinned)


def _streams_and_events(driver: NvidiaDriver) -> None:
    stream, urgent = driver.new_stream(), driver.new_stream(-1)
    begin, end, other = driver.new_event(timing=True), driver.new_event(timing=True), driver.new_event()
    driver.record(begin, stream)
    driver.record(end, stream)
    driver.record(other, 0)
    driver.stream_waits(urgent, end)
    driver.wait_event(end)
    assert driver.event_done(end) and driver.stream_done(stream) and driver.elapsed_ms(begin, end) == 1.5
    assert refusal(driver.elapsed_ms, begin, other) == "CUDA_ERROR_INVALID_HANDLE", "it takes no time"
    driver.wait_stream(stream)
    driver.synchronize()
    driver.drop_event(end)
    assert refusal(driver.wait_event, end) == "CUDA_ERROR_INVALID_HANDLE"
    driver.activate(1)
    assert refusal(driver.wait_stream, stream) == "CUDA_ERROR_INVALID_HANDLE", "the other device's"
    driver.activate(0)


def _code(driver: NvidiaDriver) -> None:
    ptx, symbol = _a_kernel()
    for code in (assembled(ptx.encode(), "sm_90"), ptx.encode()):  # nvJitLink's, where it is installed
        function = driver.function(driver.load(code), symbol)
        here, wide = (driver.alloc(64) for _ in range(2))
        for grid in (Grid(3, 128, 0), Grid(3, 128, 48 << 10), Grid(1, 1024, 0)):
            arguments = (here, 1, 1, wide, 0, 0)
            driver.launch(function, grid, 0, arguments)
            assert launches[-1] == (function, arguments)
        for grid in (Grid(1, 2048, 0), Grid(1, 128, 49 << 10)):
            assert refusal(driver.launch, function, grid, 0, arguments) == "CUDA_ERROR_INVALID_VALUE"
        driver.free(here)
        driver.free(wide)
    with pytest.raises(DriverError, match=r"CUDA_ERROR_INVALID_IMAGE from .*: neither machine code nor PTX"):
        driver.load(b"no code")


def _a_kernel() -> tuple[str, str]:
    plan = fused([apply("tanh", value(40) * 2.0)])
    assert plan._executable is not None
    text = plan._executable.tape.instructions[0].text
    return ptx_text([text], "sm_90"), text.symbol


@trial
def training_has_the_bits_of_the_cpu() -> None:
    x, wanted = nb.rand(32, 8), nb.rand(32, 4)

    def train(device: str) -> list[str]:
        nb.manual_seed(1)
        layers = nb.nn.Linear(8, 16), nb.nn.Tanh(), nb.nn.Linear(16, 4)
        model = nb.nn.Sequential(*layers).to(device)
        optimizer = nb.optim.Adam(model.parameters(), lr=0.05)
        here, there = x.to(device), wanted.to(device)
        losses = []
        for _ in range(8):
            loss = nb.nn.functional.mse_loss(model(here), there)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        return [loss.item().hex() for loss in losses]

    api = Recorder()
    driver: Any = gpu(0).driver
    before, driver._api = driver._api, api
    found = train("cuda")
    driver._api = before
    assert found == train("cpu")
    assert "cuLaunchKernel" in api.called


@trial
def streams_events_moves_and_pinned_memory_work() -> None:
    begin, end = (nb.cuda.Event(enable_timing=True) for _ in range(2))
    stream = nb.cuda.Stream(priority=-1)
    with nb.cuda.stream(stream):
        begin.record()
        y = (nb.ones(5, device="cuda") * 2).sum()
        end.record()
    end.synchronize()
    assert begin.elapsed_time(end) == 1.5 and stream.query() and y.item() == 10
    there = nb.ones(3, device="cuda:0").to("cuda:1") + 1
    assert there.tolist() == [2, 2, 2] and nb.cuda.memory_allocated(1) > 0
    pinned = nb.ones(10).pin_memory()
    assert pinned.is_pinned() and pinned.to("cuda", non_blocking=True).sum().item() == 10
    nb.cuda.synchronize()
    nb.cuda.empty_cache()
    assert nb.cuda.mem_get_info() == (1 << 33, 1 << 34)
    assert nb.cuda.get_device_name(1) == "Stand-in 1" and nb.cuda.get_device_capability() == (9, 0)


@trial
def an_index_out_of_bounds_is_an_index_error() -> None:
    x = nb.arange(3.0, device="cuda")
    y = x[nb.tensor([1, 7], device="cuda")]
    with pytest.raises(IndexError, match="index 7 is out of bounds for dimension 0 with size 3"):
        y.tolist()


launches: Final[list[tuple[int, tuple[int, ...]]]] = []  # (function, arguments), as libcuda.c tells them
hosts: Final = KernelStore(target=host_warps)


def run_on_the_processor(function: int, arguments: Any) -> int:
    """Run a launch's kernel, if it is one of nbgrad's devices'; the driver's result."""
    launches.append((function, tuple(arguments[:6])))
    for index in range(nb.cuda.device_count()):
        for text, known in gpu(index).kernels._known.items():
            if known == function:
                run_warps(hosts.addresses([text])[0], *arguments[:4])
    return 0


def main(library: str) -> None:
    nb.config.settings.cuda = "auto"
    for name in ("nvmath", "nvmath.bindings", "nvmath.bindings.cublasLt"):
        sys.modules[name] = None  # type: ignore[assignment]  # cuBLAS would ask the library for more than it has
    driver = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)  # whoever asks for libcuda.so.1 from now on gets this
    run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64))
    runner = run(run_on_the_processor)
    driver.standin_run_by(runner)
    found = {}
    for name, try_it in TRIALS.items():
        try:
            try_it()
            found[name] = ""
        except (Exception, pytest.fail.Exception):
            found[name] = traceback.format_exc()
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
