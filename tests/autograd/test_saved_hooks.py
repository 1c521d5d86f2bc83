"""Hooks on what custom functions save."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.autograd.graph import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)


class Exp(nb.autograd.Function):
    """Saves an input, an output, and None."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x.exp()
        ctx.save_for_backward(x, y, None)
        return y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        _, y, nothing = ctx.saved_tensors
        assert nothing is None
        return g * y


class Times(nb.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, w: Any) -> Any:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, w = ctx.saved_tensors
        return g * w, g * x


def leaf(*values: float) -> Any:
    return nb.tensor(values or (1.0, 2.0), requires_grad=True)


def test_what_is_saved_is_packed_once_and_unpacked_whenever_it_is_asked_for() -> None:
    x, told = leaf(0.0, 0.0), []

    def pack(a: Any) -> Any:
        told.append(("pack", a is x, nb.is_grad_enabled()))
        return a.tolist()

    def unpack(values: Any) -> Any:
        told.append("unpack")
        return nb.tensor(values)

    with saved_tensors_hooks(pack, unpack):
        y = Exp.apply(x)
    assert told == [("pack", True, False), ("pack", False, False)]
    y.sum().backward(retain_graph=True)
    assert told[2:] == ["unpack", "unpack"] and x.grad.tolist() == [1.0, 1.0]
    y.sum().backward()
    assert told[4:] == ["unpack", "unpack"] and x.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("looks", [False, True])
def test_what_is_unpacked_has_the_history_of_what_was_saved(looks: bool) -> None:
    x, w = leaf(), leaf(3.0, 4.0)
    u = x * 2
    with saved_tensors_hooks(lambda a: a.detach().numpy() if looks else a.clone(), nb.as_tensor):
        y = Times.apply(u, w)
    (g,) = nb.autograd.grad(y.sum(), x, create_graph=True)
    assert g.tolist() == [6.0, 8.0]
    (by_w,) = nb.autograd.grad(g.sum(), w)
    assert by_w.tolist() == [2.0, 2.0]


def test_the_innermost_hooks_are_taken_and_none_outside() -> None:
    x, told = leaf(), []

    def noting(name: str) -> Any:
        return saved_tensors_hooks(lambda a: told.append(name) or a, lambda a: a)

    with noting("outer"):
        with noting("inner"):
            Times.apply(x, x)
        Times.apply(x, x)
    Times.apply(x, x)
    assert told == ["inner", "inner", "outer", "outer"]


def test_what_hooks_may_not_do() -> None:
    x = leaf()
    with saved_tensors_hooks(lambda a: a, lambda a: 5):
        y = Exp.apply(x)
    with pytest.raises(TypeError, match="unpack_hook expected to be a Tensor but got result of type int"):
        y.sum().backward()
    with saved_tensors_hooks(lambda a: a, lambda a: nb.ones(3)):
        y = Exp.apply(x)
    with pytest.raises(RuntimeError, match="unpack_hook gave"):
        y.sum().backward()
    with saved_tensors_hooks(lambda a: a.mul_(2), lambda a: a), pytest.raises(RuntimeError, match="its input in place"):
        Exp.apply(x)


def test_operators_save_nothing_and_it_says_so() -> None:
    x = leaf()
    with pytest.warns(UserWarning, match="Operators save nothing when they are recorded"), save_on_cpu():
        y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with save_on_cpu():
            y = Exp.apply(x)
            nb.ones(2).exp()
    y.sum().backward()


def test_hooks_that_are_disabled_say_why() -> None:
    with disable_saved_tensors_hooks("not here"):
        with pytest.raises(RuntimeError, match="not here"), save_on_cpu():
            pass
        with disable_saved_tensors_hooks("nor here"), pytest.raises(RuntimeError, match="nor here"), save_on_cpu():
            pass
        with pytest.raises(RuntimeError, match="not here"), save_on_cpu():
            pass
    with save_on_cpu(), pytest.raises(RuntimeError, match="not here"), disable_saved_tensors_hooks("not here"):
        pass


def test_what_was_saved_may_be_written() -> None:
    x, w = leaf(), leaf(3.0, 4.0)
    with allow_mutation_on_saved_tensors() as context:
        y, v = x.clone(), w.clone()
        z = (y**2).sum() + Times.apply(y, v).sum()
        y.sin_()
        v.detach().zero_()
        context.clear()
        z.backward()
        assert x.grad.tolist() == [5.0, 8.0] and w.grad.tolist() == [1.0, 2.0]
        with pytest.raises(RuntimeError, match="contexts cannot be nested"), allow_mutation_on_saved_tensors():
            pass
    with allow_mutation_on_saved_tensors():
        y = x.clone()
        z = (y**2).sum()
        y.zero_()
    x.grad = None
    z.backward()
    assert x.grad.tolist() == [2.0, 4.0]
