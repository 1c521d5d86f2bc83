"""CUDA for tests: a real GPU where there is one, else a simulated one.

A folder whose conftest.py has a ``device_fixture`` runs all its tests on the CPU and once more with CUDA as the default
device. NBGRAD_TEST_DEVICES says how much of that is done: ``cpu``, ``cuda``, ``some`` (both, but on CUDA only folders
that take little time: what runs unless it is set) or ``all``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

WANTED = os.environ.get("NBGRAD_TEST_DEVICES", "some")
# PyTorch, where it stands in for nbgrad, has no simulated GPU.
ORACLE = os.environ.get("NBGRAD_ORACLE") == "torch"
DEVICES = {"cpu": ["cpu"], "cuda": ["cuda"], "some": ["cpu", "cuda"], "all": ["cpu", "cuda"]}[WANTED]


def is_real() -> bool:
    """Whether there is an NVIDIA GPU, and tests may use it."""
    from nbgrad import config
    from nbgrad.runtime.cuda.devices import device_count

    return config.settings.cuda == "auto" and device_count() > 0


@contextmanager
def real_cuda() -> Iterator[str]:
    """For tests that no simulated GPU will do: they are skipped without a real one."""
    if not is_real():
        pytest.skip("there is no NVIDIA GPU")
    yield "cuda"


@contextmanager
def cuda(count: int = 1) -> Iterator[str]:
    """The name of a GPU that is there inside the ``with`` block, with ``count - 1`` others: real ones, if so many."""
    from nbgrad import config
    from nbgrad.runtime.cuda.devices import device_count
    from nbgrad.trace.flushing import flush
    from nbgrad.trace.thread import local

    mode = "auto" if config.settings.cuda == "auto" and device_count() >= count else "simulated"
    with config.override(cuda=mode):
        try:
            yield "cuda"
        finally:
            if mode == "simulated":
                flush(local.trace)  # what is recorded has to run while its device is there
            local.trace.unheard.clear()  # errors that nobody looked at are no matter of the next test's


def devices(little_time: bool) -> list[str]:
    """Where the tests of a folder run."""
    if ORACLE or (WANTED == "some" and not little_time):
        return ["cpu"]
    return DEVICES


@contextmanager
def made_on(name: str, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tensors that say nothing are made on this device; a look by ``numpy`` copies, which PyTorch leaves to users."""
    if name == "cpu":
        yield
        return
    import nbgrad

    of_the_cpu: Any = nbgrad.Tensor.numpy

    def numpy(x: Any, *, force: bool = False) -> Any:
        return of_the_cpu(x.cpu() if not x.requires_grad else x, force=force)

    patch.setattr(nbgrad.Tensor, "numpy", numpy)
    with cuda(), nbgrad.device("cuda"):
        yield


def device_fixture(little_time: bool) -> Any:
    """What a folder's conftest.py calls ``device``: where the tensors of each of its tests are made."""

    @pytest.fixture(autouse=True, params=devices(little_time))
    def device(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
        name = "cpu" if request.node.get_closest_marker("cpu") else request.param
        with made_on(name, monkeypatch):
            yield name

    return device
