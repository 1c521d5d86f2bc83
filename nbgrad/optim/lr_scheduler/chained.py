"""Several schedules at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgrad.optim.lr_scheduler.parts import check_parts
from nbgrad.optim.lr_scheduler.scheduler import LRScheduler, rates_of
from nbgrad.optim.optimizer import Optimizer


class ChainedScheduler(LRScheduler):
    """A step of all ``schedulers``, one after the other, each on the rate that is there."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        self.optimizer = check_parts("ChainedScheduler", schedulers, optimizer)
        self._schedulers = list(schedulers)
        self._last_lr = rates_of(self.optimizer)

    def _go_on(self, epoch: int | None = None) -> None:
        for scheduler in self._schedulers:
            scheduler._go_on()
        self._last_lr = rates_of(self.optimizer)

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
