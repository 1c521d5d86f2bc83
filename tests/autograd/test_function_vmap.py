"""Custom functions inside vmap: with a ``vmap`` of their own and with one that is made, inside every nesting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad import func
from nbgrad.autograd import Function

F = nb.nn.functional


class MadeProduct(Function):
    """Two outputs, and an argument that is no tensor."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any, y: Any, k: float) -> Any:
        return x * y * k, x + y

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        x, y, ctx.k = inputs
        ctx.save_for_backward(x, None, y)
        ctx.save_for_forward(x, y)

    @staticmethod
    def backward(ctx: Any, a: Any, b: Any) -> Any:
        x, _, y = ctx.saved_tensors
        return a * y * ctx.k + b, a * x * ctx.k + b, None

    @staticmethod
    def jvp(ctx: Any, tx: Any, ty: Any, _: Any) -> Any:
        x, y = ctx.saved_tensors
        return (tx * y + x * ty) * ctx.k, tx + ty


class MadeExp(Function):
    """Saves its output, and something besides."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any) -> Any:
        return x.exp()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(inputs[0] * 0 + 2, output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        two, y = ctx.saved_tensors
        return g * y * two / 2

    @staticmethod
    def jvp(ctx: Any, t: Any) -> Any:
        return t * ctx.saved_tensors[0]


class Product(MadeProduct):
    generate_vmap_rule = False

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Any, y: Any, k: float) -> Any:
        assert in_dims[2] is None
        x, y = (
            a if d is not None else a.expand(info.batch_size, *a.shape)
            for a, d in zip((x, y), in_dims[:2], strict=True)
        )
        a, b = Product.apply(x, y, k)
        return (a, nb.movedim(b, 0, -1)), (0, -1)


class Exp(MadeExp):
    generate_vmap_rule = False

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Any) -> Any:
        assert in_dims == (0,)
        return Exp.apply(x), 0


def custom(product: Any, exp: Any) -> Callable[..., Any]:
    def f(x: Any, w: Any) -> Any:
        a, b = product(x, exp(x.sin()), 2.0)
        c, d = product(a, w, 3.0)
        return (exp(a) * b + c + d * c).sum()

    return f


plain = custom(lambda x, y, k: (x * y * k, x + y), nb.exp)
CUSTOM = {"made": custom(MadeProduct.apply, MadeExp.apply), "own": custom(Product.apply, Exp.apply)}


def numbers(*shape: int, seed: int = 0) -> Any:
    return nb.tensor(np.random.default_rng(seed).normal(size=shape) * 0.5)


def close(got: Any, want: Any) -> None:
    np.testing.assert_allclose(np.array(got.tolist()), np.array(want.tolist()), rtol=1e-9, atol=1e-9)


def each(f: Callable[..., Any]) -> Callable[..., Any]:
    return func.vmap(f, in_dims=(0, None))


def outside(f: Callable[..., Any], x: Any, w: Any) -> Any:
    """By ``backward``, through a gradient of each example."""
    x, w = x.clone().requires_grad_(), w.clone().requires_grad_()
    each(func.grad(f))(x, w).square().sum().backward()
    return x.grad + w.grad


NESTED: dict[str, Callable[..., Any]] = {
    "vmap": lambda f, x, w: each(f)(x, w),
    "vmap by the second": lambda f, x, w: func.vmap(f, in_dims=(None, 1))(w, x.T),
    "vmap by both": lambda f, x, w: func.vmap(f)(x, x),
    "chunks": lambda f, x, w: func.vmap(f, in_dims=(0, None), chunk_size=1)(x, w),
    "vmap of grad": lambda f, x, w: each(func.grad(f))(x, w),
    "vmap of grad by what is the same": lambda f, x, w: each(func.grad(f, 1))(x, w),
    "grad of vmap": lambda f, x, w: func.grad(lambda x: each(f)(x, w).sum())(x),
    "grad of vmap by what is the same": lambda f, x, w: func.grad(lambda w: each(f)(x, w).sum())(w),
    "jvp of vmap": lambda f, x, w: func.jvp(lambda x, w: each(f)(x, w), (x, w), (x.sin(), w.sin()))[1],
    "jvp of vmap by what is the same": lambda f, x, w: func.jvp(lambda w: each(f)(x, w), (w,), (w.sin(),))[1],
    "vmap of jvp": lambda f, x, w: func.vmap(lambda a: func.jvp(f, (a, w), (a.sin(), w.sin()))[1])(x),
    "vmap of hessian": lambda f, x, w: each(func.hessian(f))(x, w),
    "hessian of vmap": lambda f, x, w: func.hessian(lambda x: each(f)(x, w).sum())(x),
    "jacrev of grad of vmap": lambda f, x, w: func.jacrev(func.grad(lambda x: each(f)(x, w).sum()))(x),
    "grad of vmap of grad": lambda f, x, w: func.grad(lambda w: each(func.grad(f))(x, w).square().sum())(w),
    "vmap of vmap": lambda f, x, w: func.vmap(lambda a: each(f)(x, a))(x),
    "what only the outer knows": lambda f, x, w: func.vmap(lambda a: func.vmap(lambda b: f(a, w) * b)(x))(x),
    "vmap of vmap of grad": lambda f, x, w: func.vmap(lambda a: each(func.grad(f))(x, a))(x),
    "vmap of grad of vmap": lambda f, x, w: func.vmap(func.grad(lambda a: each(f)(x, a).sum()))(x),
    "grad of vmap of vmap": lambda f, x, w: func.grad(lambda x: func.vmap(lambda a: each(f)(x, a))(x).sum())(x),
    "backward outside": outside,
    "compiled": lambda f, x, w: [nb.compile(lambda x: each(func.grad(f))(x, w))(x) for _ in range(4)][3],
}


@pytest.mark.parametrize("rule", CUSTOM)
@pytest.mark.parametrize("nesting", NESTED)
def test_examples_are_those_of_the_same_operations(nesting: str, rule: str) -> None:
    transform = NESTED[nesting]
    x, w = numbers(2, 3), numbers(3, seed=1)
    got = transform(CUSTOM[rule], x, w)
    close(got, transform(plain, x, w))
    assert not got.requires_grad


@pytest.mark.parametrize("rule", CUSTOM)
def test_it_agrees_with_a_loop(rule: str) -> None:
    f, x, w = CUSTOM[rule], numbers(4, 3), numbers(3, seed=1)
    close(each(func.grad(f))(x, w), nb.stack([func.grad(f)(a, w) for a in x]))


def test_what_vmap_is_told() -> None:
    told: list[Any] = []

    class Watch(Product):
        @staticmethod
        def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
            told.append((info.batch_size, info.randomness, in_dims, args[0].shape, args[2]))
            return args[0], 0

    func.vmap(lambda x: Watch.apply(x, numbers(3), 5.0), in_dims=1, randomness="same")(numbers(3, 4))
    assert told == [(4, "same", (0, None, None), (4, 3), 5.0)]
    Watch.apply(numbers(3), numbers(3), 1.0)
    func.vmap(lambda x: x * Watch.apply(numbers(3), numbers(3), 1.0)[0])(numbers(2, 3))
    assert len(told) == 1  # none of these depends on examples


def test_an_output_that_is_the_same_for_all() -> None:
    class Same(Exp):
        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> Any:
            return x.sum(0), None

    x = numbers(4, 3)
    close(func.vmap(Same.apply)(x), x.sum(0).expand(4, 3))


def test_outputs_without_derivative_and_random_numbers() -> None:
    class Noisy(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Any) -> Any:
            return x + nb.rand(3), (x > 0).sum()

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.mark_non_differentiable(output[1])

        @staticmethod
        def backward(ctx: Any, g: Any, _: Any) -> Any:
            return g * 3

    x = numbers(4, 3)
    noisy, count = func.vmap(Noisy.apply, randomness="different")(x)
    assert count.tolist() == (x > 0).sum(1).tolist()
    noise = np.array((noisy - x).tolist())
    assert np.unique(noise.round(6)).size == 12
    noise = np.array((func.vmap(Noisy.apply, randomness="same")(x)[0] - x).tolist())
    np.testing.assert_allclose(noise, noise[:1].repeat(4, 0))
    with pytest.raises(RuntimeError, match="randomness error mode"):
        func.vmap(Noisy.apply)(x)
    slope = func.vmap(func.grad(lambda a: Noisy.apply(a)[0].sum()), randomness="different")(x)
    close(slope, nb.full((4, 3), 3.0))


def test_missing_gradients_are_none_or_zeros() -> None:
    seen: list[Any] = []

    class Watch(MadeProduct):
        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.set_materialize_grads(inputs[2])

        @staticmethod
        def backward(ctx: Any, a: Any, b: Any) -> Any:
            seen.append(None if b is None else b.shape)
            return a, None, None

    x, w = numbers(2, 3), numbers(3)
    for materialize in (True, False):
        y = func.grad(lambda x, m=materialize: each(lambda a, w: Watch.apply(a, w, m)[0])(x, w).sum())(x)
        close(y, nb.ones(2, 3))
    assert seen == [(3,), None]


MISTAKES: dict[str, tuple[Any, type[Exception], str]] = {
    "no dims": (lambda x: x, RuntimeError, "to have two returns, an output and out_dims .* Got a <class .*Tensor"),
    "three": (lambda x: (x, 0, 0), RuntimeError, "Got 3 returns instead"),
    "other dims": (lambda x: (x, (0,)), RuntimeError, r"returned an incompatible \(output, out_dims\) tuple"),
    "no such dim": (lambda x: (x, 3), IndexError, r"expected to be in range of \[-2, 1\], but got 3"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_what_vmap_gives(mistake: str) -> None:
    give, error, words = MISTAKES[mistake]

    class Wrong(Exp):
        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> Any:
            return give(x)

    with pytest.raises(error, match=words):
        func.vmap(Wrong.apply)(numbers(2, 3))


def test_functions_that_vmap_refuses() -> None:
    class Both(Exp):
        generate_vmap_rule = True

    class Old(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

    class Neither(MadeExp):
        generate_vmap_rule = False

    class Dirty(MadeExp):
        @staticmethod
        def forward(x: Any) -> Any:
            return x.mul_(2)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.mark_dirty(*inputs)

    x = numbers(2, 3)
    for function, words in (
        (Both, "has both generate_vmap_rule=True and an overridden vmap staticmethod"),
        (Old, "must override the setup_context staticmethod"),
        (Dirty, "writes its input in place"),
    ):
        with pytest.raises(RuntimeError, match=words):
            func.vmap(function.apply)(x * 1)
    with pytest.raises(RuntimeError, match="vmap over Neither, but it does not have vmap support"):
        func.grad(lambda x: func.vmap(Neither.apply)(x).sum())(x)
    with pytest.raises(NotImplementedError, match="override the vmap staticmethod or set generate_vmap_rule=True"):
        Neither.vmap(None, ())
    close(func.vmap(Exp.apply)(x), x.exp())  # nothing of it stays


def test_nothing_is_kept_when_vmap_is_over() -> None:
    w = numbers(3).requires_grad_()
    y = func.vmap(CUSTOM["made"], in_dims=(0, None))(numbers(2, 3), w)
    assert y.sum().item() == pytest.approx(func.vmap(plain, in_dims=(0, None))(numbers(2, 3), w).sum().item())
    y.sum().backward()
    assert w.grad is not None


class Reverse(Function):
    """A view of its input."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any) -> Any:
        return x.view(-1)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return -g


