"""Calls inside ``@njit``: in threads, in forked children, without an allocation."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numba import cfunc, njit, prange, types
from numba.core.runtime import _nrt_python, rtsys

import nbgrad.numba
from nbgrad.numba import export, program
from nbgrad.numba.export import Export
from tests.runtime.forks import holds_in_child

RNG = np.random.default_rng(0)


def rosenbrock(x: Any) -> Any:
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


value_and_grad = nbgrad.numba.value_and_grad(rosenbrock, np.zeros(3))


def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The sizes that programs are made for from now on."""
    sizes, own = [], Export._made
    monkeypatch.setattr(Export, "_made", lambda self, *args: (sizes.append(args[0]), own(self, *args))[1])
    return sizes


def test_threads_of_numbas_call_it_side_by_side() -> None:
    @njit(parallel=True)
    def each(xs: Any) -> Any:
        values, gradients = np.empty(len(xs)), np.empty(xs.shape)
        for k in prange(len(xs)):
            values[k], _ = value_and_grad(xs[k], out=gradients[k])
        return values, gradients

    for size in (5, 11):
        xs = RNG.standard_normal((500, size))
        values, gradients = each(xs)
        for k in range(500):
            value, gradient = value_and_grad(xs[k])
            assert values[k] == value
            assert (gradients[k] == gradient).all()


