"""What is written in place quickly, because it was recorded before, equals what is written the first time."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.trace import inplace
from nbgrad.trace.flushing import flush
from nbgrad.trace.handle import ROOT
from nbgrad.trace.thread import local
from tests.each import functions
from tests.trace.test_rollback import interrupted_after

Seen = list[Any]


def parameters_under_no_grad() -> Seen:
    w, g = nb.tensor([1.0, 2.0], requires_grad=True), nb.tensor([0.5, -1.0])
    loss = (w * w).sum()
    with nb.no_grad():
        w -= 0.1 * g
        w *= 2
        w += 1
    (loss + (w * 3).sum()).backward()
    return [w.tolist(), w.grad.tolist(), w.is_leaf, w.requires_grad]


def results_with_a_history() -> Seen:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    z = y.exp()
    y += x
    y *= y
    (y * z).sum().backward()
    return [y.tolist(), x.grad.tolist(), y.is_leaf]


def plain_values() -> Seen:
    total, k = nb.zeros(3), nb.arange(3)
    for i in range(3):
        total += nb.ones(3) * i
        total.mul_(0.5).sub_(1)
        k += 2
        k //= 2
    total.zero_()
    total -= k
    return [total.tolist(), k.tolist()]


def by_itself() -> Seen:
    x = nb.tensor([1.0, 2.0])
    x += x
    x *= x
    return [x.tolist()]


def a_value_looked_at_between() -> Seen:
    x = nb.tensor([1.0, 2.0]) + 1
    before = x * 1
    x += 1
    first = x.tolist()
    x += 1
    return [first, x.tolist(), before.tolist()]


def views_and_aliases() -> Seen:
    x = nb.tensor([1.0, 2.0, 3.0])
    head, twin, array = x[:2], x.detach(), nb.tensor([5.0, 6.0])
    shown = array.numpy()
    x += 1
    head *= 10
    array -= 1
    array.zero_()
    twin.zero_()
    return [x.tolist(), head.tolist(), twin.tolist(), shown.tolist()]


def a_view_taken_in_this_segment() -> Seen:
    x = nb.tensor([1.0, 2.0, 3.0]) * 1
    head = x[:2]
    x += 1
    tail = x[1:]
    x.zero_()
    return [head.tolist(), tail.tolist(), x.tolist()]


def zeroed() -> Seen:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    z = y * y
    y.zero_()
    (y + z).sum().backward()
    x.grad.zero_()
    with nb.no_grad():
        x.zero_()
    return [y.tolist(), x.tolist(), x.grad.tolist(), x.requires_grad]


def in_inference_mode() -> Seen:
    with nb.inference_mode():
        x = nb.tensor([1.0, 2.0])
        x += 1
        x.zero_()
        x -= 2
    with pytest.raises(RuntimeError, match="inference"):
        x += 1
    return [x.tolist()]


def refused() -> Seen:
    leaf, whole = nb.tensor([1.0, 2.0], requires_grad=True), nb.arange(2)
    messages = []
    for write in (
        lambda: leaf.__iadd__(1),
        lambda: leaf.zero_(),
        lambda: leaf[:1].mul_(2),
        lambda: whole.__imul__(0.5),
        lambda: nb.ones(2).__isub__(nb.ones(2, 2)),
        lambda: whole.__iadd__(1 << 63),
        lambda: nb.ones(2).add_("1"),
    ):
        with pytest.raises((RuntimeError, TypeError, ValueError)) as caught:
            write()
        messages.append(str(caught.value).split("\n")[0])
    return [leaf.tolist(), whole.tolist(), *messages]


SITUATIONS = functions(parameters_under_no_grad, refused)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_quickly_or_slowly_is_the_same(situation: Callable[[], Seen]) -> None:
    flush(local.trace)
    ROOT.clear()  # nothing was recorded before: all of it is written slowly
    slowly = situation()
    assert [situation() for _ in range(3)] == [slowly] * 3


def test_what_was_written_before_is_written_by_look_ups_alone() -> None:
    count, written = 0, inspect.unwrap(inplace.write_checked).__code__

    def watch(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code is written

    counts = []
    for _ in range(4):
        x, w = nb.ones(29), nb.ones(29).requires_grad_()
        count = 0
        sys.setprofile(watch)
        try:
            x += 1
            x.mul_(x)
            x.zero_()
            with nb.no_grad():
                w -= 0.5 * x
        finally:
            sys.setprofile(None)
        counts.append(count)
        w.tolist()
    assert counts == [4, 4, 0, 0]  # the trie knows what came twice


def test_both_ways_lead_to_one_plan() -> None:
    plans = []
    for _ in range(3):
        w = nb.ones(31).requires_grad_()
        with nb.no_grad():
            w *= 0.5
        node = local.trace.node
        w.tolist()
        plans.append(set(node.plans or ()))
    assert len(plans[-1]) == 1
    assert plans[1] == plans[2]  # the trie knows what came twice, and has its plan


def test_what_another_thread_has_pending_is_written_in_this_one() -> None:
    for _ in range(3):
        made: list[nb.Tensor] = []
        thread = threading.Thread(target=lambda made=made: made.append(nb.tensor([1.0, 2.0]) * 3))
        thread.start()
        thread.join()
        x = made[0]
        x += 1
        x *= 2
        assert x.tolist() == [8.0, 14.0]
        x.zero_()
        assert x.tolist() == [0.0, 0.0]


def test_ctrl_c_writes_or_does_not() -> None:
    struck = 0
    for attempt in range(200):
        w, x = nb.tensor([1.0, 2.0], requires_grad=True), nb.tensor([1.0, 2.0]) * 1
        try:
            with interrupted_after(attempt * 2e-7), nb.no_grad():
                w += 1
                x += 1
                x.zero_()
                w *= 2
        except KeyboardInterrupt:
            struck += 1
        states = ([1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [2.0, 0.0], [4.0, 0.0])  # first elements
        try:
            found = [w.tolist()[0], x.tolist()[0]]
        except RuntimeError as error:
            lost = str(error)
        else:
            lost = ""
            assert found in states
        assert not lost or "interrupted" in lost
    assert struck
