"""A ``grad`` taken over from where it was recorded before gives what one recorded piece by piece gives."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.autograd import again, engine, walk
from nbgrad.trace.thread import local
from tests.each import functions
from tests.trace.test_rollback import interrupted_after

Seen = list[Any]


def leaf(start: float = 1.0) -> nb.Tensor:
    return (nb.arange(4.0) / 3 + start).requires_grad_()


def lists(*tensors: nb.Tensor | None) -> Seen:
    return [None if t is None else t.tolist() for t in tensors]


def hessian_vector_product() -> Seen:
    x, v = leaf(), nb.arange(4.0)
    (g,) = nb.autograd.grad((x.exp() * x).sum(), x, create_graph=True)
    (h,) = nb.autograd.grad(g, x, grad_outputs=v)
    return lists(g, h)


def looked_at_between() -> Seen:
    x, v = leaf(), nb.arange(4.0)
    (g,) = nb.autograd.grad((x.exp() * x).sum(), x, create_graph=True)
    g.tolist()
    (h,) = nb.autograd.grad(g, x, grad_outputs=v)
    return lists(g, h)


def several_inputs_and_unused_ones() -> Seen:
    x, y, z = leaf(), leaf(2.0), leaf(3.0)
    loss = (x * y).sum()
    idle = z * 2
    found = nb.autograd.grad(loss, [x, y, x, z], allow_unused=True, retain_graph=True)
    zeros = nb.autograd.grad(loss, (z, x), materialize_grads=True, retain_graph=True)
    strange = nb.autograd.grad(loss, [leaf(), x], allow_unused=True)
    return lists(*found, *zeros, *strange, idle)


def inputs_in_the_middle() -> Seen:
    x = leaf()
    h = x * x
    part = h[1:]
    g, p = nb.autograd.grad((h * 3).sum() + (part * part).sum(), [h, part])
    return lists(g, p)


def inputs_written_in_place() -> Seen:
    x = leaf()
    with nb.no_grad():
        x *= 2
    (g,) = nb.autograd.grad((x * x).sum(), x)
    return lists(g, x)


def a_leaf_that_comes_in_twice() -> Seen:
    x = leaf()
    y = (x * x).sum()
    with nb.no_grad():
        x += 1
    y = y + (x * 3).sum()
    return lists(*nb.autograd.grad(y, x))


def cotangents_of_other_dtypes() -> Seen:
    x = leaf()
    y = x * x
    (a,) = nb.autograd.grad(y, x, nb.ones(4), retain_graph=True)
    (b,) = nb.autograd.grad(y, x, nb.ones(4, dtype=nb.float64))
    return lists(a, b)


def the_same_tensor_as_output_and_cotangent() -> Seen:
    x = leaf()
    y = x * x
    return lists(*nb.autograd.grad(y, x, y))


def mistakes() -> Seen:
    x, messages = leaf(), []
    loss = (x * x).sum()
    for wrong in (
        lambda: nb.autograd.grad(loss, []),
        lambda: nb.autograd.grad(loss, nb.ones(4)),
        lambda: nb.autograd.grad(loss, leaf()),
        lambda: nb.autograd.grad(x * x, x),
        lambda: nb.autograd.grad(x * x, x, nb.ones(3)),
        lambda: nb.autograd.grad(loss, 3),
        lambda: nb.autograd.grad(loss, x, retain_graph="yes"),
    ):
        with pytest.raises((RuntimeError, TypeError, ValueError)) as caught:
            wrong()
        messages.append(str(caught.value).split("\n")[0])
    nb.autograd.grad(loss, x)
    with pytest.raises(RuntimeError, match="second time"):
        nb.autograd.grad(loss, x)
    with nb.inference_mode(), pytest.raises(RuntimeError, match="inference_mode"):
        nb.autograd.grad(loss, x)
    return messages


def views_as_inputs_and_cotangents() -> Seen:
    x, v = leaf(), nb.arange(6.0)
    y = x * 2
    (a,) = nb.autograd.grad(y, x, v[1:5], retain_graph=True)
    (b,) = nb.autograd.grad(y[1:], x, v[:3])
    return lists(a, b)


def kept_gradients() -> Seen:
    x = leaf()
    h = x * x
    h.retain_grad()
    (g,) = nb.autograd.grad((h * h).sum(), x)
    return lists(g, h.grad)


SITUATIONS = functions(hessian_vector_product, kept_gradients)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_taken_over_or_recorded_is_the_same(situation: Callable[[], Seen], monkeypatch: pytest.MonkeyPatch) -> None:
    four = [situation() for _ in range(4)]
    monkeypatch.setattr(engine, "grad_again", lambda *arguments: None)
    monkeypatch.setattr(again, "_grad_key", lambda *arguments: None)
    assert four == [situation()] * 4


def requests(run: Callable[[], Any]) -> list[int]:
    """How many requests for derivatives each of four runs records."""
    count = 0

    def watch(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code is walk.request_gradients.__code__

    counts = []
    for _ in range(4):
        count = 0
        sys.setprofile(watch)
        try:
            result = run()
        finally:
            sys.setprofile(None)
        result.tolist()
        counts.append(count)
    return counts


def test_a_grad_that_came_before_requests_nothing() -> None:
    x, v = nb.ones(19).requires_grad_(), nb.ones(19)  # no other test's structure
    v.tolist()

    def twice() -> Any:
        (g,) = nb.autograd.grad((x * x.sin()).sum(), x, create_graph=True)
        return nb.autograd.grad(g, x, v)[0]

    assert requests(twice) == [2, 2, 0, 0]


def test_hooks_that_are_gone_or_of_others_cost_a_backward_nothing() -> None:
    x, other = nb.ones(23).requires_grad_(), nb.ones(1).requires_grad_()

    def step() -> Any:
        x.grad = None
        (x * x.cos()).sum().backward()
        return x.grad

    handles = [x.register_hook(lambda g: None), x.register_post_accumulate_grad_hook(lambda y: None)]
    assert requests(step) == [1, 1, 1, 1]
    for handle in handles:
        handle.remove()
    other.register_hook(lambda g: None)
    requests(step)
    assert requests(step) == [0, 0, 0, 0]


def test_ctrl_c_in_a_grad_leaves_the_trace_whole() -> None:
    struck = 0
    for attempt in range(150):
        x = leaf()
        loss = (x * x).sum()
        try:
            with interrupted_after(attempt * 5e-7):
                nb.autograd.grad(loss, x, retain_graph=True)
        except KeyboardInterrupt:
            struck += 1
        assert len(local.trace.live) == local.trace.node.ix + 1
        assert nb.autograd.grad(loss, x)[0].tolist() == (x * 2).tolist()
    assert struck
