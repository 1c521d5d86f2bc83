"""Array functions compiled by Numba as operators: values, gradients of any order, what is refused."""

from __future__ import annotations

import gc
import re
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numba import njit

import nbgrad as nb
import nbgrad.numba
from nbgrad.config import override
from nbgrad.errors import ArgumentError, DTypeError, GradError, NbgradError, RunError, ShapeError

ROWS = 6

# The functions write element by element: an assignment to a slice takes Numba a second, for the text of an error.


def randn(*sizes: int, seed: int = 0, dtype: nb.dtype = nb.float32) -> nb.Tensor:
    return nb.tensor(np.random.default_rng(seed).standard_normal(sizes), dtype=dtype)


@njit
def thomas(a: Any, b: Any, c: Any, d: Any, x: Any) -> None:
    """x of a tridiagonal system: a under the diagonal b, c above it."""
    n = len(b)
    upper, right = np.empty(n), np.empty(n)
    upper[0], right[0] = c[0] / b[0], d[0] / b[0]
    for i in range(1, n):
        pivot = b[i] - a[i] * upper[i - 1]
        upper[i], right[i] = c[i] / pivot, (d[i] - a[i] * right[i - 1]) / pivot
    x[n - 1] = right[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = right[i] - upper[i] * x[i + 1]


@njit
def thomas_backward(a: Any, b: Any, c: Any, d: Any, x: Any, gx: Any, ga: Any, gb: Any, gc: Any, gd: Any) -> None:
    under, above = np.zeros(len(b)), np.zeros(len(b))
    for i in range(1, len(b)):
        under[i], above[i - 1] = c[i - 1], a[i]
    thomas(under, b, above, gx, gd)
    for i in range(len(b)):
        gb[i] -= gd[i] * x[i]
    for i in range(1, len(b)):
        ga[i] -= gd[i] * x[i - 1]
        gc[i - 1] -= gd[i - 1] * x[i]


@njit
def cubed(x: Any, y: Any) -> None:
    for i in range(x.size):
        y.flat[i] = x.flat[i] * x.flat[i] * x.flat[i]


@njit
def cubed_backward(x: Any, y: Any, gy: Any, gx: Any) -> None:
    for i in range(x.size):
        gx.flat[i] = 3 * x.flat[i] ** 2 * gy.flat[i]


@njit
def cubed_twice(x: Any, y: Any, gy: Any, gx: Any, ggx: Any, hx: Any, hy: Any, hgy: Any) -> None:
    for i in range(x.size):
        hx.flat[i] = 6 * x.flat[i] * gy.flat[i] * ggx.flat[i]
        hgy.flat[i] = 3 * x.flat[i] ** 2 * ggx.flat[i]


@njit
def picked(x: Any, at: Any, keep: Any, low: Any, high: Any) -> None:
    low[0] = x[at[0]]
    high[0, 0] = x[at[1]] if keep[()] else 0.0


@njit
def picked_backward(x: Any, at: Any, keep: Any, low: Any, high: Any, glow: Any, ghigh: Any, gx: Any) -> None:
    gx[at[0]] += glow[0]
    gx[at[1]] += ghigh[0, 0] if keep[()] else 0.0


@njit
def positive(x: Any, y: Any) -> None:
    if x.min() < 0:
        raise ValueError("negative")
    for i in range(len(x)):
        y[i] = np.sqrt(x[i])


solve = nb.operator(thomas, thomas_backward, shapes=lambda a, b, c, d: d)
cube = nb.operator(cubed, nb.operator(cubed_backward, cubed_twice))
pick = nb.operator(picked, picked_backward, shapes=lambda x, at, keep: [(1,), (1, 1)])
root = nb.operator(positive)


@pytest.fixture(params=[{}, {"compile": "eager"}, {"passes": "-fuse"}, {"check": True}], ids=str)
def manner(request: pytest.FixtureRequest) -> Iterator[None]:
    """Ways in which a structure is run."""
    with override(**request.param):
        yield


def test_gradients(manner: None) -> None:
    a, b, c, d = [randn(ROWS, seed=k, dtype=nb.float64).requires_grad_() for k in range(4)]
    assert nb.autograd.gradcheck(lambda a, b, c, d: solve(a, b + 6, c, d.flip(0) * 2), (a, b, c, d))
    dense = np.diag(b.detach().numpy() + 6) + np.diag(a.detach().numpy()[1:], -1) + np.diag(c.detach().numpy()[:-1], 1)
    with nb.no_grad():
        np.testing.assert_allclose(
            solve(a, b + 6, c, d).numpy(), np.linalg.solve(dense, d.detach().numpy()), rtol=1e-12
        )


def test_several_results_and_operands_without_gradient(manner: None) -> None:
    x, at = randn(5, dtype=nb.float64).requires_grad_(), nb.tensor([3, 1])
    for keep in (True, False):
        low, high = pick(x * 1.0, at, nb.tensor(keep))
        assert (low.tolist(), high.tolist()) == ([x[3].item()], [[x[1].item() if keep else 0.0]])
        assert nb.autograd.gradcheck(lambda x, keep=keep: pick(x * x, at, nb.tensor(keep)), (x,))


def test_second_derivatives() -> None:
    x = randn(4, 3, dtype=nb.float64).requires_grad_()
    assert nb.autograd.gradgradcheck(cube, (x,))
    once = nb.operator(cubed, cubed_backward)
    (g,) = nb.autograd.grad(once(x).sum(), x, create_graph=True)
    with pytest.raises(GradError, match="cubed_backward: has no derivative"):
        nb.autograd.grad(g.sum(), x)


def test_forward_mode_is_by_the_derivative_of_the_backward() -> None:
    x, t = randn(ROWS).double(), randn(ROWS, seed=1).double()
    y, moved = nb.func.jvp(lambda a: cube(2 * a), (x,), (t,))
    np.testing.assert_allclose(y.numpy(), 8 * x.numpy() ** 3)
    np.testing.assert_allclose(moved.numpy(), 24 * x.numpy() ** 2 * t.numpy())


def test_forward_mode_needs_a_backward_that_has_one() -> None:
    with pytest.raises(GradError, match="picked_backward: has no derivative; give operator\\(\\) a backward for it"):
        nb.func.jvp(lambda a: pick(a, nb.tensor([0, 1]), nb.tensor(True))[0], (randn(ROWS),), (randn(ROWS),))


def test_operands_of_any_layout_and_dtype() -> None:
    x = randn(4, 6)
    for view in (x.t(), x[:, ::2], x[1:3, 4], x[:0], x[0, 0], x.expand(2, 4, 6)):
        assert (cube(view) == view * view * view).all()
        assert cube(view).shape == view.shape
    mixed = nb.operator(lambda x, y, z: None, shapes=lambda x, y: x)(x, x.double())
    assert (mixed.dtype, mixed.sum().item()) == (nb.float64, 0.0)  # zeros, where nothing is written
    assert cube(nb.tensor([2, 3])).tolist() == [8, 27]


def test_a_compiled_step_calls_it_in_the_tape() -> None:
    w = randn(8, dtype=nb.float64).requires_grad_()

    def step(x: nb.Tensor) -> nb.Tensor:
        w.grad = None
        loss = (cube(w * x) - 1.0).square().sum()
        loss.backward()
        return loss.detach()

    compiled, x = nb.compile(step, fullgraph=True), randn(8, seed=1, dtype=nb.float64)
    for k in range(4):
        found = [(run(x + k).item(), w.grad.tolist()) for run in (step, compiled)]
        assert found[0] == found[1]


def test_its_code_lives_as_long_as_a_program_that_calls_it() -> None:
    def made(factor: float) -> Callable[[nb.Tensor], nb.Tensor]:
        @njit
        def scaled(x: Any, y: Any) -> None:
            for i in range(len(x)):
                y[i] = factor * x[i]

        own = nb.operator(scaled)
        return nb.compile(lambda x: own(x) + 1.0, fullgraph=True)

    programs = [made(float(k)) for k in range(3)]
    for _ in range(3):
        assert [run(nb.ones(2)).tolist() for run in programs] == [[k + 1.0] * 2 for k in range(3)]
        gc.collect()


def test_other_threads_run_meanwhile() -> None:
    @njit
    def takes_long(x: Any, y: Any) -> None:
        for k in range(50_000_000):
            y[0] = y[0] * 0.5 + x[k % 2]

    ticks, done, own = [0], threading.Event(), nb.operator(takes_long)
    own(nb.ones(2)).tolist()  # compiled

    def tick() -> None:
        while not done.wait(0.001):
            ticks[0] += 1

    other = threading.Thread(target=tick)
    other.start()
    before = ticks[0]
    own(nb.zeros(2)).tolist()
    meanwhile = ticks[0] - before
    done.set()
    other.join()
    assert meanwhile > 10


def test_an_exception_is_an_error_at_the_line_that_called_it(manner: None) -> None:
    with pytest.raises(RunError, match=r"positive: raised an exception(.|\n)*test_operator.py"):
        root(nb.tensor([1.0, -1.0])).tolist()
    assert root(nb.tensor([4.0, 9.0])).tolist() == [2.0, 3.0]


def test_errors_name_the_line_that_called_it_this_time(manner: None) -> None:
    @njit
    def small(x: Any, y: Any) -> None:
        if x[0] > 10.0:
            raise ValueError
        for i in range(len(x)):
            y[i] = 3.0 * x[i]

    @njit
    def small_backward(x: Any, y: Any, gy: Any, gx: Any) -> None:
        if x[0] > 5.0:
            raise ValueError
        for i in range(len(x)):
            gx[i] = 3.0 * gy[i]

    first_line = sys._getframe().f_lineno + 1
    first = lambda own, x: own(x).sum()  # noqa: E731
    second = lambda own, x: own(x).sum()  # noqa: E731
    own, bare = nb.operator(small, small_backward), nb.operator(small)

    def line_of(function: Any, called: nb.operator, value: float) -> int:
        y = function(called, nb.tensor([value], requires_grad=True))
        with pytest.raises(NbgradError) as caught:
            y.backward()
        found = re.search(r"test_operator.py:(\d+)(, differentiated at .*:\d+)?$", str(caught.value))
        assert found is not None, str(caught.value)
        return int(found[1]) - first_line

    for _ in range(4):
        first(own, nb.ones(1, requires_grad=True)).backward()
        for value in (20.0, 7.0):  # the function raises, its backward does
            assert [line_of(function, own, value) for function in (first, second, first)] == [0, 1, 0]
        assert [line_of(function, bare, 1.0) for function in (first, second, first)] == [0, 1, 0]


REFUSED: dict[str, tuple[Callable[[], Any], type[NbgradError], str]] = {
    "a number": (lambda: cube(1.0), DTypeError, "argument 1 must be Tensor, not float"),
    "an array": (lambda: solve(*[nb.ones(2)] * 3, np.ones(2)), DTypeError, "argument 4 must be Tensor, not ndarray"),
    "nothing": (lambda: cube(), ArgumentError, "at least one Tensor"),
    "no function": (lambda: nb.operator(3), DTypeError, "'forward' must be a function that Numba compiles"),
    "no backward": (lambda: nb.operator(cubed, 3), DTypeError, "'backward' must be a function that Numba compiles"),
    "no sizes": (lambda: nb.operator(cubed, shapes=lambda x: ("n",))(nb.ones(2)), ShapeError, r"shapes\(\) gave"),
    "a negative size": (lambda: nb.operator(cubed, shapes=lambda x: (-1,))(nb.ones(2)), ShapeError, r"gave \(-1,\)"),
    "no shape": (lambda: nb.operator(cubed, shapes=lambda x: 3)(nb.ones(2)), ShapeError, "gave 3"),
    "a rank": (lambda: solve(*[nb.ones(2, 2)] * 4), DTypeError, "thomas: Numba cannot compile it for arrays"),
    "objects": (lambda: nb.operator(lambda x, y: open(x))(nb.ones(1)), DTypeError, "cannot compile it"),  # noqa: SIM115
    "arguments": (lambda: nb.operator(cubed, shapes=lambda x: [x, x])(nb.ones(1)), DTypeError, "cannot compile it"),
    "a derivative": (lambda: root(nb.ones(1, requires_grad=True)).backward(), GradError, "positive: has no derivative"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    call, kind, text = REFUSED[case]
    with pytest.raises(kind, match=text) as refused:
        call()
    assert "test_operator.py" in str(refused.value)
    assert cube(nb.tensor([2.0])).tolist() == [8.0]


def test_its_derivative_is_made_of_it() -> None:
    derived = nb.operator(thomas, backward=nbgrad.numba.differentiate)
    given = nb.operator(thomas, thomas_backward)
    b = randn(5, seed=2, dtype=nb.float64).detach() * 0.1 + 4.0
    inputs = [randn(5, seed=k, dtype=nb.float64) for k in (1, 3, 4)]
    leaves = [x.requires_grad_() for x in (inputs[0], b, inputs[1], inputs[2])]
    assert nb.autograd.gradcheck(derived, tuple(leaves))
    results = [nb.autograd.grad(f(*leaves).square().sum(), leaves) for f in (derived, given)]
    for got, wanted in zip(*results, strict=True):
        np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-12, atol=1e-14)


def test_a_derivative_that_is_made_knows_several_results_and_whole_numbers() -> None:
    derived = nb.operator(picked, backward=nbgrad.numba.differentiate, shapes=lambda x, at, keep: [(1,), (1, 1)])
    x = randn(4, dtype=nb.float64).requires_grad_()
    with override(interpret=False):
        low, high = derived(x, nb.tensor([2, 1]), nb.tensor(True))
    (low.sum() * 3.0 + high.sum() * 2.0).backward()
    assert x.grad is not None and x.grad.tolist() == [0.0, 2.0, 3.0, 0.0]
