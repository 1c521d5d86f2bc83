"""Modes, histograms, running functions of older programs. NBGRAD_ORACLE=torch runs it against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.samples import floats

ROWS = nb.tensor([[3.0, 1.0, 2.0, 1.0], [5.0, 5.0, 4.0, 4.0]])


@pytest.mark.parametrize("keepdim", [False, True])
def test_the_most_frequent_element(keepdim: bool) -> None:
    values, places = ROWS.mode(1, keepdim)
    assert values.reshape(-1).tolist() == [1.0, 4.0] and places.reshape(-1).tolist() == [3, 3]
    assert values.dim() == (2 if keepdim else 1)
    assert nb.mode(nb.tensor([True, False, True])).values.item() is True
    assert nb.mode(ROWS, 0).values.tolist() == [3.0, 1.0, 2.0, 1.0]
    assert nb.mode(nb.tensor(7)).values.item() == 7
    with pytest.raises(IndexError):
        nb.mode(nb.ones(2, 0), 1)
    assert nb.autograd.gradcheck(lambda x: nb.mode(x, 1).values, nb.tensor(floats(2, 3), requires_grad=True))


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("bins", [4, [-1.0, 0.0, 0.5, 2.0]])
@pytest.mark.parametrize("weighted", [False, True])
def test_histograms_are_numpys(density: bool, bins: Any, weighted: bool) -> None:
    x, weight = floats(5, 4), floats(5, 4, seed=1, low=0.5, high=2.0)
    given = nb.tensor(bins, dtype=nb.float64) if isinstance(bins, list) else bins
    got = nb.histogram(nb.tensor(x), given, weight=nb.tensor(weight) if weighted else None, density=density)
    want = np.histogram(x, bins, weights=weight if weighted else None, density=density)
    for mine, numpys in zip(got, want, strict=True):
        np.testing.assert_allclose(mine.numpy(), numpys, rtol=1e-12)
    points = nb.tensor(x[:, :2])
    grid, edges = nb.histogramdd(points, [3, 2], range=[-2.0, 2.0, -1.0, 1.0], density=density)
    want, ends = np.histogramdd(x[:, :2], [3, 2], range=[(-2, 2), (-1, 1)], density=density)
    np.testing.assert_allclose(grid.numpy(), want, rtol=1e-12)
    assert len(edges) == 2 and edges[1].tolist() == ends[1].tolist()


def test_histograms_of_one_value_and_of_nothing() -> None:
    assert nb.histogram(nb.ones(3), 3).hist.tolist() == [0.0, 3.0, 0.0]
    assert nb.histogram(nb.ones(0), 3).bin_edges[-1].item() == 1.0
    assert nb.histogram(nb.tensor([1.0, 9.0]), 2, range=(0.0, 2.0)).hist.tolist() == [0.0, 1.0]
    for wrong in (0, nb.ones(2, 2)):
        with pytest.raises(RuntimeError):
            nb.histogram(nb.ones(3), wrong)
    with pytest.raises(RuntimeError):
        nb.histogram(nb.tensor([1, 2]), 2)
    with pytest.raises(RuntimeError):
        nb.histogram(nb.tensor([float("nan")]), 2)


def test_what_was_not_as_in_pytorch() -> None:
    x = nb.tensor([[1.0, 2.0, 3.0]])
    assert nb.cov(x).shape == nb.corrcoef(x).shape == ()
    assert nb.diff(x, 0, prepend=x).shape == (1, 3)
    assert nb.gradient(x[0], spacing=None)[0].tolist() == [1.0, 1.0, 1.0]
    assert nb.take_along_dim(x, nb.tensor([[-1, 0]]), 1).tolist() == [[3.0, 1.0]]
    assert nb.linalg.vander(nb.tensor(3.0), N=3).tolist() == [[1.0, 3.0, 9.0]]
