"""A backward that is not recorded because its structure was never seen: the same as one that is."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.autograd import engine
from nbgrad.trace import baseline_backward, flushing
from nbgrad.trace.thread import local, threads
from tests.each import functions

Seen = tuple[Any, ...]
Body = Callable[[Any, Any, int], Seen]  # of two matrices, and a size that makes the structure new


def _plain(x: Any, w: Any, n: int) -> Seen:
    loss = (x.sin() * w + x / 2.5).sum()
    loss.backward()
    return loss.item(), x.grad.tolist(), w.grad.tolist()


def _gradients_that_are_views(x: Any, w: Any, n: int) -> Seen:
    ((x.t().sin() * w.t()) @ w).sum().backward()
    return x.grad.tolist(), x.grad.stride(), w.grad.tolist(), w.grad.stride()


def _gradients_that_are_constants(x: Any, w: Any, n: int) -> Seen:
    loss = x.sum() - w.sum()
    loss.backward()
    return x.grad.tolist(), x.grad.stride(), w.grad.tolist()


def _a_gradient_that_is_another_tensor(x: Any, w: Any, n: int) -> Seen:
    (x * w).sum().backward()
    with nb.no_grad():
        w.mul_(3)
    x.grad.add_(1)
    return x.grad.tolist(), w.tolist(), w.grad.tolist()


def _a_view_that_starts_at_a_number(x: Any, w: Any, n: int) -> Seen:
    (x[n % 3] * w[1] * 1.5).sum().backward()
    return x.grad.tolist(), w.grad.tolist()


def _windows_that_are_held(x: Any, w: Any, n: int) -> Seen:
    row = x[1]
    loss = (row * w[0]).sum()
    loss.backward()
    return row.tolist(), loss.item(), x.grad.tolist(), str(row.grad_fn)


def _a_held_value(x: Any, w: Any, n: int) -> Seen:
    y = x * w
    y.sum().backward()
    return y.tolist(), str(y.grad_fn), y.requires_grad, _error(lambda: y.sin().sum().backward())


def _a_value_differentiated_later(x: Any, w: Any, n: int) -> Seen:
    y = x.exp() * w
    (x * x).sum().backward()
    y.sum().backward()
    return x.grad.tolist(), w.grad.tolist()


def _a_second_backward(x: Any, w: Any, n: int) -> Seen:
    loss = (x * x * w).sum()
    loss.backward()
    return _error(loss.backward), x.grad.tolist(), loss.requires_grad, str(loss.grad_fn)


def _gradients_that_add_up(x: Any, w: Any, n: int) -> Seen:
    (x * w).sum().backward()
    before = x.grad
    (x + w.cos()).sum().backward()
    return before is x.grad, x.grad.tolist(), w.grad.tolist()


def _views_that_add_up(x: Any, w: Any, n: int) -> Seen:
    x.sum().backward()
    before = x.grad.clone()
    (x.t() * w.t()).sum().backward()
    (x[1:] @ w[1:].t()).sum().backward()
    return before.tolist(), x.grad.tolist(), x.grad.stride(), w.grad.tolist()


def _a_gradient_that_is_read_before_it_grows(x: Any, w: Any, n: int) -> Seen:
    (x * w).sum().backward()
    kept = x.grad * 2
    (x.sin() * x.grad).sum().backward()
    return kept.tolist(), x.grad.tolist(), w.grad.tolist()


def _a_gradient_of_two_leaves(x: Any, w: Any, n: int) -> Seen:
    (x * w).sum().backward()
    w.grad = x.grad
    (x * 3 + w).sum().backward()
    return x.grad.tolist(), w.grad.tolist()


def _a_gradient_that_others_see(x: Any, w: Any, n: int) -> Seen:
    (x * w).sum().backward()
    row, array, alias = x.grad[1], w.grad.numpy(), x.grad.detach()
    (x * 3 + w).sum().backward()
    return x.grad.tolist(), row.tolist(), array.tolist(), alias.tolist()


def _a_gradient_of_ones_own(x: Any, w: Any, n: int) -> Seen:
    x.grad = w * 2
    w.grad = w.detach()
    (x * w).sum().backward()
    return x.grad.tolist(), w.grad.tolist(), x.grad.requires_grad


def _gradients_in_a_failing_run(x: Any, w: Any, n: int) -> Seen:
    (x * w).sum().backward()
    before = x.grad.tolist()
    bad = (x[nb.tensor([n + 90])] * w).sum()
    return _error(bad.backward), x.grad.tolist() == before


def _a_leaf_that_nothing_depends_on(x: Any, w: Any, n: int) -> Seen:
    unused = w * 2
    (x * x).sum().backward()
    return x.grad.tolist(), w.grad, unused.tolist()


def _a_written_value(x: Any, w: Any, n: int) -> Seen:
    y = x * 2
    y.mul_(w)
    y[0] = x[1]
    (y * y).sum().backward()
    return x.grad.tolist(), w.grad.tolist(), y.tolist()


def _a_failing_instruction(x: Any, w: Any, n: int) -> Seen:
    bad = (x[nb.tensor([n + 90])] * w).sum()
    good = x * 2
    return _error(bad.backward), x.grad, w.grad, good.tolist()


def _an_output_of_several_elements(x: Any, w: Any, n: int) -> Seen:
    return _error((x * w).backward), x.grad


def _a_leaf_of_another_kind(x: Any, w: Any, n: int) -> Seen:
    y = nb.nn.Parameter(x.detach() * 2)
    (y * w).sum().backward()
    return type(y.grad).__name__, y.grad.is_leaf, y.grad.requires_grad, y.grad.tolist()


def _error(action: Callable[[], object]) -> str:
    with pytest.raises((RuntimeError, IndexError)) as caught:
        action()
    return str(caught.value)


BODIES: list[Body] = functions(_plain, _a_leaf_of_another_kind)
_sizes = itertools.count(5)


@pytest.fixture(autouse=True, params=[False, True], ids=["alone", "several"])
def several(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no other thread had recorded, or as if one had."""
    monkeypatch.setattr(threads, "several", request.param)


