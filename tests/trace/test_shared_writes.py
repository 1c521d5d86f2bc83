"""Several threads write one tensor in place: as if they had done it one after the other."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.calls.base import CALLS
from nbgrad.runtime.shared_memory import Export
from nbgrad.trace import inplace, read, writing
from nbgrad.trace.thread import threads
from tests.call_samples import CALL_SAMPLES
from tests.samples import CallSample
from tests.trace.meanwhile import Meanwhile, elsewhere

# Those of complex numbers, which are read when somebody asks for them, have their samples in tests/test_complex.py.
INPLACE = {n: inspect.unwrap(call.build) for n, call in CALLS.items() if call.inplace and n in CALL_SAMPLES}
GENERATED = sorted({build: name for name, build in reversed(INPLACE.items())}.values())
WRITTEN = {"b": (True, False), "i": (5, -3), "u": (5, 0), "f": (0.75, -0.75)}  # by the other thread: one or the other


def called(sample: CallSample) -> tuple[nb.Tensor, Callable[[nb.Tensor], Any]]:
    """The tensor that the sample writes, and the call of its in-place method."""
    first, *args = [nb.tensor(x) if isinstance(x, np.ndarray) else x for x in sample.args]
    kwargs = {k: nb.tensor(x) if isinstance(x, np.ndarray) else x for k, x in sample.kwargs.items()}
    return first, lambda u: getattr(u, sample.name + "_")(*args, **kwargs)


def sample_of(name: str) -> tuple[nb.Tensor, Callable[[nb.Tensor], Any], Any]:
    """The first sample of ``name`` that can be written in place and whose result tells whether a number was there."""
    for sample in CALL_SAMPLES[name]:
        if sample.error is not None or not isinstance(sample.args[0], np.ndarray) or sample.args[0].ndim == 0:
            continue
        x, method = called(sample)
        try:
            after = method(x.clone()).tolist()
        except RuntimeError:  # its result has another shape or dtype
            continue
        for number in WRITTEN[x.numpy().dtype.kind]:
            if x.numel() and not same(method(overwritten(x.clone(), number)).tolist(), after):
                return x, method, number
    raise AssertionError(f"no sample of {name} can be written in place")


def overwritten(u: nb.Tensor, number: Any) -> nb.Tensor:
    u[nb.arange(len(u))] = number
    return u


def same(a: Any, b: Any) -> bool:
    return np.array_equal(a, b, equal_nan=True)


@pytest.mark.parametrize("name", GENERATED)
def test_a_write_by_another_thread_is_not_lost_in_the_middle_of_an_in_place_method(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere(lambda: nb.zeros(1).tolist())
    x, method, number = sample_of(name)
    u = x.clone()
    orders = [overwritten(method(x.clone()), number).tolist(), method(overwritten(x.clone(), number)).tolist()]
    meanwhile = Meanwhile(writing.write_on, lambda: overwritten(u, number), wait_s=0.01)
    monkeypatch.setattr(writing, "write_on", meanwhile)
    monkeypatch.setattr(inplace, "enter", meanwhile.after(inplace.enter))  # of two operands, recorded here before
    method(u)
    meanwhile.thread.join()
    assert any(same(u.tolist(), after) for after in orders)


@pytest.mark.parametrize("name", ["add_", "__imul__"])
def test_no_write_is_lost_in_the_middle_of_one_that_was_recorded_before(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere(lambda: nb.zeros(1).tolist())
    u, v, method = nb.ones(4), nb.full((4,), 3.0), getattr(nb.Tensor, name)
    for _ in range(4):
        method(u, v)
        u.tolist()
    orders = [overwritten(method(u.clone(), v), 0.5).tolist(), method(overwritten(u.clone(), 0.5), v).tolist()]
    meanwhile = Meanwhile(inplace.enter, lambda: overwritten(u, 0.5))
    monkeypatch.setattr(inplace, "enter", meanwhile.after(inplace.enter))
    method(u, v)
    meanwhile.thread.join()
    assert u.tolist() in orders


@pytest.mark.parametrize(
    "write",
    [
        lambda u: u.add_(1),
        lambda u: u[:].add_(1),
        lambda u: u.pow_(0),
        lambda u: u.index_add_(0, nb.arange(4), nb.ones(4)),
        lambda u: u.__setitem__(u < 1, 1),
    ],
    ids=["add_", "view", "pow_", "index_add_", "mask"],
)
def test_writes_that_waited_for_the_same_turn_are_all_done(write: Callable[[nb.Tensor], Any]) -> None:
    u = nb.zeros(4)
    elsewhere(lambda: nb.zeros(1).tolist())

    def triple() -> None:
        with threads.lock:  # as a compiled call does
            u.mul_(3).tolist()

    waiting = [threading.Thread(target=lambda: write(u)), threading.Thread(target=triple)]
    with threads.lock:
        for thread in waiting:
            thread.start()
            thread.join(0.02)
    for thread in waiting:
        thread.join(10)
    assert u.tolist() in ([3.0] * 4, [1.0] * 4)


def test_zero_is_not_lost_in_the_middle_of_an_in_place_method(monkeypatch: pytest.MonkeyPatch) -> None:
    u, at, one = nb.ones(4), nb.tensor([0]), nb.ones(1)

    def clear() -> None:
        u.zero_().tolist()

    elsewhere(lambda: nb.zeros(1).tolist())
    for _ in range(4):
        clear()  # so that it was recorded before
    u.fill_(1).tolist()
    meanwhile = Meanwhile(writing.write_on, clear)
    monkeypatch.setattr(writing, "write_on", meanwhile)
    u.index_add_(0, at, one)
    meanwhile.thread.join()
    assert u.tolist() in ([0, 0, 0, 0], [1, 0, 0, 0])


@pytest.mark.parametrize("method", ["index_add_", "scatter_add_"])
def test_threads_add_to_places_of_their_own(method: str) -> None:
    u = nb.zeros(8)
    one = nb.ones(2)
    start = threading.Barrier(4)

    def work(index: nb.Tensor) -> None:
        start.wait()
        for _ in range(25):
            getattr(u, method)(0, index, one)

    threads = [threading.Thread(target=work, args=(nb.tensor([k, k + 4]),)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert u.tolist() == [25.0] * 8


def test_a_value_that_was_never_in_memory_is_read_while_another_thread_writes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[nb.Tensor] = []
    elsewhere(lambda: made.append(nb.zeros(3) + 1))
    (u,) = made
    meanwhile = Meanwhile(read.flush, lambda: u.add_(1))
    monkeypatch.setattr(read, "flush", meanwhile)
    assert u.tolist() in ([1, 1, 1], [2, 2, 2])
    meanwhile.thread.join()
    assert u.tolist() == [2, 2, 2]


def test_memory_that_is_exported_while_its_value_is_handed_over_stays_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of handing over a value to a tensor that NumPy has seen before."""
    elsewhere(lambda: nb.zeros(1).tolist())
    u = nb.zeros(4)
    assert u.numpy()[0] == 0.0
    u += 1

    def export() -> None:
        array = u.numpy()
        array[2] = 5.0

    meanwhile = Meanwhile(Export.alive, export)
    monkeypatch.setattr(Export, "alive", lambda self: meanwhile(self))
    nb.ones(1).add(1).tolist()
    meanwhile.thread.join()
    monkeypatch.undo()
    assert u.tolist() == [1, 1, 5, 1]


def test_a_look_by_another_thread_takes_nothing_from_exported_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the write of exported memory and its run."""
    elsewhere(lambda: nb.zeros(1).tolist())
    u = nb.zeros(4)
    array = u.numpy()
    seen: list[Any] = []
    meanwhile = Meanwhile(writing.flush, lambda: seen.append(u.tolist()))
    monkeypatch.setattr(writing, "flush", meanwhile)
    u += 1
    meanwhile.thread.join()
    assert array.tolist() == u.tolist() == [1, 1, 1, 1]
    assert seen == [[1, 1, 1, 1]]


def test_what_another_thread_records_again_is_not_taken_for_what_it_was() -> None:
    """Its entry is the same one where it records the same, in another segment."""
    u, found = nb.zeros(3), []

    def write() -> nb.Tensor:
        other = nb.ones(3) * 2
        u.add_(1)
        return other

    with ThreadPoolExecutor(1) as thread:
        for _ in range(4):
            other = thread.submit(write).result()
            found.append(u * 10)  # what is pending there, all in one segment here
            thread.submit(other.tolist).result()  # its segment ends
    assert [x.tolist() for x in found] == [[10.0] * 3, [20.0] * 3, [30.0] * 3, [40.0] * 3]
