"""Backwards that wait for each other give what backwards that run at once give, wherever the program looks."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.errors import GradError
from nbgrad.optim import SGD, Adam
from nbgrad.trace import join, pace
from nbgrad.trace.flush_plan import FlushPlan, watch
from nbgrad.trace.handle import local, threads

Seen = list[Any]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Only this thread records; plans are fused at once, and cost nothing."""
    monkeypatch.setattr(threads, "several", False)
    monkeypatch.setattr(join, "SAVED_S", 1e3)
    monkeypatch.setattr(pace, "MOST_CREDIT_S", 1e6)
    monkeypatch.setattr(local.trace, "pace", pace.Pace())
    with override(compile="eager"):
        yield
    nb.zeros(1).item()


class Line:
    """Least squares on seven points, by plain writes in place."""

    def __init__(self, n: int = 7) -> None:
        self.x = nb.arange(float(n)).reshape(n, 1) / n
        self.y = self.x * 3 + 1
        self.w = nb.zeros(1, 1, requires_grad=True)
        self.b = nb.zeros(1, requires_grad=True)
        self.loss: Any = None

    def step(self) -> None:
        self.loss = (self.x.mm(self.w) + self.b - self.y).pow(2).mean()
        self.loss.backward()
        with nb.no_grad():
            self.w -= 0.1 * self.w.grad
            self.b -= 0.1 * self.b.grad
            self.w.grad.zero_()
            self.b.grad.zero_()


def waiting() -> int:
    return local.trace.pace.parts


def trained(look_every: int, steps: int, n: int) -> tuple[Seen, list[int]]:
    """(what was seen, how many backwards waited after each step)"""
    line, seen, waited = Line(n), [], []
    for k in range(steps):
        line.step()
        waited.append(waiting())
        if k % look_every == 0:
            seen.append(line.loss.item())
    return [*seen, line.w.tolist(), line.b.tolist()], waited


def test_steps_between_looks_run_together_once_it_is_known_how_many_there_are() -> None:
    _, waited = trained(4, 21, 5)
    assert waited[:9] == [0] * 9  # fused when it comes again, then twice four of them
    assert waited[-8:] == [1, 2, 3, 0] * 2
    seen, _ = trained(4, 21, 5)
    with override(passes={"join"}):
        assert trained(4, 21, 5) == (seen, [0] * 21)


def test_a_loop_that_never_looks_runs_as_many_as_may_run_together() -> None:
    _, waited = trained(1000, 70, 6)
    assert max(waited) == pace.MOST - 1
    assert waiting() == 0  # what was asked for in the end was run


def test_steps_that_wait_are_one_program(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line(8)
    for _ in range(4 * pace.MOST):
        line.step()
    while waiting():
        line.step()
    runs, run = 0, FlushPlan.run

    def counted(*args: Any) -> Any:
        nonlocal runs
        runs += 1
        return run(*args)

    monkeypatch.setattr(FlushPlan, "run", counted)
    for _ in range(2 * pace.MOST):
        line.step()
    assert waiting() == 0
    assert runs == 2


def test_a_plan_is_not_made_before_it_is_earned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join, "SAVED_S", 0.0)
    _, waited = trained(4, 40, 9)
    assert not any(waited)


def test_what_a_plan_cost_is_earned_before_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    trained(4, 21, 10)
    line = Line(10)
    line.step()
    line.loss.item()
    for _ in range(20):
        line.step()
    known = local.trace.pace.join
    assert known is not None and known.planned
    known.credit_s = -1e9
    assert not any(trained(4, 21, 10)[1])


def test_nothing_waits_while_somebody_watches() -> None:
    trained(4, 30, 11)
    with watch() as plans:
        _, waited = trained(4, 21, 11)
    assert not any(waited)
    assert len(plans) >= 21


def test_nothing_waits_where_several_threads_record(monkeypatch: pytest.MonkeyPatch) -> None:
    trained(4, 30, 12)
    monkeypatch.setattr(threads, "several", True)
    assert not any(trained(4, 21, 12)[1])


def test_nothing_waits_that_may_fail() -> None:
    table = nb.ones(5, requires_grad=True)
    place = nb.tensor([1, 2])
    for _ in range(60):
        table[place].sum().backward()
        assert not waiting()


