"""Several threads: each records its own trace; what they share is right."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.system.fork_safety import Lock
from nbgrad.trace.flush_plan import FlushPlan
from nbgrad.trace.nested import apart, hold, holding, released
from nbgrad.trace.thread import HELD, SHARED, Living, Threads, Trace, here, threads


class _Struck(Exception):
    """What a handler raises."""


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads take turns as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(*work: Callable[[], None]) -> None:
    """Run each in a thread of its own; the first error of any is raised here."""
    errors: list[BaseException] = []

    def guarded(function: Callable[[], None]) -> None:
        try:
            function()
        except BaseException as error:
            errors.append(error)

    workers = [threading.Thread(target=guarded, args=(w,)) for w in work]
    for thread in workers:
        thread.start()
    for thread in workers:
        thread.join()
    if errors:
        raise errors[0]


def train(seed: int, steps: int) -> list[float]:
    rng = np.random.default_rng(seed)
    w = nb.tensor(rng.standard_normal((8, 4)).astype(np.float32), requires_grad=True)
    x = nb.tensor(rng.standard_normal((16, 8)).astype(np.float32))
    losses = []
    for i in range(steps):
        loss = ((x @ w).tanh() ** 2).mean() if i % 3 else ((x @ w).sin() * w.sum()).mean()
        loss.backward()
        with nb.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
        losses.append(loss.item())
    return losses


def test_training_in_several_threads_gives_the_numbers_of_one(switching: None) -> None:
    alone = [train(seed, 60) for seed in range(5)]
    together: list[list[float]] = [[]] * 5

    def run(seed: int) -> None:
        together[seed] = train(seed, 60)

    in_threads(*[lambda s=s: run(s) for s in range(5)])
    assert together == alone


def test_gradients_of_a_shared_leaf_all_arrive(switching: None) -> None:
    w = nb.ones(100, requires_grad=True)
    v = nb.ones(100, requires_grad=True)

    def work(k: float) -> None:
        for i in range(50):
            (w * k + (v * k if i % 2 else v)).sum().backward()

    in_threads(*[lambda k=k: work(k) for k in (1.0, 2.0, 3.0, 4.0)])
    assert w.grad.tolist() == [500.0] * 100
    assert v.grad.tolist() == [350.0] * 100


def test_a_pending_tensor_can_be_used_by_another_thread() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    y = (x * 3).sin()
    z = y * y
    found = []

    def other() -> None:
        u = (z * 2).sum()
        u.backward()
        found.append((u.item(), z.tolist()))

    in_threads(other)
    a = nb.tensor([1.0, 2.0], requires_grad=True)
    b = (a * 3).sin()
    loss = (b * b * 2).sum()
    loss.backward()
    assert found == [(loss.item(), (b * b).tolist())]
    assert x.grad.tolist() == a.grad.tolist()
    assert z.tolist() == (b * b).tolist()


def test_a_pending_tensor_of_a_finished_thread_can_be_used() -> None:
    made = []
    in_threads(lambda: made.append(nb.tensor([1.0, 2.0]) * 3 + 1))
    assert (made[0] * 2).tolist() == [8.0, 14.0]
    assert made[0].tolist() == [4.0, 7.0]


def test_a_graph_begun_in_one_thread_is_differentiated_in_another() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    h = x.exp()
    h.tolist()
    loss = (h * h).sum()
    in_threads(loss.backward)
    a = nb.tensor([1.0, 2.0], requires_grad=True)
    ((a.exp()) * a.exp()).sum().backward()
    assert x.grad.tolist() == pytest.approx(a.grad.tolist())


def test_retained_gradients_arrive_from_another_thread() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    h = x * x
    h.retain_grad()
    loss = (h * 3).sum()
    in_threads(loss.backward)
    assert h.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("looks", ["", "m", "2", "1", "m21"])
def test_gradients_by_tensors_that_other_threads_have_pending(looks: str) -> None:
    """Two threads in turns give what one does, wherever one of them looks at values."""

    def gradients(other: Callable[[Callable[[], Any]], Any], looks: str) -> list[Any]:
        x = nb.tensor([1.0, 2.0], requires_grad=True)
        v0 = x * 1.0
        v1 = other(lambda: v0 * v0)
        v1.retain_grad()
        m = (v1 * v1).sin().sum()
        v2 = other(lambda: v1.sin())
        for name, value in (("m", m), ("2", v2), ("1", v1)):
            if name in looks:
                value.tolist()
        n = (v2 * v0).sum()
        found = [nb.autograd.grad(m + n, [x, v0, v1, v2], retain_graph=True)]
        v3 = other(lambda: v2 * v1 * v0)
        loss = m + n + (v3 * v2).sum()
        found.append(nb.autograd.grad(loss, [v3, v1, v0], retain_graph=True))
        loss.backward()
        return [g.tolist() for each in (*found, [x.grad, v1.grad]) for g in each]

    with ThreadPoolExecutor(1) as pool:
        found = gradients(lambda f: pool.submit(f).result(), looks)
    for g, wanted in zip(found, gradients(lambda f: f(), ""), strict=True):
        assert g == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("hooked", [False, True])
@pytest.mark.parametrize("before", ["", "look", "grad"])
def test_a_custom_function_that_another_thread_has_pending_is_one(before: str, hooked: bool, turned: bool) -> None:
    told: list[Any] = []

    class Tenfold(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            told.append(g.tolist())
            return g * 10

    x = nb.ones(2, requires_grad=True)
    y = Tenfold.apply(x)
    if hooked:
        y.register_hook(lambda g: g * 2)
    a, b = (y * 3, y * 2) if turned else (y * 2, y * 3)

    def step() -> None:
        if before == "look":
            a.tolist()
        if before == "grad":
            nb.autograd.grad(a.sum(), x, retain_graph=True)
            told.clear()
        (a + b).sum().backward()

    in_threads(step)
    factor = 2 if hooked else 1
    assert (told, x.grad.tolist()) == ([[5.0 * factor] * 2], [50.0 * factor] * 2)


def test_a_look_at_what_another_thread_has_pending_leaves_its_history() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    made: list[Any] = []
    in_threads(lambda: made.append(x * x))
    with nb.no_grad():
        assert made[0].tolist() == [1.0, 4.0]
    made[0].sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_reading_shared_data_in_many_threads(switching: None) -> None:
    data = nb.arange(1000.0) * 1.0

    def work() -> None:
        for i in range(30):
            assert data[i : i + 10].sum().item() == sum(range(i, i + 10))

    in_threads(*[work] * 4)


def test_the_second_thread_to_record_waits_for_what_the_first_does_alone() -> None:
    joined = Threads()
    joined.join(Trace(), Living())
    assert not joined.several
    with joined.lock:
        second = threading.Thread(target=joined.join, args=(Trace(), Living()))
        second.start()
        second.join(0.05)
        assert second.is_alive()
    second.join(10)
    assert not second.is_alive()


def test_a_thread_that_is_interrupted_as_it_begins_to_record_joins_when_it_records_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def work() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(Threads, "join", strike)
            with pytest.raises(_Struck):
                nb.ones(2)
        assert nb.ones(2).tolist() == [1.0, 1.0]
        assert here.top in threads.traces

    def strike(*_: Any) -> None:
        raise _Struck

    in_threads(work)


def test_random_numbers_of_many_threads_are_all_different(switching: None) -> None:
    nb.manual_seed(3)
    drawn: list[float] = []
    in_threads(*[lambda: drawn.extend([nb.rand(()).item() for _ in range(50)])] * 4)
    assert len(set(drawn)) == 200


READS: dict[str, Callable[[nb.Tensor], object]] = {
    "numpy": lambda p: p.detach().numpy(),
    "copy": lambda p: p.detach().numpy().copy(),
    "list": lambda p: p.tolist(),
    "view": lambda p: p.detach()[1:].tolist(),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
@pytest.mark.parametrize("kind", ["sgd", "adam"])
def test_who_reads_beside_an_optimiser_takes_nothing_from_it(
    kind: str, read: Callable[[nb.Tensor], object], switching: None
) -> None:
    def losses(reads: bool) -> list[float]:
        w = nb.linspace(-1.0, 1.0, 8, requires_grad=True)
        make = {"sgd": lambda p: nb.optim.SGD(p, lr=0.1, momentum=0.9), "adam": lambda p: nb.optim.Adam(p, lr=0.1)}
        optimizer, found, done = make[kind]([w]), list[float](), threading.Event()

        def optimise() -> None:
            try:
                for _ in range(60):
                    optimizer.zero_grad()
                    loss = ((w - 3.0) ** 2).sum()
                    loss.backward()
                    optimizer.step()
                    found.append(loss.item())
            finally:
                done.set()

        def look() -> None:
            while reads and not done.is_set():
                read(w)

        in_threads(optimise, look)
        return found + w.tolist()

    alone = losses(reads=False)
    for _ in range(5):
        assert losses(reads=True) == alone


WAITS = """
import threading
import nbgrad as nb
from nbgrad.trace.thread import threads

