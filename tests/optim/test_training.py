"""Whole trainings: equal to one written in NumPy, and the same bits on every road."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nbgrad as nb
from tests.optim.training import by_hand, trained

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("max_norm", [None, 0.1])
@pytest.mark.parametrize("kind", ["adam", "sgd"])
def test_a_training_equals_one_written_by_hand(kind: str, max_norm: float | None) -> None:
    losses, params = trained(kind, "float64", max_norm)
    expected_losses, expected_params = by_hand(kind, max_norm)
    np.testing.assert_allclose(losses, expected_losses, rtol=1e-9)  # rounding grows over 40 steps
    for got, expected in zip(params, expected_params, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-8, atol=1e-9)


ROADS = (
    {"NBGRAD_COMPILE": "never", "NBGRAD_NUM_THREADS": "1"},
    {"NBGRAD_COMPILE": "eager", "NBGRAD_NUM_THREADS": "1"},
    {"NBGRAD_COMPILE": "eager", "NBGRAD_NUM_THREADS": "2"},
    {"NBGRAD_COMPILE": "background", "NBGRAD_NUM_THREADS": "2"},
    {"NBGRAD_COMPILE": "eager", "NBGRAD_PASSES": "-fuse"},
    {"NBGRAD_COMPILE": "eager", "NBGRAD_PASSES": "-fold,-merge,-plan"},
)


@pytest.mark.skipif(nb.__name__ == "torch", reason="switches of nbgrad")
def test_a_training_gives_the_same_bits_on_every_road() -> None:
    results = set()
    for switches in ROADS:
        done = subprocess.run(
            [sys.executable, "-m", "tests.optim.training"],
            cwd=ROOT,
            env={**os.environ, **switches},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.startswith("adam ['0x1.")
        results.add(done.stdout)
    assert len(results) == 1


@pytest.mark.skipif(nb.__name__ == "torch", reason="a switch of nbgrad")
def test_the_interpreter_trains_too() -> None:
    with nb.config.override(interpret=True):
        losses, _ = trained("adam", "float64")
    np.testing.assert_allclose(losses, by_hand("adam")[0], rtol=1e-9)
