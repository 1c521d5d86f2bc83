"""Scans against the operators' references, bit by bit: rows alone, side by side and columns, in both directions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.graph.op import OPS
from nbgrad.tape.kernel import SCANS, KernelText, Operand
from tests.kernels.harness import TARGETS, compiled, same_bits, sample

DTYPES = ["float32", "float64", "int64", "uint8"], ["int32", "int64"]  # the latter of running maxima
ROWS = 5  # twice two side by side, and one


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.level)
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(("form", "dtype"), [(form, dtype) for form in SCANS for dtype in DTYPES[form == "cummax"]])
def test_a_scan_goes_on_from_the_element_before_and_every_row_alone(
    target: Any, dtype: str, backwards: bool, form: str
) -> None:
    roles = ("in", "out", "in") if form == "recurrence" else ("in", "out")
    text = KernelText(form, 0, 0, tuple([Operand(dtype, 1, role) for role in roles]))
    function, _ = compiled(text, target)
    for length, inner in ((7, 1), (7, 5), (32, 1), (33, 1), (1, 1), (0, 1), (3, 70), (1, 4)):
        random = np.random.default_rng(length)
        x = sample(random, (ROWS, length, inner), dtype)
        links = sample(random, (ROWS, max(length - 1, 0), inner), dtype)
        out = np.full_like(x, 9)
        addresses = [a.ctypes.data for a in (x, out, links)[: len(roles)]]
        words = np.array([length, inner, backwards, *addresses], np.int64)
        for begin, end in ((1, ROWS), (0, 1), (2, 2)):
            assert function(words.ctypes.data, begin, end) == 0
        inputs = (links, x) if form == "recurrence" else (x,)
        with np.errstate(all="ignore"):
            assert same_bits(out, OPS[form].reference(*inputs, 1, backwards)), (length, inner)
