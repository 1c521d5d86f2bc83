"""Steps of a training loop that run as one program: nobody can tell but by the time they take."""

from __future__ import annotations

import gc
import random
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.autograd import again as waiting
from nbgrad.trace import local

NEVER = 1 << 60


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "AFTER", 1)


def step_of(x: Any, w: Any) -> Any:
    w.grad = None
    loss = (x * w).square().sum()
    loss.backward()
    with nb.no_grad():
        w -= 0.01 * w.grad
    return loss


def is_pending(y: Any) -> bool:
    return y._page is not None


def steps_until_pending(x: Any, w: Any) -> Any:
    for _ in range(30):
        loss = step_of(x, w)
        if waits():
            return loss
    raise AssertionError("no backward waits")


def waits() -> bool:
    return local.trace.segment.patience is not None


@pytest.mark.usefixtures("at_once")
def test_a_backward_that_recurs_waits_until_somebody_looks() -> None:
    x, w = nb.tensor([1.0, 2.0, 3.0]), nb.ones(3, requires_grad=True)
    loss = steps_until_pending(x, w)
    assert is_pending(loss)
    loss.item()
    assert not is_pending(loss)
    assert not waits()


def test_it_waits_only_after_many_runs() -> None:
    x, w = nb.ones(11), nb.ones(11, requires_grad=True)  # a size of its own: what other tests ran is known
    for _ in range(waiting.AFTER // 2):
        step_of(x, w)
        assert not waits()


@pytest.mark.usefixtures("at_once")
def test_a_segment_ends_when_it_is_long_or_holds_much(monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = nb.tensor([1.0, 2.0, 3.0]), nb.ones(3, requires_grad=True)
    longest = 0
    for _ in range(300):
        step_of(x, w)
        longest = max(longest, local.trace.node.ix)
    assert longest > 100
    assert longest < waiting.MOST_ENTRIES + 20
    monkeypatch.setattr(waiting, "MOST_BYTES", 1 << 12)
    held = 0
    for i in range(300):
        step_of(nb.tensor([1.0, 2.0, i]), w)
        held = max(held, len(local.trace.segment.inputs))
    assert held < 40


@pytest.mark.usefixtures("at_once")
def test_a_heavy_step_runs_at_once() -> None:
    x, w = nb.ones(1 << 18), nb.ones(1 << 18, requires_grad=True)
    for _ in range(10):
        step_of(x, w)
        assert not waits()


@pytest.mark.usefixtures("at_once")
def test_what_may_fail_runs_at_once() -> None:
    a, w = nb.eye(3), nb.ones(3, 3, requires_grad=True)
    for _ in range(10):
        w.grad = None
        nb.linalg.inv(a + 0.1 * w).sum().backward()
        assert not waits()


@pytest.mark.usefixtures("at_once")
def test_what_fails_behind_a_backward_that_waits_names_its_own_line() -> None:
    x, w = nb.tensor([1.0, 2.0, 3.0]), nb.ones(3, requires_grad=True)
    steps_until_pending(x, w)
    singular = nb.zeros(2, 2)
    bad = nb.linalg.inv(singular * w[0].detach())
    with pytest.raises(nb.linalg.LinAlgError, match="singular"):
        bad.tolist()
    assert np.isfinite(w.tolist()).all()


@pytest.mark.usefixtures("at_once")
def test_a_second_backward_is_refused_while_the_first_waits() -> None:
    x, w = nb.tensor([1.0, 2.0, 3.0]), nb.ones(3, requires_grad=True)
    loss = steps_until_pending(x, w)
    with pytest.raises(RuntimeError, match="a second time"):
        loss.backward()
    before = w + 0.01 * w.grad
    assert w.grad.tolist() == pytest.approx((2 * x * x * before).tolist())


@pytest.mark.usefixtures("at_once")
def test_another_thread_sees_what_waits() -> None:
    x, w = nb.tensor([1.0, 2.0, 3.0]), nb.ones(3, requires_grad=True)
    steps_until_pending(x, w)
    seen: list[Any] = []
    thread = threading.Thread(target=lambda: seen.extend((w.grad.tolist(), w.tolist())))
    thread.start()
    thread.join()
    assert seen == [w.grad.tolist(), w.tolist()]


@pytest.mark.usefixtures("at_once")
def test_memory_that_others_see_is_written_by_each_backward() -> None:
    x, w = nb.tensor([1.0, 2.0, 3.0]), nb.ones(3, requires_grad=True)
    (x * w).sum().backward()
    seen = w.grad.numpy()
    for i in range(2, 20):
        (x * w).sum().backward()
        assert seen.tolist() == [i * 1.0, i * 2.0, i * 3.0]


@pytest.mark.usefixtures("at_once")
def test_what_nobody_holds_any_more_is_gone_when_the_segment_has_run() -> None:
    x, w = nb.tensor([1.0, 2.0, 3.0]), nb.ones(3, requires_grad=True)
    for _ in range(8):
        loss = step_of(x, w)
    gone = weakref.ref(loss)
    del loss
    w.tolist()
    gc.collect()
    assert gone() is None


@pytest.mark.usefixtures("at_once")
def test_what_never_comes_again_stops_the_waiting() -> None:
    x, w = nb.ones(13), nb.ones(13, requires_grad=True)
    rng = random.Random(0)
    steps_until_pending(x, w)
    patience = local.trace.segment.patience
    patience.tries = 3
    for _ in range(2000):
        z = x
        for _ in range(rng.randrange(3)):
            z = z * 1.5 if rng.random() < 0.5 else z + 0.5
        step_of(z, w)
        if patience.tries <= 0:
            break
    assert patience.tries <= 0
    w.tolist()
    step_of(x, w)
    assert not waits()


def looks(rng: random.Random) -> Iterator[str]:
    """What a step does besides, mostly nothing: the same for the whole loop, or now and then."""
    always = rng.choice(["", "", "", "loss", "grad"])
    while True:
        yield always if rng.random() < 0.9 else rng.choice(("loss", "grad", "value", "keep", "again", "view", "other"))


def run_loop(seed: int, steps: int) -> list[Any]:
    """All that a random training loop shows."""
    rng = random.Random(seed)
    numbers = np.random.default_rng(seed)
    n, m = rng.choice([(1, 1), (3, 2), (5, 4)])
    x = nb.tensor(numbers.normal(size=(7, n)).astype("float32"))
    y = nb.tensor(numbers.normal(size=(7, m)).astype("float32"))
    w = nb.tensor(numbers.normal(size=(n, m)).astype("float32"), requires_grad=True)
    b = nb.zeros(m, requires_grad=True)
    parameters = [w, b]
    forwards: list[Callable[[], Any]] = [
        lambda: (x @ w + b - y).square().mean(),
        lambda: ((x @ w + b).tanh() - y).abs().sum() / 7,
        lambda: nb.nn.functional.mse_loss(x[:4] @ w + b, y[:4]),
        lambda: (x @ w.T.T * b.exp()).sigmoid().sum() * 0.1,
    ]
    forward, other = rng.choice(forwards), rng.choice(forwards)
    way = rng.choice(["sgd", "adam", "hand", "none", "data"])
    clears = rng.choice(["none", "zero", "never"])
    optimizer = nb.optim.Adam(parameters, 0.01) if way == "adam" else nb.optim.SGD(parameters, 0.01, momentum=0.5)
    shown: list[Any] = []
    kept: list[Any] = []
    events = looks(rng)
    for _ in range(steps):
        event = next(events)
        loss = (other if event == "other" else forward)()
        if event == "again":
            loss.backward(retain_graph=True)
        loss.backward()
        if event == "grad":
            shown.append(w.grad.tolist())
        if way in ("sgd", "adam"):
            optimizer.step()
        elif way == "hand":
            with nb.no_grad():
                for p in parameters:
                    p -= 0.01 * p.grad
        elif way == "data":
            for p in parameters:
                p.data.sub_(p.grad * 0.01)
        if event == "loss":
            shown.append(loss.item())
        elif event == "value":
            shown.append([p.tolist() for p in parameters])
        elif event == "keep":
            kept += [loss, w.grad.clone(), w.detach().clone()]
        elif event == "view":
            with nb.no_grad():
                w[0] *= 0.5
        if clears == "none":
            w.grad = b.grad = None
        elif clears == "zero":
            w.grad.zero_()
            b.grad.zero_()
    return [*shown, *[z.tolist() for z in (*kept, *parameters)], None if w.grad is None else w.grad.tolist()]


@pytest.mark.parametrize("seed", range(40))
def test_random_loops_show_the_same_bits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "AFTER", NEVER)
    want = run_loop(seed, 60)
    monkeypatch.setattr(waiting, "AFTER", 1)
    assert repr(run_loop(seed, 60)) == repr(want)
