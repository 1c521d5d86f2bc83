"""One rise and one fall of the learning rate over a whole training."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi
from typing import TypedDict

from nbgrad.errors import ArgumentError
from nbgrad.optim.lr_scheduler.scheduler import LRScheduler
from nbgrad.optim.optimizer import Optimizer
from nbgrad.optim.options import Group


class _Phase(TypedDict):
    """Up to step ``end_step`` rate and momentum go from one named value of the group to another."""

    end_step: float
    start_lr: str
    end_lr: str
    start_momentum: str
    end_momentum: str


class OneCycleLR(LRScheduler):
    """From max_lr / div_factor up to ``max_lr`` in ``pct_start`` of all steps, then down to 1 / final_div_factor of
    the start; momentum (or Adam's first beta) goes the other way. Call ``step`` after every batch.

    The number of steps is ``total_steps``, or ``epochs * steps_per_epoch``; ValueError for one step more. With
    ``three_phase`` the way down has the length of the way up and a last phase follows. ``anneal_strategy`` is "cos" or
    "linear". Source: Smith and Topin 2018, "Super-convergence".
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self.total_steps = _number_of_steps(total_steps, epochs, steps_per_epoch)
        if not 0 <= pct_start <= 1 or not isinstance(pct_start, float):
            raise ArgumentError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ArgumentError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        self.cycle_momentum = cycle_momentum
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        groups = optimizer.param_groups
        check_momentum(groups, cycle_momentum)
        if last_epoch == -1:
            names = ("max_lr", "base_momentum", "max_momentum")
            given = [
                for_each(name, groups, value)
                for name, value in zip(names, (max_lr, base_momentum, max_momentum), strict=True)
            ]
            for group, top, slow, fast in zip(groups, *given, strict=True):
                low = top / div_factor
                group.update(initial_lr=low, max_lr=top, min_lr=low / final_div_factor)
                if cycle_momentum:
                    group.update(max_momentum=fast, base_momentum=slow)
        super().__init__(optimizer, last_epoch)

    def _rates(self) -> list[float]:
        step = self.last_epoch
        if step > self.total_steps:
            raise ArgumentError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        start = 0.0
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            start = phase["end_step"]
        done = (step - start) / (phase["end_step"] - start)
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                set_momentum(group, self._between(group[phase["start_momentum"]], group[phase["end_momentum"]], done))
        groups = self.optimizer.param_groups
        return [self._between(group[phase["start_lr"]], group[phase["end_lr"]], done) for group in groups]

    def _between(self, first: float, last: float, done: float) -> float:
        left = (1 + cos(pi * done)) / 2 if self._anneal_func_type == "cos" else 1 - done
        return last + (first - last) * left


def _number_of_steps(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    if total_steps is not None:
        if total_steps <= 0 or not isinstance(total_steps, int):
            raise ArgumentError(f"Expected positive integer total_steps, but got {total_steps}")
        return total_steps
    if epochs is None or steps_per_epoch is None:
        raise ArgumentError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
        if value <= 0 or not isinstance(value, int):
            raise ArgumentError(f"Expected positive integer {name}, but got {value}")
    return epochs * steps_per_epoch


def _phases(total: int, share: float, three: bool) -> list[_Phase]:
    rise, fall = ("max_momentum", "base_momentum"), ("base_momentum", "max_momentum")  # of the rate, the other way
    up = _phase(share * total - 1, ("initial_lr", "max_lr"), rise)
    if not three:
        return [up, _phase(total - 1, ("max_lr", "min_lr"), fall)]
    down = _phase(2 * share * total - 2, ("max_lr", "initial_lr"), fall)
    return [up, down, _phase(total - 1, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum"))]


def _phase(end: float, rates: tuple[str, str], momenta: tuple[str, str]) -> _Phase:
    return _Phase(
        end_step=float(end), start_lr=rates[0], end_lr=rates[1], start_momentum=momenta[0], end_momentum=momenta[1]
    )


def check_momentum(groups: Sequence[Group], is_cycled: bool) -> None:
    """Raise ArgumentError where momentum is to change, and a group has none."""
    if is_cycled and any("momentum" not in group and "betas" not in group for group in groups):
        raise ArgumentError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")


def for_each(name: str, groups: Sequence[Group], value: float | Sequence[float]) -> list[float]:
    """A value for each group."""
    values = list(value) if isinstance(value, Sequence) else [value] * len(groups)
    if len(values) != len(groups):
        raise ArgumentError(f"expected {len(groups)} values for {name}, got {len(values)}")
    return values


def set_momentum(group: Group, value: float) -> None:
    """Set a group's momentum, or Adam's first beta."""
    if "betas" in group:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value
