"""One memory through several tensors: random programs against NumPy's arrays and PyTorch's derivatives."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import nbgrad as nb
from tests.trace.programs import NAMES, WITHOUT_GRADIENTS, Step, World, steps

EXAMPLES = max(int(os.environ.get("NBGRAD_FUZZ", "300")) // 3, 20)

# What PyTorch refuses and nbgrad computes, or refuses in other words; a write it refuses for its own bookkeeping.
REFUSED_BY_PYTORCH_ALONE = (
    "modified by an inplace operation",
    "A view was created in no_grad mode",
    "Output 0 of",
    "is a view and its base or another view of its base has been modified inplace",
)


def close(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True)


@given(steps(WITHOUT_GRADIENTS))
@settings(max_examples=EXAMPLES)
def test_values_behave_like_numpy_arrays(program: list[Step]) -> None:
    with nb.no_grad():
        ours = World(nb).run(program)
    theirs = World(np).run(program)
    assert [e[:2] for e in ours if e[0] != "end"] == [e[:2] for e in theirs if e[0] != "end"]
    assert ours[-1] == theirs[-1]


@given(steps(NAMES))
@settings(max_examples=EXAMPLES)
def test_derivatives_through_views_and_writes_are_pytorchs(program: list[Step]) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is the reference here")
    theirs = World(torch).run(program)
    ours = World(nb).run(program)
    compare(ours, theirs)


@given(steps(NAMES))
@settings(max_examples=EXAMPLES)
def test_looks_change_no_bit(program: list[Step]) -> None:
    looking, blind = World(nb).run(program), World(nb, looks=False).run(program)
    assert [e for e in looking if e[0] != "look"] == [e for e in blind if e[0] != "look"]


def compare(ours: list[Any], theirs: list[Any]) -> None:
    """Equal events in order; up to where PyTorch alone refuses a write, and leaving out gradients that it refuses."""
    mine = iter(ours)
    for event in theirs:
        got = next(mine)
        if got[0] == "refused" and "single memory location" in got[2]:
            return  # PyTorch writes to a part of an expanded tensor that has memory of its own; nbgrad asks for a clone
        if event[0] == "refused" and any(text in event[2] for text in REFUSED_BY_PYTORCH_ALONE):
            if got[0] != "grad":
                return
        elif event[0] == "refused":
            assert got[:2] == event[:2], (got, event)
        else:
            assert got[0] == event[0], (got, event)
            several = event[0] in ("arrays", "grad", "end")
            values = list(zip(got[1], event[1], strict=True)) if several else [(got[1], event[1])]
            assert all(close(a, b) for a, b in values), (got, event)
