"""NumPy's warnings, and finalizers that come between."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest

from nbgrad.graph.quiet import quietly, refusing_division

COLLECTIONS = """
import contextvars, gc
import numpy as np
from nbgrad.graph.dtypes import float32
from nbgrad.graph.half import stored
from nbgrad.graph.quiet import refusing_division

several = [contextvars.ContextVar(f"{k}") for k in range(20)]
for variable in several:
    variable.set(None)
is_inside, came = False, 0

def between(phase, _):
    global is_inside, came
    if phase == "stop" and not is_inside:
        is_inside, came = True, came + 1
        stored(np.asarray(1e300), float32)
        is_inside = False

gc.callbacks.append(between)
gc.set_threshold(1)
for k in range(5000):
    kept = [[k]] * 3, {}
    stored(np.asarray(1e300), float32)
    refusing_division(np.add, 1, 2)
assert came > 0
"""


def test_numbers_are_computed_without_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert quietly(np.divide, 1.0, 0.0) == np.inf
        assert quietly(lambda: quietly(np.float64, 1e300).astype(np.float32)) == np.inf
        with pytest.raises(FloatingPointError):
            refusing_division(np.floor_divide, np.int64(1), np.int64(0))
        assert refusing_division(np.multiply, 1e300, 1e300) == np.inf


def test_who_uses_it_is_warned_as_before() -> None:
    quietly(np.divide, 1.0, 0.0)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        np.divide(1.0, 0.0)


def test_a_collection_that_comes_between_computes_too() -> None:
    """The process ended so with ``np.errstate``."""
    run = subprocess.run([sys.executable, "-c", COLLECTIONS], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
