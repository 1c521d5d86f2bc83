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


def sgd(**options: Any) -> Any:
    return nb.optim.SGD([nb.zeros(1, requires_grad=True)], lr=1.0, **options)


def test_a_turn_goes_up_and_down() -> None:
    scheduler = schedules.CyclicLR(sgd(), 1.0, 3.0, step_size_up=2, cycle_momentum=False)
    found = []
    for _ in range(6):
        found += scheduler.get_last_lr()
        scheduler.optimizer.step()
        scheduler.step()
    assert found == [1.0, 2.0, 3.0, 2.0, 1.0, 2.0]


def test_it_goes_on_from_its_saved_state() -> None:
    first, second = (
        schedules.CyclicLR(sgd(), 1.0, 3.0, 2, scale_fn=lambda n: 1 / n, cycle_momentum=False) for _ in "ab"
    )
    for _ in range(5):
        first.step()
    state = first.state_dict()
    assert not any(callable(value) for value in state.values())
    second.load_state_dict(state)
    first.step()
    second.step()
    assert second.get_last_lr() == first.get_last_lr()


def test_arguments_that_do_not_fit_are_refused() -> None:
    for options, message in (
        ({"mode": "square"}, "mode is invalid"),
        ({"scale_mode": "epochs"}, "scale_mode"),
        ({"max_lr": [1.0, 2.0]}, "expected 1 values for max_lr"),
    ):
        with pytest.raises(ValueError, match=message):
            schedules.CyclicLR(sgd(momentum=0.9), **{"base_lr": 0.1, "max_lr": 1.0, **options})
    with pytest.raises(ValueError, match="momentum or beta1"):
        schedules.CyclicLR(nb.optim.Adagrad([nb.zeros(1, requires_grad=True)]), 0.1, 1.0)
