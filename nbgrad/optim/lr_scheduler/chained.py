"""Several schedules at once."""

from __future__ import annotations

from collections.abc import Sequence

from nbgrad.errors import DTypeError
from nbgrad.optim.lr_scheduler.parts import Composed, check_parts
from nbgrad.optim.lr_scheduler.scheduler import LRScheduler, rates_of
from nbgrad.optim.optimizer import Optimizer


class ChainedScheduler(Composed):
    """A step of all ``schedulers``, one after the other, each on the rate that is there."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        self.optimizer = check_parts("ChainedScheduler", schedulers, optimizer)
        self._schedulers = list(schedulers)
        self._last_lr = rates_of(self.optimizer)

    def _initial_step(self) -> None:
        for scheduler in self._schedulers:
            scheduler._initial_step()
        self._last_lr = rates_of(self.optimizer)

    def _undo(self) -> None:
        for scheduler in self._schedulers:
            scheduler._undo()

    def _go_on(self, epoch: int | None = None) -> None:
        if epoch is not None:
            raise DTypeError("ChainedScheduler.step() takes no epoch: only the first of a SequentialLR can be one")
        for scheduler in self._schedulers:
            scheduler._go_on()
        self._last_lr = rates_of(self.optimizer)
