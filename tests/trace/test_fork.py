"""A forked child trains on, whatever its parent was doing."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

import pytest

import nbgrad as nb

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning"),
]

LIMIT_S = 60.0


def in_child(work: Callable[[], bool]) -> bool:
    """Whether ``work`` gave True in a forked child; False where it failed or hung."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if work() else 2
        finally:
            os._exit(status)
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


def step(w: nb.Tensor, x: nb.Tensor) -> float:
    loss = ((x @ w).tanh() ** 2).mean()
    loss.backward()
    with nb.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
    return loss.item()


def parameters() -> tuple[nb.Tensor, nb.Tensor]:
    nb.manual_seed(1)
    return nb.randn(200, 100).requires_grad_(), nb.randn(300, 200)


def test_a_child_goes_on_with_the_numbers_of_its_parent() -> None:
    w, x = parameters()
    for _ in range(3):
        step(w, x)
    pending = (x @ w).sum()
    reference = w.detach().clone()
    expected = []
    v = reference.clone().requires_grad_()
    for _ in range(5):
        expected.append(step(v, x))

    def child() -> bool:
        mine = reference.clone().requires_grad_()
        same = [step(mine, x) for _ in range(5)] == expected
        new = ((nb.ones(3, requires_grad=True) * 2 + 1) ** 2).sum()
        return same and new.item() == 27.0 and isinstance(pending.item(), float)

    assert in_child(child)
    assert [step(w, x) for _ in range(5)] == expected


def test_a_child_of_a_parent_with_busy_threads() -> None:
    w, x = parameters()
    stop = threading.Event()

    def busy() -> None:
        v = nb.ones(50, 50, requires_grad=True)
        while not stop.is_set():
            ((v @ v).tanh().sum() * 1.5).backward()
            v.grad = None

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        for _ in range(5):
            assert in_child(lambda: step(w, x) > 0.0)
    finally:
        stop.set()
        thread.join()


def test_grandchildren_work_too() -> None:
    w, x = parameters()
    step(w, x)
    assert in_child(lambda: step(w, x) > 0.0 and in_child(lambda: step(w, x) > 0.0))