def test_numbers_are_those_of_their_call() -> None:
    weighted = nbgrad.numba.value_and_grad(lambda a, b, c, d: a * b + (c * d).tanh(), 0.0, 0.0, 0.0, 0.0)

    @njit(parallel=True)
    def each(xs: Any) -> Any:
        found = np.empty((len(xs), 5))
        for k in prange(len(xs)):
            found[k] = np.array(weighted(xs[k, 0], xs[k, 1], xs[k, 2], xs[k, 3]))
        return found

    xs = RNG.standard_normal((2000, 4))
    for row, (a, b, c, d) in zip(each(xs), xs.tolist(), strict=True):
        slope = 1.0 - np.tanh(c * d) ** 2
        np.testing.assert_allclose(row, [a * b + np.tanh(c * d), b, a, d * slope, c * slope], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("places", [1, 64])
def test_python_threads_call_it_at_once(places: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where more threads are at work than frames are kept."""
    monkeypatch.setattr(program, "_places_for", lambda cores: places)
    compute = nbgrad.numba.value_and_grad(lambda x: (x.sin() * x).sum(), np.zeros(20_000))
    xs = [RNG.standard_normal(20_000) for _ in range(8)]
    expected = [compute(x) for x in xs]

    def repeat(k: int) -> bool:
        found = [compute(xs[k]) for _ in range(50)]
        return all(value == expected[k][0] and (g == expected[k][1]).all() for value, g in found)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(repeat, range(8)))


def test_threads_that_come_with_the_same_new_sizes_make_one_program(monkeypatch: pytest.MonkeyPatch) -> None:
    compute = nbgrad.numba.value_and_grad(rosenbrock, np.zeros(3))
    sizes, start = made(monkeypatch), threading.Barrier(8)

    def call(n: int) -> Any:
        start.wait(timeout=60)
        return compute(np.full(n, 2.0))[0]

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(call, [6, 7] * 4))
    assert sorted(sizes) == [(6,), (7,)]
    assert found == [401.0 * 5, 401.0 * 6] * 4


def test_a_loop_of_numbas_may_begin_with_new_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    compute = nbgrad.numba.value_and_grad(rosenbrock, np.zeros(3))

    @njit(parallel=True)
    def each(xs: Any) -> Any:
        values = np.empty(len(xs))
        for k in prange(len(xs)):
            values[k] = compute(xs[k, : 2 + k % 40].copy())[0]
        return values

    assert each(np.full((400, 50), 2.0)).tolist() == [401.0 * (1 + k % 40) for k in range(400)]


def test_many_sizes_are_all_found() -> None:
    double = nbgrad.numba.njit(lambda x, y: x.sum() * y.sum(), np.zeros(1), np.zeros(1))

    @njit
    def all_sizes() -> Any:
        wrong = 0
        for n in range(12):
            for m in range(12):
                wrong += double(np.ones(n), np.ones(m)) != n * m
        return wrong

    assert all_sizes() == 0
    assert all_sizes() == 0


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_calls_it_and_makes_programs_of_its_own() -> None:
    before = value_and_grad(np.ones(4))[0]
    assert holds_in_child(lambda: value_and_grad(np.ones(4))[0] == before and value_and_grad(np.ones(31))[0] == 0.0)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # that is what it tries
def test_a_child_forked_while_another_thread_makes_a_program_makes_its_own() -> None:
    begun, over, parent = threading.Event(), threading.Event(), os.getpid()

    def slow(x: Any) -> Any:
        if x.shape[0] == 7 and os.getpid() == parent:
            begun.set()
            over.wait()
        return (x * x).sum()

    compute = nbgrad.numba.njit(slow, np.zeros(3))
    compute(np.ones(5))
    thread = threading.Thread(target=lambda: compute(np.ones(7)))
    thread.start()
    begun.wait()
    try:
        assert holds_in_child(lambda: [compute(np.ones(n)) for n in (5, 7, 8)] == [5.0, 7.0, 8.0])
    finally:
        over.set()
        thread.join()
    assert [compute(np.ones(n)) for n in (5, 7, 8)] == [5.0, 7.0, 8.0]


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_forked_while_other_threads_run_finds_frames() -> None:
    compute = nbgrad.numba.njit(lambda x: (x * x).sum(), np.zeros(3))

    @njit(nogil=True)
    def busy(x: Any, times: int) -> Any:
        total = 0.0
        for _ in range(times):
            total += compute(x)
        return total

    busy(np.ones(50_000), 1)
    threads = [threading.Thread(target=busy, args=(np.ones(50_000), 20_000)) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert all(holds_in_child(lambda: busy(np.ones(50_000), 3) == 150_000.0) for _ in range(5))
    for thread in threads:
        thread.join()


def test_a_call_with_arrays_for_its_results_allocates_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def network(x: Any, w: Any, b: Any) -> Any:
        return ((x @ w + b).tanh() ** 2).mean()

    compute = nbgrad.numba.value_and_grad(network, np.zeros((4, 3)), np.zeros((3, 5)), np.zeros(5))
    arrays = tuple(RNG.standard_normal(shape) for shape in ((6, 3), (3, 5), (5,)))
    gradients = tuple(np.zeros_like(x) for x in arrays)

    @njit
    def descend(x: Any, w: Any, b: Any, out: Any, times: int) -> Any:
        loss = 0.0
        for _ in range(times):
            loss = compute(x, w, b, out=out)[0]
        return loss

    loss = descend(*arrays, gradients, 1)
    frames: list[int] = []
    own = program.Program.frame
    monkeypatch.setattr(program.Program, "frame", lambda self, place: (frames.append(place), own(self, place))[1])
    was_on = _nrt_python.memsys_stats_enabled()
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        assert descend(*arrays, gradients, 1000) == loss
        after = rtsys.get_allocation_stats()
    finally:
        if not was_on:
            _nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc < 10  # a few of the call from Python
    assert not frames
    for g, expected in zip(gradients, compute(*arrays)[1:], strict=True):
        assert (g == expected).all()


def test_frames_for_other_sizes_are_given_back_where_there_is_much_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    compute = nbgrad.numba.njit(lambda x: ((x @ x).tanh() @ x).sum(), np.zeros((2, 2)))
    exported = export._alive[-1]
    compute(np.ones((100, 100)))
    assert [len(p._frames) for p in exported._programs.values()] == [0, 1]
    monkeypatch.setattr(export, "_KEPT_BYTES", 1000)
    compute(np.ones((3, 3)))
    assert [len(p._frames) for p in exported._programs.values()] == [0, 0, 1]
    assert compute(np.zeros((100, 100))) == 0.0


@pytest.mark.skipif(sys.platform != "linux", reason="starts a thread by pthread_create")
def test_an_error_in_a_thread_that_python_did_not_start_is_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """As those of ``prange`` are, which drop it."""
    fifth = nbgrad.numba.njit(lambda x: x[4], np.zeros(5))

    @cfunc(types.voidptr(types.voidptr))
    def begin(argument: Any) -> Any:
        try:
            fifth(np.zeros(3))
        except Exception:
            return argument
        return argument

    told: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: told.append(str(args.exc_value)))
    threads, thread = ctypes.CDLL(None), ctypes.c_uint64()
    assert threads.pthread_create(ctypes.byref(thread), None, ctypes.c_void_p(begin.address), None) == 0
    assert threads.pthread_join(thread, None) == 0
    assert len(told) == 1 and "index 4 is out of bounds" in told[0]
