"""``nbgrad.numba.differentiate`` of functions of numerical practice: the bits of their values, and their gradients.

Numba needs seconds for each of them, so every run takes twenty that have something of each theme and are compiled soon;
NBGRAD_FUZZ=2000 takes all.
"""

from __future__ import annotations

import importlib
import itertools
import os
import re

import numpy as np
import pytest

import nbgrad.numba
from nbgrad.errors import NbgradError
from tests.numba.numerical.example import EXAMPLES, is_floating

THEMES = (
    "linear_algebra",
    "language",
    "time_series",
    "differential_equations",
    "approximation",
    "partial_differential_equations",
    "signals",
    "learning",
    "roots_and_minima",
    "finance",
    "particles_and_rays",
)


def names_of(theme: str) -> list[str]:
    before = set(EXAMPLES)
    importlib.import_module(f"tests.numba.numerical.{theme}")
    return [name for name in EXAMPLES if name not in before]


# One of each theme in turn, those that take long last.
NAMES = [name for row in itertools.zip_longest(*map(names_of, THEMES)) for name in row if name]
NAMES.sort(key=lambda name: EXAMPLES[name].slow)
TAKEN = NAMES[: max(int(os.environ.get("NBGRAD_FUZZ", "300")) // 15, 2)]


@pytest.mark.fuzz
@pytest.mark.parametrize("name", TAKEN)
def test_the_value_is_that_of_the_function_and_the_gradient_that_of_differences(name: str) -> None:
    example = EXAMPLES[name]
    differentiated = nbgrad.numba.differentiate(example.function)
    if example.refused:
        with pytest.raises(NbgradError, match=re.escape(example.refused)):
            differentiated(*example.copies())
        return
    value, gradients = differentiated(*example.copies())
    assert np.asarray(value).tobytes() == np.asarray(example.function(*example.copies())).tobytes()
    floating = [np.asarray(x) for x in example.arguments if is_floating(x)]
    for g, x, expected in zip(gradients, floating, example.gradients(), strict=True):
        assert np.shape(g) == x.shape
        assert not x.ndim or g.dtype == x.dtype
        np.testing.assert_allclose(g, expected, rtol=0.0, atol=example.rtol * max(np.abs(expected).max(), 1.0))


def test_there_are_enough_of_them() -> None:
    assert len(NAMES) > 100
