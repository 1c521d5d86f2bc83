"""Histories from earlier segments: brought in when a derivative asks, whole and in order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.trace import kinds, past
from nbgrad.trace.builder import Builder
from nbgrad.trace.segment import EarlierSegment
from nbgrad.trace.thread import Trace


def test_a_loop_that_looks_builds_its_structure_once(monkeypatch: pytest.MonkeyPatch) -> None:
    x = nb.tensor([0.3, 0.7], dtype=nb.float64, requires_grad=True)

    def run(steps: int) -> nb.Tensor:
        y = x
        for _ in range(steps):
            y = y * 0.875 + x.sin()
            y.sum().item()
        return y

    x.cos().sum().item()  # what other tests recorded, and nobody looked at, would be part of the first structure
    run(5)
    built = []
    step = Builder.step
    monkeypatch.setattr(Builder, "step", lambda self, entry: built.append(entry) or step(self, entry))
    y = run(40)
    assert not built
    y.sum().backward()
    assert built  # the derivative goes back through all of them
    expected = nb.tensor([0.3, 0.7], dtype=nb.float64, requires_grad=True)
    z = expected
    for _ in range(40):
        z = z * 0.875 + expected.sin()
    z.sum().backward()
    assert x.grad.tolist() == expected.grad.tolist()


def test_derivatives_through_a_thousand_looks() -> None:
    x = nb.tensor(1.0, dtype=nb.float64, requires_grad=True)
    y = x
    for _ in range(1000):
        y = y + x
        y.item()
    y.backward()
    assert x.grad.item() == 1001.0


def test_a_tensor_in_the_middle_is_one_tensor_in_every_segment() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    h = x * 3
    a = (h * h).sum()
    a.item()
    b = (h * 5).sum()
    b.item()
    c = (h * 7).sum()
    (g,) = nb.autograd.grad(a + b + c, h)
    assert g.tolist() == [18.0, 24.0]


def test_a_view_is_one_tensor_in_every_segment() -> None:
    x = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    v = (x * 2)[1:]
    a = (v * v).sum()
    a.item()
    b = (v * 3).sum()
    b.item()
    g_v, g_x = nb.autograd.grad(a + b, [v, x])
    assert g_v.tolist() == [11.0, 15.0]
    assert g_x.tolist() == [0.0, 22.0, 30.0]


def test_what_is_computed_from_a_used_up_graph_goes_on() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    h = x.exp()
    h.sum().backward()
    z = (h * h).sum()
    z.item()
    (g,) = nb.autograd.grad(z, h, retain_graph=True)
    assert g.tolist() == (h * 2).tolist()
    with pytest.raises(RuntimeError, match="second time"):
        z.backward()


def test_a_gradient_that_waits_to_be_looked_at_keeps_what_it_reads() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    y = (x.exp() * x).sum()
    y.item()
    (g,) = nb.autograd.grad(y, x)  # frees the graph; runs when looked at
    assert g.tolist() == pytest.approx([2 * 2.718281828, 3 * 7.389056099])


def test_second_derivatives_across_looks() -> None:
    x = nb.tensor([0.5, -0.25], dtype=nb.float64, requires_grad=True)
    y = (x.sin() * x.exp()).sum()
    y.item()
    (first,) = nb.autograd.grad(y, x, create_graph=True)
    first.tolist()
    (second,) = nb.autograd.grad(first.sum(), x, create_graph=True)
    second.tolist()
    (third,) = nb.autograd.grad(second.sum(), x)
    z = nb.tensor([0.5, -0.25], dtype=nb.float64, requires_grad=True)
    w = (z.sin() * z.exp()).sum()
    for expected in (first, second, third):
        (w,) = nb.autograd.grad(w.sum(), z, create_graph=True)
        assert w.tolist() == expected.tolist()


def test_a_gradient_recorded_before_a_look_can_be_differentiated_after_it() -> None:
    x = nb.tensor(3.0, dtype=nb.float64, requires_grad=True)
    h = x * x
    h.item()
    (g,) = nb.autograd.grad(h * x, x, create_graph=True)
    y = g * h
    y.item()
    (second,) = nb.autograd.grad(y, x)
    assert (g.item(), y.item(), second.item()) == (27.0, 243.0, 324.0)  # 3 x^2, 3 x^4, 12 x^3


def test_a_view_of_a_leaf_and_the_views_made_from_it_are_one_graph_after_a_look() -> None:
    x = nb.ones(2, 3, requires_grad=True)
    part = x[..., 1:]
    row = part[0]
    (nb.ones(3) * 2).tolist()  # has nothing to do with them
    total = (part * 1.5).sum() + (row * 3).sum()
    g_part, g_x = nb.autograd.grad(total, [part, x])
    assert g_part.tolist() == [[4.5, 4.5], [1.5, 1.5]]
    assert g_x.tolist() == [[0.0, 4.5, 4.5], [0.0, 1.5, 1.5]]


def test_a_view_that_is_used_again_and_again_keeps_one_segment_only() -> None:
    x = nb.ones(4, requires_grad=True)
    part = x[1:]
    segments = set()
    for _ in range(20):
        (part * 2).sum().backward()
        assert part._history is not None
        segments.add(part._history[0].born)
    assert len(segments) == 1
    assert not part._history[0].earlier
    assert x.grad.tolist() == [0.0, 40.0, 40.0, 40.0]


def test_a_running_sum_of_losses_does_not_bring_all_steps_in(monkeypatch: pytest.MonkeyPatch) -> None:
    entered: list[object] = []
    enter_earlier = past._enter_earlier

    def noted(trace: Trace, earlier: EarlierSegment, *rest: Any) -> None:
        entered.append(earlier)
        enter_earlier(trace, earlier, *rest)

    monkeypatch.setattr(past, "_enter_earlier", noted)
    w = nb.ones(5, requires_grad=True)
    total: Any = 0.0
    for k in range(30):
        loss = (w * k).sin().sum()
        loss.backward(retain_graph=True)
        total = total + loss
    assert not entered
    w.grad = None
    total.backward()
    assert len(entered) >= 30
    np.testing.assert_allclose(w.grad.numpy(), np.full(5, sum(k * np.cos(k) for k in range(30))), rtol=1e-5)


def test_what_is_differentiated_brings_in_what_it_goes_back_through() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    a, b = x * x, x.exp()
    a.tolist(), b.tolist()
    other = b * 2
    (grad_of_a,) = nb.autograd.grad((a * 3).sum(), x, retain_graph=True)
    (grad_of_both,) = nb.autograd.grad((a + other).sum(), x)
    assert grad_of_a.tolist() == [6.0, 12.0]
    np.testing.assert_allclose(grad_of_both.numpy(), 2 * np.array([1, 2]) + 2 * np.exp([1, 2]), rtol=1e-6)


def test_a_computed_tensor_from_memory_can_be_differentiated_by() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    a = x * x
    b = a * 5
    a.tolist(), b.tolist()
    grads = nb.autograd.grad((b * b).sum(), [a, x])
    assert [g.tolist() for g in grads if g is not None] == [[50.0, 200.0], [100.0, 800.0]]


def test_what_an_earlier_segment_differentiated_is_not_differentiated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    derived = []
    derive = kinds.derive
    monkeypatch.setattr(kinds, "derive", lambda *args: derived.append(args) or derive(*args))
    w = nb.tensor([0.5, 0.25], requires_grad=True)
    x, kept = nb.ones(2), []
    for _ in range(12):
        x = (x * w).tanh() + 1
        kept.append((x * x).sum())
        kept[-4:][0].backward(retain_graph=True)
    assert len(derived) <= 12
    expected = nb.tensor([0.5, 0.25], requires_grad=True)
    y, wanted = nb.ones(2), []
    for _ in range(12):
        y = (y * expected).tanh() + 1
        wanted.append((y * y).sum())
    for i in range(12):
        wanted[max(0, i - 3)].backward(retain_graph=True)
    assert w.grad.tolist() == expected.grad.tolist()


def test_a_segment_holds_on_to_nothing_that_only_its_own_backward_went_through() -> None:
    w = nb.tensor([0.5, 0.25], requires_grad=True)
    kept = []
    for i in range(12):
        kept.append(((w * i).tanh() ** 2).sum())
        kept = kept[-3:]
        kept[0].backward(retain_graph=True)
        w.grad.tolist()
    earlier_segments = {id(loss._history[0]) for loss in kept}
    behind = past._with_ancestors([loss._history[0] for loss in kept])
    assert len(behind) == len(earlier_segments) <= 3


def test_a_tensor_keeps_its_gradient_where_it_was_cut_off_from_its_history() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    z = y * 2
    z.retain_grad()
    z.detach_()
    y.sum().item()
    (y * y).sum().backward()
    assert x.grad.tolist() == [18.0, 36.0]
    assert z.grad is None


@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_of_looked_at_losses_go_back_through_one_step_each(
    monkeypatch: pytest.MonkeyPatch, create_graph: bool
) -> None:
    entered = []
    enter = past._enter_earlier
    monkeypatch.setattr(past, "_enter_earlier", lambda *a: entered.append(a[1]) or enter(*a))
    w = nb.ones(2, requires_grad=True)
    for _ in range(20):
        loss = ((w * nb.tensor([1.0, 2.0])).sum() - 1) ** 2
        loss.item()
        (g,) = nb.autograd.grad(loss, w, create_graph=create_graph)
        if create_graph:
            (g,) = nb.autograd.grad(g.sum(), w)
        with nb.no_grad():
            w -= 0.01 * g
    assert len(entered) <= 20 * (1 + create_graph)
    w.sum().item()


def test_a_gradient_with_a_graph_reads_what_another_backward_has_used_up() -> None:
    x = nb.tensor([[-1.0, 0.5, -0.25]], dtype=nb.float64, requires_grad=True)
    y = x.sin()
    assert y.detach().numpy().shape == (1, 3)
    (g,) = nb.autograd.grad((y[..., -1:] * 3.0).sum(), x, create_graph=True)
    (y * y).sum().backward()
    x.grad = None
    (g * g).sum().backward()
    wanted = [0.0, 0.0, -18.0 * math.cos(-0.25) * math.sin(-0.25)]
    assert x.grad.flatten().tolist() == pytest.approx(wanted, rel=1e-14)
