"""A tensor that others show is asked what it shows once a page: then it is used, viewed and written like one that is
alone, and nobody can tell."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import nbgrad as nb
from nbgrad.trace import handle, writing
from nbgrad.trace.handle import FRESH_VIEW


def shown_by(count: int = 1, *, requires_grad: bool = False) -> tuple[nb.Tensor, list[nb.Tensor]]:
    """A tensor in memory, and views of it that were held when its segment ended."""
    x = nb.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=requires_grad)
    views = [x[k:] for k in range(count)]
    (x * 1).tolist()
    assert all(v._share is not None and v._share is not FRESH_VIEW for v in views)
    return x, views


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[nb.Tensor]:
    """The tensors that were asked what they show."""
    found: list[nb.Tensor] = []
    now = handle.later.now

    def told(trace: object, a: nb.Tensor) -> object:
        found.append(a)
        return now(trace, a)  # type: ignore[arg-type]

    monkeypatch.setattr(handle.later, "now", told)
    return found


def test_views_of_a_tensor_that_others_show_are_fresh_ones() -> None:
    x, held = shown_by()
    for make in (lambda: x[1], lambda: x[1:], lambda: x.t(), lambda: x.view(6), lambda: x[None], lambda: x.unbind()[2]):
        make()
        y = make()
        assert y._share is FRESH_VIEW
        assert (y * 1).tolist() == make().tolist()
    assert held[0][1].tolist() == [3.0, 4.0]


def test_views_of_a_view_that_was_held_are_fresh_ones() -> None:
    x, (v,) = shown_by()
    (v * 2)[0]
    rows = [v[k] for k in range(3)]
    assert all(y._share is FRESH_VIEW for y in rows)
    x.mul_(2.0)
    assert [y.tolist() for y in rows] == [[2.0, 4.0], [6.0, 8.0], [10.0, 12.0]]


def test_a_tensor_that_others_show_is_asked_once_a_page(asked: list[nb.Tensor]) -> None:
    x, held = shown_by()
    for _ in range(3):
        y = x * 2.0
    assert len([a for a in asked if a is x]) <= 1
    held[0].mul_(2.0)
    asked.clear()
    for _ in range(3):
        z = x * 2.0
    assert len([a for a in asked if a is x]) <= 1
    assert y.tolist() == [[2.0, 4.0], [6.0, 8.0], [10.0, 12.0]]
    assert z.tolist() == [[4.0, 8.0], [12.0, 16.0], [20.0, 24.0]]


WRITES: dict[str, Callable[[nb.Tensor, nb.Tensor], object]] = {
    "the root": lambda x, v: x.mul_(2.0),
    "the root, quickly": lambda x, v: x.__imul__(2.0),
    "a new view": lambda x, v: x[:].mul_(2.0),
    "the held view": lambda x, v: v.mul_(2.0),
    "a part": lambda x, v: [x[k].mul_(2.0) for k in range(3)],
    "an item": lambda x, v: x.__setitem__(slice(None), x * 2.0),
    "detached": lambda x, v: x.detach().mul_(2.0),
    "data": lambda x, v: x.data.mul_(2.0),
    "numpy": lambda x, v: x.numpy().__imul__(2.0),
    "in turns": lambda x, v: (x.detach().add_(x), x[0].add_(0.0), v.add_(0.0)),
}


@pytest.mark.parametrize("how", WRITES)
@pytest.mark.parametrize("ends", [False, True])
def test_what_was_taken_before_a_write_shows_it(how: str, ends: bool) -> None:
    for _ in range(6):  # new, met before, and known
        x, (v, w) = shown_by(2)
        before = x * 1.0
        fresh, of_fresh, of_held = x[1], x[1:][0], v[1]
        if ends:
            before.tolist()
        WRITES[how](x, v)
        after = x * 1.0
        assert [y.tolist() for y in (fresh, of_fresh, of_held, w[0])] == [[6.0, 8.0]] * 4
        assert before.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
        assert after.tolist() == x.tolist() == v.tolist() == [[2.0, 4.0], [6.0, 8.0], [10.0, 12.0]]


def test_a_write_that_nobody_counts_leaves_a_view_its_place_in_the_graph() -> None:
    """As in PyTorch: ``grad`` of what is computed later finds it after a write through ``data``, not after others."""
    for write, is_found in ((lambda y: y.data.mul_(2.0), True), (lambda y: y.mul_(2.0), False)):
        x, held = shown_by(requires_grad=True)
        y = x * 1.0
        alias = y.detach()
        keep = y[1:]
        y.tolist()
        part = y[1]
        assert part._share is FRESH_VIEW
        write(y)
        z = (part * part).sum() if is_found else (y[1] * y[1]).sum()
        (g,) = nb.autograd.grad(z, part, allow_unused=True)
        assert (g is not None) == is_found
        assert z.item() == 100.0
        assert keep.tolist()[0] == alias[1].tolist() == [6.0, 8.0]
        assert held


def test_rows_of_a_parameter_get_the_gradients_of_one_that_nobody_shows() -> None:
    grads = []
    for is_shown in (False, True):
        x = nb.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
        held = [x[1:], x.t()] if is_shown else []
        (x * 1).tolist()
        for _ in range(3):
            total = sum(((x[k] * x[k - 1]).sum() for k in range(3)), nb.zeros(()))
            total.backward()
        grads.append(x.grad.tolist())
        assert len(held) in (0, 2)
    assert grads[0] == grads[1]


def test_a_view_of_one_whose_base_came_to_require_grad_does_so_itself() -> None:
    x, (v,) = shown_by()
    (v * 1).tolist()
    x.requires_grad_()
    assert v.requires_grad
    assert v[1].requires_grad
    assert (x[1] * 2.0).requires_grad


def test_what_a_mode_protects_is_protected_where_it_is_known() -> None:
    x, held = shown_by(requires_grad=True)
    y = x * 1.0
    alias = y[1:]
    y.tolist()
    with nb.no_grad():
        part = y[1]
    assert part._share is FRESH_VIEW
    with pytest.raises(RuntimeError, match="no_grad mode and is being modified"):
        part.mul_(2.0)
    y.mul_(2.0)
    with pytest.raises(RuntimeError, match="no_grad mode and its base"):
        part * 2.0
    assert alias.tolist()[0] == [6.0, 8.0]
    assert held


def test_a_root_that_only_views_show_is_written_without_a_copy_of_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    x, held = shown_by()
    monkeypatch.setattr(writing, "_write_root", None)  # would raise
    for _ in range(3):
        x += 1.0
        x[0] += 1.0
        x[1] = x[2]
    assert x.tolist() == [[7.0, 8.0], [8.0, 9.0], [8.0, 9.0]]
    assert held[0].tolist() == x.tolist()


def test_a_view_of_a_view_that_ends_with_the_segment_shows_the_root() -> None:
    x = nb.tensor(-1.0, dtype=nb.float64, requires_grad=True)
    optimizer = nb.optim.SGD([x], lr=0.1)
    whole, wide = x[...], x.expand(2)
    wide.sum().backward(retain_graph=True)
    assert x.item() == -1.0
    line = whole.reshape(-1)
    optimizer.step()
    loss = ((wide - wide * 0.25) * 3.0).sum()
    grads = nb.autograd.grad(loss, [whole, x], retain_graph=True, allow_unused=True)
    del whole
    assert grads[0] is None
    assert grads[1].item() == 4.5
    assert line.detach().tolist() == [x.item()]
