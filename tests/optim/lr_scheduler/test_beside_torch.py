"""Every schedule beside PyTorch's: resumed in some epoch, after a rate was set, after a jump, chained and in turns."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb

pytestmark = pytest.mark.cpu

# From the module of schedules, an optimiser and the epoch that was reached.
Make = Callable[[Any, Any, int], Any]
SCHEDULES: dict[str, Make] = {
    "StepLR": lambda s, o, e: s.StepLR(o, 3, 0.5, e),
    "MultiStepLR": lambda s, o, e: s.MultiStepLR(o, [2, 4, 4], 0.5, e),
    "ConstantLR": lambda s, o, e: s.ConstantLR(o, 0.5, 4, e),
    "LinearLR": lambda s, o, e: s.LinearLR(o, 0.2, 0.8, 4, e),
    "ExponentialLR": lambda s, o, e: s.ExponentialLR(o, 0.5, e),
    "PolynomialLR": lambda s, o, e: s.PolynomialLR(o, 4, 2.0, e),
    "CosineAnnealingLR": lambda s, o, e: s.CosineAnnealingLR(o, 4, 0.1, e),
    "LambdaLR": lambda s, o, e: s.LambdaLR(o, lambda epoch: 1 / (1 + epoch), e),
    "MultiplicativeLR": lambda s, o, e: s.MultiplicativeLR(o, lambda epoch: 0.9 + 0.01 * epoch, e),
    "CosineAnnealingWarmRestarts": lambda s, o, e: s.CosineAnnealingWarmRestarts(o, 3, 2, 0.1, e),
    "CyclicLR": lambda s, o, e: s.CyclicLR(o, 0.1, 0.8, 3, last_epoch=e),
}
PARTS = [*SCHEDULES, "OneCycleLR"]
MAKERS = {**SCHEDULES, "OneCycleLR": lambda s, o, e: s.OneCycleLR(o, 0.8, total_steps=30)}


def sgd(library: Any, rate: float = 0.7, initial: float | None = 1.0) -> Any:
    p = library.zeros(1, requires_grad=True)
    p.grad = library.ones(1)
    made = library.optim.SGD([p], lr=rate, momentum=0.9)
    if initial is not None:
        made.param_groups[0]["initial_lr"] = initial
    return made


def rates(optimizer: Any, schedules: list[Any], epochs: int) -> list[float]:
    found = []
    for _ in range(epochs):
        group = optimizer.param_groups[0]
        found += [group["lr"], group["momentum"]]
        optimizer.step()
        for schedule in schedules:
            schedule.step()
    return found


def lived(library: Any, name: str, epoch: int) -> list[float]:
    """From ``epoch`` on; then a rate that was set; then a jump."""
    optimizer = sgd(library)
    schedule = SCHEDULES[name](library.optim.lr_scheduler, optimizer, epoch)
    found = rates(optimizer, [schedule], 5)
    optimizer.param_groups[0]["lr"] = 0.33
    found += rates(optimizer, [schedule], 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # epochs that are given are deprecated
        schedule.step(2)
    return [*found, *rates(optimizer, [schedule], 3), *schedule.get_last_lr(), schedule.last_epoch]


@pytest.mark.parametrize("name", SCHEDULES)
def test_resumed_schedules_go_on_as_pytorchs(name: str) -> None:
    torch = pytest.importorskip("torch")
    for epoch in (-1, 0, 1, 2, 3, 4, 5, 7):
        np.testing.assert_allclose(lived(nb, name, epoch), lived(torch, name, epoch), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", ["chained", "in turns", "two at once"])
@pytest.mark.parametrize("seed", range(20))
def test_schedules_together_are_pytorchs(kind: str, seed: int) -> None:
    torch = pytest.importorskip("torch")
    names = np.random.default_rng(seed).choice(PARTS, 3, replace=False)

    def run(library: Any) -> list[float]:
        s, optimizer = library.optim.lr_scheduler, sgd(library, initial=None)
        parts = [MAKERS[name](s, optimizer, -1) for name in names]
        if kind == "chained":
            parts = [s.ChainedScheduler(parts)]
        elif kind == "in turns":
            parts = [s.SequentialLR(optimizer, parts, [3, 7])]
        found = rates(optimizer, parts, 12)
        return [*found, *[lr for part in parts for lr in part.get_last_lr()]]

    np.testing.assert_allclose(run(nb), run(torch), rtol=1e-9, atol=1e-12)


class Power:
    """A callable object, whose attributes are part of a schedule's state."""

    def __init__(self, base: float) -> None:
        self.base = base

    def __call__(self, epoch: int) -> float:
        return self.base**epoch


