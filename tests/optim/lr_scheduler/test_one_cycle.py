from __future__ import annotations

from math import cos, pi

import numpy as np
import pytest

import nbgrad as nb

schedules = nb.optim.lr_scheduler


def sgd(**options: float) -> nb.optim.Optimizer:
    return nb.optim.SGD([nb.zeros(1, requires_grad=True)], lr=1.0, **{"momentum": 0.9, **options})


def followed(scheduler: object, name: str, steps: int) -> list[float]:
    found = []
    for step in range(steps):
        group = scheduler.optimizer.param_groups[0]
        found.append(group["betas"][0] if name == "betas" else group[name])
        if step + 1 < steps:
            scheduler.optimizer.step()
            scheduler.step()
    return found


def along(first: float, last: float, done: float) -> float:
    return last + (first - last) * (1 + cos(pi * done)) / 2


def test_the_rate_rises_and_falls_once() -> None:
    scheduler = schedules.OneCycleLR(sgd(), max_lr=5.0, total_steps=20, div_factor=10.0, final_div_factor=100.0)
    expected = [along(0.5, 5.0, s / 5) if s <= 5 else along(5.0, 0.005, (s - 5) / 14) for s in range(20)]
    np.testing.assert_allclose(followed(scheduler, "lr", 20), expected, rtol=1e-9)


def test_momentum_goes_the_other_way() -> None:
    expected = [along(0.95, 0.85, s / 2) if s <= 2 else along(0.85, 0.95, (s - 2) / 7) for s in range(10)]
    made = schedules.OneCycleLR(sgd(), 1.0, total_steps=10)
    np.testing.assert_allclose(followed(made, "momentum", 10), expected, rtol=1e-9)
    adam = nb.optim.Adam([nb.zeros(1, requires_grad=True)])
    made = schedules.OneCycleLR(adam, 1.0, epochs=2, steps_per_epoch=5)
    np.testing.assert_allclose(followed(made, "betas", 10), expected, rtol=1e-9)


def test_three_phases_come_down_as_they_went_up() -> None:
    made = schedules.OneCycleLR(
        sgd(), 1.0, total_steps=11, pct_start=0.4, anneal_strategy="linear", three_phase=True, div_factor=2.0
    )
    up, down, low = 0.4 * 11 - 1, 2 * 0.4 * 11 - 2, 0.5 / 1e4
    expected = np.interp(range(11), [0, up, down, 10], [0.5, 1.0, 0.5, low])
    np.testing.assert_allclose(followed(made, "lr", 11), expected, rtol=1e-9)


def test_a_step_too_many_is_refused() -> None:
    scheduler = schedules.OneCycleLR(sgd(), 1.0, total_steps=3)
    followed(scheduler, "lr", 3)
    scheduler.step()
    with pytest.raises(ValueError, match="Tried to step 4 times"):
        scheduler.step()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "You must define either total_steps OR"),
        ({"total_steps": 0}, "positive integer total_steps"),
        ({"epochs": -1, "steps_per_epoch": 2}, "positive integer epochs"),
        ({"total_steps": 5, "pct_start": 2.0}, "pct_start"),
        ({"total_steps": 5, "anneal_strategy": "steps"}, "anneal_strategy"),
    ],
)
def test_arguments_out_of_range_are_refused(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        schedules.OneCycleLR(sgd(), 1.0, **options)
