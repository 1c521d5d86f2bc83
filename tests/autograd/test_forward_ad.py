"""Dual tensors: against answers written by hand, and differences; whatever ends a segment in between."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.autograd import forward_ad as fw
from nbgrad.trace import local
from nbgrad.utils.checkpoint import checkpoint
from tests.differences import STEP


def vector(*values: float, **how: Any) -> Any:
    return nb.tensor(values, **how)


def tangent(y: Any) -> Any:
    """The tangent of ``y`` as numbers; None where there is none."""
    t = fw.unpack_dual(y).tangent
    return None if t is None else t.tolist()


def keep(y: Any) -> Any:
    return y


def look(y: Any) -> Any:
    """``y``, after a look at it: the segment ends."""
    y.tolist()
    return y


@pytest.fixture(params=[keep, look])
def seen(request: Any) -> Callable[[Any], Any]:
    """What is done with each value on the way."""
    return request.param  # type: ignore[no-any-return]


def test_a_dual_carries_a_tangent_through_operations(seen: Any) -> None:
    x, v = vector(1.0, 2.0), vector(1.0, 10.0)
    with fw.dual_level() as level:
        assert level == 0
        d = seen(fw.make_dual(x, v))
        y = seen(d * d)
        assert tangent(y) == [2.0, 40.0]
        assert tangent(seen(y * d + x)) == [3.0, 120.0]
        assert tangent(d.sum()) == 11.0
        assert tangent(x * 2) is None
        assert tangent(d.argmax()) is None
        assert tangent(d.to(nb.float64)) == [1.0, 10.0]


def test_what_is_unpacked_has_no_tangent_itself(seen: Any) -> None:
    x, v = vector(1.0, 2.0), vector(1.0, 10.0)
    with fw.dual_level():
        d = seen(fw.make_dual(x, v))
        assert fw.unpack_dual(d).tangent is v
        y = fw.unpack_dual(seen(d * d))
        assert isinstance(y, fw.UnpackedDualTensor) and y._fields == ("primal", "tangent")
        for part in y:
            assert tangent(part) is None and tangent(part * 2) is None
        assert tangent(y.primal * d) == [1.0, 40.0]
        v.mul_(3)
        assert tangent(d * 1) == [3.0, 30.0] and tangent(y.primal * d) == [3.0, 120.0]


def test_duals_look_as_their_primals_do() -> None:
    v = vector(1.0, 10.0)
    with fw.dual_level():
        d = fw.make_dual(vector(1.0, 2.0), v)
        assert not d.requires_grad and d.is_leaf and d.grad_fn is None
        with pytest.raises(RuntimeError, match="does not require grad"):
            (d * d).sum().backward()
        r = fw.make_dual(vector(1.0, 2.0, requires_grad=True), v)
        assert r.requires_grad and not r.is_leaf and r.grad_fn.name() == "ViewBackward0"


@pytest.mark.cpu
def test_duals_print_their_tangents() -> None:
    with fw.dual_level():
        d = fw.make_dual(vector(1.0, 2.0), vector(1.0, 10.0))
        assert repr(d) == "tensor([1., 2.], tangent=tensor([ 1., 10.]))"
        assert repr(fw.unpack_dual(d).primal) == "tensor([1., 2.])"
        r = fw.make_dual(nb.tensor(2.0, requires_grad=True), nb.tensor(1.0)) * 3
        assert repr(r) == "tensor(6., grad_fn=<MulBackward0>, tangent=tensor(3.))"
    assert repr(d) == "tensor([1., 2.])"


def test_tangents_end_with_the_level() -> None:
    x, v = vector(1.0, 2.0), vector(1.0, 10.0)
    with fw.dual_level():
        d = fw.make_dual(x, v)
        y, looked = d * d, look(d * 3)
    assert [fw.unpack_dual(z).tangent for z in (d, y, looked)] == [None, None, None]
    assert fw.unpack_dual(y).primal is y
    with fw.dual_level():
        assert [tangent(z) for z in (d, y, looked, y * d)] == [None] * 4
        assert tangent(fw.make_dual(y, v) * d) == [1.0, 20.0]


def test_levels_are_opened_and_closed_as_in_pytorch() -> None:
    assert fw.enter_dual_level() == 0
    with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported"):
        fw.enter_dual_level()
    with pytest.raises(RuntimeError, match="not the last one that was created"):
        fw.exit_dual_level(level=3)
    assert fw.unpack_dual(fw.make_dual(vector(1.0), vector(2.0)), level=-1).tangent is None
    with pytest.raises(RuntimeError, match="Invalid level"):
        fw.make_dual(vector(1.0), vector(2.0), level=5)
    fw.exit_dual_level(level=0)
    with pytest.raises(RuntimeError, match="Dual level must be a positive number"):
        fw.exit_dual_level()
    with pytest.raises(RuntimeError, match="no level exists"):
        fw.make_dual(vector(1.0), vector(2.0))

    @fw.dual_level()
    def slope(x: Any) -> Any:
        return fw.unpack_dual(fw.make_dual(x, nb.ones(1)) ** 2).tangent

    assert slope(vector(3.0)).tolist() == [6.0]
    with pytest.raises(ZeroDivisionError), fw.dual_level():
        raise ZeroDivisionError
    assert local.trace.duals is None


def test_mistakes_have_the_errors_of_pytorch() -> None:
    x, v = vector(1.0, 2.0), vector(1.0, 10.0)
    with fw.dual_level():
        d = fw.make_dual(x, v)
        with pytest.raises(ValueError, match="Expected primal to be floating point"):
            fw.make_dual(nb.tensor([1, 2]), v)
        with pytest.raises(ValueError, match="Expected tangent to be floating point"):
            fw.make_dual(x, nb.tensor([1, 2]))
        with pytest.raises(
            RuntimeError, match=r"Tensor is of size \[2\] while the given forward gradient is of size \[1"
        ):
            fw.make_dual(x, nb.ones(1))
        with pytest.raises(RuntimeError, match="already has a forward gradient"):
            fw.make_dual(d * 2, v)
        with pytest.raises(RuntimeError, match="itself has a forward gradient"):
            fw.make_dual(x, look(d * 2))
        with pytest.raises(TypeError):
            fw.make_dual(1.0, v)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            fw.unpack_dual(1.0)
        assert tangent(fw.make_dual(x, v.to(nb.float64)) * 2) == [2.0, 20.0]


def test_forward_mode_goes_on_without_grad_mode(seen: Any) -> None:
    x = vector(1.0, 2.0, requires_grad=True)
    with fw.dual_level(), nb.no_grad():
        y = seen(fw.make_dual(x, vector(1.0, 10.0)) * 3)
        t = fw.unpack_dual(seen(y * y)).tangent
        assert t.tolist() == [18.0, 360.0] and not t.requires_grad


def test_detached_tensors_have_no_tangent(seen: Any) -> None:
    with fw.dual_level():
        d = seen(fw.make_dual(vector(1.0, 2.0), vector(1.0, 10.0)))
        y = seen(d * d)
        assert tangent(y.detach()) is None and tangent(y.data) is None
        assert tangent(y.detach() * d) == [1.0, 40.0]
        assert tangent(y[1:].detach() + 1) is None
        assert tangent(y) == [2.0, 40.0]


def test_writes_in_place_carry_tangents(seen: Any) -> None:
    with fw.dual_level():
        d = seen(fw.make_dual(vector(1.0, 2.0), vector(1.0, 10.0)))
        y = seen(d * 1)
        y.mul_(y)
        assert tangent(seen(y)) == [2.0, 40.0]
        y[0] = 5.0
        assert tangent(seen(y)) == [0.0, 40.0]
        z = nb.zeros(3)
        z[1:] = d
        assert tangent(seen(z)) == [0.0, 1.0, 10.0]
        z.mul_(2)
        assert tangent(seen(z)) == [0.0, 2.0, 20.0]
        z.zero_()
        assert tangent(seen(z)) is None and tangent(z + d.sum()) == [11.0] * 3


def test_views_carry_tangents(seen: Any) -> None:
    with fw.dual_level():
        d = seen(fw.make_dual(vector(1.0, 2.0), vector(1.0, 10.0)))
        assert tangent(seen(d[1:]) * 2) == [20.0]
        base = nb.zeros(2)
        window = seen(base[:1])
        base.add_(d)
        assert tangent(seen(window)) == [1.0]
        window.mul_(3)
        assert tangent(seen(base)) == [3.0, 10.0]
        assert tangent(window) == [3.0]


def test_detached_tensors_are_written_apart_from_tangents(seen: Any) -> None:
    with fw.dual_level():
        d = seen(fw.make_dual(vector(1.0, 2.0), vector(1.0, 10.0)))
        y = seen(d * 1)
        alias = seen(y.detach())
        y.mul_(2)
        assert seen(alias).tolist() == [2.0, 4.0] and tangent(alias) is None
        alias.mul_(3)
        assert seen(y).tolist() == [6.0, 12.0] and tangent(seen(y)) == [2.0, 20.0]
        y.data.add_(d)
        assert tangent(seen(y) * 1) == [2.0, 20.0] and tangent(y[1:]) == [20.0]


@pytest.mark.parametrize("is_read", [False, True], ids=["pending", "in memory"])
def test_a_dual_sees_writes_to_its_primal_and_keeps_its_tangent(is_read: bool) -> None:
    with fw.dual_level():
        p = nb.tensor([1.0, 2.0]) * 1
        if is_read:
            p.tolist()
        d = fw.make_dual(p, nb.tensor([10.0, 20.0]))
        y = d * d
        p.add_(1)
        z = d * d
        p[:1].fill_(7)
        p.detach().mul_(2)
        primal, tangent = fw.unpack_dual(d * d)
        assert y.tolist() == [1.0, 4.0] and fw.unpack_dual(y).tangent.tolist() == [20.0, 80.0]
        assert z.tolist() == [4.0, 9.0] and fw.unpack_dual(z).tangent.tolist() == [40.0, 120.0]
        assert primal.tolist() == [196.0, 36.0] and tangent.tolist() == [280.0, 240.0]
        assert d.tolist() == p.tolist() == [14.0, 6.0] and fw.unpack_dual(p * p).tangent is None
    p.add_(1)
    assert d.tolist() == [15.0, 7.0]


@pytest.mark.parametrize("is_read", [False, True], ids=["pending", "in memory"])
def test_the_primal_that_unpack_dual_gives_shows_the_memory_of_the_tensor(is_read: bool) -> None:
    with fw.dual_level():
        p = nb.tensor([1.0, 2.0])
        d = fw.make_dual(p, nb.tensor([10.0, 20.0]))
        y = d * d
        primals = [fw.unpack_dual(x).primal for x in (d, y)]
        if is_read:
            y.tolist()
        p.add_(1)
        y.add_(1)
        assert [x.tolist() for x in primals] == [[2.0, 3.0], [2.0, 5.0]]
        primals[0].mul_(2)
        primals[1].mul_(2)
        assert p.tolist() == d.tolist() == [4.0, 6.0] and y.tolist() == [4.0, 10.0]
        assert tangent(d) == [10.0, 20.0] and tangent(y) == [20.0, 80.0]
        assert all(fw.unpack_dual(x * 1).tangent is None for x in primals)


def test_a_primal_gets_no_history_by_a_write_that_its_dual_would_not_have() -> None:
    p, w = nb.zeros(2), nb.ones(2, requires_grad=True)
    with fw.dual_level():
        d = fw.make_dual(p, nb.ones(2))
        for shown in (p, p[:1], fw.unpack_dual(d).primal):
            with pytest.raises(RuntimeError, match=r"add_: a tensor that requires grad is written into the primal"):
                shown.add_(w[: len(shown)])
        with nb.no_grad():
            p.add_(w)
        assert d.tolist() == [1.0, 1.0] and tangent(d) == [1.0, 1.0] and not p.requires_grad
    p.add_(w)
    assert p.requires_grad


def test_what_make_dual_gives_is_written_with_its_primal_and_tangent() -> None:
    x, v = vector(1.0, 2.0), vector(1.0, 10.0)
    with fw.dual_level():
        d = fw.make_dual(x, v)
        before, first = d * 3, d[:1]
        d.mul_(2)
        assert tangent(x) is None and x.tolist() == d.tolist() == [2.0, 4.0]
        assert fw.unpack_dual(d).tangent is v and v.tolist() == [2.0, 20.0]
        assert tangent(before) == [3.0, 30.0] and tangent(first) == [2.0]
        d[:1].mul_(d[1:])
        assert d.tolist() == [8.0, 4.0] and v.tolist() == [2.0 * 4 + 2 * 20, 20.0]
        d[1] = 1.0
        assert tangent(d * d) == [2 * 8 * 48.0, 0.0]
        d.zero_()
        assert x.tolist() == [0.0, 0.0] and v.tolist() == [0.0, 0.0]
    d.add_(1)
    assert x.tolist() == [1.0, 1.0] and v.tolist() == [0.0, 0.0]


def test_the_dual_of_what_requires_grad_is_not_written() -> None:
    with fw.dual_level():
        d = fw.make_dual(vector(1.0, 2.0, requires_grad=True), vector(1.0, 10.0))
        for write in (lambda: d.mul_(2), lambda: d.zero_(), lambda: d[:1].add_(1), lambda: d.__setitem__(0, 1.0)):
            with pytest.raises(RuntimeError, match=r"Write a clone\(\) of it"):
                write()
        assert d.tolist() == [1.0, 2.0]
        d.clone().mul_(2)


@pytest.mark.cpu
def test_memory_that_numpy_sees_keeps_the_tangent_of_what_shows_it() -> None:
    with fw.dual_level():
        d = fw.make_dual(vector(1.0, 2.0), vector(1.0, 10.0))
        y = d * d
        with pytest.raises(RuntimeError, match=r"Use tensor.detach\(\).numpy\(\)"):
            y.numpy()
        array = y.detach().numpy()
        assert array.tolist() == [1.0, 4.0]
        assert tangent(y * 2) == [4.0, 80.0] and tangent(y[1]) == 40.0 and tangent(y[1:] * d[1]) == [4 * 10 + 40 * 2.0]
        array[0] = 7.0
        assert tangent(y * d) == [2 * 1 + 7.0, 40 * 2 + 4 * 10.0]


def test_forward_over_reverse(seen: Any) -> None:
    x, v = vector(1.0, 2.0, requires_grad=True), vector(1.0, 10.0)
    with fw.dual_level():
        d = seen(fw.make_dual(x, v))
        (g,) = nb.autograd.grad(seen(seen(d**3).sum()), x)
        assert tangent(seen(g)) == [6.0, 120.0]  # 6 x v
        seen(d**3).sum().backward()
        assert tangent(seen(x.grad)) == [6.0, 120.0]


def test_gradients_by_others_than_what_the_tangent_is_of(seen: Any) -> None:
    w = nb.tensor([[0.5], [2.0]], requires_grad=True)
    with fw.dual_level():
        x = seen(fw.make_dual(nb.tensor([[1.0, 3.0]]), nb.tensor([[1.0, 10.0]])))
        y = seen(x @ w)  # 6.5, and 20.5 along v
        seen(y.square()).sum().backward()
        assert tangent(seen(w.grad)) == [[2 * (20.5 + 6.5)], [2 * (20.5 * 3 + 6.5 * 10)]]


def test_forward_over_reverse_in_a_loop() -> None:
    w, v = vector(1.0, 2.0, requires_grad=True), vector(1.0, 10.0)
    for _ in range(6):  # compiled code takes over on the way
        with fw.dual_level():
            w.grad = None
            (fw.make_dual(w, v) ** 3).sum().backward()
            np.testing.assert_allclose(tangent(w.grad), 6 * w.detach().numpy() * [1, 10], rtol=1e-6)
            with nb.no_grad():
                w -= 0.1 * w.grad  # type: ignore[operator]


def test_reverse_over_forward(seen: Any) -> None:
    x, v = vector(1.0, 2.0, requires_grad=True), vector(1.0, 10.0, requires_grad=True)
    with fw.dual_level():
        y = seen(seen(fw.make_dual(x, v) ** 2) * 3)
        t = fw.unpack_dual(y).tangent  # 6 x v
        assert t.requires_grad and fw.unpack_dual(y).primal.requires_grad
        seen(t).sum().backward()
    assert x.grad.tolist() == [6.0, 60.0] and v.grad.tolist() == [6.0, 12.0]


def test_a_hessian_times_a_vector_of_a_network() -> None:
    nb.manual_seed(0)
    net = nb.nn.Sequential(nb.nn.Linear(3, 4), nb.nn.Tanh(), nb.nn.Linear(4, 1)).double()
    x = nb.randn(5, 3, dtype=nb.float64)
    parameters = dict(net.named_parameters())
    along = {name: nb.randn_like(p) for name, p in parameters.items()}

    def loss(weights: Any) -> Any:
        return nb.func.functional_call(net, weights, (x,)).square().mean()

    with fw.dual_level():
        duals = {name: fw.make_dual(p, along[name]) for name, p in parameters.items()}
        y = loss(duals)
        grads = nb.autograd.grad(y, list(parameters.values()))
        products = [np.array(tangent(g)) for g in grads]
        slope = tangent(y)
    moved = [
        {name: (p.detach() + k * STEP * along[name]).requires_grad_() for name, p in parameters.items()}
        for k in (1, -1)
    ]
    values = [loss(weights) for weights in moved]
    np.testing.assert_allclose(slope, (values[0] - values[1]).item() / (2 * STEP), rtol=1e-6)
    high, low = [nb.autograd.grad(y, list(w.values())) for y, w in zip(values, moved, strict=True)]
    for product, h, g in zip(products, high, low, strict=True):
        np.testing.assert_allclose(product, ((h - g) / (2 * STEP)).numpy(), rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: nb.softmax(x, dim=0),
        lambda x: x.sort(descending=True).values.cumsum(0),
        lambda x: nb.outer(x, x).tanh(),
        lambda x: nb.nn.functional.hardtanh(x, -1.0, 1.0) * x.max(),
        lambda x: nb.where(x > 0, x.exp(), x),
        lambda x: nb.linalg.inv(nb.outer(x, x) + nb.eye(3, dtype=nb.float64)),
        lambda x: nb.stack([x, x.flip(0)]).norm(dim=1),
    ],
)
def test_against_differences(f: Any, seen: Any) -> None:
    at, v = np.array([0.3, -1.2, 2.1]), np.array([1.0, -0.5, 0.7])
    with fw.dual_level():
        found = tangent(f(seen(fw.make_dual(nb.tensor(at), nb.tensor(v)) * 1)))
    high, low = (f(nb.tensor(at + k * STEP * v)).numpy() for k in (1, -1))
    np.testing.assert_allclose(found, (high - low) / (2 * STEP), rtol=1e-7, atol=1e-9)


def run_at_random(seed: int, x: Any, looks: bool) -> list[Any]:
    """Values of a program with operations, views, and writes in place, with and without grad mode."""
    rng = random.Random(seed)
    found = [x * 1, nb.linspace(0.2, 1.0, 4, dtype=nb.float64)]
    for _ in range(rng.randrange(4, 14)):
        a, b, i = rng.choice(found), rng.choice(found), rng.randrange(4)
        what = rng.randrange(7)
        with nb.no_grad() if rng.random() < 0.3 else nb.enable_grad():
            if what == 0:
                found.append(rng.choice([nb.sin, nb.tanh, nb.sigmoid, nb.clone])(a))
            elif what == 1:
                found.append(a * b)
            elif what == 2:
                found.append(a.reshape(2, 2).t().reshape(4) - b[i])
            elif what == 3:
                found.append(a[:])
            elif what == 4:
                a[i:] = b[: 4 - i].clone()
            elif what == 5:
                a[i] = 0.5
            else:
                a[1:].mul_(b[:3])
        seen = rng.choice(found)
        if rng.random() < 0.3 and looks:
            seen.tolist()
    return found


@pytest.mark.parametrize("looks", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_random_programs_against_differences(seed: int, looks: bool) -> None:
    at, v = np.random.default_rng(seed).uniform(-1, 1, (2, 4))
    with fw.dual_level():
        found = run_at_random(seed, fw.make_dual(nb.tensor(at), nb.tensor(v)), looks)
        tangents = [np.zeros(4) if (t := tangent(y)) is None else t for y in found]
    high, low = (run_at_random(seed, nb.tensor(at + k * STEP * v), looks=False) for k in (1, -1))
    for t, h, g in zip(tangents, high, low, strict=True):
        np.testing.assert_allclose(t, (h - g).numpy() / (2 * STEP), rtol=1e-6, atol=1e-8)


def test_parameters_of_modules_are_replaced_by_duals() -> None:
    model = nb.nn.Linear(2, 1)
    x = vector(1.0, 2.0)
    parameters = dict(model.named_parameters())
    with fw.dual_level():
        for name, p in parameters.items():
            delattr(model, name)
            setattr(model, name, fw.make_dual(p, nb.ones_like(p)))
        y = fw.unpack_dual(model(x))
    assert y.tangent.tolist() == [4.0] and y.primal.requires_grad


def test_batch_statistics_have_tangents_as_values_do() -> None:
    net = nb.nn.BatchNorm1d(1)
    with fw.dual_level():
        net(fw.make_dual(nb.tensor([[1.0], [3.0]]), nb.tensor([[2.0], [4.0]])))
        assert tangent(net.running_mean) == pytest.approx([0.3])  # 0.1 of the mean's
    assert not net.running_mean.requires_grad


class Product(nb.autograd.Function):
    """Whose jvp is 100 times what it should be."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.save_for_forward(x, y)
        ctx.save_for_backward(x, y)
        return x * y, x + 1

    @staticmethod
    def backward(ctx: Any, a: Any, b: Any) -> Any:
        x, y = ctx.saved_tensors
        return a * y + b, a * x

    @staticmethod
    def jvp(ctx: Any, tx: Any, ty: Any) -> Any:
        x, y = ctx.saved_tensors
        return 100 * (tx * y + x * ty), tx


