"""Parameters that a step writes keep their memory, where nobody else has it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numba import njit

import nbgrad as nb
from nbgrad.runtime.runner import Program
from nbgrad.trace import flushing, planning
from nbgrad.trace.store import forget_plans
from tests.trace.meanwhile import wait_until_alone


@pytest.fixture(autouse=True)
def however_small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Plans of these tests renew three numbers, too; none that was made otherwise is used, before or after."""
    monkeypatch.setattr(planning, "WORTH_BYTES", 0)
    wait_until_alone()
    forget_plans()
    yield
    forget_plans()


def address(x: Any) -> int:
    return int(x._buffer.address)


def trained(steps: int, between: Callable[[Any], None] = lambda w: None) -> tuple[Any, list[int]]:
    """A parameter after some steps of Adam, and where it was after each. Step by step the same program."""
    w = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    optimizer = nb.optim.Adam([w], lr=0.1)
    places = []
    for _ in range(steps):
        optimizer.zero_grad()
        ((w - 5.0) ** 2).sum().backward()
        optimizer.step()
        between(w)
        w.tolist()
        places.append(address(w))
    return w, places


def test_a_parameter_stays_where_it_is() -> None:
    with nb.config.override(compile="eager"):
        _, places = trained(8)
    assert len(set(places[3:])) == 1


def test_a_parameter_stays_where_it_is_once_other_threads_have_ended() -> None:
    other = threading.Thread(target=lambda: (nb.ones(3) * 2).tolist())
    other.start()
    other.join()
    with nb.config.override(compile="eager"):
        _, places = trained(8)
    assert len(set(places[3:])) == 1


def test_an_array_that_was_taken_keeps_its_numbers() -> None:
    taken: list[Any] = []
    with nb.config.override(compile="eager"):
        w, _ = trained(8, lambda w: taken.append((w.detach().clone(), w.tolist())))
        alias = w.detach() * 1.0
        assert alias.tolist() == w.tolist()
    assert all(copy.tolist() == numbers for copy, numbers in taken)


def test_a_shared_buffer_is_never_written() -> None:
    """Two tensors may have one buffer without knowing of each other."""
    with nb.config.override(compile="eager"):
        w, _ = trained(6)
        v = nb.tensor([0.0])
        v._buffer, v._at = w._buffer, w._at
        before = v.tolist()
        for _ in range(3):
            with nb.no_grad():
                w.sub_(1.0)
            assert w.tolist() == [x - 1.0 for x in before]
            assert v.tolist() == before
            v._buffer = w._buffer
            before = v.tolist()


def test_memory_of_an_array_is_never_written() -> None:
    array = np.array([1.0, 2.0, 3.0], np.float32)
    w = nb.from_numpy(array)
    with nb.config.override(compile="eager"):
        for k in range(5):
            other = w * 1.0
            w.add_(1.0)
            assert w.tolist() == [2.0 + k, 3.0 + k, 4.0 + k]
            assert other.tolist() == [1.0 + k, 2.0 + k, 3.0 + k]
    assert array.tolist() == [6.0, 7.0, 8.0]


def test_values_that_a_derivative_needs_are_kept() -> None:
    with nb.config.override(compile="eager"):
        for _ in range(5):
            w = nb.tensor([2.0, 3.0], requires_grad=True)
            y = (w * w).sum()
            y.item()
            v = w.detach()
            old = v.tolist()
            (gradient,) = nb.autograd.grad(y, w)
            assert gradient.tolist() == [2 * x for x in old]


def test_an_index_out_of_range_leaves_parameters_as_they_were() -> None:
    w = nb.tensor([1.0, 2.0, 3.0])
    table = nb.tensor([1.0, 2.0, 3.0])
    with nb.config.override(compile="eager"):
        for k in range(6):
            index = nb.tensor([0, 1, 2 if k < 5 else 7])
            w.add_(1.0)
            picked = table[index] * w
            if k < 5:
                assert picked.tolist() == [(2.0 + k) * 1.0, (3.0 + k) * 2.0, (4.0 + k) * 3.0]
            else:
                with pytest.raises(IndexError, match="index 7"):
                    picked.tolist()
    assert w.tolist() == [7.0, 8.0, 9.0]


