"""What an instruction reads at one place is not overwritten by what it writes at another one."""

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.graph.dtypes import float64
from nbgrad.graph.node import apply
from tests.passes.build import reduced, reshaped, value
from tests.passes.runs import fused, njitted, run_plan, same_bits, unfused


@pytest.mark.parametrize("name", ["scatter", "scatter_add"])
def test_a_value_scattered_into_itself(name: str) -> None:
    values = np.linspace(-2.0, 2.0, 64)
    places = np.arange(64)[::-1].copy()

    @nb.compile
    def f(x: nb.Tensor, index: nb.Tensor) -> nb.Tensor:
        h = nb.tanh(x)
        return getattr(h, name)(0, index, h) * 1.5

    h = np.tanh(values)
    want = (h[::-1] if name == "scatter" else h + h[::-1]) * 1.5
    for _ in range(3):
        np.testing.assert_allclose(f(nb.tensor(values), nb.tensor(places)).numpy(), want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["prod", "sum", "amax"])
@pytest.mark.parametrize("n", [2, 5, 8, 37])
def test_what_a_reduction_reads_is_read_before_its_memory_is_written(name: str, n: int) -> None:
    # ``b`` dies here and ``a`` does not, so ``twice`` is made where ``b`` is. Of the last lanes, which are masked, LLVM
    # reads again what a sum takes in.
    a, b = (apply("cumsum", value(n, at=at, dtype=float64), params=(0, False)) for at in range(2))
    twice = apply("add", a, a)
    total = apply("add", reduced("sum", apply("mul", a, a), 0), reduced(name, b, 0))
    roots = [total, apply("matmul", reshaped(twice, n, 1), reshaped(a, 1, n))]
    rng = np.random.default_rng(n)
    inputs = [rng.standard_normal(n) for _ in range(2)]
    expected = run_plan(unfused(roots), inputs)
    assert same_bits(run_plan(fused(roots), inputs), expected)
    assert same_bits(run_plan(njitted(roots), inputs), expected)
