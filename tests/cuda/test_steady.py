"""Compiled calls on a GPU that find all memory where it was: one look, one copy, one launch. Nothing happens before
somebody waits."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.runtime.cuda import homes
from nbgrad.runtime.cuda.simulated import SimulatedDriver
from nbgrad.runtime.unchanged import can_tell
from tests.replay.test_steady import EVENTS, Model, calls_of, export, forget, nothing
from tests.runtime.cuda.devices import simulated
from tests.runtime.cuda.test_library import everything_taken

pytestmark = pytest.mark.skipif(not can_tell(), reason="this Python keeps its objects elsewhere")


@pytest.fixture
def driver() -> Iterator[SimulatedDriver]:
    with override(compile="eager"), simulated(lazy=True) as driver, nb.device("cuda"):
        yield driver


def steady(driver: SimulatedDriver, *, calls: int = 8) -> tuple[Model, nb.Tensor]:
    m, v = Model(compiled=True), nb.ones(1024)
    for _ in range(calls):
        m.step(m.x, v, 0.0)
    assert m.steady[0].calls > 0
    return m, v


def test_a_steady_call_is_one_copy_and_one_launch(driver: SimulatedDriver) -> None:
    m, v = steady(driver)
    before, calls = driver.calls.copy(), calls_of(m.step)
    for _ in range(10):
        m.step(m.x, v, 0.01)
    assert driver.calls - before == {"copy_in": 10, "launch_graph": 10}
    assert calls_of(m.step) == calls + 10


def on_another_stream(m: Model) -> None:
    """What the step writes next has to wait for this."""
    with nb.cuda.stream(nb.cuda.Stream()):
        m.kept.append(m.b.detach() * m.w.detach().sum())


def replaced_on_another_stream(m: Model) -> None:
    with nb.cuda.stream(nb.cuda.Stream()):
        m.b.data = m.b.detach() * 2


def emptied(m: Model) -> None:
    nb.cuda.empty_cache()


@pytest.mark.parametrize("seed", range(3))
def test_random_events_between_steady_calls(driver: SimulatedDriver, seed: int) -> None:
    found: list[list[Any]] = [[], []]
    known = [event for event in EVENTS if event is not export]  # to NumPy, which a GPU's memory is none for
    events = [*[nothing] * 60, *known, *[forget] * 6, on_another_stream, replaced_on_another_stream, emptied]
    most = 0
    for m, values in zip((Model(compiled=False), Model(compiled=True)), found, strict=True):
        rng, v = random.Random(seed), nb.ones(1024)
        for k in range(40):
            with nb.cuda.stream(nb.cuda.Stream() if k == 25 else nb.cuda.current_stream()):
                values.append(m.step(m.x, v, 0.01 * k))
            most = max(most, calls_of(m.step)) if values is found[1] else 0
            for event in rng.choices(events, k=2):
                event(m)
        values[:] = [[loss.item() for loss in values], v.tolist(), m.state()]
    assert found[0] == found[1]
    assert most > 1


def interrupted(driver: SimulatedDriver, monkeypatch: pytest.MonkeyPatch, call: str, k: int) -> None:
    """Let Ctrl-C come while the driver does the k-th ``call`` from now."""
    real: Callable[..., Any] = getattr(driver, call)
    left = [k]

    def come(*given: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            signal.raise_signal(signal.SIGINT)
        return real(*given)

    monkeypatch.setattr(driver, call, come)


@pytest.mark.parametrize("call", ["copy_in", "launch_graph"])
def test_a_call_that_is_interrupted_is_done(
    driver: SimulatedDriver, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """Nothing of it can be taken back once it is begun."""
    m, v = steady(driver)
    last = v.clone()
    interrupted(driver, monkeypatch, call, 1)
    with pytest.raises(KeyboardInterrupt):
        m.step(m.x, v, 0.0)
    assert v.tolist() == (last * 0.99).tolist()
    monkeypatch.undo()
    m.step(m.x, v, 0.0)
    assert v.tolist() == (last * 0.99 * 0.99).tolist()


def test_a_call_that_a_driver_refuses_has_not_happened(driver: SimulatedDriver) -> None:
    m, v = steady(driver)
    before = v.tolist(), m.state()
    driver.fail("copy_in")
    with pytest.raises(RuntimeError, match="copy_in"):
        m.step(m.x, v, 0.01)
    assert (v.tolist(), m.state()) == before
    m.step(m.x, v, 0.0)
    assert v.tolist() == (nb.tensor(before[0]) * 0.99).tolist()


def test_a_librarys_products_are_steady_too() -> None:
    """Batches lie at many places: each is copied to the one that the graph knows."""
    found = []
    with everything_taken(), override(compile="eager"), simulated(lazy=True) as driver, nb.device("cuda"):
        for compiled in (False, True):
            nb.manual_seed(0)
            w = nb.randn(32, 16).requires_grad_()
            batches = [nb.randn(8, 32) for _ in range(7)]

            def step(x: Any, w: Any = w) -> Any:
                w.grad = None
                loss = ((x @ w).tanh() ** 2).mean()
                loss.backward()
                with nb.no_grad():
                    w -= 0.5 * w.grad
                return loss.detach()

            f: Any = nb.compile(step, fullgraph=True) if compiled else step
            losses = [f(batches[k % 7]) for k in range(4 * homes.WATCHED)]
            before = driver.calls.copy()
            losses += [f(batches[k % 7]) for k in range(homes.WATCHED)]
            if compiled:
                made = driver.calls - before
                assert made == {"copy": homes.WATCHED, "copy_in": homes.WATCHED, "launch_graph": homes.WATCHED}
                assert calls_of(f) >= homes.WATCHED
            found.append([[loss.item() for loss in losses], w.tolist(), w.grad.tolist()])
    assert found[0] == found[1]
