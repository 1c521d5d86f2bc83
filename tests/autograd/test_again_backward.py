"""A backward taken over from where it was recorded before gives what one recorded piece by piece gives."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.autograd import again, engine, walk
from nbgrad.trace import flush, flush_plan
from nbgrad.trace.thread import SHARED, Trace, local, threads
from tests.each import functions
from tests.trace.test_rollback import interrupted_after

Seen = list[Any]


def leaves(n: int = 3) -> list[nb.Tensor]:
    return [(nb.arange(4.0) / 3 + k).requires_grad_() for k in range(n)]


def loss_of(params: Sequence[nb.Tensor]) -> nb.Tensor:
    loss: nb.Tensor = sum(((p * p).sum() for p in params), nb.tensor(0.0))
    return loss


def grads_of(params: Sequence[nb.Tensor]) -> Seen:
    return [None if p.grad is None else p.grad.tolist() for p in params]


def adding_up() -> Seen:
    params, seen = leaves(), []
    for step in range(4):
        loss_of(params).backward()
        if step == 2:
            params[1].grad = None
        if step % 2:
            seen += grads_of(params)
    return seen + grads_of(params)


def zeroed_and_updated() -> Seen:
    params = leaves()
    for _ in range(4):
        loss_of(params).backward()
        with nb.no_grad():
            for p in params:
                p -= 0.1 * p.grad
                p.grad.zero_()
    return grads_of(params) + [p.tolist() for p in params]


def views_and_aliases_of_gradients() -> Seen:
    params, seen = leaves(), []
    for step in range(5):
        loss_of(params).backward()
        if step == 1:
            view, alias, array = params[0].grad[1:], params[1].grad.detach(), params[2].grad.numpy()
        if step > 1:
            seen += [view.tolist(), alias.tolist(), array.tolist()]
    return seen


def one_gradient_of_two_leaves() -> Seen:
    params = leaves()
    for _ in range(3):
        loss_of(params).backward()
        params[1].grad = params[0].grad
        loss_of(params).backward()
    return grads_of(params)


def twice_through_one_graph() -> Seen:
    params, seen = leaves(), []
    for _ in range(3):
        loss = loss_of(params)
        loss.backward(retain_graph=True)
        loss.backward()
        with pytest.raises(RuntimeError, match="second time"):
            loss.backward()
        seen += grads_of(params)
    return seen


def leaves_that_are_not_reached() -> Seen:
    params = leaves()
    for _ in range(3):
        idle = params[2] * 2
        loss_of(params[:2]).backward()
        idle.sum().backward()
    return grads_of(params)


def under_no_grad() -> Seen:
    params = leaves()
    for _ in range(3):
        loss = loss_of(params)
        with nb.no_grad():
            loss.backward()
            assert not (params[0] * 2).requires_grad
        assert (params[0] * 2).requires_grad
    return grads_of(params)


def gradients_with_a_history() -> Seen:
    params = leaves()
    for _ in range(3):
        loss_of(params).backward(create_graph=True)
        sum((p.grad * p).sum() for p in params).backward()
        loss_of(params).backward()
        for p in params:
            p.grad = p.grad.detach()
    return grads_of(params)


SITUATIONS = functions(adding_up, gradients_with_a_history)


@pytest.fixture(params=[False, True], ids=["alone", "several"])
def several(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """As if other threads had recorded before, or none."""
    monkeypatch.setattr(threads, "several", request.param)
    for name in ("rest", "taken"):
        monkeypatch.setattr(local.top, name, SHARED if request.param else False)
    return bool(request.param)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_taken_over_or_recorded_is_the_same(
    situation: Callable[[], Seen], several: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    thrice = [situation() for _ in range(3)]
    monkeypatch.setattr(engine, "is_simple", lambda trace, output: False)
    assert thrice == [situation()] * 3


@pytest.mark.cpu
def test_a_backward_that_came_before_requests_nothing(several: bool) -> None:
    params = [nb.ones(17 + several).requires_grad_()]  # no other test's structure
    count = 0

    def watch(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code is walk.request_gradients.__code__

    counts = []
    for _ in range(5):
        count, params[0].grad = 0, None
        loss = loss_of(params)
        sys.setprofile(watch)
        try:
            loss.backward()
        finally:
            sys.setprofile(None)
        counts.append(count)
    # In the baseline tier it is not recorded; it is in the trie from the second time on, and written down the next.
    assert counts == [0, 1, 1, 0, 0]


@pytest.mark.cpu
def test_no_garbage_is_collected_while_a_long_one_runs(several: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    x = nb.ones(19 + several).requires_grad_()
    seen: list[bool] = []

    def watched(trace: Trace, isolate: bool) -> None:
        seen.append(gc.isenabled())
        flush(trace, isolate=isolate)

    monkeypatch.setattr(again, "flush", watched)
    monkeypatch.setattr(flush_plan, "PLANNING_S", 0.0)  # a long one is planned the second time, too
    for length in (again.LONG // 2, again.LONG + 1):
        for _ in range(5):
            y = x * 1
            for _ in range(length):
                y = y * 1
            x.grad = None
            y.sum().backward()
    assert seen == [True, True, False, False]
    assert gc.isenabled()


def test_a_failed_one_leaves_gradients_as_they_were(several: bool) -> None:
    table, places = nb.ones(4).requires_grad_(), [1, 2, 3, 9, 0]
    for place in places:
        loss = (table[nb.tensor([place])] * 2).sum()
        before = None if table.grad is None else table.grad.tolist()
        if place < 4:
            loss.backward()
            continue
        with pytest.raises(IndexError):
            loss.backward()
        assert table.grad.tolist() == before
    assert table.grad.tolist() == [2.0, 2.0, 2.0, 2.0]


def test_ctrl_c_at_any_moment_adds_all_gradients_or_none(several: bool) -> None:
    struck = 0
    for attempt in range(-1, 120):
        params = leaves(6)
        for _ in range(2 if attempt >= 0 else 4):  # at the first attempt, to have it known
            loss_of(params).backward()
        before = grads_of(params)
        loss = loss_of(params)
        try:
            with interrupted_after(max(attempt, 0) * 2e-6):
                loss.backward()
        except KeyboardInterrupt:
            struck += attempt >= 0
        assert len(local.trace.live) == local.trace.node.ix + 1
        if attempt >= 0:
            moved = [a != b for a, b in zip(grads_of(params), before, strict=True)]
            assert all(moved) or not any(moved)
    assert struck


def test_only_the_gradients_of_one_scalar_of_this_segment_are_taken_over() -> None:
    x = nb.ones(3).requires_grad_()
    y = (x * 2).sum()
    assert again.is_simple(local.trace, y)
    y.item()
    assert not again.is_simple(local.trace, y)
    z = y + (x * 3).sum()
    assert not again.is_simple(local.trace, z)
