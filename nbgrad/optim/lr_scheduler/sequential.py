"""Schedules one after the other, such as a warm-up before the rest."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from nbgrad.errors import ArgumentError
from nbgrad.optim.lr_scheduler.parts import Composed, check_parts
from nbgrad.optim.lr_scheduler.scheduler import LRScheduler
from nbgrad.optim.optimizer import Optimizer


class SequentialLR(Composed):
    """``schedulers[i]`` from ``milestones[i - 1]`` on, each counting its epochs from 0."""

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int], last_epoch: int = -1
    ) -> None:
        check_parts("SequentialLR", schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ArgumentError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self.optimizer = optimizer
        self._schedulers = list(schedulers)
        self._milestones = list(milestones)
        self.last_epoch = last_epoch + 1
        for scheduler in self._schedulers:  # what making them has done is undone
            scheduler._undo()
        self._set([group["initial_lr"] for group in optimizer.param_groups])
        self._initial_step()

    def _initial_step(self) -> None:
        self._schedulers[0]._initial_step()
        self._last_lr = self._schedulers[0].get_last_lr()

    def _undo(self) -> None:
        self._schedulers[0]._undo()

    def _go_on(self, epoch: int | None = None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        at = bisect_right(self._milestones, self.last_epoch)
        own = self.last_epoch - (self._milestones[at - 1] if at else 0)
        begins = at > 0 and own == 0
        self._schedulers[at]._go_on(own if begins or epoch is not None else None)
        self._last_lr = self._schedulers[at]._last_lr.copy()
