"""Views that are recorded like values show their base's memory all the same, as soon as somebody can tell."""

from __future__ import annotations

import gc
import threading

import pytest

import nbgrad as nb
from nbgrad.trace import flush_plan
from nbgrad.trace.handle import FRESH_VIEW


def test_a_view_that_is_only_read_is_an_entry_like_others() -> None:
    x = nb.arange(6.0) * 1
    y = x[1:]
    assert y._share is FRESH_VIEW
    assert x._share is None
    assert (y * 2).tolist() == [2.0, 4.0, 6.0, 8.0, 10.0]


def test_a_view_leaves_one_object_to_the_garbage_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flush_plan, "PLANNING_S", 0.0)  # long as it is, it is planned the second time
    for _ in range(2):
        x = nb.arange(600.0) * 1
        [x[i : i + 2] for i in range(500)]  # the third time it is found
        x.tolist()
    x = nb.arange(600.0) * 1
    gc.collect()
    before = len(gc.get_objects())
    views = [x[i : i + 2] for i in range(500)]
    assert len(gc.get_objects()) - before < len(views) + 20


def test_a_write_to_the_base_is_seen_through_views_taken_before() -> None:
    x = nb.zeros(4) + 0
    first, second = x[1:], x[1:][1:]
    x.add_(1)
    assert first.tolist() == [1.0, 1.0, 1.0]
    assert second.tolist() == [1.0, 1.0]
    first.mul_(3)
    assert x.tolist() == [1.0, 3.0, 3.0, 3.0]
    assert second.tolist() == [3.0, 3.0]


def test_a_write_through_a_view_reaches_base_and_other_views() -> None:
    x = nb.zeros(2, 3)
    column, row = x[:, 1], x[1]
    column += 5
    assert x.tolist() == [[0, 5, 0], [0, 5, 0]]
    assert row.tolist() == [0, 5, 0]


def test_a_view_held_while_the_segment_ends_stays_a_view() -> None:
    x = nb.zeros(4) + 0
    whole, part = x[0:], x[0:][2:]
    x.tolist()
    x.add_(2)
    assert part.tolist() == [2.0, 2.0]
    part.mul_(2)
    assert whole.tolist() == [2.0, 2.0, 4.0, 4.0]


def test_views_of_views_that_are_gone_show_the_right_part() -> None:
    x = nb.arange(24.0).reshape(4, 6) + 0
    inner = x[1:].t()[2:4][:, 1]
    x.add_(100)
    assert inner.tolist() == [114.0, 115.0]
    inner.zero_()
    assert x[2].tolist() == [112, 113, 0, 0, 116, 117]


def test_memory_exported_after_a_view_was_taken_is_the_views_too() -> None:
    x = nb.arange(4.0)
    part = x[1:3]
    array = x.numpy()
    array[:] = 7
    assert part.tolist() == [7.0, 7.0]
    part.fill_(8.0)
    assert array.tolist() == [7.0, 8.0, 8.0, 7.0]


def test_a_value_taken_from_a_view_is_no_view() -> None:
    x, y = nb.arange(4.0), nb.zeros(2)
    y.copy_(x[1:3])
    z = nb.zeros(2) + 0
    z.copy_(x[1:3])
    x.add_(10)
    assert y.tolist() == z.tolist() == [1.0, 2.0]


def test_a_reshape_of_a_transposed_view_is_a_copy() -> None:
    x = nb.arange(6.0).reshape(2, 3)
    flat = x.t().reshape(-1)
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        x.t().view(-1)
    x.zero_()
    assert flat.tolist() == [0, 3, 1, 4, 2, 5]


def test_gradients_go_through_views_and_the_writes_between() -> None:
    x = nb.arange(4.0).requires_grad_()
    y = x * 1
    early = y[1:3]
    total = (early * early).sum()
    early.mul_(10)
    (total + (y[:2] * nb.tensor([1.0, 3.0])).sum()).backward()
    assert x.grad.tolist() == [1.0, 2.0 + 30.0, 4.0, 0.0]


