"""Results of compiled calls are what those of plain calls are: views of the same memory, the same objects."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import nbgrad as nb

CALLS = 8

held = SimpleNamespace()


def prepare() -> None:
    held.table = nb.arange(12.0).view(4, 3).clone()
    held.row = held.table[2]
    held.w = nb.tensor([1.0, -2.0, 3.0], requires_grad=True)
    held.i = nb.tensor(1)
    held.items = [held.w]


def several_of_one(x: Any) -> Any:
    y = x * 2
    return y[0], y[0, 1:], y.T, y


def write_then_view(x: Any) -> Any:
    y = x * 2
    z = y.detach()
    z.add_(1)
    return y, z[1:]


def view_then_write(x: Any) -> Any:
    part = held.table[1:]
    held.table.mul_(0.5)
    return part, x * held.table[0, 0]


def made_and_viewed(x: Any) -> Any:
    made = nb.tensor([3.0, 4.0])
    return made, x * made[0]


def without_derivative(x: Any) -> Any:
    with nb.no_grad():
        return held.w[1:]


VIEWS: dict[str, Callable[[Any], Any]] = {
    "of an argument": lambda x: x[1:],
    "of an argument, transposed": lambda x: x.T,
    "of a view of an argument": lambda x: x[:, 1:][0],
    "of what is held": lambda x: held.table[1],
    "of a held view": lambda x: held.row[1:],
    "a held view": lambda x: held.row,
    "of what requires grad": lambda x: held.w[1:],
    "of what requires grad, without": lambda x: held.w.detach()[1:],
    "of a result": lambda x: (lambda y: (y, y[1:]))(x * 2),
    "of what is no result": lambda x: (x * 2).T,
    "of what is no result, twice": lambda x: (lambda y: (y[0], y.view(-1)))(x * 2),
    "of what has a history": lambda x: (x[0] * held.w)[1:],
    "detached": lambda x: (x.detach(), held.table.detach(), held.w.detach()),
    "data": lambda x: (held.w.data, held.table.data),
    "detached result": lambda x: (lambda y: (y, y.detach()))(x[0] * held.w),
    "detached, of what is no result": lambda x: (x[0] * held.w).detach(),
    "one twice": lambda x: (lambda v: (v, v, {"v": v}))(x[1]),
    "several of one": several_of_one,
    "under no_grad": without_derivative,
    "written before": view_then_write,
    "written through an alias": write_then_view,
    "by a 0-d tensor": lambda x: x[held.i],
    "by a 0-d tensor of the call": lambda x: x[nb.tensor(1)],
    "several": lambda x: x.unbind(0),
    "made in the call": made_and_viewed,
}


def shown(result: Any, x: Any) -> list[Any]:
    """What is seen of a result, and of what it may show, after writes to all of them."""
    parts = [part for part in (result if isinstance(result, tuple) else [result]) if isinstance(part, nb.Tensor)]
    seen: list[Any] = []

    def look() -> None:
        for y in [*parts, x, held.table, held.row, held.w]:
            try:
                seen.append((y.tolist(), y.requires_grad, y.stride(), y.is_contiguous(), y.is_leaf))
            except nb.errors.GradError:  # of a view made under no_grad, after a write
                seen.append("refused")

    look()
    for y in parts:
        if not y.requires_grad:
            y.mul_(2)
            look()
    for y in (x, held.table):
        y.add_(1)
        look()
    with nb.no_grad():
        held.w.mul_(0.5)
    look()
    for y in parts:
        if y.requires_grad and "refused" not in seen:
            (y * y).sum().backward(retain_graph=True)
            seen.append(None if held.w.grad is None else held.w.grad.tolist())
            held.w.grad = None
    seen.append([a is b for a in parts for b in parts])
    return seen


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("is_view", [False, True])
def test_a_result_shows_the_memory_that_it_shows_plainly(name: str, kept: bool, is_view: bool) -> None:
    found = []
    for run in (VIEWS[name], nb.compile(VIEWS[name])):
        prepare()
        x, seen, results = nb.zeros(2, 3), [], []
        for k in range(CALLS):
            if k % 3 == 0:
                base = nb.arange(9.0).view(3, 3) * 1.0
                x = base[1:] if is_view else base[1:].clone()
            result = run(x)
            seen.append(shown(result, x))
            results += [result] if kept else []
        found.append(seen)
    assert found[1] == found[0]


@pytest.mark.parametrize("name", [name for name in VIEWS if name not in ("written through an alias",)])
def test_functions_that_return_views_are_compiled(name: str) -> None:
    prepare()
    compiled: Any = nb.compile(VIEWS[name], fullgraph=True)
    for k in range(CALLS):
        compiled(nb.arange(6.0).view(2, 3) + k)
    assert any(form.programs for form in compiled._forms.values())


def test_which_part_is_shown_may_be_a_number() -> None:
    prepare()
    compiled: Any = nb.compile(lambda k, i: (held.table[k], held.table[:, k : k + 2], held.table[i]), fullgraph=True)
    for k in (0, 1, 0, 1, 0, 1, 0, 1, 0, 1):
        i = nb.tensor(3 - k)
        row, columns, other = compiled(k, i)
        held.table.add_(1)
        assert row.tolist() == held.table[k].tolist()
        assert columns.tolist() == held.table[:, k : k + 2].tolist()
        assert other.tolist() == held.table[3 - k].tolist()
    assert any(form.programs for form in compiled._forms.values())
    with pytest.raises(IndexError):
        compiled(0, nb.tensor(9))


def test_an_index_is_refused_where_it_stands() -> None:
    prepare()

    def run(x: Any, i: Any) -> Any:
        part = x[i]
        held.table.mul_(0.5)
        return part

    compiled = nb.compile(run)
    for _ in range(CALLS):
        compiled(nb.ones(3), nb.tensor(1))
    before = held.table.tolist()
    for x in (nb.ones(3), nb.ones(4)):  # with a program, and recorded
        with pytest.raises(IndexError):
            compiled(x, nb.tensor(9))
    assert held.table.tolist() == before


def test_containers_are_the_same_objects() -> None:
    prepare()

    def run(x: Any, given: Any) -> Any:
        made = [x * 2]
        return made, made, held.items, given, held.table

    compiled: Any = nb.compile(run)
    for _ in range(CALLS):
        given = [1, 2]
        first, second, items, same, table = compiled(nb.ones(2), given)
        assert first is second
        assert items is held.items
        assert same is given
        assert table is held.table


def test_a_list_with_itself_inside_is_returned_as_it_is() -> None:
    def run(x: Any) -> Any:
        made: list[Any] = [x * 2]
        made.append(made)
        return made

    compiled: Any = nb.compile(run)
    for _ in range(CALLS):
        made = compiled(nb.ones(2))
        assert made[1] is made


def test_what_stays_in_a_place_shows_what_it_shows_plainly() -> None:
    found = []
    for compiled in (False, True):
        prepare()
        state = SimpleNamespace(last=nb.zeros(3), other=nb.zeros(3))

        def run(x: Any, state: Any = state) -> Any:
            y = x * 2
            state.last, state.other = y[1], held.table[1]
            return y

        f: Any = nb.compile(run) if compiled else run
        seen = []
        for k in range(CALLS):
            y = f(nb.ones(2, 3) * k)
            y.add_(1)
            held.table.add_(1)
            seen.append((y.tolist(), state.last.tolist(), state.other.tolist()))
        found.append(seen)
    assert found[1] == found[0]
