"""Training on a GPU: the CPU's bits, one copy a step, and streams that wait for each other. Nothing happens before
somebody waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.runtime.cuda.simulated import SimulatedDriver
from tests.runtime.cuda.devices import simulated


@pytest.fixture
def driver() -> Iterator[SimulatedDriver]:
    with override(compile="eager"), simulated(lazy=True) as driver:
        yield driver


def training(device: str) -> Callable[[], nb.Tensor]:
    """A step of a small network, which gives its loss."""
    nb.manual_seed(0)
    x, wanted = nb.rand(32, 8).to(device), nb.rand(32, 4).to(device)
    model = nb.nn.Sequential(nb.nn.Linear(8, 16), nb.nn.Tanh(), nb.nn.Linear(16, 4)).to(device)
    optimizer = nb.optim.Adam(model.parameters(), lr=0.05)

    def step() -> nb.Tensor:
        loss = nb.nn.functional.mse_loss(model(x), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def losses(step: Callable[[], nb.Tensor], count: int = 12) -> list[str]:
    return [loss.item().hex() for loss in [step() for _ in range(count)]]


@pytest.mark.parametrize("compiled", [False, True])
def test_a_step_that_repeats_is_one_copy_and_its_launches(driver: SimulatedDriver, compiled: bool) -> None:
    step = training("cuda")
    if compiled:
        step = nb.compile(step, fullgraph=True)
    kept = [step() for _ in range(8)]
    before = driver.calls.copy()
    kept += [step() for _ in range(10)]
    called = driver.calls - before
    assert called.pop("alloc", 0) <= 10, "for the losses that are kept"
    assert called["copy_in"] == 10 and called["launch"] % 10 == 0 and called.keys() == {"copy_in", "launch"}
    assert [loss.item().hex() for loss in kept] == losses(training("cpu"), 18)


def test_steps_may_change_streams(driver: SimulatedDriver) -> None:
    step, expected = training("cuda"), losses(training("cpu"))
    streams = [nb.cuda.Stream() for _ in range(3)]
    found = []
    for k in range(12):
        with nb.cuda.stream(streams[k % 3] if k % 4 else None):
            found.append(step())
    assert [loss.item().hex() for loss in found] == expected


def test_backward_sees_what_forward_made_on_another_stream(driver: SimulatedDriver) -> None:
    nb.manual_seed(1)
    w = nb.rand(20, 20, device="cuda", requires_grad=True)
    (w @ w).tanh().sum().backward()
    assert w.grad is not None
    expected = w.grad.tolist()
    side = nb.cuda.Stream()
    for _ in range(4):
        w.grad = None
        with nb.cuda.stream(side):
            y = (w @ w).tanh().sum()
        y.backward()
        assert w.grad.tolist() == expected


def test_work_of_a_block_is_enqueued_on_its_stream(driver: SimulatedDriver) -> None:
    x = nb.rand(10, device="cuda")
    nb.cuda.synchronize()
    side = nb.cuda.Stream()
    with nb.cuda.stream(side):
        y = x * 2
    assert not side.query()
    side.synchronize()
    assert side.query() and y.tolist() == (x * 2).tolist()


def test_synchronize_runs_what_was_only_recorded(driver: SimulatedDriver) -> None:
    x = nb.rand(10, device="cuda")
    y = x * 2
    before = driver.calls["launch"]
    nb.cuda.synchronize()
    assert driver.calls["launch"] > before and y.tolist() == (x * 2).tolist()


def test_memory_is_given_back_when_tensors_are_gone(driver: SimulatedDriver) -> None:
    step, seen = training("cuda"), []
    for _ in range(5):
        for _ in range(6):
            step()
        seen.append(nb.cuda.memory_allocated())
    assert seen[1:] == seen[1:2] * 4


def test_out_of_memory_is_an_error_that_one_can_go_on_after(driver: SimulatedDriver) -> None:
    x = nb.zeros(1 << 20, device="cuda")
    with pytest.raises(nb.cuda.OutOfMemoryError, match=r"CUDA out of memory\. Tried to allocate 4\.00 GiB"):
        nb.ones(1 << 30, device="cuda").tolist()
    assert (x + 1).sum().item() == 1 << 20
