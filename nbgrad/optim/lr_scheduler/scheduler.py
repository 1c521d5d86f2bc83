"""What all schedulers share: a count of epochs, and a learning rate for each group of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nbgrad.errors import DTypeError
from nbgrad.optim.optimizer import Optimizer
from nbgrad.trace import again, numbers_of


class LRScheduler:
    """Sets ``group["lr"]`` of every group of ``optimizer``, now and at each ``step()``: call it after the optimiser's.

    A subclass gives the rates for ``last_epoch`` in ``get_lr``, from ``base_lrs``, those that the groups began with.
    Rates are functions of the epoch alone, where PyTorch multiplies the last ones: they differ by rounding. To resume,
    give the epoch that was reached as ``last_epoch``, or use ``load_state_dict``.
    """

    _multiplies = False  # whether PyTorch's makes a rate of the one before

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise DTypeError(f"{type(optimizer).__name__} is not an Optimizer")
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(f"param 'initial_lr' is not specified in param_groups[{i}] when resuming an optimizer")
        self.optimizer = optimizer
        self.base_lrs: list[float] = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.step()

    def get_lr(self) -> list[float]:
        """The learning rate of each group in ``last_epoch``."""
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """The learning rates that were set last."""
        return list(numbers_of(lambda: tuple(self._last_lr), _nothing, shown=True))

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch, or to ``epoch``, and set its learning rates."""
        before: list[tuple[dict[str, Any], dict[str, Any]]] = []

        def forward() -> None:
            before[:] = [(x, dict(x)) for x in self._written()]
            self._go_on(epoch)

        def back() -> None:
            for x, values in before:
                x.update(values)

        again(forward, back)

    def _written(self) -> list[dict[str, Any]]:
        """What a step writes to."""
        return [vars(self), *self.optimizer.param_groups]

    def _go_on(self, epoch: int | None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._last_lr = self.get_lr()
        if self._multiplies and self.last_epoch == 0 and epoch is None and self._last_lr == self.base_lrs:
            return  # by 1, as PyTorch does to the rate that is there: of a script that resumes
        for group, lr in zip(self.optimizer.param_groups, self._last_lr, strict=True):
            group["lr"] = lr

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimiser, which saves itself."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from ``state_dict``."""
        vars(self).update(state_dict)


def _nothing() -> None:
    """To look at rates counts nothing up."""