def test_a_gradient_that_numpy_shows_is_written_at_once() -> None:
    line = Line(13)
    for _ in range(60):
        line.step()
    shown = line.w.grad.numpy()
    for _ in range(40):
        loss = (line.x.mm(line.w) + line.b - line.y).pow(2).mean()
        before = shown.copy()
        loss.backward()
        assert (shown != before).any()


def test_a_second_backward_over_what_waits_is_refused() -> None:
    line = Line(14)
    for _ in range(60):
        line.step()
        if waiting():
            with pytest.raises(RuntimeError):
                line.loss.backward()
            assert waiting()


def _on_slices(table: Callable[[], Any], n_rows: int) -> tuple[Seen, list[int]]:
    """A regression on four rows after the other: (losses and weights, how many backwards waited after each step)"""
    w, seen, waited = nb.zeros(3, 1, requires_grad=True), [], []
    optimizer = SGD([w], lr=0.1)
    for _ in range(16):
        for i in range(0, n_rows, 4):
            x = table()
            xb, yb = x[i : i + 4], x[i : i + 4, :1]
            loss = (xb.mm(w) - yb).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            waited.append(waiting())
        seen.append((loss.item(), xb.tolist()))
    return [*seen, w.tolist()], waited


@pytest.mark.parametrize("n_rows", [32, 30])  # the last batch may be smaller
def test_slices_of_one_table_wait(n_rows: int) -> None:
    x = nb.tensor([[float(3 * i + k) / n_rows for k in range(3)] for i in range(n_rows)])
    seen, waited = _on_slices(lambda: x, n_rows)
    assert waited[-7:] == [2, 3, 4, 5, 6, 7, 0]
    with override(passes={"join"}):
        assert repr(_on_slices(lambda: x, n_rows)) == repr((seen, [0] * len(waited)))


