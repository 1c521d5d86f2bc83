from __future__ import annotations

from math import cos, gamma, pi

import numpy as np
import pytest

import nbgrad as nb

schedules = nb.optim.lr_scheduler


def optimizer(*rates: float) -> nb.optim.Optimizer:
    """SGD with a group for each learning rate."""
    return nb.optim.SGD([{"params": [nb.zeros(1, requires_grad=True)], "lr": lr} for lr in rates or (2.0,)])


def rates(scheduler: object, epochs: int) -> list[float]:
    """The learning rate of the first group in each epoch."""
    found = []
    for _ in range(epochs):
        found.append(scheduler.optimizer.param_groups[0]["lr"])
        scheduler.optimizer.step()
        scheduler.step()
    return found


def chained(o: nb.optim.Optimizer) -> object:
    parts = [schedules.ConstantLR(o, 0.5, 3), schedules.ExponentialLR(o, 0.9)]
    return schedules.ChainedScheduler([*parts, schedules.MultiplicativeLR(o, lambda epoch: 0.5)])


def warm_up_and_cosine(o: nb.optim.Optimizer) -> object:
    first = schedules.LinearLR(o, 0.25, 1.0, total_iters=3)
    return schedules.SequentialLR(o, [first, schedules.CosineAnnealingLR(o, 6)], [3])


def cyclic(o: nb.optim.Optimizer) -> object:
    return schedules.CyclicLR(o, 1.0, 3.0, 2, scale_fn=lambda turn: 1.0, cycle_momentum=False)


