"""A view that one thread has made shows what another thread writes: the same as if one thread did it all."""

from __future__ import annotations

import gc
import importlib
import threading
from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.tensor import subscript
from nbgrad.trace import read, storage, writing
from nbgrad.trace.flush_plan import FlushPlan
from nbgrad.trace.thread import threads
from tests.each import functions
from tests.trace.meanwhile import Meanwhile, elsewhere

flush_module = importlib.import_module("nbgrad.trace.flushing")

Run = Callable[[Callable[[], Any]], None]


def here(work: Callable[[], Any]) -> None:
    work()


MAKERS: dict[str, Callable[[], nb.Tensor]] = {
    "in memory": lambda: nb.tensor([1.0, 2.0, 3.0, 4.0]),
    "pending": lambda: nb.zeros(4) + 1,
    "leaf": lambda: nb.ones(4, requires_grad=True),
}
WRITES: dict[str, Callable[[nb.Tensor], Any]] = {
    "add_": lambda u: u.add_(1),
    "operator": lambda u: u.__imul__(3.0),
    "all elements": lambda u: u.__setitem__(..., 7.0),
    "a slice": lambda u: u.__setitem__(slice(1, 3), 7.0),
    "zero_": lambda u: u.zero_(),
    "copy_": lambda u: u.copy_(nb.full((4,), 3.0)),
    "through views": lambda u: (u[2:].mul_(5), u[:2].fill_(-1.0)),
    "data": lambda u: u.data.add_(5),
    "twice": lambda u: (u.add_(1), u.mul_(2.0)),
    "numpy": lambda u: u.detach().numpy().__setitem__(..., 9.0),
    "read before": lambda u: ((u * 2).tolist(), u.sub_(1)),
    "inference": lambda u: u.detach().mul_(2),
}


def shown(*tensors: nb.Tensor) -> list[Any]:
    return [(x * 1).tolist() for x in tensors]


def a_view(u: nb.Tensor, write: Callable[[nb.Tensor], Any], run: Run) -> list[Any]:
    x = u[1:]
    run(lambda: write(u))
    return shown(x, u)


def a_view_that_was_used(u: nb.Tensor, write: Callable[[nb.Tensor], Any], run: Run) -> list[Any]:
    x = u[1:]
    y = x * 2
    run(lambda: write(u))
    return shown(x, y)


def a_chain(u: nb.Tensor, write: Callable[[nb.Tensor], Any], run: Run) -> list[Any]:
    x = u[1:]
    y = x[1:]
    z = y.reshape(2, 1).t()
    run(lambda: write(u))
    return shown(z, y, x)


def aliases(u: nb.Tensor, write: Callable[[nb.Tensor], Any], run: Run) -> list[Any]:
    d = u.detach()
    x, y = d[1:], u[2:]
    run(lambda: write(u))
    return shown(u, d, x, y)


def an_alias_that_is_written(u: nb.Tensor, write: Callable[[nb.Tensor], Any], run: Run) -> list[Any]:
    d = u.detach()
    x, y = d[1:], u[2:]
    run(lambda: write(d))
    return shown(u, d, x, y)


def an_alias_made_there(u: nb.Tensor, write: Callable[[nb.Tensor], Any], run: Run) -> list[Any]:
    x = u[1:]
    run(lambda: write(u.detach()))
    return shown(x, u)


def a_view_made_there(u: nb.Tensor, write: Callable[[nb.Tensor], Any], run: Run) -> list[Any]:
    made: list[nb.Tensor] = []
    run(lambda: made.append(u.detach()[1:]))
    with nb.no_grad():
        write(u)
    return shown(made[0])


def reads_from_a_third_thread(u: nb.Tensor, write: Callable[[nb.Tensor], Any], run: Run) -> list[Any]:
    x, found = u[1:], []
    run(lambda: found.append(shown(x)))
    run(lambda: write(u))
    run(lambda: found.append(shown(x)))
    return [*found, shown(x)]


