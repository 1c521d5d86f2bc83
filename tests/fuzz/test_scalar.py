"""Random scalar functions as elementwise operators, against Python floats and dual numbers."""

from __future__ import annotations

import os

import numpy as np
import pytest

import nbgrad as nb
from tests.fuzz.scalar import Dual, dual, functions, real

pytestmark = [pytest.mark.fuzz, pytest.mark.cpu]

COUNT = max(int(os.environ.get("NBGRAD_FUZZ", "300")) // 10, 2)
POINTS = 11


def expected(plain: object, x: float, y: float) -> list[float] | None:
    """Both results, their derivatives by x and y, and twice by x; None where Python raises."""
    try:
        assert callable(plain)
        row = [real(r) for r in plain(x, y)]
        for dx, dy in ((1.0, 0.0), (0.0, 1.0)):
            row += [real(dual(r).dot) for r in plain(Dual(x, dx), Dual(y, dy))]
        twice = plain(Dual(Dual(x, 1.0), Dual(1.0, 0.0)), Dual(y, 0.0))
        return row + [real(dual(dual(r).dot).dot) for r in twice]
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


@pytest.mark.parametrize("seed", range(COUNT))
def test_values_and_derivatives_are_those_of_python(seed: int) -> None:
    text, fn, plain = functions(seed)
    random = np.random.default_rng(seed)
    points = [tuple(row) for row in random.uniform(-2, 2, (POINTS, 2)).tolist()]
    with np.errstate(all="ignore"):
        rows = {at: row for at in points if (row := expected(plain, *at)) is not None and np.isfinite(row).all()}
    if not rows:
        return
    x, y = [nb.tensor(list(column), dtype=nb.float64, requires_grad=True) for column in zip(*rows, strict=True)]
    results = nb.elementwise(fn)(x, y)
    first = [
        nb.autograd.grad(z.sum(), (x, y), create_graph=True) if z.requires_grad else (x.detach() * 0, y.detach() * 0)
        for z in results
    ]
    second = [
        nb.autograd.grad(g.sum(), x, materialize_grads=True)[0] if g.requires_grad else x.detach() * 0 for g, _ in first
    ]
    got = [*results, *[g for g, _ in first], *[g for _, g in first], *second]
    want = np.array([*rows.values()]).T
    for k, (a, b) in enumerate(zip(got, want, strict=True)):
        scale = 1.0 + np.abs(b) + 1e-4 * np.abs(want).max(0)  # of results that are differences of large numbers
        wrong = ~(np.abs(a.detach().double().numpy() - b) <= 1e-8 * scale)
        assert not wrong.any(), f"row {k} at {np.array([*rows])[wrong]}\n{text}"
