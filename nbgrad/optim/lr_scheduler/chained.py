"""Several schedules at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.optim.lr_scheduler.plateau import ReduceLROnPlateau
from nbgrad.optim.lr_scheduler.scheduler import LRScheduler
from nbgrad.optim.optimizer import Optimizer


class ChainedScheduler(LRScheduler):
    """Initial rate times the factors of all ``schedulers``: what each of them makes of the initial rate alone.

    PyTorch calls one after the other on the rate that is there, which is the same for those that multiply it.
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if not schedulers:
            raise ArgumentError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        for i, scheduler in enumerate(schedulers):
            if not isinstance(scheduler, LRScheduler):
                raise DTypeError(f"ChainedScheduler: expected a scheduler at index {i}, got {type(scheduler).__name__}")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ArgumentError(
                    "ChainedScheduler does not support `ReduceLROnPlateau` scheduler, whose step() needs a number, "
                    f"but got one at index {i}"
                )
        self.optimizer = optimizer or schedulers[0].optimizer
        if any(s.optimizer is not self.optimizer for s in schedulers):
            raise ArgumentError("ChainedScheduler expects all schedulers to belong to the same optimizer")
        self._schedulers = list(schedulers)
        self._set()

    def _go_on(self, epoch: int | None) -> None:
        for scheduler in self._schedulers:
            for group, lr in zip(self.optimizer.param_groups, scheduler._last_lr, strict=True):
                group["lr"] = lr  # for those that multiply it
            scheduler._go_on(epoch)
        self._set()

    def _set(self) -> None:
        rates: list[float] = []
        for i, group in enumerate(self.optimizer.param_groups):
            rate = initial = group["initial_lr"]
            for scheduler in self._schedulers:
                rate *= scheduler._last_lr[i] / initial if initial else 1.0
            rates.append(rate)
        self._last_lr = rates
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate

    def _written(self) -> list[dict[str, Any]]:
        return [vars(self), *[x for s in self._schedulers for x in s._written()]]

    def state_dict(self) -> dict[str, Any]:
        """The state of every scheduler."""
        return {**super().state_dict(), "_schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from ``state_dict``."""
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_schedulers"})