def turns(u: nb.Tensor, write: Callable[[nb.Tensor], Any], run: Run) -> list[Any]:
    x, found = u[1:], []
    for k in range(3):
        run(lambda: write(u))
        with nb.no_grad():
            (x if k % 2 else u).mul_(k + 1)
        run(lambda: found.append(shown(x)))
        found.append(shown(u[k:], x))
    return found


READS = functions(a_view, turns)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("read", READS)
def test_views_show_what_another_thread_writes(read: Callable[..., list[Any]], make: Callable[[], nb.Tensor]) -> None:
    for name, writes in WRITES.items():
        found = []
        for run in (here, elsewhere):
            with nb.no_grad():
                found.append(read(make(), writes, run))
        assert found[0] == found[1], name


def test_views_of_a_gradient_show_a_backward_and_an_optimiser_elsewhere() -> None:
    w = nb.nn.Parameter(nb.ones(4))
    optimizer = nb.optim.SGD([w], lr=0.5)
    (w * 2).sum().backward()
    grad, part, alias = w.grad[1:], w[2:], w.detach()[1:]

    def step() -> None:
        with nb.enable_grad():
            (w * 3).sum().backward()
        optimizer.step()

    for k in (1, 2, 3):
        elsewhere(step)
        assert shown(grad) == [[2.0 + 3 * k] * 3]
        assert shown(part)[0] == shown(alias)[0][1:] == w.tolist()[2:]
    assert w.tolist() == [1 - 0.5 * (5 + 8 + 11)] * 4


def test_views_show_what_a_compiled_function_writes_elsewhere() -> None:
    u = nb.zeros(4)
    step = nb.compile(lambda: u.add_(1.0))
    for k in range(1, 7):
        x = u[1:]
        elsewhere(step)
        assert shown(x) == [[float(k)] * 3]


def test_a_derivative_goes_through_what_another_thread_wrote() -> None:
    for written in ("base", "view"):
        u = nb.ones(4, requires_grad=True)
        h = u * 2
        x = h[1:]
        thread = threading.Thread(target=(h if written == "base" else x).mul_, args=(3.0,))
        thread.start()
        thread.join()
        (x if written == "base" else h).sum().backward()
        assert u.grad.tolist() == ([0.0, 6.0, 6.0, 6.0] if written == "base" else [2.0, 6.0, 6.0, 6.0])


def test_two_threads_at_once_disturb_nobody() -> None:
    """One slices what nobody writes, the other one writes what it alone knows and what the first one has sliced."""
    table, total = nb.arange(40.0), nb.zeros(8)
    over = threading.Event()
    errors: list[BaseException] = []

    def write() -> None:
        own = nb.zeros(8)
        try:
            for k in range(1, 10_000):
                own.add_(1)
                total.add_(1)
                if k % 3 == 0:
                    assert own[2:].tolist() == [float(k)] * 6
                if over.is_set():
                    break
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        last = 0.0
        for k in range(300):
            x = table[k % 30 : k % 30 + 8]
            seen = total[2:]
            y = (x[1:] * 2 + x[:-1])[2:]
            now = seen.tolist()
            assert len(set(now)) == 1
            assert now[0] >= last
            last = now[0]
            assert y.tolist() == [3.0 * (k % 30 + i) + 2 for i in range(2, 7)]
    finally:
        over.set()
        thread.join()
    assert not errors


def test_two_threads_write_parts_of_one_tensor_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere(lambda: nb.zeros(1).tolist())
    u = nb.zeros(8)
    low, high = u[:4], u[4:]
    for k in range(1, 4):
        meanwhile = Meanwhile(writing.write_on, lambda: high.add_(2))
        monkeypatch.setattr(writing, "write_on", meanwhile)
        low.add_(1)
        meanwhile.thread.join()
        monkeypatch.undo()
        assert u.tolist() == [k] * 4 + [2 * k] * 4