class Twins:
    """Two equal training runs; Ctrl-C, or an alarm's handler, strikes one of them when the machine code of its next run
    comes back."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.strikes: list[type[BaseException]] = []
        native = Program.run

        def struck(program: Program, *given: Any) -> None:
            inner = program._run or program._runner()
            program._run = lambda frame: (inner(frame), self._strike())[0]
            try:
                native(program, *given)
            finally:
                program._run = inner

        monkeypatch.setattr(Program, "run", struck)

    def _strike(self) -> None:
        if self.strikes:
            raise self.strikes.pop()

    @staticmethod
    def step() -> tuple[Any, Callable[[], None]]:
        w = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
        optimizer = nb.optim.SGD([w], lr=0.25, momentum=0.5)

        def step() -> None:
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()

        return w, step


STRIKES = pytest.mark.parametrize("strike", [KeyboardInterrupt, TimeoutError, MemoryError])


@STRIKES
def test_what_comes_at_the_end_of_a_run_is_heard_when_the_results_are_there(
    strike: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    twins = Twins(monkeypatch)
    (w, step), (v, other) = twins.step(), twins.step()
    with nb.config.override(compile="eager"):
        expected = []
        for _ in range(8):
            other()
            expected.append(v.tolist())
        for numbers in expected:
            step()
            twins.strikes.append(strike)
            with pytest.raises(strike):
                w.tolist()
            assert w.tolist() == numbers


@STRIKES
def test_what_comes_at_the_end_of_a_compiled_step_is_heard_when_it_is_done(
    strike: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    twins = Twins(monkeypatch)
    (w, step), (v, other) = twins.step(), twins.step()
    step, other = nb.compile(step), nb.compile(other)
    with nb.config.override(compile="eager"):
        for k in range(8):
            other()
            if k < 4:
                step()
            else:
                twins.strikes.append(strike)
                with pytest.raises(strike):
                    step()
            assert w.tolist() == v.tolist()


@STRIKES
def test_what_comes_behind_a_part_of_a_plan_is_heard_when_all_parts_are_done(
    strike: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    twins = Twins(monkeypatch)
    with nb.config.override(compile="eager", cuda="simulated"):
        x = nb.ones(3)
        for k in range(4):
            y = ((x * 2 + 1).to("cuda") * 100).to("cpu")
            if k > 1:
                twins.strikes.append(strike)
                with pytest.raises(strike):
                    y.tolist()
            assert y.tolist() == [300.0] * 3


@pytest.mark.parametrize("strike", [KeyboardInterrupt, TimeoutError])
def test_what_comes_while_failing_values_are_sought_arrives_as_it_is(
    strike: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    twins = Twins(monkeypatch)
    evaluate = flushing.evaluate

    def struck(*given: Any) -> Any:
        twins.strikes.append(strike)
        return evaluate(*given)

    monkeypatch.setattr(flushing, "evaluate", struck)
    with nb.config.override(compile="eager"):
        w = nb.ones(4)
        y, _bad = (w * 2).exp(), w[nb.tensor([9])]
        with pytest.raises(strike):
            y.tolist()
    monkeypatch.setattr(flushing, "evaluate", evaluate)
    twins.strikes.clear()
    assert y.tolist() == pytest.approx([7.389056] * 4)


def test_another_thread_reads_what_was_pending_before_the_write() -> None:
    with nb.config.override(compile="eager"):
        for k in range(20):
            w = nb.full((2000,), float(k))
            y = w * 2.0
            w.add_(1.0)
            seen: list[Any] = []
            reader = threading.Thread(target=lambda y=y, seen=seen: seen.append((y + 0.0).sum().item()))
            reader.start()
            total = w.sum().item()
            reader.join()
            assert seen == [4000.0 * k]
            assert total == 2000.0 * (k + 1)


def test_small_memory_is_not_worth_asking_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "WORTH_BYTES", 13)
    forget_plans()
    with nb.config.override(compile="eager"):
        _, places = trained(8)
    assert len(set(places[3:])) > 1


def test_a_parameter_is_left_alone_where_a_function_of_the_users_raises_later() -> None:
    @njit
    def root(x: Any, y: Any) -> None:
        if x[0] < 0.0:
            raise ValueError
        y[...] = np.sqrt(x)

    own = nb.operator(root)
    with nb.config.override(compile="eager"):
        w = nb.tensor([12.0, 2.0, 3.0], requires_grad=True)
        for step in range(13):
            assert w.tolist() == [12.0 - step, 2.0 - step, 3.0 - step]
            with nb.no_grad():
                w -= nb.ones(3)
                y = own(w - 1.0)
        with pytest.raises(nb.errors.RunError):
            y.tolist()
        assert w.tolist() == [-1.0, -11.0, -10.0]
