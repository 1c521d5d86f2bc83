"""Products that are added to something: what a factor of 0 leaves out. Values and derivatives are among the samples."""

from __future__ import annotations

import pytest

import nbgrad as nb

SHAPES = {
    "addmm": ((2, 3), (2, 4), (4, 3)),
    "addmv": ((2,), (2, 4), (4,)),
    "addr": ((2, 3), (2,), (3,)),
    "baddbmm": ((5, 2, 3), (5, 2, 4), (5, 4, 3)),
    "addbmm": ((2, 3), (5, 2, 4), (5, 4, 3)),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_beta_0_ignores_the_input_whatever_it_holds(name: str, value: float) -> None:
    shape, *factors = SHAPES[name]
    a, b = [nb.randn(factor, dtype=nb.float64) for factor in factors]
    x = nb.full(shape, value, dtype=nb.float64, requires_grad=True)
    y = getattr(nb, name)(x, a, b, beta=0, alpha=2)
    y.sum().backward()
    assert y.tolist() == getattr(nb, name)(nb.zeros(shape, dtype=nb.float64), a, b, alpha=2).tolist()
    assert x.grad is not None and not x.grad.any()
