"""Several threads that write the same tensors: every write counts, whoever records, runs compiled, or joins late."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

import nbgrad as nb
from tests.fresh import printed

CALLS = 20
TRIALS = 25


@pytest.fixture(autouse=True)
def many_turns() -> Iterator[None]:
    usual_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual_s)


def together(*works: Callable[[], None]) -> None:
    errors: list[BaseException] = []

    def caught(work: Callable[[], None]) -> None:
        try:
            for _ in range(CALLS):
                work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=caught, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def added(x: nb.Tensor) -> None:
    x.add_(1)


Works = Callable[[nb.Tensor, nb.Tensor, Callable[[nb.Tensor], None]], list[Callable[[], None]]]
WORKS: dict[str, Works] = {
    "of a tensor": lambda u, v, f: [lambda: f(u)] * 2,
    "of a view": lambda u, v, f: [lambda: f(v)] * 2,
    "of a tensor and its view": lambda u, v, f: [lambda: f(u), lambda: f(v)],
    "of a view beside a plain write": lambda u, v, f: [lambda: f(v), lambda: added(u)],
    "of a tensor beside plain writes": lambda u, v, f: [lambda: f(u), lambda: added(v), lambda: added(u)],
}


@pytest.mark.parametrize("works", WORKS.values(), ids=WORKS)
def test_no_write_of_the_first_calls_is_lost(works: Works) -> None:
    for _ in range(TRIALS):
        u = nb.zeros(2)
        v = u.view(2)
        each = works(u, v, nb.compile(added))
        together(*each)
        assert u.tolist() == v.tolist() == [CALLS * len(each)] * 2


def test_a_thread_that_begins_while_the_only_other_one_records_waits_for_it() -> None:
    script = """
import threading
import nbgrad as nb
u = nb.zeros(2)
begun = 0
def slow(x):
    global begun
    y = x + 1
    begun = 1
    for _ in range(1000):
        sum(range(10000))  # time enough to write
    x.copy_(y)
def write():
    while not begun:
        pass
    u.add_(1)
other = threading.Thread(target=write)
other.start()
nb.compile(slow)(u)
other.join()
print(u.tolist())
"""
    assert printed("-c", script) == "[2.0, 2.0]\n"


def test_threads_that_call_a_fresh_function_at_once_all_get_its_results() -> None:
    x = nb.ones(4)
    for _ in range(TRIALS):
        f = nb.compile(lambda a, k: (a[1:] * k + a[:-1].sin()).sum())
        expected = (x[1:] * 2.0 + x[:-1].sin()).sum().item()
        found: list[float] = []
        work = lambda f=f, found=found: found.append(f(x, 2.0).item())  # noqa: E731
        together(work, work, work)
        assert found == [expected] * (3 * CALLS)


def test_a_look_beside_compiled_steps_takes_nothing_from_them() -> None:
    for _ in range(5):
        w = nb.zeros(4, requires_grad=True)
        optimizer = nb.optim.SGD([w], lr=0.25)

        def step(w: nb.Tensor = w, optimizer: nb.optim.SGD = optimizer) -> None:
            optimizer.zero_grad()
            (w * 2.0).sum().backward()
            optimizer.step()

        together(nb.compile(step), lambda w=w: w.detach().tolist())
        assert w.tolist() == [-0.5 * CALLS] * 4


def test_a_thread_that_comes_with_a_new_shape_while_another_one_looks_for_hooks() -> None:
    leaf = nb.ones(1, requires_grad=True)
    leaf.register_hook(lambda g: None)  # has each call look through the forms of calls that there are
    double = nb.compile(lambda x: x * 2)
    double(nb.ones(2))
    other = threading.Thread(target=lambda: double(nb.ones(3)))

    class Meanwhile:
        """A form of calls: while it is looked at, the other thread adds one."""

        @property
        def programs(self) -> list[object]:
            if other.ident is None:
                other.start()
                other.join()
            return []

    double._forms["meanwhile"] = Meanwhile()
    assert double(nb.ones(2)).tolist() == [2.0, 2.0]
    assert other.ident is not None and len(double._forms) == 3


@pytest.mark.parametrize("is_argument", [True, False])
def test_a_gradient_that_another_thread_has_recorded_and_not_run(is_argument: bool) -> None:
    x = nb.ones(3, requires_grad=True)

    def by_name(z: nb.Tensor) -> nb.Tensor:
        return x.grad * 2 + 0 * z

    run = nb.compile(lambda x: x.grad * 2, fullgraph=True) if is_argument else nb.compile(by_name, fullgraph=True)
    given, turns, found = x if is_argument else nb.ones(3), threading.Barrier(2), []

    def gives_gradients() -> None:
        with suppress(threading.BrokenBarrierError):
            for k in range(CALLS):
                x.grad = nb.ones(3) * k + 1
                turns.wait()  # it is there, and the other thread calls
                turns.wait()

    other = threading.Thread(target=gives_gradients)
    other.start()
    try:
        for _ in range(CALLS):
            turns.wait()
            found.append(run(given).tolist()[0])
            turns.wait()
    finally:
        turns.abort()
        other.join()
    assert found == [2.0 * (k + 1) for k in range(CALLS)]
    (form,) = run._forms.values()
    assert len(form.programs) == 1
