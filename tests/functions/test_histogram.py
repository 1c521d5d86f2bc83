"""How many elements lie in intervals of one width."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.samples import NAN

X = np.random.default_rng(3).standard_normal(200)


@pytest.mark.parametrize("given", [(7, -1.3, 1.9), (10, -4, 4), (1, 0, 1), (13, 0, 0), (100,)])
def test_counts_are_numpys(given: Any) -> None:
    bounds = given[1:] if any(given[1:]) else (X.min(), X.max())
    want, _ = np.histogram(X, given[0], bounds)
    x = nb.tensor(X)
    assert nb.histc(x, *given).tolist() == x.reshape(4, 50).histc(*given).tolist() == want.tolist()
    assert nb.histc(x.float(), *given).dtype is nb.float32


def test_what_is_counted_nowhere() -> None:
    x = nb.tensor([NAN, 0.0, 1.0, 2.0, 2.5, float("inf")])
    assert x.histc(2, 0, 2).tolist() == [1.0, 2.0]
    assert nb.histc(nb.ones(3), 4).tolist() == [0.0, 0.0, 3.0, 0.0]
    assert nb.histc(nb.ones(0), 4).tolist() == [0.0] * 4


@pytest.mark.parametrize("number", [nb.finfo(nb.float32).min, nb.finfo(nb.float32).max, 1e30])
def test_equal_numbers_so_large_that_one_more_is_no_other_are_counted(number: float) -> None:
    assert nb.histc(nb.full((3,), number), 4).sum().item() == 3.0


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: nb.histc(nb.ones(3), 0),
        lambda: nb.histc(nb.ones(3), 4, 5, 1),
        lambda: nb.histc(nb.tensor([NAN, 1.0])),
        lambda: nb.histc(nb.arange(3)),
    ],
)
def test_a_mistake_raises_what_pytorch_raises(wrong: Any) -> None:
    with pytest.raises(RuntimeError, match="histc"):
        wrong()


def test_weights_have_the_inputs_dtype() -> None:
    for wrong in (nb.ones(3, dtype=nb.float64), nb.ones(3, dtype=nb.int64)):
        with pytest.raises(RuntimeError, match="input tensor and weight tensor should have the same dtype"):
            nb.histogram(nb.ones(3), 2, weight=wrong)


def test_edges_have_no_range() -> None:
    with pytest.raises(TypeError, match="range"):
        nb.histogram(nb.ones(3), nb.arange(3.0), range=(0.0, 1.0))
