"""Changing what a tensor is: gradient flags of views and bases, cut histories, other data."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb


def test_a_view_that_became_a_leaf_shares_memory_with_its_base() -> None:
    base = nb.tensor([1.0, 2.0, 3.0])
    view = base[1:]
    view.requires_grad_()
    base.mul_(2.0)
    assert view.tolist() == [4.0, 6.0]
    (view * view).sum().backward()
    assert view.grad.tolist() == [8.0, 12.0]
    assert base.grad is None


def test_a_leaf_view_across_looks_is_one_leaf() -> None:
    view = nb.tensor([1.0, 2.0, 3.0])[1:].requires_grad_()
    a = (view * 2).sum()
    a.item()
    b = (view * 3).sum()
    b.item()
    (a + b).backward()
    assert view.grad.tolist() == [5.0, 5.0]
    (g,) = nb.autograd.grad((view * view).sum(), view)
    assert g.tolist() == [4.0, 6.0]


def test_a_base_that_starts_to_require_grad_gives_its_older_views_a_derivative_when_it_is_written() -> None:
    base = nb.tensor([1.0, 2.0])
    view = base[:1]
    base.requires_grad_()
    assert view.requires_grad
    with nb.no_grad():
        base.mul_(3.0)
    assert view.tolist() == [3.0]
    (view * 2).sum().backward()
    assert base.grad.tolist() == [2.0, 0.0]


def test_a_flag_switched_off_and_on_again_keeps_old_graphs_working() -> None:
    x = nb.tensor([2.0], requires_grad=True)
    y = x * x
    x.requires_grad_(False)
    z = x * 5
    x.requires_grad_(True)
    (y.sum() + z.sum()).backward()
    assert x.grad.tolist() == [4.0]


def test_data_can_be_replaced() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    x.data = nb.tensor([5.0, 6.0])
    assert x.tolist() == [5.0, 6.0]
    assert x.requires_grad
    assert x.is_leaf
    (x * x).sum().backward()
    assert x.grad.tolist() == [10.0, 12.0]


def test_replaced_data_is_shared_with_its_source() -> None:
    x, source = nb.tensor([1.0, 2.0], requires_grad=True), nb.tensor([5.0, 6.0])
    x.data = source
    source.add_(1.0)
    assert x.tolist() == [6.0, 7.0]
    x.data.mul_(2.0)
    assert source.tolist() == [12.0, 14.0]


def test_replaced_data_leaves_older_views_and_aliases_with_the_old() -> None:
    x = nb.tensor([1.0, 2.0])
    view, alias = x[:1], x.detach()
    x.data = nb.tensor([7.0, 8.0])
    x.add_(1.0)
    assert view.tolist() == [1.0]
    assert alias.tolist() == [1.0, 2.0]
    alias.fill_(3.0)
    assert view.tolist() == [3.0]
    assert x.tolist() == [8.0, 9.0]


def test_data_may_be_a_view_or_of_another_shape() -> None:
    x = nb.tensor([1.0], requires_grad=True)
    matrix = nb.tensor([[1.0, 2.0], [3.0, 4.0]])
    x.data = matrix[:, 1]
    assert x.tolist() == [2.0, 4.0]
    matrix.mul_(10.0)
    assert x.tolist() == [20.0, 40.0]
    (x * x).sum().backward()
    assert x.grad.tolist() == [40.0, 80.0]
    x.grad = None
    x.data = nb.ones(2, 2)
    assert x.shape == (2, 2)


@pytest.mark.skipif(nb.__name__ == "torch", reason="PyTorch does not notice, and uses the new values")
def test_a_graph_recorded_before_data_was_replaced_uses_the_old_values() -> None:
    x = nb.tensor([2.0], requires_grad=True)
    y = (x * x).sum()
    x.data = nb.tensor([100.0])
    y.backward()
    assert x.grad.tolist() == [4.0]


def test_a_cut_history_is_cut_for_what_comes_later_only() -> None:
    x = nb.tensor([2.0], requires_grad=True)
    y = x * x
    y.tolist()
    before = y * 3
    y.detach_()
    after = y * 5
    assert before.requires_grad
    assert not after.requires_grad
    before.sum().backward()
    assert x.grad.tolist() == [12.0]


def test_data_of_a_view_is_given_memory_and_its_base_keeps_its_own() -> None:
    x = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    v = x[:2]
    v.data = nb.zeros(2)
    assert (x.tolist(), v.tolist(), v.requires_grad) == ([1.0, 2.0, 3.0], [0.0, 0.0], True)
    y = x * 2
    v = y[1:]
    v.data = nb.tensor([7.0, 8.0])
    assert (y.tolist(), v.tolist()) == ([2.0, 4.0, 6.0], [7.0, 8.0])
    (v * v).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [0.0, 28.0, 32.0]


def test_a_view_made_in_inference_mode_is_a_constant() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    with nb.inference_mode():
        v = x[-1]
    assert v.is_leaf and v.grad_fn is None
    (x.sum() + v + v).backward()
    assert x.grad is not None and x.grad.tolist() == [1.0, 1.0]


def test_views_of_a_detached_view_that_becomes_a_leaf_require_grad() -> None:
    shown = nb.tensor([[0.5, 1.5], [2.0, 3.0]])[1].detach()
    part = shown[:1]
    shown.requires_grad_()
    assert part.requires_grad
    shown.requires_grad_(False)
    assert not part.requires_grad


def test_no_gradient_reaches_a_detached_view_through_views_made_before_it_was_a_leaf_until_it_is_written() -> None:
    shown = nb.tensor([[0.5, 1.5], [2.0, 3.0]])[1].detach()
    part = shown[:1]
    shown.requires_grad_()
    ((part * 3.0).sum() + shown.sum()).backward()
    assert shown.grad.tolist() == [1.0, 1.0]
    with nb.no_grad():
        shown.mul_(2.0)
    ((part * 3.0).sum() + shown.sum()).backward()
    assert shown.grad.tolist() == [5.0, 2.0]


@pytest.mark.parametrize("view", [lambda x: x[1:], lambda x: x.split(1)[1], lambda x: x.transpose(0, 0)])
def test_a_view_with_a_history_requires_grad_whatever_its_base_does(view: Any) -> None:
    x = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = view(x)
    x.requires_grad_(False)
    assert y.requires_grad
    with pytest.raises(RuntimeError):
        y.mul_(2.0)  # of what is a leaf


@pytest.mark.parametrize("ask", [True, False])
def test_a_view_keeps_its_place_in_the_graph_when_a_write_is_not_counted(ask: bool) -> None:
    x = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    part = y[1:]
    z = (part * 5).sum()
    if ask:
        assert part.requires_grad
    y.data[2] = 7.0
    assert nb.autograd.grad(z, part, retain_graph=True)[0].tolist() == [5.0, 5.0]
    y.detach_()
    y.data[2] = 8.0
    inner = part[1:]
    assert part.requires_grad
    assert inner.requires_grad
    (part * inner).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, 16.0, 40.0]


@pytest.mark.parametrize("use", [lambda v: v[nb.tensor([0, 2])], lambda v: v * v, lambda v: v.sin()])
@pytest.mark.parametrize("cut", [lambda y: y.detach_(), lambda y: y.data.mul_(1.0).sum().item() and y.detach_()])
def test_derivatives_through_a_view_of_what_has_no_history_any_more_are_kept_across_looks(use: Any, cut: Any) -> None:
    def by_x(look: bool) -> Any:
        x = nb.tensor([2.0, 0.5, 0.75], dtype=nb.float64, requires_grad=True)
        y = x * x
        view = y[:]
        cut(y)
        z = use(view)
        if look:
            nb.ones(2).sum().item()
        return nb.autograd.grad(z.sum(), x)[0].tolist()

    assert by_x(look=True) == by_x(look=False)


def _leaf() -> nb.Tensor:
    return nb.tensor([1.0, 2.0, 0.5], dtype=nb.float64, requires_grad=True)


BASES: dict[str, Callable[[], nb.Tensor]] = {
    "leaf": _leaf,
    "computed": lambda: _leaf() * 2.0,
    "computed leaf": lambda: (_leaf().detach() * 2.0).requires_grad_(),
    "leaf view": lambda: nb.tensor([3.0, 1.0, 2.0, 0.5], dtype=nb.float64)[1:].requires_grad_(),
}
CHANGES: dict[str, Callable[[nb.Tensor], Any]] = {
    "off": lambda base: base.requires_grad_(False) if base.is_leaf else base.detach_(),
    "off and on": lambda base: (base.requires_grad_(False) if base.is_leaf else base.detach_()).requires_grad_(),
}
PARTS: list[Callable[[nb.Tensor], nb.Tensor]] = [lambda x: x[:], lambda x: x[1:].split(1)[0]]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("base", BASES)
def test_derivatives_by_views_older_than_a_change_of_flags_have_derivatives(base: str, change: str, part: Any) -> None:
    for looks in itertools.product([False, True], repeat=3):
        shown = BASES[base]()
        view = part(shown)
        if looks[0]:
            view.tolist()
        CHANGES[change](shown)
        total = (view * view * view).sum() + (shown * shown).sum()
        if looks[1]:
            total.item()
        (first,) = nb.autograd.grad(total, view, create_graph=True)
        if looks[2]:
            first.tolist()
        assert first.requires_grad
        (second,) = nb.autograd.grad((first * first).sum(), view, create_graph=True)
        (third,) = nb.autograd.grad(second.sum(), view)
        values = view.tolist()
        assert first.tolist() == pytest.approx([3 * x**2 for x in values])
        assert second.tolist() == pytest.approx([36 * x**3 for x in values])
        assert third.tolist() == pytest.approx([108 * x**2 for x in values])


def test_a_protected_view_requires_grad_as_long_as_its_base_does() -> None:
    x = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with nb.no_grad():
        view = x[1:]
        view.mul_(2.0)
    with pytest.raises(RuntimeError, match="modified inplace"):
        view * 2.0
    assert view.requires_grad
    x.detach_()
    assert not view.requires_grad


def test_a_leaf_view_takes_the_value_that_another_alias_has_written() -> None:
    x = nb.tensor([2.0, 0.5])
    part, other = x[1:], x.detach()
    other += 1.0
    part.requires_grad_()
    assert x.tolist() == [3.0, 1.5]
    assert part.tolist() == [1.5]


def test_views_made_without_gradient_of_a_leaf_view_are_views_of_its_base() -> None:
    leaf = nb.tensor([1.0, 2.0, 3.0])[1:]
    leaf.requires_grad = True
    with nb.no_grad():
        shown = leaf[...]
    assert not shown.requires_grad
    shown += 1.0
    assert leaf.tolist() == [3.0, 4.0]


def test_views_made_without_gradient_of_a_view_of_a_leaf_view_are_views_of_its_base() -> None:
    leaf = nb.tensor([1.0, 2.0, 3.0])[1:].requires_grad_()
    part = leaf[:]
    with nb.no_grad():
        shown = part[1:]
    assert not shown.requires_grad
    shown += 1.0
    assert leaf.tolist() == [2.0, 4.0]


def test_a_leaf_view_is_a_view_again_once_its_base_requires_grad_if_it_was_written_before_it_became_one() -> None:
    for is_written in (False, True):
        base = nb.tensor([1.0, 2.0, 3.0])
        view = base[1:]
        if is_written:
            view.mul_(2.0)
        view.requires_grad_()
        (view * 3.0).sum().backward()
        base.requires_grad_()
        assert view.is_leaf is not is_written
        (view * view).sum().backward()
        assert base.grad is None if not is_written else base.grad.tolist() == [0.0, 8.0, 12.0]


def test_what_a_derivative_reads_keeps_its_place_in_the_graph_when_it_is_detached_in_place() -> None:
    x = nb.tensor([-1.0, 0.5], requires_grad=True)
    h = x * x
    y = (h * h).sum()
    h.detach_()
    (g,) = nb.autograd.grad(y, x, create_graph=True)
    assert g.tolist() == pytest.approx([-4.0, 0.5])
    assert nb.autograd.grad(g.sum(), x)[0].tolist() == pytest.approx([12.0, 3.0])


def test_nothing_is_detached_in_place_that_is_a_view_nor_in_inference_mode() -> None:
    leaf = nb.tensor([1.0, 2.0])[1:].requires_grad_()
    with pytest.raises(RuntimeError, match="detach views"):
        leaf.detach_()
    x = nb.tensor([1.0], requires_grad=True)
    with nb.inference_mode():
        leaf.detach_()
        x.detach_()
    assert x.requires_grad


def test_flags_of_a_protected_view_can_be_asked_for_and_set() -> None:
    x = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with nb.no_grad():
        part = x[1:]
        x.mul_(2.0)
    assert part.requires_grad
    part.requires_grad_(False)


def test_a_tensor_with_other_data_counts_writes_as_before() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    with nb.no_grad():
        part = x[1:]
    alias = x.detach()
    alias.data = x
    alias[:1].fill_(0.5)
    with pytest.raises(RuntimeError, match="modified inplace"):
        part.view(-1)


def test_a_leaf_that_is_a_view_stays_one_where_its_base_begins_to_require_grad_until_that_is_written() -> None:
    base = nb.tensor([0.5, 1.5, 2.5])
    leaf = base[1:].requires_grad_()
    base.requires_grad_()
    assert (leaf.is_leaf, leaf.grad_fn) == (True, None)
    (leaf * leaf).sum().backward()
    assert (leaf.grad.tolist(), base.grad) == ([3.0, 5.0], None)
    with nb.no_grad():
        base.mul_(2.0)
    (leaf * leaf).sum().backward()
    assert leaf.tolist() == [3.0, 5.0]
    assert base.grad.tolist() == [0.0, 6.0, 10.0]


@pytest.mark.parametrize("stop", [lambda x: x.detach_(), lambda x: x.requires_grad_(False)])
@pytest.mark.parametrize("of", [lambda x: x, lambda x: x.reshape(-1)])
def test_an_alias_that_was_a_leaf_for_a_while_is_written_with_a_gradient(
    of: Callable[[Any], Any], stop: Callable[[Any], Any]
) -> None:
    x = nb.tensor([0.75, 1.5], requires_grad=True)
    alias = of(x).data
    stop(alias.requires_grad_())
    alias.copy_(x * 2)
    assert (alias.requires_grad, alias.is_leaf) == (True, False)
    alias.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("write", [lambda y: y.mul_(2.0), lambda y: y[0].fill_(5.0), lambda y: None])
@pytest.mark.parametrize("ask", [lambda y: None, lambda y: y.requires_grad, lambda y: y.tolist()])
def test_older_views_of_a_tensor_with_other_data_go_on_to_have_a_derivative(
    write: Callable[[Any], Any], ask: Callable[[Any], Any]
) -> None:
    found = []
    for moves in (False, True):
        x = nb.tensor([[0.5, -1.0], [2.0, 1.5]], requires_grad=True)
        y = x * 3.0
        view = y[:, 0]
        write(y)
        ask(view)
        if moves:
            y.data = nb.ones(2, 2)
        assert view.requires_grad
        (view * view).sum().backward()
        found.append((view.tolist(), x.grad.tolist()))
    assert found[0] == found[1]


def test_older_views_of_a_leaf_with_other_data_lead_to_it() -> None:
    x = nb.tensor([1.5, 0.5, -1.0], requires_grad=True)
    view = x[1:]
    x.data = x.detach() * 2.0
    with nb.no_grad():
        view.mul_(3.0)
    (view * nb.tensor([1.0, 10.0])).sum().backward()
    assert (x.tolist(), view.tolist(), x.grad.tolist()) == ([3.0, 1.0, -2.0], [1.5, -3.0], [0.0, 1.0, 10.0])


def test_a_view_made_without_gradient_has_none_where_its_base_was_cut_off() -> None:
    x = nb.tensor([0.5, -0.25], requires_grad=True)
    y = x[[0, 1]]
    with nb.no_grad():
        part = y.unflatten(0, (1, -1))
    y[nb.tensor(True)] = 0.25
    with nb.no_grad():
        assert part[-1].tolist() == [0.25, 0.25]
    y.detach_()
    assert not part.sin().requires_grad


def test_a_view_of_a_written_base_that_became_a_leaf_is_none_where_its_base_begins_to_require_grad() -> None:
    base = nb.tensor([-1.0, 0.75, 0.75])
    view = base[1:]
    base *= 0.5
    view.requires_grad = True
    assert view.is_leaf
    base.requires_grad = True
    assert not view.is_leaf
    (view * 2).sum().backward()
    assert base.grad.tolist() == [0.0, 2.0, 2.0]


@pytest.mark.parametrize("as_gradient", [False, True])
def test_a_gradient_is_kept_for_a_view_that_was_read_anew(as_gradient: bool) -> None:
    x = nb.ones(3, 2, requires_grad=True)
    view = x[::2]
    array = view.detach().numpy()  # whoever has it may write it: the view is read each time
    part = view.diagonal()
    part.sum().item()
    _ = view * 0.25
    view.retain_grad()
    if as_gradient:
        nb.autograd.grad(part.sum(), [x], retain_graph=True)
    else:
        part.sum().backward()
    assert view.grad is not None
    assert view.grad.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert array.shape == (2, 2)


@pytest.mark.parametrize("had_history", [False, True], ids=["none before", "its own"])
def test_a_protected_view_has_the_history_it_had(had_history: bool) -> None:
    base = nb.tensor([1.5, -1.0], requires_grad=had_history)
    base = base * 1.0 if had_history else base
    view = base.split(1)[1]
    base.mul_(-1.0)
    if not had_history:
        base.requires_grad_()
    with pytest.raises(nb.errors.GradError, match="multiple views"):
        view * 2.0
    base.detach_()
    assert view.requires_grad is had_history
    if had_history:
        with pytest.raises(nb.errors.GradError, match="multiple views"):
            view * 2.0
    with nb.no_grad():
        assert (view * 2.0).tolist() == [2.0]


def test_a_detached_alias_keeps_its_gradient_where_others_write_its_memory() -> None:
    base = nb.tensor([1.5, 0.75], requires_grad=True)
    alias = base.view(1, 2).detach()
    alias.sub_(base)
    alias.retain_grad()
    y = (alias * 3.0).sum()
    with nb.no_grad():
        base.fill_(0.5)
    z = (alias * 2.0).sum()
    (y + z).backward()
    assert alias.grad is not None and alias.grad.tolist() == [[5.0, 5.0]]
    assert base.grad is not None and base.grad.tolist() == [-5.0, -5.0]


def test_a_detached_alias_of_a_view_keeps_what_goes_through_its_views() -> None:
    x = nb.tensor([3.0], requires_grad=True)
    alias = nb.tensor([2.0, 0.5])[None].detach()
    row = alias.T
    row[1].copy_(x)
    y = row * row
    alias.retain_grad()
    y.sum().backward()
    assert alias.grad is not None and alias.grad.tolist() == [[4.0, 6.0]]
    assert x.grad is not None and x.grad.tolist() == [6.0]


def test_a_detached_alias_of_a_view_is_cut_off_from_what_it_was_written() -> None:
    x = nb.tensor(-0.25, requires_grad=True)
    alias = x.unsqueeze(-1).detach()
    alias.add_(x.clone())
    alias.detach_()
    assert not alias.requires_grad and alias.is_leaf
    assert alias.tolist() == [-0.5] and not (alias * x.detach()).requires_grad


@pytest.mark.parametrize("from_leaf", [True, False])
def test_a_view_made_under_no_grad_can_be_made_a_leaf(from_leaf: bool) -> None:
    w = nb.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    base = w if from_leaf else w * 1
    with nb.no_grad():
        row, column = base[0], base[:, 1]
    row.requires_grad_()
    assert row.is_leaf and (row * 2).requires_grad and not (column * 2).requires_grad
    ((row * row).sum() + base.sum()).backward()
    assert row.grad.tolist() == [2.0, 4.0] and w.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_a_view_of_a_leaf_that_is_one_of_several_views_is_protected() -> None:
    x = nb.tensor([[0.5, 0.5]])
    leaf = x.unbind(0)[0]
    leaf.requires_grad_()
    view, alone = leaf.movedim(0, -1), x[0].requires_grad_().movedim(0, -1)
    x += 1.0
    with pytest.raises(RuntimeError, match="modified inplace"):
        view.sum()
    assert alone.tolist() == leaf.tolist() == [1.5, 1.5]
    assert not view.detach().requires_grad