def test_slices_of_a_large_table_wait_unless_each_step_brings_another() -> None:
    x = nb.ones(join.LIGHT_BYTES // 12 + 1, 3)
    x.sum().item()
    assert max(_on_slices(lambda: x, 24)[1]) == 5
    array = np.array(x.tolist(), "float32")
    assert max(_on_slices(lambda: nb.tensor(array), 24)[1]) == 1  # only until the next one is there


def test_a_window_on_what_a_step_writes_shows_it() -> None:
    line = Line(16)
    for _ in range(3 * pace.MOST):
        line.step()
        weight, gradient = line.w.detach()[0:1], line.w.grad[0:1]
        line.step()
        assert weight.tolist() == line.w.tolist()
        assert gradient.tolist() == line.w.grad.tolist() == [[0.0]]


def test_a_window_on_a_gradient_shows_the_next_backward() -> None:
    w = nb.ones(3, requires_grad=True)
    for k in range(1, 60):
        gradient = None if w.grad is None else w.grad[1:]
        (w * 2).sum().backward()
        if gradient is not None:
            assert gradient.tolist() == [2.0 * k] * 2


def test_large_steps_never_wait() -> None:
    w = nb.ones(300, 300, requires_grad=True)
    for _ in range(40):
        (w @ w).sum().backward()
        w.grad = None
        assert not waiting()


# Random programs: what is looked at, and when, changes nothing.


def _look_at_loss(line: Line, seen: Seen) -> None:
    seen.append(line.loss.item())


def _look_at_weights(line: Line, seen: Seen) -> None:
    seen.append((line.w.tolist(), line.b.tolist()))


def _look_at_gradients(line: Line, seen: Seen) -> None:
    seen.append([None if p.grad is None else p.grad.tolist() for p in (line.w, line.b)])


def _print(line: Line, seen: Seen) -> None:
    seen.append(repr(line.loss))


def _keep(line: Line, seen: Seen) -> None:
    seen.append(line.loss.detach())


def _keep_gradient(line: Line, seen: Seen) -> None:
    seen.append(line.w.grad.clone() if line.w.grad is not None else None)


def _alias(line: Line, seen: Seen) -> None:
    seen.append(line.w.detach())


def _view(line: Line, seen: Seen) -> None:
    seen.append(line.w.view(1))


def _forget_gradients(line: Line, seen: Seen) -> None:
    line.w.grad = line.b.grad = None


def _fail(line: Line, seen: Seen) -> None:
    lost = line.w.flatten()[nb.tensor([4])]
    with pytest.raises(IndexError):
        lost.tolist()


def _wrong_shape(line: Line, seen: Seen) -> None:
    with pytest.raises(RuntimeError):
        line.x @ line.x


def _backward_again(line: Line, seen: Seen) -> None:
    with pytest.raises(RuntimeError):
        line.loss.backward()


def _retained(line: Line, seen: Seen) -> None:
    loss = (line.w * line.w).sum()
    loss.backward(retain_graph=True)
    loss.backward()


def _other_points(line: Line, seen: Seen) -> None:
    line.x, line.y = line.x + 0.25, line.y * 1.5


def _other_size(line: Line, seen: Seen) -> None:
    n = line.x.shape[0] % 5 + 2
    line.x = nb.arange(float(n)).reshape(n, 1)
    line.y = line.x + 1


def _export(line: Line, seen: Seen) -> None:
    array = line.w.detach().numpy()
    array += 0.5


def _second_order(line: Line, seen: Seen) -> None:
    (g,) = nb.autograd.grad((line.w**3).sum(), line.w, create_graph=True)
    g.sum().backward()


def _elsewhere(line: Line, seen: Seen) -> None:
    read: Seen = []
    several = threads.several
    thread = threading.Thread(target=lambda: read.append((line.w * 2).tolist()))
    thread.start()
    thread.join()
    threads.several = several
    seen += read


LOOKS: list[Callable[[Line, Seen], None]] = [_look_at_loss, _look_at_weights, _look_at_gradients, _print]
EVENTS = [
    _keep,
    _keep_gradient,
    _alias,
    _view,
    _forget_gradients,
    _fail,
    _wrong_shape,
    _backward_again,
    _retained,
    _other_points,
    _other_size,
    _export,
    _second_order,
    _elsewhere,
]


def _by_optimizer(line: Line, make: Any) -> Callable[[], None]:
    optimizer = make([line.w, line.b])

    def step() -> None:
        optimizer.zero_grad()
        line.loss = (line.x.mm(line.w) + line.b - line.y).tanh().pow(2).sum()
        line.loss.backward()
        optimizer.step()

    return step


def random_training(seed: int) -> tuple[Seen, int]:
    """(everything that was looked at, how many backwards had to wait)"""
    rng = random.Random(seed)
    line, seen, waited = Line(rng.randint(2, 6)), [], 0
    makers = [
        None,
        lambda ps: SGD(ps, lr=0.05),
        lambda ps: SGD(ps, lr=0.05, momentum=0.9),
        lambda ps: Adam(ps, lr=0.01),
    ]
    make = rng.choice(makers)
    step = line.step if make is None else _by_optimizer(line, make)
    every, strange = rng.choice([2, 3, 5, 1000]), rng.choice([0.0, 0.03, 0.2])
    look = rng.choice(LOOKS)
    for k in range(90):
        step()
        waited += waiting() > 0
        if k % every == every - 1 or rng.random() < strange / 2:
            look(line, seen)
        if rng.random() < strange:
            rng.choice(LOOKS + EVENTS)(line, seen)
    seen += [line.w, line.b, line.loss]
    return [x.tolist() if isinstance(x, nb.Tensor) else x for x in seen], waited


@pytest.mark.parametrize("seed", range(12))
def test_a_random_program_sees_the_same(seed: int) -> None:
    seen, waited = random_training(seed)
    with override(passes={"join"}):
        assert random_training(seed) == (seen, 0)
    assert repr(seen) == repr(random_training(seed)[0])
    if seed == 0:
        assert waited


def test_a_mistake_leaves_what_waits() -> None:
    line = Line(15)
    for _ in range(60):
        line.step()
    while not waiting():
        line.step()
    before = waiting()
    with pytest.raises(RuntimeError):
        line.x @ line.x
    assert waiting() == before
    with pytest.raises(GradError):
        nb.zeros(3).backward()
    assert waiting() == before
