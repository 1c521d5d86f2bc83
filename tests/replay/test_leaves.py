"""Leaves that a function makes of what it has computed: forces, adversarial examples, derivatives by an input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb
from tests.each import functions


def leaf(x: Any, look: bool) -> Any:
    """``x`` as a leaf: in the running segment, or after it."""
    if look:
        x.tolist()
    return x.requires_grad_()


def second(x: Any, w: Any, look: bool) -> Any:
    x = leaf(x.clone(), look)
    (g,) = nb.autograd.grad((x * x * x * w).sum(), x, create_graph=True)
    (h,) = nb.autograd.grad((g * g).sum(), x)
    return g.detach(), h


def by_backward(x: Any, w: Any, look: bool) -> Any:
    x = leaf(x.detach().clone(), look)
    (x * x * w).sum().backward()
    return x.grad * 2.0, w.grad


def used_before(x: Any, w: Any, look: bool) -> Any:
    u = (x * w).detach() * 2.0
    v = u + 1.0
    u = leaf(u, look)
    (u * v * w).sum().backward()
    return u.grad, w.grad


def made_without_gradients(x: Any, w: Any, look: bool) -> Any:
    with nb.no_grad():
        u = w * x
    u = leaf(u, look)
    loss = (u * w).sum()
    loss.backward()
    return u.grad, w.grad, loss.detach()


def written_later(x: Any, w: Any, look: bool) -> Any:
    u = leaf(x * 3.0, look)
    loss = (u * w).sum()
    with nb.no_grad():
        u.mul_(0.0)
    loss.backward()
    return u.detach() + 0.0, u.grad, w.grad


def alias_of_an_argument(x: Any, w: Any, look: bool) -> Any:
    u = x.detach().requires_grad_()
    (u * u * w + x).sum().backward()
    return u.grad * 2.0, w.grad


def alias_of_a_parameter(x: Any, w: Any, look: bool) -> Any:
    u = w.detach().requires_grad_()
    (g,) = nb.autograd.grad((u * u * u * x * w).sum(), u, create_graph=True)
    (g * g).sum().backward()
    return g.detach(), u.grad, w.grad


def alias_of_a_result(x: Any, w: Any, look: bool) -> Any:
    y = w * x
    u = leaf(y.detach(), look)
    (u * u * x).sum().backward()
    y.backward(u.grad)
    return u.grad, w.grad


def alias_of_what_is_written_later(x: Any, w: Any, look: bool) -> Any:
    y = w * x
    u = leaf(y.detach(), look)
    loss = (u * u).sum()
    with nb.no_grad():
        y.mul_(3.0)
    later = u.detach() + 0.0
    loss.backward()
    return u.grad, later, y.detach() + 0.0


FUNCTIONS: list[Callable[..., Any]] = functions(second, alias_of_a_result)


def results(function: Callable[..., Any], run: Callable[..., Any], look: bool, calls: int = 6) -> list[Any]:
    w = nb.tensor([1.0, -2.0, 0.5], requires_grad=True)
    found = []
    for k in range(calls):
        w.grad = None
        found.append([y.tolist() for y in run(nb.tensor([0.5 * k, 1.0, -1.5]), w, look)])
    return found


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_leaf_begins_in_a_compiled_function(function: Callable[..., Any]) -> None:
    compiled = nb.compile(function, fullgraph=True)
    assert results(function, compiled, look=False) == results(function, function, look=True)
    assert sum([len(form.programs) for form in compiled._forms.values()]) == 1


@pytest.mark.parametrize("function", [alias_of_what_is_written_later])
def test_such_an_alias_is_as_without_compile(function: Callable[..., Any]) -> None:
    assert results(function, nb.compile(function), look=False) == results(function, function, look=False)


def test_an_alias_that_was_used_before_is_refused() -> None:
    def run(x: Any) -> Any:
        u = x.detach()
        v = u * 2.0
        u.requires_grad_()
        (u * v).sum().backward()
        return u.grad * 1.0

    with pytest.raises(RuntimeError, match="requires_grad_"):
        strict(run)
    compiled = nb.compile(run)
    for k in range(6):
        assert compiled(nb.full((2,), float(k))).tolist() == [2.0 * k] * 2


def test_such_an_alias_as_a_result() -> None:
    def run(x: Any) -> Any:
        return x.detach().requires_grad_()

    with pytest.raises(RuntimeError, match="may share its memory"):
        strict(run)
    compiled = nb.compile(run)
    for k in range(6):
        x = nb.full((2,), float(k))
        y = compiled(x)
        (y * y).sum().backward()
        assert (y.grad.tolist(), x.requires_grad, x.grad) == ([2.0 * k] * 2, False, None)
        with nb.no_grad():
            y.add_(1.0)
        assert x.tolist() == [k + 1.0] * 2


def test_such_a_leaf_as_a_result() -> None:
    run = nb.compile(lambda x: (x * 2.0).requires_grad_(), fullgraph=True)
    for k in range(6):
        y = run(nb.full((2,), float(k)))
        assert y.requires_grad
        assert y.is_leaf
        (y * y).sum().backward()
        assert y.grad.tolist() == [4.0 * k] * 2


def test_a_result_that_goes_back_to_such_a_leaf_is_recorded_each_time() -> None:
    def run(x: Any) -> Any:
        u = (x * 2.0).requires_grad_()
        return u * u, u

    compiled = nb.compile(run)
    for k in range(6):
        y, u = compiled(nb.full((2,), float(k)))
        y.sum().backward()
        assert u.grad.tolist() == [4.0 * k] * 2
    with pytest.raises(RuntimeError, match="goes back to a leaf that the call has made"):
        strict(run)


def strict(run: Callable[..., Any]) -> None:
    compiled = nb.compile(run, fullgraph=True)
    for _ in range(4):
        compiled(nb.ones(2))