@pytest.mark.parametrize(
    ("make", "factor"),
    [
        (lambda o: schedules.StepLR(o, 3, gamma=0.5), lambda e: 0.5 ** (e // 3)),
        (lambda o: schedules.StepLR(o, 3.0, gamma=0.5), lambda e: 0.5 ** (e // 3)),
        (lambda o: schedules.MultiStepLR(o, [2, 5], gamma=0.5), lambda e: 0.5 ** ((e >= 2) + (e >= 5))),
        (lambda o: schedules.ExponentialLR(o, 0.9), lambda e: 0.9**e),
        (lambda o: schedules.LambdaLR(o, lambda e: 1 / (1 + e)), lambda e: 1 / (1 + e)),
        (lambda o: schedules.MultiplicativeLR(o, lambda e: 1 / e), lambda e: 1 / gamma(e + 1)),
        (lambda o: schedules.ConstantLR(o, 0.25, 3), lambda e: 0.25 if e < 3 else 1.0),
        (lambda o: schedules.LinearLR(o, 0.2, 0.6, 4), lambda e: 0.2 + 0.4 * min(e, 4) / 4),
        (lambda o: schedules.PolynomialLR(o, 4), lambda e: 1 - min(e, 4) / 4),
        (lambda o: schedules.PolynomialLR(o, 20, 2.0), lambda e: (1 - e / 20) ** 2),
        (lambda o: schedules.CosineAnnealingLR(o, 5), lambda e: (1 + cos(pi * e / 5)) / 2),
        (lambda o: schedules.CosineAnnealingLR(o, 4, 1.0), lambda e: (1.0 + 0.5 * (1 + cos(pi * e / 4))) / 2),
        (lambda o: schedules.CosineAnnealingWarmRestarts(o, 3), lambda e: (1 + cos(pi * (e % 3) / 3)) / 2),
        (
            lambda o: schedules.CosineAnnealingWarmRestarts(o, 2, 2),
            lambda e: (1 + cos(pi * (e / 2 if e < 2 else (e - 2) / 4 if e < 6 else (e - 6) / 8))) / 2,
        ),
        (lambda o: chained(o), lambda e: (0.5 if e < 3 else 1.0) * 0.9**e * 0.5**e),
        (lambda o: warm_up_and_cosine(o), lambda e: 0.25 + e / 4 if e < 3 else (1 + cos(pi * (e - 3) / 6)) / 2),
        (lambda o: cyclic(o), lambda e: [1.0, 2.0, 3.0, 2.0][e % 4] / 2),
    ],
)
def test_the_rate_follows_its_formula(make: object, factor: object) -> None:
    expected = [2.0 * factor(epoch) for epoch in range(12)]
    np.testing.assert_allclose(rates(make(optimizer()), 12), expected, rtol=1e-9, atol=1e-12)


def test_each_group_has_its_own_rate() -> None:
    o = optimizer(1.0, 10.0)
    scheduler = schedules.LambdaLR(o, [lambda e: 1.0, lambda e: 0.5**e])
    o.step()
    scheduler.step()
    assert scheduler.get_last_lr() == [1.0, 5.0]
    assert [g["lr"] for g in o.param_groups] == [1.0, 5.0]


@pytest.mark.parametrize("make", [lambda o: schedules.CosineAnnealingLR(o, 10), chained, warm_up_and_cosine, cyclic])
@pytest.mark.parametrize("epochs", [2, 4, 5])
def test_a_schedule_goes_on_from_its_saved_state(make: object, epochs: int) -> None:
    first, second = (make(optimizer()) for _ in range(2))
    rates(first, epochs)
    second.load_state_dict(first.state_dict())
    second.optimizer.param_groups[0]["lr"] = first.get_last_lr()[0]
    np.testing.assert_allclose(rates(second, 3), rates(first, 3), rtol=1e-9)


def test_functions_are_not_saved() -> None:
    for made in (schedules.LambdaLR(optimizer(), lambda e: 1.0), cyclic(optimizer())):
        state = made.state_dict()
        assert "optimizer" not in state
        assert state["last_epoch"] == 0
        assert not any(callable(f) for f in [*state.values(), *state.get("lr_lambdas", [])])


def test_resuming_needs_the_rate_that_the_training_began_with() -> None:
    with pytest.raises(KeyError, match="initial_lr"):
        schedules.StepLR(optimizer(), 3, last_epoch=5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda o: schedules.LambdaLR(o, [lambda e: 1.0] * 2), "Expected 1 lr_lambdas"),
        (lambda o: schedules.ConstantLR(o, 2.0), "between 0 and 1"),
        (lambda o: schedules.LinearLR(o, 0.0), "Starting multiplicative factor"),
        (lambda o: schedules.LinearLR(o, 0.5, 1.5), "Ending multiplicative factor"),
        (lambda o: schedules.CosineAnnealingWarmRestarts(o, 0), "positive integer T_0"),
        (lambda o: schedules.CosineAnnealingWarmRestarts(o, 2, 0), "T_mult"),
        (lambda o: schedules.ChainedScheduler([]), "at least one scheduler"),
        (lambda o: schedules.ChainedScheduler([schedules.ReduceLROnPlateau(o)]), "ReduceLROnPlateau"),
        (
            lambda o: schedules.ChainedScheduler([schedules.ConstantLR(o), schedules.ConstantLR(optimizer())]),
            "same optimizer",
        ),
        (lambda o: schedules.SequentialLR(o, [schedules.ConstantLR(o)], [3]), "one more than the number of"),
        (lambda o: schedules.SequentialLR(o, [], []), "at least one scheduler"),
        (lambda o: schedules.SequentialLR(o, [schedules.ConstantLR(optimizer())], []), "belong"),
        (lambda o: schedules.CyclicLR(o, 0.1, 1.0, mode="square", cycle_momentum=False), "mode is invalid"),
        (lambda o: schedules.CyclicLR(o, 0.1, 1.0, scale_mode="epochs", cycle_momentum=False), "scale_mode"),
        (lambda o: schedules.CyclicLR(o, 0.1, [1.0, 2.0], cycle_momentum=False), "expected 1 values for max_lr"),
        (lambda o: schedules.CyclicLR(nb.optim.Adagrad([nb.zeros(1)]), 0.1, 1.0), "momentum or beta1"),
        (lambda o: schedules.ReduceLROnPlateau(o, factor=1.0), "Factor"),
        (lambda o: schedules.ReduceLROnPlateau(o, mode="best"), "unknown"),
        (lambda o: schedules.ReduceLROnPlateau(o, threshold_mode="no"), "unknown"),
        (lambda o: schedules.ReduceLROnPlateau(o, min_lr=[0.1, 0.2]), "min_lrs"),
    ],
)
def test_arguments_out_of_range_are_refused(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(optimizer())


def test_only_an_optimizer_can_be_scheduled_and_only_schedules_chained() -> None:
    with pytest.raises((TypeError, AttributeError)):
        schedules.StepLR(nb.zeros(1), 3)
    with pytest.raises(TypeError, match="at index 0"):
        schedules.ChainedScheduler([3])


@pytest.mark.parametrize(
    "make",
    [
        lambda o: schedules.StepLR(o, 2, 0.1),
        lambda o: schedules.MultiStepLR(o, [1, 2], 0.1),
        lambda o: schedules.ExponentialLR(o, 0.5),
        lambda o: schedules.CosineAnnealingLR(o, 6),
        lambda o: schedules.PolynomialLR(o, 6),
    ],
)
def test_a_script_that_resumes_goes_on_with_the_rate_that_was_saved(make: object) -> None:
    """The optimiser's state, then a new scheduler, then that one's state: as most scripts do it."""
    first = optimizer(1.0)
    schedule = make(first)
    rates(schedule, 3)
    second = optimizer(1.0)
    second.load_state_dict(first.state_dict())
    resumed = make(second)
    resumed.load_state_dict(schedule.state_dict())
    assert resumed.get_last_lr() == schedule.get_last_lr()
    assert rates(resumed, 4) == rates(schedule, 4)


@pytest.mark.parametrize("parts", [chained, warm_up_and_cosine])
def test_schedules_of_parts_are_parts_themselves(parts: object) -> None:
    direct, o = parts(optimizer()), optimizer()
    assert rates(schedules.SequentialLR(o, [parts(o)], []), 10) == pytest.approx(rates(direct, 10))
    o = optimizer()
    late = schedules.SequentialLR(o, [schedules.ConstantLR(o, 0.5, 9), parts(o)], [2])
    if parts is chained:  # in PyTorch, too, it goes to no epoch
        with pytest.raises(TypeError, match="only the first"):
            rates(late, 10)
    else:
        assert rates(late, 12) == pytest.approx([1.0, 1.0, *rates(parts(optimizer()), 10)])
