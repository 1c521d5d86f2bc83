"""Functions that give extremes and something beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.samples import INF, NAN, bools, f32, floats


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("dim", [None, 0, -1])
def test_the_smallest_and_the_largest_together(dim: int | None, keep: bool) -> None:
    x = f32(3, 4)
    for found in (nb.aminmax(nb.tensor(x), dim=dim, keepdim=keep), nb.tensor(x).aminmax(axis=dim, keepdims=keep)):
        assert found.min.tolist() == x.min(dim, keepdims=keep).tolist()
        assert found.max.tolist() == x.max(dim, keepdims=keep).tolist()
    assert all(np.isnan(y.item()) for y in nb.aminmax(nb.tensor([1.0, NAN])))
    assert [y.item() for y in nb.aminmax(nb.tensor(bools(9)))] == [False, True]
    assert nb.aminmax(nb.zeros(0, 2), dim=1).max.shape == (0,)


def test_extremes_of_nothing_are_refused() -> None:
    with pytest.raises(RuntimeError, match="empty dimension"):
        nb.aminmax(nb.zeros(0))
    with pytest.raises(IndexError, match="dim 0 to have non-zero size"):
        nb.aminmax(nb.zeros(0, 2), dim=0)


@pytest.mark.parametrize("length", [1, 2, 7, 64, 101])
def test_extremes_up_to_each_element(length: int) -> None:
    x = np.round(floats(3, length, low=-9, high=9))
    for found, want in (
        (nb.cummax(nb.tensor(x), 1), np.maximum.accumulate(x, 1)),
        (nb.tensor(x).cummin(axis=1), np.minimum.accumulate(x, 1)),
    ):
        assert found.values.tolist() == want.tolist()
        assert np.take_along_axis(x, found.indices.numpy(), 1).tolist() == want.tolist()


def test_gradients_go_to_the_extremes() -> None:
    x = nb.tensor([[1.0, 3.0, 2.0, 3.0], [4.0, 0.0, 5.0, 1.0]], dtype=nb.float64, requires_grad=True)
    nb.cummax(x, 1).values.sum().backward()
    assert x.grad.tolist() == [[1.0, 2.0, 0.0, 1.0], [2.0, 0.0, 2.0, 0.0]]
    y = nb.tensor(floats(3, 5), requires_grad=True)
    assert nb.autograd.gradcheck(lambda a: nb.cummin(a, 0).values ** 2, (y,))
    assert nb.autograd.gradcheck(lambda a: [z**2 for z in nb.aminmax(a, dim=1)], (y,))


ROWS = [
    [2.0, NAN, -1.0],
    [NAN, NAN, 3.0],
    [NAN, NAN, NAN],
    [1.0, NAN, 1.0],
    [1.0, 1.0, 0.0],
    [3.0, 3.0, 3.0],
    [INF, 1.0, INF],
    [-INF, -INF, 2.0],
    [INF, -INF, NAN],
    [0.0, -0.0, 0.0],
    [-3.0, 3.0, 6.0],
]
OTHER = [1.0, NAN, 3.0]
# Of a library and a row.
CHOICES: dict[str, Callable[[Any, Any], Any]] = {
    "max": lambda lib, x: lib.max(x),
    "min": lambda lib, x: lib.min(x),
    "max, squared": lambda lib, x: (lib.max(x) * x).sum(),
    "median": lambda lib, x: lib.median(x),
    "nanmedian": lambda lib, x: lib.nanmedian(x),
    "median of a matrix": lambda lib, x: lib.median(lib.stack([x, x * 2])),
    "aminmax": lambda lib, x: lib.stack(list(lib.aminmax(x))),
    "one side of aminmax": lambda lib, x: lib.aminmax(x, dim=0)[1],
    "clamp": lambda lib, x: x.clamp(-3, 1),
    "clamp, from below": lambda lib, x: x.clamp(min=3),
    "clamp, crossed": lambda lib, x: x.clamp(2, -2),
    "clamp, NaN": lambda lib, x: x.clamp(max=NAN),
    "clamp, tensors": lambda lib, x: x.clamp(lib.tensor([-1.0, NAN, 1.0]), lib.tensor([1.0, 1.0, NAN])),
    "clamp, bounds": lambda lib, x: lib.tensor([0.0, 1.0, 2.0]).clamp(min=x, max=x.flip(0)),
    "clamp, lower bound": lambda lib, x: lib.tensor(OTHER).clamp(min=x),
    "clamp, upper bound": lambda lib, x: lib.tensor(OTHER).clamp(max=x),
    "hardswish": lambda lib, x: lib.nn.functional.hardswish(x),
    "hardsigmoid": lambda lib, x: lib.nn.functional.hardsigmoid(x),
    "hardtanh": lambda lib, x: lib.nn.functional.hardtanh(x),
    "relu": lambda lib, x: lib.nn.functional.relu(x),
    "largest size": lambda lib, x: x.norm(INF),
    "smallest size": lambda lib, x: lib.linalg.vector_norm(x, -INF, dim=0),
    "largest difference": lambda lib, x: lib.nn.functional.pairwise_distance(x, x.flip(0), p=INF),
    "ranking": lambda lib, x: lib.nn.functional.margin_ranking_loss(x, lib.tensor(OTHER), lib.tensor([1.0, -1.0, 1.0])),
    "pool": lambda lib, x: lib.nn.functional.max_pool1d(x.reshape(1, 1, -1), 2, 1),
    **{name: lambda lib, x, name=name: getattr(lib, name)(x, -1) for name in ("amax", "amin", "logsumexp")},
    **{f"{n} along": lambda lib, x, n=n: getattr(lib, n)(x, -1).values for n in ("max", "min", "median", "nanmedian")},
    **{f"{name} along": lambda lib, x, name=name: getattr(lib, name)(x, -1).values for name in ("cummax", "cummin")},
    **{
        name: lambda lib, x, name=name: getattr(lib, name)(x, lib.tensor(OTHER))
        for name in ("maximum", "minimum", "fmax", "fmin")
    },
    **{
        f"{name} of both": lambda lib, x, name=name: getattr(lib, name)(x, x.flip(0))
        for name in ("maximum", "minimum", "fmax", "fmin")
    },
}


@pytest.mark.parametrize("name", CHOICES)
def test_derivatives_at_ties_infinities_and_nan_are_torchs(name: str) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch itself")
    for row in ROWS:
        found = []
        for lib in (torch, nb):
            x = lib.tensor(row, requires_grad=True)
            y = CHOICES[name](lib, x)
            weights = lib.arange(1, y.numel() + 1).reshape(y.shape) * 1.0
            (g,) = lib.autograd.grad(y, x, weights, create_graph=True)
            second = lib.autograd.grad(g.sum(), x)[0] if g.requires_grad and name == "max, squared" else g
            found.append([a.detach().numpy() for a in (y, g, second)])
        for theirs, own in zip(*found, strict=True):
            np.testing.assert_allclose(own, theirs, rtol=1e-6, err_msg=f"{name} {row}")


def test_all_that_are_nan_share_the_derivative() -> None:
    for _ in range(3):
        x = nb.tensor([2.0, NAN, -1.0, NAN], requires_grad=True)
        x.max().backward()
        assert x.grad.tolist() == [0.0, 0.5, 0.0, 0.5]


def test_a_tensor_is_a_dim_where_it_is_called_so_and_else_the_other_operand() -> None:
    x = nb.tensor([[1.0, 5.0, 2.0], [7.0, 0.0, 2.0]])
    for name in ("max", "min"):
        for function in (getattr(nb, name), getattr(type(x), name)):
            for dim in (0, 1):
                assert function(x, dim=nb.tensor(dim)).indices.tolist() == function(x, dim).indices.tolist()
            for given in (function(x, nb.tensor(2.0)), function(x, other=nb.tensor(2.0))):
                assert given.tolist() == getattr(nb, f"{name}imum")(x, nb.tensor(2.0)).tolist()
            with pytest.raises(TypeError, match="either a dim or"):
                function(x, 1, dim=1)
