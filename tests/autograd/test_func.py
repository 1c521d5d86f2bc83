"""Function transforms: against loops, differences and formulas, inside each other, with looks and writes in between."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

import nbgrad as nb
from nbgrad import func
from nbgrad.autograd.tree import flatten
from tests.on_devices import cuda
from tests.squares import Square

F = nb.nn.functional


def arrays(value: Any) -> list[np.ndarray]:
    return [np.array(x.tolist()) for x in flatten(value)[0]]


def assert_close(got: Any, want: Any, rtol: float = 1e-9) -> None:
    a, b = arrays(got), arrays(want)
    assert len(a) == len(b)
    for x, y in zip(a, b, strict=True):
        assert x.shape == y.shape
        np.testing.assert_allclose(x, y, rtol=rtol, atol=1e-9)


def numbers(*shape: int, seed: int = 0) -> Any:
    return nb.tensor(np.random.default_rng(seed + sum(shape)).normal(size=shape))


def differences(f: Callable[..., Any], x: Any, eps: float = 1e-6) -> Any:
    """The Jacobian of a function of one tensor by central differences, of shape (*output, *input)."""
    base = np.array(x.tolist())
    columns = []
    for k in range(base.size):
        ahead, behind = base.copy(), base.copy()
        ahead.reshape(-1)[k] += eps
        behind.reshape(-1)[k] -= eps
        columns.append((np.array(f(nb.tensor(ahead)).tolist()) - np.array(f(nb.tensor(behind)).tolist())) / (2 * eps))
    return np.stack(columns, -1).reshape(*columns[0].shape, *base.shape)


# --- one transform


def test_grad_gives_the_gradient_by_the_chosen_arguments() -> None:
    x, y = numbers(3), numbers(3, seed=1)
    assert_close(func.grad(lambda a, b: (a * a * b).sum())(x, y), 2 * x * y)
    assert_close(func.grad(lambda a, b: (a * a * b).sum(), argnums=(1, 0))(x, y), (x * x, 2 * x * y))
    assert_close(func.grad(lambda a, b: (a * a * b).sum(), argnums=-1)(x, y), x * x)


def test_trees_of_arguments_give_trees_of_gradients() -> None:
    class Pair(NamedTuple):
        w: Any
        b: Any

    given = {"layer": Pair(numbers(2), [numbers(2, seed=2)]), "scale": numbers(1)}
    got = func.grad(lambda p: (p["layer"].w * p["layer"].b[0] * p["scale"]).sum())(given)
    assert type(got["layer"]) is Pair and list(got) == ["layer", "scale"]
    assert_close(got["layer"].w, given["layer"].b[0] * given["scale"])


def test_values_and_what_is_given_beside_them() -> None:
    x = numbers(3)
    g, (value, aux) = func.grad_and_value(lambda a: ((a * a).sum(), {"twice": 2 * a}), has_aux=True)(x)
    assert_close([g, value, aux["twice"]], [2 * x, (x * x).sum(), 2 * x])
    assert not any(t.requires_grad for t in (g, value, aux["twice"]))
    g, aux = func.grad(lambda a: ((a * a).sum(), 2 * a), has_aux=True)(x)
    assert_close([g, aux], [2 * x, 2 * x])


def test_a_pullback_can_be_used_again_and_differentiated() -> None:
    x, c = numbers(2), numbers(2, seed=3)
    y, pull = func.vjp(lambda a: a.sin(), x)
    assert not y.requires_grad
    for _ in range(2):
        assert_close(pull(c), (c * x.cos(),))
    assert_close(func.grad(lambda seed: (pull(seed)[0] ** 2).sum())(c), 2 * c * x.cos() ** 2)


def test_a_linearized_function_runs_nothing_again() -> None:
    runs = []

    def f(a: Any) -> Any:
        runs.append(1)
        return a.sin() * a

    x = numbers(3)
    y, push = func.linearize(f, x)
    for seed in (1, 2):
        t = numbers(3, seed=seed)
        assert_close(push(t), func.jvp(lambda a: a.sin() * a, (x,), (t,))[1])
    assert_close(y, x.sin() * x)
    assert len(runs) == 1


@pytest.mark.parametrize("transform", [func.jacrev, func.jacfwd])
def test_jacobians_are_differences(transform: Any) -> None:
    x = numbers(2, 3)
    for f in (
        lambda a: a.sin() * a.sum(),
        lambda a: a.sum(),
        lambda a: (a @ a.T).reshape(4),
        lambda a: nb.ones(2).double(),
    ):
        got = np.array(transform(f)(x).tolist())
        want = differences(f, x)
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-7)


def test_jacobians_of_trees() -> None:
    x, y = numbers(2), numbers(3)

    def f(a: Any, b: Any) -> Any:
        return {"outer": a[:, None] * b, "sum": b.sum()}

    rev, fwd = (t(f, argnums=(0, 1))(x, y) for t in (func.jacrev, func.jacfwd))
    assert_close(rev, fwd)
    assert rev["outer"][0].shape == (2, 3, 2) and rev["sum"][0].shape == (2,)
    assert_close(rev["sum"], (nb.zeros(2).double(), nb.ones(3).double()))
    assert_close(func.jacrev(f, argnums=(0, 1), chunk_size=2)(x, y), rev)


def test_what_is_detached_needs_no_derivative_forward() -> None:
    """The sign of a determinant is computed by an operator that has none."""
    x = numbers(3, 3) @ numbers(3, 3).T + nb.eye(3).double()
    for f in (nb.logdet, lambda a: nb.linalg.slogdet(a)[1]):
        assert_close(func.jacfwd(f)(x), nb.linalg.inv(x).T)


def test_a_hessian_is_the_difference_of_gradients() -> None:
    x = numbers(4)

    def f(a: Any) -> Any:
        return (a.sin() * a.sum()).sum() + (a**3).sum()

    np.testing.assert_allclose(func.hessian(f)(x).tolist(), differences(func.grad(f), x), rtol=1e-6, atol=1e-7)


# --- many examples

BATCHED: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "dot": (lambda a, b: (a * b).sum(), (numbers(5, 3), numbers(5, 3, seed=1))),
    "matrix and vector": (lambda a: numbers(4, 3) @ a, (numbers(5, 3),)),
    "matrix and matrix": (lambda a, b: a @ b, (numbers(5, 2, 3), numbers(5, 3, 4))),
    "linear": (lambda a: F.linear(a, numbers(4, 3), numbers(4)), (numbers(5, 3),)),
    "softmax": (lambda a: F.softmax(a, -1) * F.log_softmax(a, 0), (numbers(5, 3, 4),)),
    "layer_norm": (lambda a: F.layer_norm(a, (4,)), (numbers(5, 3, 4),)),
    "attention": (lambda a: F.scaled_dot_product_attention(a, a, a), (numbers(3, 2, 4, 5),)),
    "convolution": (lambda a: F.conv2d(a, numbers(3, 2, 2, 2), padding=1), (numbers(4, 2, 2, 5, 5),)),
    "filters of each": (lambda w: F.conv2d(numbers(2, 2, 5, 5), w, stride=2), (numbers(4, 3, 2, 2, 2),)),
    "both of each": (lambda a, w: F.conv2d(a, w), (numbers(4, 2, 2, 5, 5), numbers(4, 3, 2, 2, 2))),
    "pooling": (lambda a: F.max_pool2d(a, 2) + F.avg_pool2d(a, 2), (numbers(4, 1, 2, 4, 4),)),
    "element": (lambda a, i: a[i], (numbers(5, 3), nb.tensor([0, 1, 2, 0, 1]))),
    "gather": (lambda a, i: a.gather(0, i), (numbers(2, 3), nb.tensor([[0, 1], [2, 2]]))),
    "embedding": (lambda i: F.embedding(i, numbers(5, 3)), (nb.tensor([[0, 1], [4, 2], [3, 3]]),)),
    "own table": (lambda w, i: F.embedding(i, w), (numbers(3, 5, 2), nb.tensor([[0, 1], [4, 2], [3, 3]]))),
    "slices": (lambda a: nb.cat([a[1:], a[:1] * 2], 0).flip(0), (numbers(5, 3),)),
    "sort": (lambda a: nb.sort(a, descending=True)[0] + a.topk(3)[0].sum(), (numbers(5, 4),)),
    "max": (lambda a: a.max(0)[0] + a.argmax(0) + a.amin(0), (numbers(5, 4, 2),)),
    "sums": (lambda a: a.cumsum(0) + a.prod() + a.std() + a.norm(), (numbers(5, 4),)),
    "solve": (lambda a, b: nb.linalg.solve(a @ a.T + 3 * nb.eye(3).double(), b), (numbers(4, 3, 3), numbers(4, 3))),
    "one matrix": (lambda b: nb.linalg.solve(nb.eye(3).double() * 2, b), (numbers(4, 3),)),
    "determinant": (lambda a: nb.linalg.det(a) + nb.linalg.inv(a).sum(), (numbers(4, 3, 3),)),
    "eigenvalues": (lambda a: nb.linalg.eigvalsh(a + a.T), (numbers(4, 3, 3),)),
    "where": (lambda a: nb.where(a > 0, a, a * 2).clamp(-1, 1), (numbers(5, 4),)),
    "numbers": (lambda a: nb.full_like(a, 2.0) * a + nb.arange(4.0) * 3, (numbers(5, 4),)),
    "einsum": (lambda a, b: nb.einsum("ij,j->i", a, b), (numbers(5, 2, 3), numbers(5, 3))),
    "stack": (lambda a: nb.stack([a, a * 2]).permute(1, 0).reshape(-1), (numbers(5, 3),)),
    "pad": (lambda a: F.pad(a, (1, 2)), (numbers(5, 3),)),
    "losses": (lambda a, t: F.cross_entropy(a, t) + F.mse_loss(a, a * 2), (numbers(4, 2, 3), nb.tensor([[0, 1]] * 4))),
}  # fmt: skip


@pytest.mark.parametrize("name", BATCHED)
def test_vmap_is_a_loop(name: str) -> None:
    f, args = BATCHED[name]
    size = args[0].shape[0]
    assert_close(func.vmap(f)(*args), nb.stack([f(*[a[i] for a in args]) for i in range(size)]))


@pytest.mark.parametrize("name", [n for n, (f, args) in BATCHED.items() if args[0].dtype == nb.float64])
def test_a_gradient_of_each_example_is_a_loop(name: str) -> None:
    f, args = BATCHED[name]
    gradient = func.grad(lambda *a: f(*a).sin().sum())
    want = nb.stack([gradient(*[a[i] for a in args]) for i in range(args[0].shape[0])])
    assert_close(func.vmap(gradient)(*args), want, rtol=1e-7)


def test_where_the_examples_lie() -> None:
    x, w = numbers(3, 4), numbers(3)
    assert_close(func.vmap(lambda a: a.sin(), in_dims=1, out_dims=-1)(x), x.sin())
    assert_close(func.vmap(lambda a, b: a * b, in_dims=(-1, None))(x, w), (x * w[:, None]).T)
    got = func.vmap(lambda d, c: (d["a"] + c, {"b": d["b"]}), in_dims=({"a": 0, "b": None}, None), out_dims=(1, 0))(
        {"a": x, "b": w}, 1.0
    )
    assert_close(got, ((x + 1).T, {"b": w.expand(3, 3)}))
    assert_close(func.vmap(lambda a, *, scale: a * scale)(x, scale=w[:1]), x * w[:1])


def test_chunks_give_the_same() -> None:
    x = numbers(7, 3)
    for size in (1, 3, 7, 9):
        assert_close(func.vmap(lambda a: (a.sin(), a.sum()), chunk_size=size)(x), (x.sin(), x.sum(1)))


def test_vmap_inside_vmap() -> None:
    a, b = numbers(3, 2), numbers(4, 2)
    got = func.vmap(lambda u: func.vmap(lambda v: (u * v).sum())(b))(a)
    assert_close(got, a @ b.T)


@pytest.mark.parametrize(("randomness", "rows"), [("same", 1), ("different", 6)])
def test_random_numbers_of_each_example(randomness: str, rows: int) -> None:
    nb.manual_seed(0)
    got = func.vmap(lambda a: a + nb.rand(3), randomness=randomness)(nb.zeros(6, 3))
    assert len({tuple(row) for row in got.tolist()}) == rows
    assert got.min().item() >= 0
    assert got.max().item() < 1
    with pytest.raises(RuntimeError, match="randomness error mode"):
        func.vmap(lambda a: a + nb.rand(3))(nb.zeros(6, 3))
    before = nb.rand(3)  # drawn outside, and used inside
    assert_close(func.vmap(lambda a: a + before)(nb.zeros(2, 3)), before.expand(2, 3))


@pytest.mark.parametrize("draw", [lambda: nb.rand(50), lambda: nb.randn(50), lambda: nb.randperm(50)])
def test_no_random_number_is_drawn_twice_by_a_vmap_inside_another(draw: Callable[[], Any]) -> None:
    nb.manual_seed(0)
    inner = func.vmap(lambda a: a + draw(), randomness="different")
    got = func.vmap(inner, randomness="different")(nb.zeros(2, 3))
    assert len({tuple(row) for row in got.reshape(6, 50).tolist()}) == 6
    same = func.vmap(inner, randomness="same")(nb.zeros(2, 3))
    assert nb.equal(same[0], same[1])
    assert not nb.equal(same[0, 0], same[0, 1])


def test_writes_in_place_inside_vmap() -> None:
    def f(a: Any) -> Any:
        y = a * 2
        y[0] = a[1]
        y[1:] += 1.0
        return y.mul_(2)

    x = numbers(4, 3)
    assert_close(func.vmap(f)(x), nb.stack([f(row) for row in x]))


@pytest.mark.parametrize("chunk_size", [None, 2])
def test_a_write_to_an_example_is_one_to_the_argument(chunk_size: int | None) -> None:
    x = nb.arange(6.0).reshape(3, 2)
    y = func.vmap(lambda a: a.add_(1), chunk_size=chunk_size)(x)
    assert x.tolist() == y.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]

    def f(a: Any) -> Any:
        a[0] = a[1] * 10
        return a.sum()

    assert func.vmap(f, in_dims=1)(x).tolist() == [38.0, 50.0]
    assert x.tolist() == [[30.0, 40.0], [3.0, 4.0], [5.0, 6.0]]


def test_a_tensor_outside_takes_no_value_of_each_example() -> None:
    x, w, base = nb.arange(6.0).reshape(3, 2), nb.zeros(2) * 1, nb.zeros(2, 2)
    row = base[0]
    for write in (lambda a: w.add_(a), lambda a: row.copy_(a), lambda a: w.__setitem__(0, a[1])):
        with pytest.raises(RuntimeError, match=r"vmap: .* is not possible"):
            func.vmap(lambda a, write=write: write(a) or a)(x)
    assert (w.tolist(), base.tolist()) == ([0.0] * 2, [[0.0] * 2] * 2)
    assert func.vmap(lambda a: a * w.add_(1))(x).tolist() == x.tolist()  # what is the same for all may be written
    assert w.tolist() == [1.0, 1.0]
    norm = nb.nn.BatchNorm1d(2)  # moves its averages by several writes, the first of which is the same for all
    for _ in range(3):
        with pytest.raises(RuntimeError, match=r"vmap: .* is not possible"):
            func.vmap(norm)(nb.randn(4, 3, 2))
    assert norm.running_mean.isfinite().all()


def test_parameters_that_are_made_inside() -> None:
    def f(a: Any) -> Any:
        layer = nb.nn.Linear(2, 2).requires_grad_()
        p = (a.detach() * 1).requires_grad_()
        (g,) = nb.autograd.grad((p * p).sum(), p)
        return g + 0 * layer(a).sum()

    x = nb.arange(6.0).reshape(3, 2)
    assert func.vmap(f, randomness="same")(x).tolist() == (2 * x).tolist()


def test_per_sample_gradients_of_a_network() -> None:
    nb.manual_seed(0)
    net = nb.nn.Sequential(nb.nn.Linear(4, 8), nb.nn.Tanh(), nb.nn.Linear(8, 3)).double()
    weights = {k: p.detach() for k, p in net.named_parameters()}
    x, t = numbers(6, 4), nb.tensor([0, 1, 2, 0, 1, 2])

    def loss(p: Any, x: Any, t: Any) -> Any:
        return F.cross_entropy(func.functional_call(net, p, (x[None],)), t[None])

    got = func.vmap(func.grad(loss), in_dims=(None, 0, 0))(weights, x, t)
    for i in range(6):
        net.zero_grad()
        F.cross_entropy(net(x[i : i + 1]), t[i : i + 1]).backward()
        assert_close([got[k][i] for k in weights], [p.grad for p in net.parameters()])


def test_an_ensemble() -> None:
    nets = [nb.nn.Sequential(nb.nn.Linear(3, 2), nb.nn.BatchNorm1d(2)).eval() for _ in range(4)]
    parameters, buffers = func.stack_module_state(nets)
    assert all(p.requires_grad and p.is_leaf and p.shape[0] == 4 for p in parameters.values())
    x = nb.randn(5, 3)
    got = func.vmap(lambda p, b: func.functional_call(nets[0], (p, b), (x,)))(parameters, buffers)
    assert_close(got, nb.stack([net(x) for net in nets]), rtol=1e-5)
    got.sum().backward()
    assert all(p.grad is not None for p in parameters.values())


# --- inside each other, and inside the rest


def test_each_argument_has_a_place_of_its_own() -> None:
    x = nb.tensor([1.0, 2.0])
    assert_close(func.grad(lambda a: (a * x).sum())(x), x)
    assert_close(func.jvp(lambda a: (a * x).sum(), (x,), (nb.ones(2),))[1], nb.tensor(3.0))
    one = nb.tensor(1.0)
    assert func.grad(lambda a: a * func.grad(lambda b: a + b)(one))(one).item() == 1.0
    assert func.grad(lambda a: func.jvp(lambda b: a * b, (a,), (one,))[1])(nb.tensor(3.0)).item() == 1.0


def test_derivatives_of_any_order() -> None:
    f: Callable[..., Any] = nb.sin
    x = nb.tensor(0.5).double()
    for want in (x.cos(), -x.sin(), -x.cos(), x.sin()):
        f = func.grad(f)
        assert_close(f(x), want)
        assert not f(x).requires_grad


NESTED = {
    "grad of jvp": lambda f, x, t: func.grad(lambda a: func.jvp(f, (a,), (t,))[1])(x),
    "jvp of grad": lambda f, x, t: func.jvp(func.grad(f), (x,), (t,))[1],
    "vjp of grad": lambda f, x, t: func.vjp(func.grad(f), x)[1](t)[0],
    "hessian": lambda f, x, t: func.hessian(f)(x) @ t,
    "jacrev of jacrev": lambda f, x, t: func.jacrev(func.jacrev(f))(x) @ t,
    "jacfwd of jacfwd": lambda f, x, t: func.jacfwd(func.jacfwd(f))(x) @ t,
    "jacrev of jacfwd": lambda f, x, t: func.jacrev(func.jacfwd(f))(x) @ t,
    "linearized grad": lambda f, x, t: func.linearize(func.grad(f), x)[1](t),
    "vmap of jvp": lambda f, x, t: func.vmap(lambda a: func.jvp(func.grad(f), (a,), (t,))[1])(x[None])[0],
    "jvp of vmap": lambda f, x, t: func.jvp(lambda a: func.vmap(func.grad(f))(a[None])[0], (x,), (t,))[1],
    "compiled": lambda f, x, t: [nb.compile(lambda a: func.jvp(func.grad(f), (a,), (t,))[1])(x) for _ in range(4)][3],
}


def _looks(a: Any) -> Any:
    y = a * a
    if y.sum().item() > 0:  # runs what was recorded so far
        y = y * 0.5
    return (y.sin() * a).sum()


SCALAR = {
    "plain": lambda a: (a.sin() * a.sum()).sum() + (a**3).sum(),
    "through writes": lambda a: _written(a).pow(3).sum(),
    "custom": lambda a: (Square.apply(a) * a).sum(),
}


def _written(a: Any) -> Any:
    y = a.sin()
    y[1:] = a[:-1] * a[1:]
    return y.mul_(2.0) + a


@pytest.mark.parametrize("how", NESTED)
@pytest.mark.parametrize("name", ["plain", "through writes"])
def test_products_with_the_hessian_in_all_ways(name: str, how: str) -> None:
    f, x, t = SCALAR[name], numbers(4), numbers(4, seed=5)
    want = nb.tensor(differences(func.grad(f), x)) @ t
    assert_close(NESTED[how](f, x, t), want, rtol=1e-6)


@pytest.mark.parametrize("how", ["grad of jvp", "jvp of grad", "vjp of grad", "linearized grad"])
def test_a_function_may_look_at_its_values(how: str) -> None:
    x, t = numbers(4), numbers(4, seed=5)
    want = nb.tensor(differences(func.grad(_looks), x)) @ t
    got = NESTED[how](_looks, x, t)
    assert_close(got, want, rtol=1e-6)
    assert not got.requires_grad


def test_a_loop_that_ends_by_a_value() -> None:
    def newton(a: Any) -> Any:
        y = a
        while (y * y - a).abs().item() > 1e-12:
            y = (y + a / y) / 2
        return y

    x = nb.tensor(2.0).double()
    assert_close(func.grad(newton)(x), 0.5 / x.sqrt(), rtol=1e-6)
    assert_close(func.jvp(newton, (x,), (nb.tensor(1.0).double(),))[1], 0.5 / x.sqrt(), rtol=1e-6)


def test_custom_functions_in_transforms() -> None:
    x = numbers(3)
    assert_close(func.grad(SCALAR["custom"])(x), 3 * x * x)
    assert_close(func.hessian(SCALAR["plain"])(x), func.jacrev(func.grad(SCALAR["plain"]))(x))
    assert_close(func.grad(lambda a: func.grad(SCALAR["custom"])(a).sum())(x), 6 * x)
    with pytest.raises(RuntimeError, match="vmap over Square"):
        func.vmap(Square.apply)(x[None].requires_grad_())
    for transform in (func.jacfwd, func.hessian, lambda f: lambda a: func.jvp(f, (a,), (a,))):
        with pytest.raises(NotImplementedError, match="implement the jvp function"):
            transform(SCALAR["custom"])(x)
    assert_close(func.jacfwd(lambda a: a * Square.apply(numbers(3).requires_grad_()))(x), nb.diag(numbers(3) ** 2))


def test_what_is_outside_is_differentiated_by_backward() -> None:
    w, x = numbers(3).requires_grad_(), numbers(3, seed=2)
    g = func.grad(lambda a: (w * a**3).sum())(x)
    assert g.requires_grad
    g.sum().backward()
    assert_close(w.grad, 3 * x * x)
    for transform in (func.jacrev, func.jacfwd):
        w.grad = None
        transform(lambda a: w * a**2)(x).sum().backward()
        assert_close(w.grad, 2 * x)
    w.grad = None
    func.vmap(lambda a: (w * a).sum())(nb.stack([x, 2 * x])).sum().backward()
    assert_close(w.grad, 3 * x)


def test_an_argument_that_requires_grad_gets_second_derivatives() -> None:
    x = numbers(3).requires_grad_()
    (g,) = nb.autograd.grad(func.grad(lambda a: (a**3).sum())(x).sum(), x)
    assert_close(g, 6 * x)
    y = func.vmap(lambda a: a * a)(x)
    y.sum().backward()
    assert_close(x.grad, 2 * x)


def test_grad_modes() -> None:
    x = numbers(3)
    with nb.no_grad():
        assert_close(func.grad(lambda a: (a**2).sum())(x), 2 * x)
        assert not nb.is_grad_enabled()

    def partly(a: Any) -> Any:
        with nb.no_grad():
            c = a * 2
        return (a * c).sum()

    assert_close(func.grad(partly)(x), 2 * x)
    assert_close(func.grad(lambda a: (a.detach() * a).sum())(x), x)
    assert nb.is_grad_enabled()


def test_nothing_of_an_argument_that_is_not_used() -> None:
    x = numbers(3)
    assert_close(func.grad(lambda a: numbers(3).sum())(x), 0 * x)
    y, t = func.jvp(lambda a: numbers(2), (x,), (x,))
    assert_close([y, t], [numbers(2), 0 * numbers(2)])
    with pytest.raises(RuntimeError, match="independent of the inputs"):
        func.jvp(lambda a: numbers(2), (x,), (x,), strict=True)


def test_a_transform_that_raises_leaves_the_rest_as_it_was() -> None:
    x, pending = numbers(3), numbers(3) * 2

    def f(a: Any) -> Any:
        (a * 2).sum()
        raise ValueError("mine")

    for transform in (func.grad, func.vmap, func.jacrev):
        with pytest.raises(ValueError, match="mine"):
            transform(f)(x)
    assert_close(pending, numbers(3) * 2)
    assert_close(func.grad(lambda a: (a * a).sum())(x), 2 * x)
    assert nb.is_grad_enabled()


@pytest.mark.parametrize("seed", range(12))
def test_random_functions_in_random_transforms(seed: int) -> None:
    r = Random(seed)
    steps: list[Callable[[Any], Any]] = [
        lambda y: y.sin(),
        lambda y: y * y.sum(),
        lambda y: y @ numbers(3, 3),
        lambda y: y.flip(0) + y[0],
        lambda y: nb.where(y > 0, y, 0.5 * y),
        lambda y: y.cumsum(0).tanh(),
        lambda y: F.softmax(y, 0),
        lambda y: nb.cat([y[1:], y[:1]]),
        _written,
    ]
    chosen = [r.choice(steps) for _ in range(4)]

    def f(a: Any) -> Any:
        for step in chosen:
            a = step(a)
        return a

    x = numbers(3, seed=seed)
    want = differences(f, x)
    rev, fwd = func.jacrev(f)(x), func.jacfwd(f)(x)
    np.testing.assert_allclose(rev.tolist(), want, rtol=1e-5, atol=1e-7)
    assert_close(rev, fwd)
    rows = nb.stack([x, x * 0.5, -x])
    assert_close(func.vmap(func.jacrev(f))(rows), nb.stack([func.jacfwd(f)(row) for row in rows]))
    assert_close(func.vmap(func.hessian(lambda a: f(a).sum()))(rows)[1], func.hessian(lambda a: f(a).sum())(rows[1]))


# --- looks inside vmap, and mistakes


def test_what_does_not_depend_on_the_examples_can_be_looked_at() -> None:
    w = nb.ones(3).requires_grad_()
    x = nb.arange(6.0).reshape(2, 3)

    def f(a: Any) -> Any:
        norm = (w * w).sum()
        assert norm.item() == 3.0 and (w * 2).tolist() == [2.0] * 3
        return (a * w).sum() * norm

    y = func.vmap(f)(x)
    assert y.tolist() == [9.0, 36.0]
    y.sum().backward()
    assert w.grad.tolist() == [39.0, 45.0, 51.0]


@pytest.mark.parametrize(
    "look",
    [
        lambda a: a.sum().item(),
        lambda a: a * 2 if a.sum() > 0 else a,
        lambda a: nb.nonzero(a),
        lambda a: a[a > 0],
        lambda a: a.detach().numpy(),
        lambda a: (a * 2).sum().backward(),
    ],
)
def test_a_value_of_all_examples_cannot_be_looked_at(look: Callable[[Any], Any]) -> None:
    pending = nb.ones(2) * 3
    with pytest.raises(RuntimeError, match="vmap"):
        func.vmap(look)(nb.arange(6.0).reshape(2, 3).requires_grad_())
    assert pending.tolist() == [3.0, 3.0]


def test_memory_of_what_all_examples_share_is_given_to_numpy_inside() -> None:
    torch = pytest.importorskip("torch")
    found = []
    for lib in (nb, torch):
        seen, w, x = [], lib.arange(3.0) * 2, lib.arange(6.0).reshape(2, 3)
        row, plain = w[1:], (w * 1.0).detach()

        def f(a: Any, w: Any = w, row: Any = row, plain: Any = plain, seen: list[Any] = seen) -> Any:
            array = row.numpy()
            array[0] = 7.0
            w.numpy()[0] = 5.0
            seen.append(plain.cpu().numpy().copy().tolist())
            return a * w.sum() + plain

        found.append((lib.func.vmap(f)(x).tolist(), seen, w.tolist(), row.tolist(), (row + 1).tolist()))
    assert found[0] == found[1]


def test_what_stands_for_examples_prints_all_of_them() -> None:
    torch = pytest.importorskip("torch")
    found = []
    for lib in (nb, torch):
        seen: list[str] = []

        def f(a: Any, b: Any, seen: list[str] = seen) -> Any:
            seen.extend((repr(a * 2), repr(a + b)))
            return a * b

        y = lib.func.vmap(lib.func.vmap(f, (None, 0)), (0, None))(lib.arange(2.0), lib.arange(3.0))
        found.append((seen, y.tolist()))
    assert found[0] == found[1]


def test_what_is_kept_of_one_example_says_why_it_has_no_value() -> None:
    kept = []

    def f(a: Any) -> Any:
        kept.append(a * 2)
        return a

    func.vmap(f)(nb.ones(2, 3))
    with pytest.raises(RuntimeError, match="return what is needed outside"):
        kept[0].tolist()
    assert (nb.ones(2) + 1).tolist() == [2.0, 2.0]


X = numbers(3, 2)


def called(parameters: Any, x: Any, **kwargs: Any) -> Any:
    return func.functional_call(nb.nn.Linear(2, 1), parameters, x, **kwargs)


MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "no dims": (lambda: func.vmap(lambda a: a, in_dims=None)(X), ValueError, "expected `in_dims` to be int or a"),
    "dim": (lambda: func.vmap(lambda a: a, in_dims=3)(X), ValueError, "expected in_dim to satisfy -2 <= in_dim < 2"),
    "sizes": (lambda: func.vmap(lambda a, b: a)(X, numbers(4)), ValueError, "got sizes \\[3, 4\\]"),
    "structure": (lambda: func.vmap(lambda a, b: a, in_dims=(0,))(X, X), ValueError, "compatible with the structure"),
    "kind of dims": (lambda: func.vmap(lambda a: a, in_dims="a")(X), ValueError, "expected `in_dims`"),
    "result": (lambda: func.vmap(lambda a: 1.0)(X), ValueError, "must only return Tensors"),
    "out dim": (lambda: func.vmap(lambda a: a, out_dims=5)(X), IndexError, "Dimension out of range"),
    "out dims": (lambda: func.vmap(lambda a: a, out_dims=(0, 0))(X), ValueError, "structure of `outputs`"),
    "kind of out dims": (lambda: func.vmap(lambda a: a, out_dims="a")(X), ValueError, "`out_dims` must be an int"),
    "no out dim": (lambda: func.vmap(lambda a: a, out_dims=None)(X), ValueError, "out_dim is None"),
    "no inputs": (lambda: func.vmap(lambda: X)(), ValueError, "got no inputs"),
    "a number": (lambda: func.vmap(lambda a: a)(1.0), ValueError, "We cannot vmap over non-Tensor arguments"),
    "0-d": (lambda: func.vmap(lambda a: a)(nb.tensor(1.0)), ValueError, "dimensionality 0"),
    "randomness": (lambda: func.vmap(lambda a: a, randomness="foo"), RuntimeError, "Only allowed values for"),
    "chunks": (lambda: func.vmap(lambda a: a, chunk_size=0), ValueError, "chunk_size should be None or greater than 0"),
    "argnum": (lambda: func.grad(nb.sum, argnums=4)(X), RuntimeError, "Got argnum=4, but only 1 positional inputs"),
    "no argnums": (lambda: func.grad(nb.sum, argnums=())(X), RuntimeError, "argnums must be non-empty"),
    "argnums twice": (lambda: func.grad(nb.sum, argnums=(0, 0))(X), RuntimeError, "argnums elements must be unique"),
    "kind of argnums": (lambda: func.grad(nb.sum, argnums="a")(X), RuntimeError, "argnums must be int or"),
    "no scalar": (lambda: func.grad(lambda a: a)(X), RuntimeError, "return a scalar Tensor, got tensor with 2 dims"),
    "no tensor": (lambda: func.grad(lambda a: 1.0)(X), RuntimeError, "to return a Tensor, got"),
    "integers": (lambda: func.grad(nb.sum)(nb.arange(3)), RuntimeError, "only Tensors of floating point dtype"),
    "argument": (lambda: func.grad(lambda a: a)(1.0), ValueError, "must be Tensors"),
    "no aux": (lambda: func.grad(nb.sum, has_aux=True)(X), RuntimeError, "should be a tuple: \\(output, aux\\)"),
    "vjp of a number": (lambda: func.vjp(lambda a: 1.0, X), RuntimeError, "to return only tensors"),
    "a bool": (lambda: func.vjp(lambda a: a > 0, X), RuntimeError, "must be floating-point, got Tensor with .*bool"),
    "rows of a bool": (lambda: func.jacrev(lambda a: (a, a > 0))(X), RuntimeError, "All outputs of f must be floating"),
    "cotangents": (lambda: func.vjp(lambda a: (a, a), X)[1](X), RuntimeError, "pytree structure of cotangents"),
    "shape": (lambda: func.vjp(lambda a: a, X)[1](numbers(3)), RuntimeError, "Mismatch in shape"),
    "primals": (lambda: func.jvp(lambda a: a, X, X), RuntimeError, "Expected primals to be a tuple"),
    "tangents": (lambda: func.jvp(lambda a: a, (X,), (X, X)), RuntimeError, "same python structure"),
    "tangent": (lambda: func.jvp(lambda a: a, (X,), (X[0],)), RuntimeError, "different size than that"),
    "models": (lambda: func.stack_module_state([]), RuntimeError, "Expected at least one model"),
    "missing": (lambda: called({"bias": X}, X, strict=True), RuntimeError, "Missing key"),
    "unknown": (lambda: called({"q": X}, X, strict=True), RuntimeError, "Unexpected key"),
    "twice": (lambda: called([{"bias": X}] * 2, X), ValueError, "multiple dictionaries"),
    "no dict": (lambda: called(3, X), ValueError, "to be a dict"),
    "no parameter": (lambda: called({"bias": 3}, X), TypeError, "is not an instance"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_say_what_is_wrong(name: str) -> None:
    wrong, kind, words = MISTAKES[name]
    with pytest.raises(kind, match=words) as caught:
        wrong()
    assert isinstance(caught.value, nb.errors.NbgradError)
    assert_close(func.grad(lambda a: (a * a).sum())(X), 2 * X)


def test_a_module_is_as_it_was_after_a_call_with_other_parameters() -> None:
    layer = nb.nn.Linear(2, 2)
    layer.register_buffer("scale", nb.ones(1))
    before = {**dict(layer.named_parameters()), **dict(layer.named_buffers())}
    with pytest.raises(RuntimeError):
        func.functional_call(layer, {"weight": nb.ones(3, 3), "scale": nb.zeros(1)}, nb.ones(2))
    after = {**dict(layer.named_parameters()), **dict(layer.named_buffers())}
    assert all(after[k] is before[k] for k in before)


@pytest.mark.parametrize("tie", [True, False])
def test_tied_weights_change_under_all_their_names(tie: bool) -> None:
    net = nb.nn.Sequential(nb.nn.Linear(2, 2, bias=False), nb.nn.Linear(2, 2, bias=False))
    net[1].weight = net[0].weight
    got = func.functional_call(net, {"0.weight": nb.eye(2) * 2}, nb.ones(2), tie_weights=tie)
    want = nb.ones(2) * 4 if tie else net[1](nb.ones(2) * 2)
    assert_close(got, want)


@pytest.mark.parametrize("look", [True, False])
def test_a_backward_outside_leaves_a_transform_its_graph(look: bool) -> None:
    x, w = numbers(3), numbers(3).requires_grad_()
    output, push = func.linearize(lambda a: a.sin() * w, x)
    other, pull = func.vjp(lambda a: Square.apply(a) * w, x)
    if look:
        output.tolist(), other.tolist()
    (output.sum() + other.sum()).backward()
    assert_close(w.grad, x.sin() + x * x)
    assert_close(push(x), x.cos() * w * x)
    assert_close(pull(x)[0], 2 * x * w * x)


def _scaled(a: Any) -> Any:
    return (a.mul_(2.0) ** 2).sum()


def _row_scaled(a: Any) -> Any:
    a[:1].mul_(3.0)
    return (a * a).sum()


def _written_after_a_look(a: Any) -> Any:
    (a * 1).sum().item()
    a[0] = a[1] * 3
    return (a * a).sum()


@pytest.mark.parametrize("f", [_scaled, _row_scaled, _written_after_a_look], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "transform",
    [
        func.grad,
        func.jacrev,
        func.jacfwd,
        func.hessian,
        lambda f: lambda x: func.jvp(f, (x,), (x,)),
        lambda f: lambda x: func.vjp(f, x)[1](nb.tensor(1.0, dtype=x.dtype)),
        lambda f: lambda x: func.linearize(f, x)[1](x),
        lambda f: lambda x: nb.autograd.functional.jacobian(f, x),
    ],
)
def test_a_function_that_writes_what_it_is_differentiated_by_is_refused(f: Any, transform: Any) -> None:
    x = numbers(2)
    before = x.tolist()
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad is being used in an in-place operation"):
        transform(f)(x)
    assert x.tolist() == before
    assert_close(func.grad(lambda a: (a.clone().mul_(2.0) ** 2).sum())(x), 8 * x)


@pytest.mark.parametrize("looks", [False, True])
@pytest.mark.parametrize("what", ["gradient", "value", "pulled", "output", "tangent", "rows"])
def test_a_backward_outside_uses_up_what_it_went_through(what: str, looks: bool) -> None:
    x = nb.tensor([3.0], requires_grad=True)

    def cube(t: Any) -> Any:
        return (t * t * t).sum()

    output, pull = func.vjp(cube, x)
    y = {
        "gradient": lambda: func.grad(cube)(x),
        "value": lambda: func.grad_and_value(cube)(x)[1],
        "pulled": lambda: pull(nb.tensor(1.0))[0],
        "output": lambda: output,
        "tangent": lambda: func.jvp(cube, (x,), (nb.ones(1),))[1],
        "rows": lambda: func.jacrev(cube)(x),
    }[what]()
    if looks:
        y.tolist()
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert x.grad.tolist() == ([54.0] if what in ("value", "output") else [36.0])
    with pytest.raises(RuntimeError, match="a second time"):
        y.sum().backward()
    assert pull(nb.tensor(2.0))[0].tolist() == [54.0]  # what is the transform's own stays


def _cubes(x: Any) -> Any:
    return (x**3).sum()


@pytest.mark.parametrize("name", ["vjp", "jvp", "jacobian", "vhp", "hvp", "hessian"])
def test_functional_results_can_be_differentiated_under_no_grad(name: str) -> None:
    x = numbers(3).requires_grad_()
    products = {"vjp": (), "jvp": (nb.ones_like(x),), "vhp": (nb.ones_like(x),), "hvp": (nb.ones_like(x),)}
    with nb.no_grad():
        given = getattr(nb.autograd.functional, name)(_cubes, x, *products.get(name, ()), create_graph=True)
    first = given[1] if isinstance(given, tuple) else given
    (found,) = nb.autograd.grad(first.sum(), x)
    assert_close(found, 6 * x if name in ("vjp", "jvp", "jacobian") else nb.full_like(x, 6.0), rtol=1e-6)


@pytest.mark.parametrize("name", ["vjp", "jvp", "jacobian"])
def test_strict_mode_says_which_input_leads_nowhere(name: str) -> None:
    call, ones = getattr(nb.autograd.functional, name), nb.ones(2)
    vectors = {"vjp": (ones,), "jvp": ((ones, ones),), "jacobian": ()}[name]
    with pytest.raises(RuntimeError, match="independent of input 1"):
        call(lambda a, b: a * a, (ones, ones), *vectors, strict=True)
    with pytest.raises(RuntimeError, match="jacobian of the user-provided function is independent of input 0"):
        # A product with both inputs' vectors depends on one of them.
        call(
            lambda a, b: 2 * a + (b if name == "jvp" else b * b), (ones, ones), *vectors, create_graph=True, strict=True
        )
    call(lambda a, b: 2 * a + b * b, (ones, ones), *vectors, strict=True)


@pytest.mark.parametrize("how", [{"vectorize": True}, {"outer_jacobian_strategy": "forward-mode"}])
def test_a_strict_hessian_is_not_vectorized(how: Any) -> None:
    with pytest.raises(RuntimeError, match="not supported together"):
        nb.autograd.functional.hessian(_cubes, nb.ones(2), strict=True, **how)


@pytest.mark.cpu
def test_zeros_of_what_nothing_depends_on_lie_where_that_lies() -> None:
    with cuda() as device:
        x, y = nb.ones(2, device=device), nb.ones(3, device=device)
        _, unused = func.grad(lambda a, b: (a * a).sum(), argnums=(0, 1))(x, y)
        _, moved = func.jvp(lambda a: nb.ones(2, device=device), (x,), (x,))
        assert unused.device == moved.device == x.device
        assert unused.tolist() == [0, 0, 0]


def test_tangents_are_taken_in_the_dtype_of_their_primals() -> None:
    x = nb.tensor([1.0, 2.0], dtype=nb.float64)
    _, moved = nb.func.jvp(lambda x: x * x, (x,), (nb.ones(2),))
    assert moved.dtype is nb.float64 and moved.tolist() == [2.0, 4.0]
    for tangent in (nb.ones(2, dtype=nb.int64), nb.ones(2, dtype=nb.complex64)):
        with pytest.raises(RuntimeError, match="tangent"):
            nb.func.jvp(lambda x: x * x, (x,), (tangent,))
    with pytest.raises(RuntimeError, match="tangent"):
        nb.func.linearize(lambda x: x * x, x)[1](nb.ones(2))


def test_what_is_left_out_or_unknown_is_told() -> None:
    x = nb.tensor([1.0, 2.0])
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        nb.func.vjp(lambda x: x * x, x)[1]()
    with pytest.raises(ValueError, match="Expected strategy"):
        nb.autograd.functional.hessian(lambda x: (x * x).sum(), x, outer_jacobian_strategy="sideways")
    with pytest.raises(TypeError, match="expected tensors"):
        nb.autograd.graph.increment_version(3)
