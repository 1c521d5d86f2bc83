"""Functions that give extremes and something beside them."""

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb
from tests.samples import NAN, bools, f32, floats


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