def _matrices(n: int) -> tuple[Any, Any]:
    """Two matrices of a size that no other test has: what is computed with them is new."""
    nb.ones(1).item()  # what came before is not part of it
    data = (nb.arange(4.0 * n).reshape(4, n) * 0.37).cos()
    return data.clone().requires_grad_(), (data * 1.7 - 0.3).requires_grad_()


@pytest.mark.parametrize("body", BODIES)
def test_it_is_the_same_as_a_recorded_one(body: Body, monkeypatch: pytest.MonkeyPatch) -> None:
    n = next(_sizes)
    first = body(*_matrices(n), n)
    again = [body(*_matrices(n), n) for _ in range(3)]
    monkeypatch.setattr(engine, "is_simple", lambda *_: False)
    assert [first, *again] == [body(*_matrices(n), n)] * 4


@pytest.mark.parametrize("body", [_plain, _gradients_that_add_up, _views_that_add_up])
def test_it_records_nothing(body: Body, monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = _matrices(next(_sizes))
    monkeypatch.setattr(engine, "request_gradients", lambda *_, **__: pytest.fail("a request was recorded"))
    body(x, w, 0)


def test_a_structure_that_comes_again_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = []
    request = engine.request_gradients
    monkeypatch.setattr(engine, "request_gradients", lambda *a, **k: requests.append(1) or request(*a, **k))
    n = next(_sizes)
    for _ in range(4):  # the last one is found; all come one later where what is known of the first was just forgotten
        _plain(*_matrices(n), n)
    assert len(requests) == 2


def test_ctrl_c_while_gradients_are_handed_over_leaves_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    restart = flushing.restart
    calls = []

    def interrupted(*args: Any) -> None:
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        restart(*args)

    x, w = _matrices(next(_sizes))
    loss = (x.sin() * w).sum()
    monkeypatch.setattr(flushing, "restart", interrupted)
    with pytest.raises(KeyboardInterrupt):
        loss.backward()
    assert x.grad is not None
    assert w.grad is not None
    assert loss._segment is None


def test_ctrl_c_before_that_leaves_the_segment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    x, w = _matrices(next(_sizes))
    loss = (x.sin() * w).sum()
    node = local.trace.node
    with monkeypatch.context() as patch:
        patch.setattr(baseline_backward, "run_held", interrupted)
        with pytest.raises(KeyboardInterrupt):
            loss.backward()
    assert local.trace.node is node
    assert x.grad is w.grad is None
    loss.backward()
    assert w.grad.tolist() == x.detach().sin().tolist()
