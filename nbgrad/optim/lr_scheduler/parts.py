"""What schedules can be parts of another, and what schedules with parts share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.optim.lr_scheduler.plateau import ReduceLROnPlateau
from nbgrad.optim.lr_scheduler.scheduler import LRScheduler
from nbgrad.optim.optimizer import Optimizer


class Composed(LRScheduler):
    """A schedule made of ``_schedulers``."""

    _schedulers: list[LRScheduler]

    def _written(self) -> list[dict[str, Any]]:
        return [vars(self), *[x for s in self._schedulers for x in s._written()]]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimiser, with the state of every part."""
        return {**super().state_dict(), "_schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from ``state_dict``."""
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_schedulers"})


def check_parts(name: str, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None) -> Optimizer:
    """The optimiser of all ``schedulers``. ValueError where there are none, where they have several, or where a step of
    one needs a number; TypeError for what is no scheduler."""
    if not schedulers:
        raise ArgumentError(f"{name} expects at least one scheduler to be chained, but got no scheduler.")
    for i, scheduler in enumerate(schedulers):
        if not isinstance(scheduler, LRScheduler):
            raise DTypeError(f"{name}: expected a scheduler at index {i}, got {type(scheduler).__name__}")
        if isinstance(scheduler, ReduceLROnPlateau):
            raise ArgumentError(
                f"{name} does not support `ReduceLROnPlateau` scheduler, whose step() needs a number, but got one at "
                f"index {i}"
            )
        optimizer = optimizer or scheduler.optimizer
        if scheduler.optimizer is not optimizer:
            raise ArgumentError(
                f"{name} expects all schedulers to belong to the same optimizer, but got {type(scheduler).__name__} at "
                f"index {i} with another"
            )
    assert optimizer is not None
    return optimizer