def test_a_view_that_keeps_its_gradient_gets_it() -> None:
    x = nb.arange(4.0).requires_grad_()
    part = (x * 2)[1:3]
    part.retain_grad()
    (part * part).sum().backward()
    assert part.grad.tolist() == [4.0, 8.0]
    assert x.grad.tolist() == [0.0, 8.0, 16.0, 0.0]


def test_a_view_taken_without_gradient_has_none() -> None:
    x = nb.arange(4.0).requires_grad_()
    with nb.no_grad():
        part = x[1:]
    assert part.requires_grad  # as PyTorch's, with nothing behind it
    assert part.is_leaf
    assert not (part * 2).requires_grad
    assert (part * x[1:]).requires_grad
    (part * x[1:]).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_failed_backward_leaves_views_of_a_gradient_as_they_were() -> None:
    x = nb.arange(3.0).requires_grad_()
    (x * 2).sum().backward()
    part = x.grad[1:]
    bad = x[nb.tensor([7])]
    with pytest.raises(IndexError):
        bad.sum().backward()
    assert part.tolist() == [2.0, 2.0]
    (x * 3).sum().backward()
    assert part.tolist() == [5.0, 5.0]


def test_another_thread_reads_and_writes_a_view_that_is_pending() -> None:
    x = nb.zeros(4) + 1
    part = x[1:3]
    seen = []

    def work() -> None:
        seen.append((part * 2).tolist())
        with nb.no_grad():
            part.add_(1)
        seen.append(part.tolist())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [[2.0, 2.0], [2.0, 2.0]]
    assert x.tolist() == [1.0, 2.0, 2.0, 1.0]


def test_long_chains_of_views_cost_the_same_at_every_length() -> None:
    def chain() -> nb.Tensor:
        y = nb.arange(500.0) + 0
        for _ in range(400):
            y = y[1:]
        return y

    for _ in range(2):
        assert chain().tolist() == [float(k) for k in range(400, 500)]
    y = chain()
    assert y._share is FRESH_VIEW
    y.add_(1)
    assert y.tolist() == [float(k) for k in range(401, 501)]
    assert len(y._share.steps) == 400


def test_what_has_no_derivative_may_be_computed_of_a_protected_view() -> None:
    x = nb.tensor([-0.25, 2.0], requires_grad=True)
    with nb.no_grad():
        part = x[1:]
        x.copy_(nb.tensor([0.5, 0.75]))
    assert (part > 0.6).tolist() == [True]
    assert part.argmax().item() == 0
    with nb.no_grad():
        assert (part + 1.0).tolist() == [1.75]
    for use in (lambda: part + 1.0, lambda: part[None], lambda: nb.zeros(1).copy_(part), lambda: part.sum().backward()):
        with pytest.raises(RuntimeError, match="no_grad mode and its base"):
            use()


def test_a_protected_view_is_refused_where_the_same_operation_was_recorded_before() -> None:
    for protected in (False, True):
        y = nb.tensor([1.0, 2.0], requires_grad=True) * 2.0
        y.tolist()
        part = y.unbind(0)[1] if protected else y.select(0, 1)
        y.mul_(3.0)
        if protected:
            with pytest.raises(RuntimeError, match="multiple views"):
                part * 2.0
        else:
            assert (part * 2.0).tolist() == 24.0


def test_a_view_in_numpy_may_be_written_as_in_pytorch() -> None:
    x = nb.tensor([1.0, 2.0, 3.0, 4.0])
    for view in (x.expand(2, 4), x.expand(2, 4)[1], x.reshape(2, 2).diagonal(), x.unfold(0, 2, 1)):
        array = view.detach().numpy()
        before = x.tolist()
        array[..., -1] += 1.0
        assert x.tolist() != before


def test_a_fresh_view_is_not_protected_because_its_base_was_exported() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    with nb.no_grad():
        part = x[1:]
    x.detach().numpy()
    nb.autograd.grad((x * 3.0).sum(), x)
    assert part.is_leaf


def test_a_view_of_exported_memory_is_one_place_in_the_graph() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2.0
    part = y[1:]
    array = y.detach().numpy()
    (g,) = nb.autograd.grad(part.sum(), y)
    assert g.tolist() == [0.0, 1.0]
    assert array.tolist() == [2.0, 4.0]
