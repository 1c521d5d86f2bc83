"""Custom functions in forward mode: the tangents of ``jvp``, inside every nesting of transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad import func
from nbgrad.autograd import Function


class Product(Function):
    """Two outputs, and an argument that is no tensor."""

    @staticmethod
    def forward(x: Any, y: Any, k: float) -> Any:
        return x * y * k, x + y

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        x, y, ctx.k = inputs
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(x, y)

    @staticmethod
    def backward(ctx: Any, a: Any, b: Any) -> Any:
        x, y = ctx.saved_tensors
        return a * y * ctx.k + b, a * x * ctx.k + b, None

    @staticmethod
    def jvp(ctx: Any, tx: Any, ty: Any, tk: Any) -> Any:
        x, y = ctx.saved_tensors
        assert tk is None
        return (tx * y + x * ty) * ctx.k, tx + ty


class Exp(Function):
    """Saves its output."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x.exp()
        ctx.save_for_backward(y)
        ctx.save_for_forward(y)
        return y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * ctx.saved_tensors[0]

    @staticmethod
    def jvp(ctx: Any, t: Any) -> Any:
        return t * ctx.saved_tensors[0]


class Looking(Exp):
    """Looks at values, which runs what was recorded so far."""

    @staticmethod
    def jvp(ctx: Any, t: Any) -> Any:
        assert ctx.saved_tensors[0].sum().item() > 0
        return t * ctx.saved_tensors[0]


def custom(x: Any, exp: Any = Exp) -> Any:
    a, b = Product.apply(x, exp.apply(x.sin()), 2.0)
    return (exp.apply(a) * b).sum()


def plain(x: Any) -> Any:
    y = x.sin().exp()
    return ((x * y * 2.0).exp() * (x + y)).sum()


def between(x: Any) -> Any:
    """Looks at a value between two functions."""
    y = Exp.apply(x.sin())
    return custom(x * (2.0 if y.sum().item() > 0 else 1.0))


def point() -> Any:
    return nb.tensor([0.1, -0.2, 0.3], dtype=nb.float64)


def close(got: Any, want: Any) -> None:
    np.testing.assert_allclose(np.array(got.tolist()), np.array(want.tolist()), rtol=1e-9, atol=1e-12)


def along(f: Callable[..., Any], x: Any) -> Any:
    return func.jvp(f, (x,), (nb.cos(x),))[1]


NESTED: dict[str, Callable[..., Any]] = {
    "jvp": along,
    "linearize": lambda f, x: func.linearize(f, x)[1](nb.cos(x)),
    "jacfwd": lambda f, x: func.jacfwd(f)(x),
    "hessian": lambda f, x: func.hessian(f)(x),
    "jvp of jvp": lambda f, x: along(lambda a: along(f, a), x),
    "jacfwd of jacfwd": lambda f, x: func.jacfwd(func.jacfwd(f))(x),
    "jacrev of jacfwd": lambda f, x: func.jacrev(func.jacfwd(f))(x),
    "jacfwd of hessian": lambda f, x: func.jacfwd(func.hessian(f))(x),
    "grad of jvp": lambda f, x: func.grad(lambda a: along(f, a))(x),
    "compiled": lambda f, x: [nb.compile(lambda a: along(func.grad(f), a))(x) for _ in range(4)][3],
}


@pytest.mark.parametrize("nesting", NESTED)
def test_tangents_are_those_of_the_same_operations(nesting: str) -> None:
    transform = NESTED[nesting]
    got = transform(custom, point())
    close(got, transform(plain, point()))
    assert not got.requires_grad


@pytest.mark.parametrize("nesting", ["jvp", "linearize", "jvp of jvp", "grad of jvp"])
def test_values_may_be_looked_at_on_the_way(nesting: str) -> None:
    transform = NESTED[nesting]
    close(transform(between, point()), transform(lambda x: plain(2.0 * x), point()))
    close(transform(lambda x: custom(x, Looking), point()), transform(plain, point()))


def test_a_tangent_agrees_with_differences() -> None:
    x, t, eps = point(), point().cos(), 1e-6
    got = func.jvp(custom, (x,), (t,))[1].item()
    assert got == pytest.approx((custom(x + eps * t) - custom(x - eps * t)).item() / (2 * eps), rel=1e-7)


def test_saved_tensors_are_as_they_were() -> None:
    def f(x: Any) -> Any:
        y = x * 1.0
        z = Product.apply(y, y, 1.0)[0]
        y.zero_()
        return z

    close(func.jvp(f, (point(),), (nb.ones_like(point()),))[1], 2 * point())


def test_what_outside_requires_grad_is_differentiated_through_the_jvp() -> None:
    w = point().requires_grad_()
    func.jvp(lambda x: Product.apply(x, w, 3.0)[0].sum(), (point(),), (point().cos(),))[1].backward()
    close(w.grad, 3 * point().cos())


def test_an_input_without_tangent_has_zeros_or_none() -> None:
    seen: list[Any] = []

    class Watch(Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any, materialize: bool) -> Any:
            ctx.set_materialize_grads(materialize)
            return x + y

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            seen.extend(tangents[1:])
            assert ctx.saved_tensors == ()
            return tangents[0]

    for materialize in (True, False):
        t = func.jvp(lambda x, m=materialize: Watch.apply(x, point(), m), (point(),), (point(),))[1]
        close(t, point())
    zeros, *rest = seen
    assert zeros.tolist() == [0.0, 0.0, 0.0]
    assert rest == [None, None, None]


def test_outputs_without_derivative() -> None:
    class Count(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            count = (x > 0).sum()
            ctx.mark_non_differentiable(count)
            return x * 2, count

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t * 2, None

    (_, count), (t, _) = func.jvp(Count.apply, (point(),), (point(),))
    close(t, 2 * point())
    assert count.item() == 2


MISTAKES: dict[str, tuple[Callable[..., Any], type[Exception], str]] = {
    "number": (lambda t: (t, t), RuntimeError, r"invalid number of forward gradients \(expected 1 but got 2\)"),
    "shape": (lambda t: t.sum(), RuntimeError, r"different size .* of size \[3\] while .* of size \[\]"),
    "kind": (lambda t: 1.0, TypeError, r"expected Variable or None \(got float\)"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_what_jvp_gives(mistake: str) -> None:
    give, error, words = MISTAKES[mistake]

    class Wrong(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return give(t)

    with pytest.raises(error, match=words):
        func.jvp(Wrong.apply, (point(),), (point(),))


def test_a_tangent_gets_the_dtype_of_its_output() -> None:
    class Narrow(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.float()

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t

    y, t = func.jvp(Narrow.apply, (point(),), (point(),))
    assert y.dtype == t.dtype == nb.float32


def test_a_function_without_jvp_is_refused() -> None:
    class Reverse(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

    with pytest.raises(NotImplementedError, match="must implement the jvp function for custom"):
        func.jvp(Reverse.apply, (point(),), (point(),))
    with pytest.raises(TypeError, match="save_for_forward expects all arguments to be tensors"):
        nb.autograd.FunctionCtx(()).save_for_forward(3)
