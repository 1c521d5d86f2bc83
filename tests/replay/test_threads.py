"""Several threads that write the same tensors: every write counts, whoever records, runs compiled, or joins late."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

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