def elsewhere(work):
    other = threading.Thread(target=work, daemon=True)
    other.start()
    other.join(20)
    assert not other.is_alive()

class Waits(nb.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, g):
        elsewhere(lambda: nb.ones(2).add_(1).tolist())
        return g

x = nb.ones(3, requires_grad=True)
for several in (False, True):
    assert threads.several is several
    (Waits.apply(x) * 2).sum().backward()
    elsewhere(lambda: x.grad.add_(1).tolist())
print(x.grad.tolist())
"""


def test_code_of_the_users_in_a_backward_may_wait_for_another_thread_be_it_the_first_one() -> None:
    done = subprocess.run([sys.executable, "-c", WAITS], capture_output=True, text=True, timeout=100)
    assert done.stdout == "[6.0, 6.0, 6.0]\n", done.stderr


def test_other_threads_record_while_a_plan_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    in_threads(lambda: nb.zeros(1).tolist())
    seen: list[Any] = []
    run = FlushPlan.run

    def beside(self: FlushPlan, *args: Any) -> Any:
        monkeypatch.undo()
        in_threads(lambda: seen.append((x.add_(1).tolist(), y.tolist())))
        return run(self, *args)

    for _ in range(3):  # in the baseline tier, with a plan, with the same plan
        x = nb.ones(3) * 2
        y = x + 1
        monkeypatch.setattr(FlushPlan, "run", beside)
        assert (y * 2).tolist() == [6.0] * 3
        assert x.tolist() == [2.0 + len(seen)] * 3
        seen.clear()
    assert FlushPlan.run is run


@pytest.mark.parametrize("lets_go", [apart, released])
def test_a_handler_that_raises_while_a_thread_waits_for_its_turn_leaves_the_lock_as_it_was(lets_go: Any) -> None:
    trace, taken, done = Trace(), threading.Event(), threading.Event()
    trace.taken = trace.rest = SHARED

    def take() -> None:
        with threads.lock:
            taken.set()
            done.wait(0.2)  # only so long, as the handler has to come while it is waited for

    def strike(*_: Any) -> None:
        done.set()
        raise _Struck

    def begin() -> None:
        other.start()
        taken.wait()
        signal.setitimer(signal.ITIMER_REAL, 0.02)

    other, before = threading.Thread(target=take), signal.signal(signal.SIGALRM, strike)
    try:
        with pytest.raises(_Struck):
            hold(trace, lets_go, begin)
    finally:
        signal.signal(signal.SIGALRM, before)
        other.join()
    assert trace.taken is SHARED
    assert not threads.lock.is_mine()


@pytest.mark.parametrize("take", [lambda function: hold(here.top, function), lambda function: holding(function)()])
def test_a_handler_that_raises_as_the_lock_is_let_go_leaves_the_trace_to_others(
    take: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lets(Lock):
        def release(self) -> None:
            super().release()
            raise _Struck

    monkeypatch.setattr(threads, "lock", Lets())
    monkeypatch.setattr(here, "top", trace := Trace(), raising=False)

    def joined(trace: Trace) -> None:
        """As if another thread had joined while code of the user's ran."""
        threads.lock.acquire()
        trace.rest, trace.taken = SHARED, HELD

    with pytest.raises(_Struck):
        take(joined)
    assert trace.taken is SHARED
    assert not threads.lock.locked()
