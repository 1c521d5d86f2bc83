"""Functions of vectors and samples: norms, cross products, powers, covariances, slopes."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.samples import floats

A = floats(4, 5)


def close(got: Any, want: Any) -> None:
    np.testing.assert_allclose(got.detach().numpy(), want, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.5, inf])
def test_distances_of_rows(p: float) -> None:
    want = [np.linalg.norm(A[i] - A[k], p) for i in range(4) for k in range(i + 1, 4)]
    close(nb.pdist(nb.tensor(A), p), want)
    assert nb.pdist(nb.ones(1, 3), p).shape == nb.pdist(nb.ones(0, 3), p).shape == (0,)
    assert nb.pdist(nb.ones(3, 0), p).tolist() == [0.0] * 3


@pytest.mark.parametrize("p", [1, 2, 3.5, inf])
@pytest.mark.parametrize("dim", [0, -1])
def test_slices_scaled_down_to_a_norm(p: float, dim: int) -> None:
    x = nb.tensor(A)
    norms = np.linalg.norm(A, p, 1 - dim % 2, keepdims=True)
    most = float(np.mean(norms))
    want = A * np.where(norms > most, most / (norms + 1e-7), 1)
    close(nb.renorm(x, p, dim, most), want)
    assert x.clone().renorm_(p, dim, most).tolist() == x.renorm(p, dim, most).tolist()


@pytest.mark.parametrize(("shapes", "dim"), [(((4, 3), (4, 3)), 1), (((4, 3), (1, 3)), None), (((3, 2), (3, 2)), 0)])
def test_cross_products_are_numpys(shapes: Any, dim: int | None) -> None:
    a, b = [floats(*shape, seed=k) for k, shape in enumerate(shapes)]
    along = shapes[0].index(3) if dim is None else dim
    close(nb.cross(nb.tensor(a), nb.tensor(b), dim), np.cross(a, b, axis=along))
    close(nb.tensor(a).cross(nb.tensor(b), dim), np.cross(a, b, axis=along))


@pytest.mark.parametrize("count", [None, 0, 1, 4, 7])
@pytest.mark.parametrize("increasing", [False, True])
def test_powers_are_numpys(count: int | None, increasing: bool) -> None:
    close(nb.vander(nb.tensor(A[0]), count, increasing), np.vander(A[0], count, increasing))
    assert nb.vander(nb.tensor([2, 3]), count).tolist() == np.vander([2, 3], count).tolist()


@pytest.mark.parametrize("correction", [0, 1])
@pytest.mark.parametrize("how_often", [None, [1, 2, 3, 1, 2]])
@pytest.mark.parametrize("how_much", [None, [0.5, 1.0, 2.0, 1.0, 3.0]])
def test_covariances_are_numpys(correction: int, how_often: Any, how_much: Any) -> None:
    given = {
        "fweights": None if how_often is None else nb.tensor(how_often),
        "aweights": None if how_much is None else nb.tensor(how_much, dtype=nb.float64),
    }
    for x in (A, A[0]):
        want = np.cov(x, ddof=correction, fweights=how_often, aweights=how_much)
        close(nb.cov(nb.tensor(x), correction=correction, **given), want)
    assert nb.autograd.gradcheck(lambda a: nb.cov(a, correction=correction, **given), nb.tensor(A, requires_grad=True))


def test_correlations_are_numpys() -> None:
    close(nb.corrcoef(nb.tensor(A)), np.corrcoef(A))
    assert nb.corrcoef(nb.tensor(A[0])).item() == 1.0
    assert nb.tensor([1, 2, 4]).cov().item() == pytest.approx(np.cov([1, 2, 4]))


def test_covariances_of_too_few_observations_warn() -> None:
    with pytest.warns(UserWarning, match="degrees of freedom"):
        assert nb.cov(nb.tensor(1.0)).isnan()
    with pytest.warns(UserWarning, match="degrees of freedom"):
        assert nb.cov(nb.ones(2, 0)).shape == (2, 2)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("spacing", [1, 0.5, (0.5, 2.0), [[0.0, 1.0, 3.0, 3.5], [0.0, 1.0, 3.0, 4.0, 8.0]]])
def test_slopes_are_numpys(spacing: Any, order: int) -> None:
    x = nb.tensor(A, requires_grad=True)
    given = (
        [nb.tensor(s, dtype=nb.float64) if isinstance(s, list) else s for s in spacing]
        if spacing != 1 and (isinstance(spacing, (list, tuple)))
        else spacing
    )
    want = np.gradient(A, *(spacing if isinstance(spacing, (list, tuple)) else [spacing]), edge_order=order)
    for got, slope in zip(nb.gradient(x, spacing=given, edge_order=order), want, strict=True):
        close(got, slope)
    assert nb.autograd.gradcheck(lambda a: nb.gradient(a, spacing=given, edge_order=order), (x,))
    if isinstance(given, (list, tuple)):
        close(nb.gradient(x, spacing=given[1:], dim=1, edge_order=order)[0], want[1])


def test_slopes_of_integers_and_of_two_samples() -> None:
    assert nb.gradient(nb.tensor([1, 2, 4]))[0].tolist() == [1.0, 1.5, 2.0]
    assert nb.gradient(nb.tensor([1.0, 3.0]))[0].tolist() == [2.0, 2.0]
    assert nb.gradient(nb.tensor(1.0)) == ()


X, V = nb.ones(3, 4), nb.ones(4)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: nb.pdist(V),
        lambda: nb.pdist(X, -1.0),
        lambda: nb.renorm(V, 2, 0, 1.0),
        lambda: nb.renorm(X, 0, 0, 1.0),
        lambda: nb.renorm(X, 2, 0, -1.0),
        lambda: nb.renorm(X, 2, 2, 1.0),
        lambda: nb.cross(nb.ones(3), nb.ones(1, 3)),
        lambda: nb.cross(nb.ones(2), nb.ones(2)),
        lambda: nb.cross(X, X, 1),
        lambda: nb.cross(nb.ones(3), nb.arange(3)),
        lambda: nb.vander(X),
        lambda: nb.vander(V, -1),
        lambda: nb.cov(nb.ones(1, 1, 1)),
        lambda: nb.cov(nb.tensor([True])),
        lambda: nb.cov(X, fweights=V),
        lambda: nb.cov(X, aweights=nb.arange(4)),
        lambda: nb.cov(X, fweights=nb.arange(3)),
        lambda: nb.cov(X, fweights=nb.arange(4) - 1),
        lambda: nb.cov(X, aweights=-V),
        lambda: nb.corrcoef(nb.ones(1, 1, 1)),
        lambda: nb.gradient(V, edge_order=3),
        lambda: nb.gradient(nb.ones(1)),
        lambda: nb.gradient(nb.ones(2), edge_order=2),
        lambda: nb.gradient(X, dim=(0, 0)),
        lambda: nb.gradient(X, spacing=(1.0,)),
        lambda: nb.vdot(V, X),
        lambda: nb.vdot(V, nb.arange(4)),
    ],
)
def test_a_mistake_raises_what_pytorch_raises(wrong: Any) -> None:
    with pytest.raises(RuntimeError) as caught:
        wrong()
    assert isinstance(caught.value, nb.errors.NbgradError)


@pytest.mark.parametrize(
    "function",
    [
        lambda a: nb.pdist(a),
        lambda a: nb.pdist(a, 3.0),
        lambda a: nb.renorm(a, 2, 0, 1.0),
        lambda a: nb.cross(a[:3], a[1:], 0),
        lambda a: nb.vander(a[0], 3),
        lambda a: nb.corrcoef(a),
        lambda a: nb.vdot(a[0], a[1]),
    ],
)
def test_derivatives(function: Any) -> None:
    assert nb.autograd.gradcheck(function, (nb.tensor(A, requires_grad=True),))
