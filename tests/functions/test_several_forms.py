"""Functions whose calls take several forms: grids, sums over pairs of dims; norms of matrices; spaced numbers."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.samples import floats

A, B = floats(2, 3, 4), floats(3, 4, 5, seed=1)


@pytest.mark.parametrize("indexing", ["ij", "xy"])
def test_grids_are_numpys(indexing: Any) -> None:
    vectors = [np.arange(2.0), np.arange(3.0), np.arange(4.0)]
    for n in (1, 2, 3):
        got = nb.meshgrid(*map(nb.tensor, vectors[:n]), indexing=indexing)
        assert [x.tolist() for x in got] == [x.tolist() for x in np.meshgrid(*vectors[:n], indexing=indexing)]
    assert [x.shape for x in nb.meshgrid([nb.ones(2), nb.tensor(1.0)])] == [(2, 1), (2, 1)]


def test_grids_of_what_are_no_vectors_of_one_dtype_are_refused() -> None:
    for mistake in ([], [nb.ones(2, 2)], [nb.ones(2), nb.ones(2, dtype=nb.int64)]):
        with pytest.raises(RuntimeError, match="meshgrid"):
            nb.meshgrid(mistake)
    with pytest.raises(RuntimeError, match="indexing"):
        nb.meshgrid(nb.ones(2), indexing="ji")


@pytest.mark.parametrize("dims", [2, ([1, 2], [0, 1]), ([-2, -1], [0, 1]), 0, ((2,), (1,))])
def test_sums_over_pairs_of_dims_are_numpys(dims: Any) -> None:
    got = nb.tensordot(nb.tensor(A), nb.tensor(B), dims)
    np.testing.assert_allclose(got.numpy(), np.tensordot(A, B, dims), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("dims", [1, -1, 4, ([0], [0, 1]), ([0],), ([0], [0])])
def test_pairs_of_dims_that_do_not_fit_are_refused(dims: Any) -> None:
    with pytest.raises(RuntimeError, match="tensordot"):
        nb.tensordot(nb.tensor(A), nb.tensor(B), dims)


@pytest.mark.parametrize("order", ["fro", 1, -1, inf, -inf])
def test_norms_of_matrices_are_numpys(order: Any) -> None:
    x = nb.tensor(A, requires_grad=True)
    for keep in (False, True):
        want = np.linalg.norm(A, order, (0, 2), keep)
        np.testing.assert_allclose(nb.linalg.norm(x, order, (0, 2), keep).detach().numpy(), want, rtol=1e-12)
        np.testing.assert_allclose(nb.linalg.matrix_norm(x, order, (0, 2), keep).detach().numpy(), want, rtol=1e-12)
    np.testing.assert_allclose(nb.linalg.norm(x[0], order).item(), np.linalg.norm(A[0], order), rtol=1e-12)
    assert nb.autograd.gradcheck(lambda a: nb.linalg.matrix_norm(a, order), (x,))


@pytest.mark.parametrize("order", [None, 0, 1, 2, 3.5, inf, -inf])
def test_norms_of_vectors_are_numpys(order: Any) -> None:
    np.testing.assert_allclose(nb.linalg.norm(nb.tensor(A), order, 1).numpy(), np.linalg.norm(A, order, 1), rtol=1e-12)
    flat = A.reshape(-1)
    np.testing.assert_allclose(nb.linalg.norm(nb.tensor(flat), order).item(), np.linalg.norm(flat, order), rtol=1e-12)
    assert nb.linalg.norm(nb.tensor(A)).item() == pytest.approx(np.linalg.norm(flat))


def test_norms_that_are_not_there_are_refused() -> None:
    x = nb.tensor(A)
    for call in (
        lambda: nb.linalg.norm(x, 1),
        lambda: nb.linalg.norm(x, 1, (0, 1, 2)),
        lambda: nb.linalg.norm(x, "fro", 0),
        lambda: nb.linalg.matrix_norm(x, 3),
        lambda: nb.linalg.matrix_norm(x[0, 0]),
        lambda: nb.linalg.matrix_norm(x, dim=(1, 1)),
        lambda: nb.linalg.matrix_norm(x, dim=1),
        lambda: nb.linalg.matrix_norm(nb.zeros(3, 0), -1),
        lambda: nb.linalg.matrix_norm(nb.zeros(0, 3), -float("inf")),
    ):
        with pytest.raises(RuntimeError, match=r"linalg\."):
            call()


def test_norms_of_matrices_without_elements_are_0_where_something_is_compared() -> None:
    assert nb.linalg.matrix_norm(nb.zeros(0, 3), 1).item() == 0.0
    assert nb.linalg.matrix_norm(nb.zeros(3, 0), 1).item() == 0.0
    assert nb.linalg.matrix_norm(nb.zeros(3, 0), float("inf")).item() == 0.0
    assert nb.linalg.matrix_norm(nb.zeros(0, 3)).item() == 0.0


def test_numbers_with_evenly_spaced_logarithms() -> None:
    for base in (10.0, 2.0, 0.5):
        got = nb.logspace(-1, 2, 7, base, dtype=nb.float64)
        np.testing.assert_allclose(got.numpy(), np.logspace(-1, 2, 7, base=base), rtol=1e-14)
    assert nb.logspace(0, 1, 0).shape == (0,)
    assert nb.logspace(2, 5, 1).tolist() == [100.0]
    assert nb.logspace(0, 2, 3, requires_grad=True).requires_grad
    with pytest.raises(RuntimeError, match="steps"):
        nb.logspace(0, 1, -1)


def test_a_row_of_all_elements_is_contiguous() -> None:
    x = nb.ones(2, 3)
    assert x.ravel()._base is x and nb.ravel(nb.tensor(2.0)).shape == (1,)
    x = nb.arange(6.0).reshape(2, 3)
    for strided in (x.t(), x[:, 1], nb.arange(10.0)[::2]):
        row = strided.ravel()
        assert row.is_contiguous() and row.tolist() == strided.flatten().tolist()
        row.zero_()
    assert x.sum().item() == 15.0