# How a schedule is made, and how the one that takes over its state: what that decides, made otherwise.
SAVED: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    **{
        name: (lambda s, o, make=make: make(s, o, -1), lambda s, o, make=make: make(s, o, -1))
        for name, make in MAKERS.items()
    },
    "milestones": (lambda s, o: s.MultiStepLR(o, [1, 4, 4]), lambda s, o: s.MultiStepLR(o, [9])),
    "callable": (lambda s, o: s.LambdaLR(o, Power(0.5)), lambda s, o: s.LambdaLR(o, Power(0.1))),
    "scale": (
        lambda s, o: s.CyclicLR(o, 0.1, 0.8, 3, 2, scale_fn=Power(0.5)),
        lambda s, o: s.CyclicLR(o, 0.1, 0.8, 7, scale_fn=Power(0.9)),
    ),
    "phases": (
        lambda s, o: s.OneCycleLR(o, 0.8, 12, three_phase=True, anneal_strategy="linear"),
        lambda s, o: s.OneCycleLR(o, 0.8, 30),
    ),
    "sequential": (
        lambda s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.5, 9), s.ExponentialLR(o, 0.5)], [4]),
        lambda s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.5, 9), s.ExponentialLR(o, 0.5)], [9]),
    ),
    "chained": (
        lambda s, o: s.ChainedScheduler([s.StepLR(o, 2), s.ExponentialLR(o, 0.5)]),
        lambda s, o: s.ChainedScheduler([s.StepLR(o, 9), s.ExponentialLR(o, 0.5)]),
    ),
}


@pytest.mark.parametrize("from_torch", [True, False], ids=["from PyTorch", "to PyTorch"])
@pytest.mark.parametrize("name", SAVED)
def test_states_have_pytorchs_layout(name: str, from_torch: bool) -> None:
    torch = pytest.importorskip("torch")
    first, second = (torch, nb) if from_torch else (nb, torch)
    optimizer = sgd(first, initial=None)
    schedule = SAVED[name][0](first.optim.lr_scheduler, optimizer)
    rates(optimizer, [schedule], 3)
    other = sgd(second, initial=None)
    resumed = SAVED[name][1](second.optim.lr_scheduler, other)
    kept = {key: value for key, value in optimizer.param_groups[0].items() if key != "params"}
    other.param_groups[0].update(kept)
    resumed.load_state_dict(copy.deepcopy(schedule.state_dict()))
    np.testing.assert_allclose(rates(other, [resumed], 6), rates(optimizer, [schedule], 6), rtol=1e-9)
    assert schedule.get_last_lr() == pytest.approx(resumed.get_last_lr())


def test_warnings_are_pytorchs() -> None:
    s, optimizer = nb.optim.lr_scheduler, sgd(nb)
    schedule = s.StepLR(optimizer, 3)
    with pytest.warns(UserWarning, match=r"before `optimizer.step\(\)`.*how-to-adjust-learning-rate") as caught:
        schedule.step()
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="epoch parameter") as caught:
        schedule.step(2)
    assert [str(w.message) for w in caught] == [s.EPOCH_DEPRECATION_WARNING]
    with pytest.warns(UserWarning, match="get_last_lr"):
        schedule.get_lr()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schedule = s.StepLR(sgd(nb), 3)
        schedule.optimizer.step()
        schedule.step()
    with pytest.warns(UserWarning, match=r"before `optimizer.step\(\)`"):  # code without a module, too
        exec("s.StepLR(optimizer, 3).step()", {"s": s, "optimizer": sgd(nb)})
    with pytest.raises(ValueError, match="non-negative epoch"):
        s.CosineAnnealingWarmRestarts(optimizer, 3).step(-1)


def test_a_schedule_of_the_users() -> None:
    class Halving(nb.optim.lr_scheduler._LRScheduler):
        def get_lr(self) -> list[float]:
            if self.last_epoch == 0:
                return self.base_lrs
            return [group["lr"] / 2 for group in self.optimizer.param_groups]

    optimizer = sgd(nb, 1.0)
    assert rates(optimizer, [Halving(optimizer)], 3)[::2] == [1.0, 0.5, 0.25]


def test_a_rate_that_is_a_tensor_is_written() -> None:
    p = nb.zeros(1, requires_grad=True)
    rate = nb.tensor(0.5)
    optimizer = nb.optim.SGD([p], lr=rate)
    schedule = nb.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    for expected in (-0.5, -0.75, -0.875):
        p.grad = nb.ones(1)
        optimizer.step()
        schedule.step()
        assert p.item() == expected
    assert optimizer.param_groups[0]["lr"] is rate and rate.item() == 0.0625
