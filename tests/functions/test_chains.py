"""Sums of products, sums back to a shape, and small questions about tensors."""

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb
from tests.samples import floats


@pytest.mark.parametrize("shapes", [((3,), (3,)), ((2, 3), (3,)), ((2, 3), (4, 5, 3)), ((), (2,)), ((2, 0), (3, 0))])
def test_inner_is_numpys(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    arrays = [floats(*shape) for shape in shapes]
    x, y = [nb.tensor(a, requires_grad=True) for a in arrays]
    np.testing.assert_allclose(nb.inner(x, y).detach().numpy(), np.inner(*arrays), rtol=1e-14)
    assert nb.autograd.gradcheck(nb.inner, (x, y))
    with pytest.raises(RuntimeError, match="last dimension must match"):
        nb.ones(2, 3).inner(nb.ones(2))


def test_sum_to_size_undoes_expand() -> None:
    for shape in ((2, 3, 4), (3, 4), (1, 4), (2, 1, 4), (1,), ()):
        x = nb.tensor(floats(*shape), requires_grad=True)
        x.expand(2, 3, 4).backward(nb.ones(2, 3, 4))
        assert nb.ones(2, 3, 4, dtype=nb.float64).sum_to_size(shape).tolist() == x.grad.tolist()
    x = nb.ones(2, 3)
    assert x.sum_to_size(2, 3) is x
    for size in ((2,), (3, 3), (1, 2, 3)):
        with pytest.raises(RuntimeError, match="not expandable"):
            x.sum_to_size(size)


def test_rsub_takes_numbers_and_tensors() -> None:
    x = nb.tensor([1.0, 2.0])
    assert nb.rsub(x, 3).tolist() == [2.0, 1.0]
    assert nb.rsub(x, nb.tensor([5.0]), alpha=2).tolist() == [3.0, 1.0]


def test_questions_about_elements_and_tensors() -> None:
    x = nb.tensor([-np.inf, -1.0, np.nan, np.inf])
    assert x.isposinf().tolist() == [False, False, False, True]
    assert x.isneginf().tolist() == [True, False, False, False]
    assert nb.isposinf(nb.tensor([1, 2])).tolist() == [False, False]
    assert nb.isreal(x).all()
    assert nb.is_nonzero(nb.tensor([2])) and not nb.tensor(False).is_nonzero()
    with pytest.raises(RuntimeError, match="ambiguous"):
        nb.is_nonzero(nb.ones(2))
    assert [nb.zeros(1, dtype=d).is_signed() for d in (nb.uint8, nb.bool, nb.int8, nb.float64)] == [0, 0, 1, 1]
    assert nb.is_same_size(x, nb.ones(4)) and not x.is_same_size(nb.ones(4, 1))
    assert x.positive() is x
    with pytest.raises(RuntimeError, match="bool"):
        nb.positive(nb.tensor([True]))
