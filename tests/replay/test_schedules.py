"""Learning rates that are stepped and read inside a compiled training step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb

schedules = nb.optim.lr_scheduler

SCHEDULES: dict[str, Callable[[Any], Any]] = {
    "exponential": lambda o: schedules.ExponentialLR(o, 0.8),
    "cosine": lambda o: schedules.CosineAnnealingLR(o, 6),
    "lambda": lambda o: schedules.LambdaLR(o, lambda epoch: 1 / (1 + epoch)),
    "sequential": lambda o: schedules.SequentialLR(
        o, [schedules.LinearLR(o, 0.2, 1.0, 3), schedules.StepLR(o, 2)], [3]
    ),
    "one cycle": lambda o: schedules.OneCycleLR(o, 0.5, 20),
}


def trained(
    read: Callable[[Any, Any], Any], make: Callable[[Any], Any], calls: int = 10, *, compiled: bool
) -> tuple[list[Any], int]:
    """What steps give that update, go on with the schedule and ``read(schedule, loss)``; the number of programs."""
    w = nb.tensor([1.0, -2.0], requires_grad=True)
    optimizer = nb.optim.SGD([w], lr=0.5, momentum=0.9)
    schedule = make(optimizer)

    def step(x: Any) -> Any:
        optimizer.zero_grad()
        loss = ((w * x) ** 2).sum()
        loss.backward()
        optimizer.step()
        schedule.step()
        return read(schedule, loss.detach())

    run: Any = nb.compile(step, fullgraph=True) if compiled else step
    found = []
    for k in range(calls):
        result = [y.tolist() if isinstance(y, nb.Tensor) else y for y in run(nb.tensor([1.0, 0.1 * k]))]
        found.append((result, w.tolist(), schedule.last_epoch, optimizer.param_groups[0]["lr"]))
    return found, sum([len(form.programs) for form in run._forms.values()]) if compiled else 0


def assert_alike(read: Callable[[Any, Any], Any], make: Callable[[Any], Any]) -> None:
    found, programs = trained(read, make, compiled=True)
    assert found == trained(read, make, compiled=False)[0]
    assert programs == 1


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_last_rates_are_returned(name: str) -> None:
    assert_alike(lambda schedule, loss: (loss, schedule.get_last_lr()[0]), SCHEDULES[name])


@pytest.mark.parametrize("name", SCHEDULES)
def test_tensors_are_computed_from_the_last_rates(name: str) -> None:
    assert_alike(lambda schedule, loss: (loss * schedule.get_last_lr()[0], loss), SCHEDULES[name])


def test_the_epoch_is_read_beside_the_rates() -> None:
    def read(schedule: Any, loss: Any) -> Any:
        return loss * schedule.last_epoch, schedule.get_last_lr()[0], schedule.last_epoch

    for make in SCHEDULES.values():
        assert_alike(read, make)


def test_a_schedule_of_the_users_that_asks_for_its_last_rates() -> None:
    class Shrinking(schedules.LRScheduler):
        def get_lr(self) -> list[float]:
            return [0.9 * lr for lr in self.get_last_lr()] if self.last_epoch else self.base_lrs

    assert_alike(lambda schedule, loss: (loss * schedule.last_epoch, schedule.get_last_lr()[0]), Shrinking)


def test_rates_before_and_after_the_step() -> None:
    def make(o: Any) -> Any:
        return schedules.StepLR(o, 2, 0.5)

    def read(schedule: Any, loss: Any) -> Any:
        before = schedule.get_last_lr()[0]
        schedule.step()
        return loss * before, loss * schedule.get_last_lr()[0]

    assert_alike(read, make)


def test_a_call_that_a_rate_decides_otherwise_goes_on_by_one_epoch() -> None:
    def read(schedule: Any, loss: Any) -> Any:
        return (loss * 2.0 if schedule.get_last_lr()[0] < 0.2 else loss), schedule.get_last_lr()[0]

    found, programs = trained(read, SCHEDULES["exponential"], 14, compiled=True)
    assert found == trained(read, SCHEDULES["exponential"], 14, compiled=False)[0]
    assert programs == 2


def test_a_schedule_that_ends_raises_as_it_does_elsewhere() -> None:
    def ended(*, compiled: bool) -> Any:
        w = nb.tensor([1.0, -2.0], requires_grad=True)
        optimizer = nb.optim.SGD([w], lr=0.5)
        schedule = schedules.OneCycleLR(optimizer, 0.5, 6, cycle_momentum=False)

        def step() -> Any:
            optimizer.zero_grad()
            w.sum().backward()
            optimizer.step()
            schedule.step()
            return schedule.get_last_lr()

        run = nb.compile(step, fullgraph=True) if compiled else step
        found = [run() for _ in range(6)]
        with pytest.raises(ValueError, match="Tried to step 7 times"):
            run()
        return found, w.tolist(), schedule.last_epoch

    assert ended(compiled=True) == ended(compiled=False)


def test_an_attribute_that_a_schedule_reads_is_set_before_it() -> None:
    class Plan:
        def __init__(self) -> None:
            self.scale = 1.0

    def results(*, compiled: bool) -> list[Any]:
        w, plan = nb.zeros(2, requires_grad=True), Plan()
        optimizer = nb.optim.SGD([w], lr=1.0)
        schedule = schedules.LambdaLR(optimizer, lambda epoch: plan.scale * epoch)

        def step(x: Any) -> Any:
            plan.scale += 1.0
            schedule.step()
            plan.scale += 2.0
            return x * plan.scale, schedule.get_last_lr()

        run = nb.compile(step, fullgraph=True) if compiled else step
        return [(y.tolist(), rates, plan.scale) for y, rates in [run(nb.ones(2)) for _ in range(8)]]

    assert results(compiled=True) == results(compiled=False)
