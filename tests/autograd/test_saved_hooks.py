"""Hooks on what custom functions and operators save."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
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


TRANSFORMS: dict[str, Callable[[Any, Any], Any]] = {
    "grad": lambda f, x: nb.func.grad(f)(x),
    "grad_and_value": lambda f, x: nb.func.grad_and_value(f)(x),
    "vjp": lambda f, x: nb.func.vjp(f, x),
    "jacrev": lambda f, x: nb.func.jacrev(f)(x),
    "hessian": lambda f, x: nb.func.hessian(f)(x),
    "vmap of grad": lambda f, x: nb.func.vmap(nb.func.grad(f))(x),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_of_reverse_mode_refuse_hooks_as_in_pytorch(name: str) -> None:
    x, run = nb.ones(2), TRANSFORMS[name]

    def hooked(x: Any) -> Any:
        with save_on_cpu():
            return (x * x).sum()

    with pytest.raises(RuntimeError, match="don't go with hooks on saved tensors"):
        run(hooked, x)
    with save_on_cpu(), pytest.raises(RuntimeError, match="don't go with hooks on saved tensors"):
        run(lambda x: (x * x).sum(), x)
    run(lambda x: (x * x).sum(), x)
    with save_on_cpu():
        nb.func.jvp(hooked, (x,), (x,))
        nb.func.jacfwd(nb.func.vmap(hooked))(nb.ones(2, 3))


@pytest.mark.parametrize("name", ["vjp", "jvp", "jacobian", "hessian", "vhp", "hvp"])
def test_functional_derivatives_go_with_hooks(name: str) -> None:
    def f(x: Any) -> Any:
        return (x * x * x).sum()

    def hooked(x: Any) -> Any:
        with save_on_cpu():
            return f(x)

    def run(f: Any) -> Any:
        v = () if name in ("jacobian", "hessian") else (nb.tensor(2.0) if name == "vjp" else nb.ones(2),)
        return getattr(nb.autograd.functional, name)(f, leaf(), *v)

    wanted = str(run(f))
    with save_on_cpu():
        assert str(run(f)) == wanted
    assert str(run(hooked)) == wanted
    with pytest.raises(RuntimeError, match="don't go with hooks"):
        nb.func.grad(hooked)(leaf())


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


# --- what operators save

A, B = [[0.3, 0.7], [0.2, 0.9]], [[1.0, 2.0], [3.0, 4.0]]
CALLS = {  # how often PyTorch packs, which unpacks as often
    "sin": (1, lambda x, y: x.sin()),
    "exp": (1, lambda x, y: x.exp()),
    "x * y": (2, lambda x, y: x * y),
    "x * x": (2, lambda x, y: x * x),
    "x * constant": (1, lambda x, y: x * y.detach()),
    "x * 2": (0, lambda x, y: x * 2),
    "x + y": (0, lambda x, y: x + y),
    "x / y": (2, lambda x, y: x / y),
    "matmul": (2, lambda x, y: x @ y),
    "x ** y": (3, lambda x, y: x**y),
    "x ** 2": (1, lambda x, y: x**2),
    "x ** 2.5": (1, lambda x, y: x**2.5),
    "softmax": (3, lambda x, y: nb.softmax(x, 0) * x),
    "sum": (0, lambda x, y: x.sum()),
    "prod": (2, lambda x, y: x.prod()),
    "std": (2, lambda x, y: x.std(0)),
    "logsumexp": (2, lambda x, y: x.logsumexp(0)),
    "maximum": (2, lambda x, y: nb.maximum(x, y)),
    "where": (1, lambda x, y: nb.where(x > 0.5, x, y)),
    "mse": (2, lambda x, y: nb.nn.functional.mse_loss(x, y)),
    "gelu": (1, lambda x, y: nb.nn.functional.gelu(x)),
    "in place": (2, lambda x, y: (x * 1).mul_(y)),
    "views": (3, lambda x, y: (x.t()[0] * x[1]).sin()),
    "chain": (6, lambda x, y: ((x @ y).tanh() * x).exp()),
}


def derivatives(f: Any, hooks: Any = None) -> Any:
    x, y = [nb.tensor(values, dtype=nb.float64, requires_grad=True) for values in (A, B)]
    with contextlib.nullcontext() if hooks is None else hooks:
        z = f(x, y)
    g, h = nb.autograd.grad(z.sum(), (x, y), create_graph=True, allow_unused=True, materialize_grads=True)
    seconds = nb.autograd.grad((g.sin() + h.sin()).sum(), (x, y), allow_unused=True) if g.requires_grad else ()
    return [None if a is None else a.tolist() for a in (z, g, h, *seconds)]


@pytest.mark.parametrize(("count", "f"), CALLS.values(), ids=CALLS)
def test_what_an_operator_saves_goes_through_hooks(count: int, f: Any) -> None:
    told = []

    def pack(a: Any) -> Any:
        told.append("pack")
        return a.numpy().copy()

    def unpack(a: Any) -> Any:
        told.append("unpack")
        return nb.from_numpy(a)

    for found, expected in zip(derivatives(f, saved_tensors_hooks(pack, unpack)), derivatives(f), strict=True):
        assert (found is None) is (expected is None)
        if found is not None:
            np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert told[:count] == ["pack"] * count and "pack" not in told[count:] and told.count("unpack") >= count


def test_a_derivative_reads_what_was_unpacked() -> None:
    x, w = leaf(1.0, 2.0), leaf(3.0, 5.0)
    with saved_tensors_hooks(lambda a: a * 2, lambda a: a):
        (x * w).sum().backward()
        x.exp().sum().backward(inputs=[x])
    assert w.grad.tolist() == [2.0, 4.0]
    np.testing.assert_allclose(x.grad.numpy(), [6 + 2 * math.e, 10 + 2 * math.e**2], rtol=1e-6)


def test_operators_are_packed_at_once_by_the_innermost_hooks_and_not_without_gradient() -> None:
    told: list[Any] = []

    def noting(name: str) -> Any:
        return saved_tensors_hooks(lambda a: told.append(name) or a, lambda a: a)

    x = leaf()
    with noting("outer"):
        y = x.sin()
        told.append("then")
        with noting("inner"):
            y = y.sin()
        y = y.cos()
        with nb.no_grad():
            x.sin()
        x.detach().sin()
    y.sin()
    assert told == ["outer", "then", "inner", "outer"]


def test_values_that_hooks_keep_elsewhere_are_not_kept() -> None:
    def kept(hooks: Any) -> int:
        x = nb.rand(1000, dtype=nb.float64).requires_grad_()
        with hooks:
            y = x
            for _ in range(10):
                y = (y.sin() * 1.5).cos()
            loss = y.sum()
        loss.item()
        held = sum([b.nbytes for b in loss._history[0].buffers if b is not None])
        loss.backward()
        return held

    assert kept(contextlib.nullcontext()) >= 80_000
    assert kept(saved_tensors_hooks(lambda a: a.float(), lambda a: a.double())) < 20_000


def test_a_graph_whose_saved_tensors_were_packed_is_used_once() -> None:
    x = leaf()
    with save_on_cpu():
        y = x * x
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert x.grad.tolist() == [4.0, 8.0]
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.sum().backward()


def test_what_hooks_on_operators_may_not_do() -> None:
    x = leaf()
    for unpack, error, words in (
        (lambda a: 5, TypeError, "expected to be a Tensor but got result of type int"),
        (lambda a: nb.ones(3), RuntimeError, "unpack_hook gave"),
    ):
        with saved_tensors_hooks(lambda a: a, unpack):
            y = x.sin()
        with pytest.raises(error, match=words):
            y.sum().backward()
    with saved_tensors_hooks(lambda a: a.mul_(2), lambda a: a), pytest.raises(RuntimeError, match="its input in place"):
        x.sin()
    assert (x * 2).tolist() == [2.0, 4.0]  # and all is as it was


def test_a_compiled_function_inside_hooks_runs_as_it_is_written() -> None:
    told = []
    f = nb.compile(lambda x: (x * x).sin())
    x = leaf()
    for _ in range(4):
        f(x)
    with saved_tensors_hooks(lambda a: told.append(1) or a, lambda a: a):
        f(x).sum().backward()
    assert len(told) == 3
    np.testing.assert_allclose(x.grad.numpy(), [2 * math.cos(1), 4 * math.cos(4)], rtol=1e-5)


def test_nodes_show_what_was_saved() -> None:
    x, w = leaf(), leaf(3.0, 4.0)
    y = x * w
    z = y.exp()
    first, second = y.grad_fn, z.grad_fn
    assert first._saved_self is x and first._saved_other is w and second._saved_result.grad_fn is second
    assert {"_saved_self", "_saved_other"} <= set(dir(first)) and (x * 2).grad_fn.name() == "MulBackward0"
    z.tolist()
    assert second._saved_result.tolist() == z.tolist() and first._saved_self is x
    assert y.sin().grad_fn._saved_self.grad_fn is first and (x @ w).grad_fn._saved_tensor is w
    with pytest.raises(AttributeError, match="'MulBackward0' object has no attribute '_saved_result'"):
        _ = first._saved_result
    z.sum().backward()
    for node, name in ((first, "_saved_self"), (second, "_saved_result")):
        with pytest.raises(RuntimeError, match="directly access saved tensors after they have already been freed"):
            getattr(node, name)


def test_nodes_show_what_was_unpacked() -> None:
    x = leaf()
    with saved_tensors_hooks(lambda a: a.tolist(), nb.tensor):
        y = x.sin()
    assert y.grad_fn._saved_self.tolist() == [1.0, 2.0] and y.grad_fn._saved_self.requires_grad


def test_contexts_that_end_in_another_order_leave_nothing_behind() -> None:
    packed: list[Any] = []

    def counted(a: Any) -> Any:
        packed.append(a)
        return a

    x = nb.ones(3, requires_grad=True)
    outer, inner = saved_tensors_hooks(counted, lambda a: a), saved_tensors_hooks(lambda a: a, lambda a: a)
    outer.__enter__()
    inner.__enter__()
    outer.__exit__()  # the one that was entered last ends, as in PyTorch
    _ = x * x
    assert len(packed) == 2
    inner.__exit__()
    _ = x * x
    assert len(packed) == 2
    with pytest.raises(RuntimeError, match="inside of none"):
        inner.__exit__()