def test_two_threads_write_through_indices_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere(lambda: nb.zeros(1).tolist())
    u = nb.zeros(4)
    low, high = nb.tensor([0, 1]), nb.tensor([2, 3])
    meanwhile = Meanwhile(subscript.write_checked, lambda: u.__setitem__(high, 2.0))
    monkeypatch.setattr(subscript, "write_checked", meanwhile)
    u[low] = 1.0
    meanwhile.thread.join()
    assert u.tolist() == [1, 1, 2, 2]


def test_memory_is_exported_while_another_thread_writes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere(lambda: nb.zeros(1).tolist())
    u = nb.zeros(8) + 1
    high = u[4:]
    meanwhile = Meanwhile(read.export_buffer, lambda: high.add_(2))
    monkeypatch.setattr(read, "export_buffer", meanwhile)
    array = u.numpy()
    meanwhile.thread.join()
    assert array.tolist() == u.tolist() == [1, 1, 1, 1, 3, 3, 3, 3]


def test_a_window_of_a_window_while_another_thread_makes_views_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of the walk from a window to the tensor that it shows."""
    elsewhere(lambda: nb.zeros(1).tolist())
    x = nb.arange(14.0)
    u = x[1:13]
    meanwhile = Meanwhile(storage.split_key, lambda: nb.zeros(2).numpy())
    monkeypatch.setattr(storage, "split_key", meanwhile)
    y = u.view(3, 4)
    meanwhile.thread.join()
    x.mul_(2.0)
    assert y.tolist() == [[2.0, 4.0, 6.0, 8.0], [10.0, 12.0, 14.0, 16.0], [18.0, 20.0, 22.0, 24.0]]


def test_a_plan_that_was_made_while_another_thread_took_a_value_is_not_found_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After the look at who holds what: before the plan is made, and while it runs."""
    elsewhere(lambda: nb.zeros(1).tolist())
    held: list[nb.Tensor] = []
    for place, name in ((flush_module, "plan_flush"), (FlushPlan, "run")):
        meanwhile = Meanwhile(getattr(place, name), lambda: held[0].tolist())
        monkeypatch.setattr(place, name, lambda *args, meanwhile=meanwhile: meanwhile(*args))
        for _ in range(6):
            held[:] = [nb.zeros(5).add_(1)]
            b = nb.ones(5) * 3
            assert b.tolist() == [3.0] * 5
            assert held[0].tolist() == [1.0] * 5
        meanwhile.thread.join()
        monkeypatch.undo()


def test_a_thread_that_is_gone_is_forgotten_with_its_views() -> None:
    u = nb.ones(4)

    def work() -> None:
        (u[1:] * 2).tolist()
        u[2:] + 1

    for _ in range(3):
        elsewhere(work)
    gc.collect()
    before = len(threads.traces)
    elsewhere(work)
    gc.collect()
    assert len(threads.traces) == before
    u.add_(1)
    assert u.tolist() == [2.0] * 4


@pytest.mark.parametrize("is_run", [False, True])
def test_a_view_keeps_its_place_in_the_graph_in_other_threads(is_run: bool) -> None:
    class Tenfold(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.view(-1)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 10

    x, told = nb.ones(2, requires_grad=True), []
    y = Tenfold.apply(x)[:]
    y.register_hook(lambda g: told.append(g.tolist()))
    y.retain_grad()
    if is_run:
        y.tolist()
    for k in (1, 2):
        thread = threading.Thread(target=lambda: (y * 2).sum().backward(retain_graph=True))
        thread.start()
        thread.join()
        assert x.grad.tolist() == [20.0 * k, 20.0 * k]
        assert y.grad.tolist() == [2.0 * k, 2.0 * k]
    (y * 2).sum().backward()
    assert x.grad.tolist() == [60.0, 60.0]
    assert told == [[2.0, 2.0]] * 3