class OwnReverse(Reverse):
    generate_vmap_rule = False

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Any) -> Any:
        return OwnReverse.apply(x.view(-1)).view(x.shape), 0


@pytest.mark.parametrize("function", [Reverse, OwnReverse])
def test_a_view_of_the_input_may_be_used_and_not_written(function: type[Function]) -> None:
    x = numbers(2, 3)
    close(func.vmap(func.grad(lambda a: (function.apply(a * 2) * a).sum()))(x), 2 * x - 2 * x)
    close(func.grad(lambda x: func.vmap(function.apply)(x).sum())(x), -nb.ones(2, 3))

    def written(a: Any, other: bool) -> Any:
        b = a * 1
        y = function.apply(b)
        (y if other else b).mul_(2)
        return (y * b).sum()

    for other in (True, False):
        for transform in (lambda f: f, func.grad, lambda f: lambda a: func.vmap(lambda c: f(a) * c)(x[0])):
            with pytest.raises(RuntimeError, match="gave a view of its input, and one of the two was written"):
                func.vmap(transform(lambda a, other=other: written(a, other)))(x)


def test_a_backward_that_is_differentiable_once_is_no_constant() -> None:
    class Once(Exp):
        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> Any:
            return Once.apply(x), 0

        @staticmethod
        @nb.autograd.function.once_differentiable
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.saved_tensors[1]

    def f(a: Any) -> Any:
        return Once.apply(a).sum()

    x = numbers(2, 3)
    close(func.grad(f)(x), x.exp())
    close(func.vmap(func.grad(f))(x), x.exp())
    assert not func.grad(f)(x).requires_grad
    with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
        func.grad(lambda a: func.grad(f)(a).sum())(x)
    with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
        func.grad(lambda a: func.vmap(func.grad(f))(a).sum())(x)
    with pytest.raises(NotImplementedError, match="must implement the jvp function"):
        func.jvp(func.grad(f), (x,), (x,))
