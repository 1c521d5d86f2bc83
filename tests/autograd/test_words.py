"""What mistakes with derivatives are told: PyTorch's words and classes. NBGRAD_ORACLE=torch runs it against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb


def leaf() -> Any:
    return nb.tensor([1.0, 2.0], requires_grad=True)


def function(**methods: Callable[..., Any]) -> Any:
    members = {name: staticmethod(method) for name, method in methods.items()}
    return type("F", (nb.autograd.Function,), members)


def assigned(value: Any) -> None:
    leaf().grad = value


def twice() -> None:
    y = (leaf() ** 2).sum()
    y.backward()
    y.backward()


def saved(what: Any) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x, what)
        return x * 2

    function(forward=forward, backward=lambda ctx, g: g).apply(leaf())


def differentiated(**how: Any) -> Any:
    return nb.autograd.grad((leaf() * 2).sum(), leaf(), **how)


MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a graph is gone": (twice, RuntimeError, "or if you need to access saved tensors after calling backward."),
    "unused": (differentiated, RuntimeError, "Set allow_unused=True if this is the desired behavior."),
    "materialized": (
        lambda: differentiated(materialize_grads=True, allow_unused=False),
        ValueError,
        "when materialize_grads=True, but got: allow_unused=False.",
    ),
    "a gradient of another shape": (
        lambda: assigned(nb.ones(3)),
        RuntimeError,
        r"attempting to assign a gradient of size '\[3\]' to a tensor of size '\[2\]'. Please ensure that",
    ),
    "a gradient of another dtype": (
        lambda: assigned(nb.ones(2, dtype=nb.float64)),
        RuntimeError,
        "attempting to assign a gradient with dtype '.*' to a tensor ",
    ),
    "a gradient that is no tensor": (lambda: assigned(3), TypeError, "a Tensor or None but got grad of type int"),
    "what is saved": (lambda: saved(3), TypeError, "can only save variables, but argument 1 is of type int"),
    "what a backward gives": (
        lambda: function(forward=lambda ctx, x: x * 2, backward=lambda ctx, g: 3.0).apply(leaf()).sum().backward(),
        RuntimeError,
        r"expected Variable or None \(got float\)",
    ),
    "no derivative by an input": (
        lambda: nb.special.gammainc(leaf(), nb.ones(2)).sum().backward(),
        NotImplementedError,
        "the derivative for 'igamma: input' is not implemented",
    ),
}


@pytest.mark.parametrize(("mistake", "error", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_in_pytorchs_words(mistake: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        mistake()


def test_multithreading_may_be_switched_for_programs_that_do() -> None:
    with nb.autograd.set_multithreading_enabled(False):
        x = leaf()
        (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