@pytest.mark.parametrize("requires_grad", [False, True])
def test_custom_functions_are_run_forward_by_their_jvp(requires_grad: bool, seen: Any) -> None:
    x, v = vector(1.0, 2.0, requires_grad=requires_grad), vector(1.0, 10.0)
    with fw.dual_level():
        d = seen(fw.make_dual(x, v))
        y, z = Product.apply(d, vector(3.0, 3.0))
        assert tangent(seen(y) * 2) == [600.0, 6000.0] and tangent(z) == [1.0, 10.0]
        assert y.requires_grad is requires_grad
        if requires_grad:
            fw.unpack_dual(y).tangent.sum().backward()
        plain, _ = Product.apply(x, x)
        assert tangent(plain) is None


def test_custom_functions_see_which_tangents_are_there() -> None:
    class Seeing(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * y

        @staticmethod
        def jvp(ctx: Any, tx: Any, ty: Any) -> Any:
            assert tx is None
            return ty * 7

    class Without(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * hidden

    class Doubled(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t.mul_(5)

    with fw.dual_level():
        d = fw.make_dual(vector(1.0), vector(2.0))
        assert tangent(Seeing.apply(vector(3.0), d)) == [14.0]
        hidden = vector(1.0)
        with pytest.raises(NotImplementedError, match="You must implement the jvp function"):
            Without.apply(d)
        hidden = d
        assert tangent(Without.apply(vector(1.0))) is None  # what it reads besides is constant to it
        y = d * 1
        assert Doubled.apply(y) is y and tangent(y * 1) == [10.0]


def test_with_function_transforms() -> None:
    x, v = vector(1.0, 2.0), vector(1.0, 10.0)
    with fw.dual_level():
        d = fw.make_dual(x, v)
        found = fw.unpack_dual(nb.func.grad(lambda a: (a**3).sum())(d))
        assert found.tangent.tolist() == [6.0, 120.0] and not found.tangent.requires_grad
        assert tangent(nb.func.jvp(nb.square, (d,), (v,))[1]) == [2.0, 200.0]  # 2 v v
        assert tangent(nb.vmap(nb.square)(d)) == [2.0, 40.0]
        with pytest.raises(RuntimeError, match="unpack what vmap gives"):
            nb.vmap(lambda a: fw.unpack_dual(a * a).tangent)(d)
        rows = nb.vmap(lambda t: fw.unpack_dual(nb.square(fw.make_dual(x, t))).tangent)(nb.eye(2))
        assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]
        slope = nb.func.grad(lambda a: fw.unpack_dual((fw.make_dual(a, v) ** 3).sum()).tangent)
        assert slope(x).tolist() == [6.0, 120.0]


def test_inside_and_outside_of_compiled_functions() -> None:
    @nb.compile
    def square(x: Any) -> Any:
        return x * x

    @nb.compile
    def slope(x: Any, v: Any) -> Any:
        with fw.dual_level():
            return fw.unpack_dual(fw.make_dual(x, v) ** 2).tangent

    x, v = vector(1.0, 2.0), vector(1.0, 10.0)
    for k in range(4):
        square(x)
        assert slope(x + k, v).tolist() == [2.0 * (1 + k), 20.0 * (2 + k)]
    with fw.dual_level():
        for _ in range(3):
            assert tangent(square(fw.make_dual(x, v))) == [2.0, 40.0]


def test_a_compiled_function_opens_no_level_that_may_stay_open() -> None:
    @nb.compile(fullgraph=True)
    def opens(x: Any) -> Any:
        fw.enter_dual_level()
        return x

    with pytest.raises(RuntimeError, match="with dual_level"):
        opens(vector(1.0))
    assert local.trace.duals is None


def test_checkpoints_carry_tangents() -> None:
    x = vector(1.0, 2.0, requires_grad=True)
    with fw.dual_level():
        y = checkpoint(nb.square, fw.make_dual(x, vector(1.0, 10.0)), use_reentrant=False)
        assert tangent(y) == [2.0, 40.0]
        y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_hooks_and_anomaly_mode() -> None:
    w, v = vector(1.0, 2.0, requires_grad=True), vector(1.0, 10.0)
    with fw.dual_level():
        d = fw.make_dual(w, v)
        d.retain_grad()
        d.register_hook(lambda g: g * 2)
        (d**3 + w).sum().backward()
        assert d.grad.tolist() == [6.0, 24.0] and tangent(d.grad) == [12.0, 240.0]
        assert w.grad.tolist() == [7.0, 25.0] and tangent(w.grad) == [12.0, 240.0]
        d = fw.make_dual(w, v)
        d.grad_fn.register_hook(lambda given, _: (given[0] * 5,))
        (g,) = nb.autograd.grad((d**3 + w).sum(), w)
        assert g.tolist() == [16.0, 61.0] and tangent(g) == [30.0, 600.0]
    with nb.autograd.set_detect_anomaly(True), fw.dual_level():
        (g,) = nb.autograd.grad((fw.make_dual(w, v) ** 3).sum(), w)
        assert g.tolist() == [3.0, 12.0] and tangent(g) == [6.0, 120.0]


def test_a_failing_operation_takes_no_tangents_with_it() -> None:
    with fw.dual_level():
        d = fw.make_dual(nb.eye(2), nb.ones(2, 2))
        lost, y = nb.linalg.inv(d * 0), d * 2
        with pytest.raises(RuntimeError):
            lost.tolist()
        assert tangent(y) == tangent(d * 2) == [[2.0, 2.0], [2.0, 2.0]]


def test_another_thread_may_look() -> None:
    x, seen = vector(1.0, 2.0), []
    with fw.dual_level():
        d = fw.make_dual(x, vector(1.0, 10.0))
        y = d * d
        thread = Thread(target=lambda: seen.append((y.tolist(), fw.unpack_dual(y * 2).tangent)))
        thread.start()
        thread.join()
        assert seen == [([1.0, 4.0], None)]  # levels are each thread's own
        assert tangent(y) == [2.0, 40.0] and tangent(y * d) == [3.0, 120.0]


def test_a_level_does_not_hold_on_to_what_is_gone() -> None:
    with fw.dual_level():
        for k in range(20):
            y = fw.make_dual(vector(1.0), vector(2.0)) * k
            assert tangent(look(y)) == [2.0 * k]
        del y
        nb.zeros(1).tolist()
        gc.collect()
        level = local.trace.duals
        assert max(len(level._held), len(level._given), len(level._made)) <= 3


def test_what_failed_and_was_taken_back_leaves_no_tangent() -> None:
    x = vector(1.0, 2.0, requires_grad=True)
    with fw.dual_level():
        d = fw.make_dual(x, vector(1.0, 10.0))
        handle = x.register_hook(lambda g: fw.make_dual(g.detach(), g.detach()) * 3 / (1 // 0))
        with pytest.raises(ZeroDivisionError):
            (d * d).sum().backward()
        handle.remove()
        assert tangent(x * 3) is None and tangent(d * 3) == [3.0, 30.0]


def test_without_a_level_there_is_none() -> None:
    x = vector(1.0)
    assert fw.unpack_dual(x) == (x, None)
    with fw.dual_level():
        assert fw.unpack_dual(x) == (x, None)


@pytest.mark.parametrize("view", [lambda y: y.t(), lambda y: y.reshape(4), lambda y: y[0], lambda y: y.t()[0:1]])
def test_a_view_has_its_tangent_where_nobody_holds_what_it_shows(view: Any) -> None:
    x, t = nb.tensor([[1.0, 2.0], [3.0, 4.0]]), nb.tensor([[1.0, 2.0], [3.0, 5.0]])
    with fw.dual_level():
        v = view(fw.make_dual(x, t) * 2)
        v.sum().item()
        assert fw.unpack_dual(v).tangent.tolist() == view(t * 2).tolist()
        assert fw.unpack_dual(v * v).tangent.tolist() == view(8 * x * t).tolist()


def test_a_tangent_that_others_wrote_since_is_an_error() -> None:
    with fw.dual_level():
        t = nb.ones(2)
        d = fw.make_dual(nb.ones(2), t)
        assert fw.unpack_dual(d).tangent is t
        thread = Thread(target=lambda: t.mul_(2))
        thread.start()
        thread.join()
        with pytest.raises(RuntimeError, match="written after make_dual"):
            fw.unpack_dual(d)
        with pytest.raises(RuntimeError, match="inside a dual level"):
            (d * d).unsqueeze_(0)


def test_duals_of_views() -> None:
    base = nb.ones(2, 3)
    with fw.dual_level():
        for view in (base[0], base.t(), base.view(3, 2), base[0].detach(), nb.ones(1, 1)[0]):
            d = fw.make_dual(view, nb.ones(*view.shape))
            assert fw.unpack_dual(d * d).tangent.tolist() == nb.full(view.shape, 2.0).tolist()


def test_the_tangent_of_a_dual_is_what_is_written_there() -> None:
    base = nb.tensor([1.0, 2.0])
    with fw.dual_level():
        first, second = (fw.make_dual(nb.ones(2), base) for _ in range(2))
        before = first * 3.0
        base.mul_(10.0)
        base[1:].add_(1.0)
        assert fw.unpack_dual(before).tangent.tolist() == [3.0, 6.0]
        assert fw.unpack_dual(first * 2.0).tangent.tolist() == [20.0, 42.0]
        second.mul_(2.0)
        assert base.tolist() == [20.0, 42.0] and second.tolist() == [2.0, 2.0]
        assert fw.unpack_dual(first * second).tangent.tolist() == [60.0, 126.0]
        r = fw.make_dual(nb.ones(2, requires_grad=True), base)
        base.mul_(2.0)
        t = fw.unpack_dual(r * r).tangent
        assert t.tolist() == [80.0, 168.0] and t.requires_grad


def test_a_tangent_that_lies_otherwise_than_its_primal_is_kept_as_a_copy() -> None:
    base = nb.tensor([1.0, 2.0, 3.0, 4.0])
    with fw.dual_level():
        d = fw.make_dual(nb.ones(2), base[1:3])
        base.mul_(10.0)
        t = fw.unpack_dual(d).tangent
        assert t.tolist() == [2.0, 3.0]
        t.mul_(2.0)
        assert fw.unpack_dual(d * 1.0).tangent.tolist() == [4.0, 6.0] and base.tolist() == [10.0, 20.0, 30.0, 40.0]


@pytest.mark.parametrize("looks", [False, True])
def test_the_tangent_of_a_function_that_looks_at_values_is_what_it_says(looks: bool) -> None:
    class Cube(nb.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x**3

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_forward(*inputs)

        @staticmethod
        def jvp(ctx: Any, tangent: Any) -> Any:
            (x,) = ctx.saved_tensors
            assert not looks or x.tolist() == [1.0, 2.0]
            return 100 * x * x * tangent

    x = nb.tensor([1.0, 2.0], requires_grad=True)
    with fw.dual_level():
        tangent = fw.unpack_dual(Cube.apply(fw.make_dual(x, nb.ones(2)))).tangent
    assert tangent.tolist() == [100.0, 400.0]
    assert nb.autograd.grad(tangent.sum(), x)[0].tolist() == [200.0, 400.0]
