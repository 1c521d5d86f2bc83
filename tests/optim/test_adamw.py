from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb
from tests.optim.test_adam import GRADS, START, reference


def decayed(lr: float, weight_decay: float) -> list[float]:
    """Adam's update around a weight that shrinks by itself before each step."""
    p, out = START, []
    steps = np.diff([START, *reference(lr=lr)])  # Adam's steps do not depend on where it is
    for step in steps:
        p = p * (1 - lr * weight_decay) + step
        out.append(p)
    return out


@pytest.mark.parametrize(("lr", "weight_decay"), [(0.1, 0.5), (1e-3, 1e-2), (0.1, 0)])
def test_adamw_shrinks_the_weight_outside_of_adams_step(lr: float, weight_decay: float) -> None:
    p = nb.tensor(START, dtype=nb.float64, requires_grad=True)
    optimizer = nb.optim.AdamW([p], lr=lr, weight_decay=weight_decay)
    got = []
    for g in GRADS:
        p.grad = nb.tensor(g, dtype=nb.float64)
        optimizer.step()
        got.append(p.item())
    np.testing.assert_allclose(got, decayed(lr, weight_decay), rtol=1e-13)


def test_adamw_decays_by_a_hundredth_unless_told_otherwise() -> None:
    p = nb.ones(1, requires_grad=True)
    p.grad = nb.zeros(1)
    nb.optim.AdamW([p], lr=0.5).step()
    np.testing.assert_allclose(p.item(), 1 - 0.5 * 0.01, rtol=1e-6)


def test_adamw_is_an_adam_with_its_options() -> None:
    optimizer = nb.optim.AdamW([nb.zeros(1, requires_grad=True)], amsgrad=True, maximize=True)
    assert isinstance(optimizer, nb.optim.Adam)
    assert optimizer.param_groups[0]["amsgrad"]
    with pytest.raises(ValueError, match="Invalid weight_decay value: -1"):
        nb.optim.AdamW([nb.zeros(1, requires_grad=True)], weight_decay=-1)
