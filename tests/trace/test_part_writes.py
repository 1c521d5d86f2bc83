"""Writes to parts of what nobody else shows are recorded without asking who shows what; they mean the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import nbgrad as nb
from nbgrad.trace.thread import local
from tests.each import functions

Write = Callable[[nb.Tensor, nb.Tensor], object]


def add_to_part(x: nb.Tensor, v: nb.Tensor) -> None:
    x[1] += v


def scale_slice(x: nb.Tensor, v: nb.Tensor) -> None:
    x[1:] *= 2.0 * v[0]


def copy_to_view(x: nb.Tensor, v: nb.Tensor) -> None:
    x[2].copy_(v)


def through_two_views(x: nb.Tensor, v: nb.Tensor) -> None:
    x[1:][0][1:] = v[1:]


def twice_through_one_view(x: nb.Tensor, v: nb.Tensor) -> None:
    part = x[0]
    part.copy_(v)
    part += 1.0
    x[1] = part * v


def after_the_base(x: nb.Tensor, v: nb.Tensor) -> None:
    part = x[0]
    x *= 2.0
    part.mul_(v)
    x[1] += part


def put_back(x: nb.Tensor, v: nb.Tensor) -> None:
    part = x[0]
    x[0] = v
    x[0] = part
    x[1] = part
    x[0] = x[0]


def all_of_it(x: nb.Tensor, v: nb.Tensor) -> None:
    x[:, :] = v
    x[0:3] = v * 2.0
    x.view(9)[:] = x[0, 0]


def numbers(x: nb.Tensor, v: nb.Tensor) -> None:
    x[0, 1] = 3.0
    x[:, 2] = v
    x[-1] = 0
    x[1].fill_(v[0])
    x[2].zero_()
    x[1, 1:].clamp_(max=0.25)


def without_grad(x: nb.Tensor, v: nb.Tensor) -> None:
    with nb.no_grad():
        x[0] = v
        x[1] += 1.0


WRITES: list[Write] = functions(add_to_part, without_grad)


@pytest.mark.parametrize("kind", ["fresh", "from memory", "constant"])
@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)
def test_writes_mean_the_same_whether_others_show_the_memory_or_not(write: Write, kind: str) -> None:
    def run(is_shown: bool) -> list[object]:
        seen: list[object] = []
        for _ in range(3):  # new, and found again
            w = nb.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.5], [3.0, 1.0, -2.0]], requires_grad=True)
            v = nb.tensor([0.75, -0.5, 1.25], requires_grad=True)
            x = w.detach() * 1.0 if kind == "constant" else w * 1.0
            if kind == "from memory":
                x.tolist()
            others = [x.detach(), x[:2]] if is_shown else []
            write(x, v)
            second = x[2] * x[0]
            write(x, v)
            loss = (x * x).sum() + second.sum()
            if loss.requires_grad:
                loss.backward()
            grads = [None if a.grad is None else a.grad.tolist() for a in (w, v)]
            seen.append((x.tolist(), grads, type(x.grad_fn).__name__))
            del others
        return seen

    shown, alone = run(True), run(False)
    assert shown == alone
    assert len({str(one) for one in alone}) == 1


def test_what_shows_a_part_sees_what_is_written_later() -> None:
    x, w = nb.zeros(3, 2), nb.ones(2, requires_grad=True)
    first, again = x[0], x[0]
    x[0] = w * 2
    last = x[0]
    x[0] += 1
    assert [first.tolist(), again.tolist(), last.tolist()] == [[3.0, 3.0]] * 3
    assert first.requires_grad
    (first * last).sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [12.0, 12.0]


def test_a_part_of_what_nobody_else_shows_is_two_entries(one_thread: None) -> None:
    def entries(assign: Callable[[nb.Tensor, nb.Tensor], None]) -> int:
        x, v = nb.zeros(4, 2) + 0, nb.ones(2, requires_grad=True) * 2
        assign(x, v)
        begun = local.trace.node.ix
        assign(x, v)
        made = local.trace.node.ix - begun
        x.tolist()
        return made

    assert entries(lambda x, v: x.__setitem__(1, v)) == 2  # the view, and the new value of all
    assert entries(copy_to_view) == 2
    assert entries(add_to_part) == 4  # two views: ``+=`` assigns what it has written


@pytest.mark.parametrize("write", [lambda w: w.__setitem__(0, 1.0), lambda w: w[0].add_(1), lambda w: w[0:1].zero_()])
def test_parts_of_a_leaf_are_refused(write: Callable[[nb.Tensor], object]) -> None:
    w = nb.ones(2, requires_grad=True)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
            write(w)
    with nb.no_grad():
        write(w)
    assert w.is_leaf
    assert w.requires_grad


def test_parts_in_a_compiled_function_are_those_of_each_call() -> None:
    @nb.compile
    def moved(x: nb.Tensor, i: int, j: int) -> nb.Tensor:
        y = x * 1.0
        part = y[i]
        y *= 2.0
        y[j] = part
        y[i] += 1.0
        return y

    x = nb.tensor([1.0, 2.0, 4.0])
    for i, j in [(0, 0), (0, 1), (1, 2), (0, 1), (2, 2)]:
        wanted = [2.0, 4.0, 8.0]
        wanted[j] = wanted[i]
        wanted[i] += 1
        assert moved(x, i, j).tolist() == wanted
