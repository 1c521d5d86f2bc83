from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb

schedules = nb.optim.lr_scheduler
FORMS: list[dict[str, Any]] = [
    {"step_size_up": 3},
    {"step_size_up": 2, "step_size_down": 4, "mode": "triangular2"},
    {"step_size_up": 3, "mode": "exp_range", "gamma": 0.9},
    {"step_size_up": 3, "scale_fn": lambda turn: 1 / turn},
    {"step_size_up": 3, "scale_fn": lambda step: 1 / (1 + step), "scale_mode": "iterations"},
]


def followed(library: Any, form: dict[str, Any], *, adam: bool) -> list[Any]:
    x = library.zeros(1, requires_grad=True)
    x.grad = library.zeros(1)
    made = library.optim.Adam([x]) if adam else library.optim.SGD([x], lr=1.0, momentum=0.5)
    scheduler = library.optim.lr_scheduler.CyclicLR(made, 0.1, 0.7, **form)
    found = []
    for _ in range(14):
        group = made.param_groups[0]
        found.append((group["lr"], group["betas"][0] if adam else group["momentum"]))
        made.step()
        scheduler.step()
    return found


@pytest.mark.parametrize("adam", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_rates_and_momenta_are_pytorchs(form: dict[str, Any], adam: bool) -> None:
    torch = pytest.importorskip("torch")
    np.testing.assert_allclose(followed(nb, form, adam=adam), followed(torch, form, adam=adam), rtol=1e-9, atol=1e-12)
