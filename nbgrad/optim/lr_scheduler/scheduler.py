"""What all schedulers share: a count of epochs, and a learning rate for each group of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any

from nbgrad.autograd import no_grad
from nbgrad.errors import DTypeError, warn_here
from nbgrad.optim.optimizer import Optimizer
from nbgrad.optim.options import Group
from nbgrad.tensor import Tensor
from nbgrad.trace import again, numbers_of, refuse

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter of `scheduler.step()` is deprecated: call `scheduler.step()`. An epoch that is given sets the "
    "rate that the schedule has there, whatever rate there was before"
)
_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`: call `optimizer.step()` first, or the first "
    "learning rate of the schedule is skipped. See "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
_NO_RATE = "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."


class LRScheduler:
    """Sets ``group["lr"]`` of every group of ``optimizer``, now and at each ``step()``: call it after the optimiser's.

    A subclass gives the rates of ``last_epoch`` in ``get_lr``, from those that are there or from ``base_lrs``, with
    which the groups began. Most multiply what is there, as PyTorch's do, so that several schedules of one optimiser
    work together. To resume, give the epoch that was reached as ``last_epoch``, or use ``load_state_dict``.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise DTypeError(f"{type(optimizer).__name__} is not an Optimizer")
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", rate_of(group))
            elif "initial_lr" not in group:
                raise KeyError(f"param 'initial_lr' is not specified in param_groups[{i}] when resuming an optimizer")
        self.optimizer = optimizer
        self.base_lrs: list[float] = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count, self._is_initial, self._get_lr_called_within_step = 0, True, False
        try:
            self.step()
        finally:
            self._is_initial = False

    def _undo(self) -> None:
        """Take back the initial step."""
        self.last_epoch -= 1

    def get_lr(self) -> list[float]:
        """The learning rate of each group in ``last_epoch``, computed from those that are there."""
        if not self._get_lr_called_within_step:
            warn_here(_NO_RATE, UserWarning)
        return self._rates()

    def _rates(self) -> list[float]:
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """The learning rates that were set last."""
        return list(numbers_of(lambda: tuple(self._last_lr), _nothing, shown=True))

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch, or to ``epoch``, and set its learning rates."""
        self._warn(epoch)
        before: list[tuple[dict[str, Any], dict[str, Any]]] = []

        def forward() -> None:
            before[:] = [(x, dict(x)) for x in self._written()]
            self._go_on(epoch)

        def back() -> None:
            for x, values in before:
                x.update(values)

        again(forward, back)

    def _warn(self, epoch: int | None) -> None:
        if getattr(self, "_step_count", 0) == 1 and self.optimizer._opt_called is False:
            warn_here(_ORDER, UserWarning)
        if epoch is not None:
            warn_here(EPOCH_DEPRECATION_WARNING, UserWarning)

    def _written(self) -> list[dict[str, Any]]:
        """What a step writes to."""
        return [vars(self), *self.optimizer.param_groups]

    def _go_on(self, epoch: int | None = None) -> None:
        self._step_count += 1
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._get_lr_called_within_step = True
        try:
            in_closed_form = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
            self._set(self.get_lr() if in_closed_form is None else in_closed_form())
        finally:
            self._get_lr_called_within_step = False

    def _set(self, rates: list[float]) -> None:
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            if isinstance(group["lr"], Tensor):
                refuse("a schedule writes to a learning rate that is a tensor")
                with no_grad():
                    group["lr"].fill_(lr)
            else:
                group["lr"] = lr
        self._last_lr = rates_of(self.optimizer)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimiser, which saves itself."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from ``state_dict``."""
        vars(self).update(state_dict)


def state_of_function(function: object) -> dict[str, Any] | None:
    """What a schedule's state has of a function of the user's: the attributes of a callable object."""
    return None if function is None or isinstance(function, FunctionType) else dict(vars(function))


def restore_function(function: object, state: Mapping[str, Any] | None) -> None:
    """Give a callable object the attributes that ``state_of_function`` gave."""
    if state is not None:
        vars(function).update(state)


def rate_of(group: Group) -> float:
    """The learning rate of a group, which may be a tensor."""
    lr: float = float(group["lr"]) if isinstance(group["lr"], Tensor) else group["lr"]
    return lr


def rates_of(optimizer: Optimizer) -> list[float]:
    """The learning rates that are there."""
    return [rate_of(group) for group in optimizer.param_groups]


def _nothing() -> None:
    """To look at rates counts nothing up."""
