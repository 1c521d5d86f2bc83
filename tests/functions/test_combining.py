"""Ways to put elements together, places of triangles, elements that occur in others, runs of equal ones."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.samples import NAN, floats

V = floats(5)


@pytest.mark.parametrize("r", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("again", [False, True])
def test_combinations_are_those_of_itertools(r: int, again: bool) -> None:
    chosen = itertools.combinations_with_replacement if again else itertools.combinations
    got = nb.combinations(nb.tensor(V), r, again)
    assert got.tolist() == [list(row) for row in chosen(V.tolist(), r)]
    assert got.shape[1] == r


def test_what_has_no_combinations() -> None:
    assert nb.combinations(nb.tensor(V), 0).shape == (0,)
    with pytest.raises(RuntimeError, match="non-negative"):
        nb.combinations(nb.tensor(V), -1)
    with pytest.raises(RuntimeError, match="1D"):
        nb.combinations(nb.ones(2, 2))


def test_the_cartesian_product_is_that_of_itertools() -> None:
    vectors = [np.arange(2), np.arange(3), np.arange(4)]
    for n in (2, 3):
        got = nb.cartesian_prod(*map(nb.tensor, vectors[:n]))
        assert got.tolist() == [list(row) for row in itertools.product(*[v.tolist() for v in vectors[:n]])]
    one = nb.tensor(V)
    assert nb.cartesian_prod(one) is one
    for wrong in ((), (nb.ones(2, 2),), (one, nb.tensor(1.0)), (nb.ones(2), nb.arange(2))):
        with pytest.raises(RuntimeError):
            nb.cartesian_prod(*wrong)


@pytest.mark.parametrize("offset", [0, 1, -1, -5, 9])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (0, 3)])
def test_places_of_triangles_are_numpys(shape: tuple[int, int], offset: int) -> None:
    for name in ("tril", "triu"):
        want = getattr(np, f"{name}_indices")(shape[0], offset, shape[1])
        got = getattr(nb, f"{name}_indices")(*shape, offset)
        assert got.tolist() == np.stack(want).tolist() and got.dtype is nb.int64


def test_triangles_of_other_dtypes_and_sizes() -> None:
    assert nb.tril_indices(2, 2, dtype=nb.int32).dtype is nb.int32
    with pytest.raises(NotImplementedError, match="float32"):
        nb.triu_indices(2, 2, dtype=nb.float32)
    with pytest.raises(RuntimeError, match="non-negative"):
        nb.triu_indices(-1, 2)
    with pytest.raises(TypeError, match="col"):
        nb.triu_indices(2, 2.0)


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8"])
def test_elements_that_occur_in_others(dtype: str) -> None:
    x, wanted = np.arange(12).reshape(3, 4).astype(dtype), np.array([[3, 3], [7, 100]], dtype)
    for invert in (False, True):
        got = nb.isin(nb.tensor(x), nb.tensor(wanted), invert=invert)
        assert got.tolist() == np.isin(x, wanted, invert=invert).tolist()
    assert nb.isin(nb.tensor(x), 3).tolist() == (x == 3).tolist()
    assert nb.isin(3, nb.tensor(x)).item() and not nb.isin(99, nb.tensor(x)).item()
    assert not nb.isin(nb.tensor(x), nb.ones(0)).any()


def test_no_nan_is_in_anything_and_no_bool() -> None:
    assert nb.isin(nb.tensor([NAN, 1.0]), nb.tensor([NAN, 1.0])).tolist() == [False, True]
    with pytest.raises(RuntimeError, match="bool"):
        nb.isin(nb.tensor([True]), nb.tensor([1]))
    with pytest.raises(TypeError):
        nb.isin(1, 1)


def test_runs_of_equal_elements() -> None:
    x = nb.tensor([1, 1, 2, 2, 1])
    found: Any = nb.unique_consecutive(x, return_inverse=True, return_counts=True)
    assert [y.tolist() for y in found] == [[1, 2, 1], [0, 0, 1, 1, 2], [2, 2, 1]]
    assert x.unique_consecutive().tolist() == [1, 2, 1]
    rows = nb.tensor([[1, 1], [1, 1], [2, 1]])
    assert nb.unique_consecutive(rows).tolist() == [1, 2, 1]
    assert nb.unique_consecutive(rows, return_inverse=True)[1].shape == (3, 2)
    found = nb.unique_consecutive(rows, return_inverse=True, return_counts=True, dim=0)
    assert [y.tolist() for y in found] == [[[1, 1], [2, 1]], [0, 0, 1], [2, 1]]
    assert nb.unique_consecutive(rows, dim=-1).tolist() == rows.tolist()
    assert len(nb.unique_consecutive(nb.tensor([NAN, NAN]))) == 2
    assert nb.unique_consecutive(nb.tensor(3.0)).shape == (1,)
    assert [len(y) for y in nb.unique_consecutive(nb.ones(0), True, True)] == [0, 0, 0]
    assert nb.unique_consecutive(nb.ones(0, 2), dim=0).shape == (0, 2)
    with pytest.raises(IndexError):
        nb.unique_consecutive(rows, dim=2)
    with pytest.raises(RuntimeError, match="no elements"):
        nb.unique_consecutive(nb.ones(3, 0), dim=0)


@pytest.mark.parametrize(
    "function",
    [
        lambda a: nb.combinations(a[0], 3, with_replacement=True),
        lambda a: nb.cartesian_prod(a[0], a[1]),
        lambda a: a.unique_consecutive(dim=0),
        lambda a: a.diagflat(1),
    ],
)
def test_derivatives(function: Any) -> None:
    assert nb.autograd.gradcheck(lambda a: function(a * a), (nb.tensor(floats(2, 3), requires_grad=True),))
