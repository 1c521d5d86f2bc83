"""A learning rate that falls when a measured number stops getting better."""

from __future__ import annotations

from math import inf
from typing import Any

from nbgrad.errors import ArgumentError, DTypeError, RunError
from nbgrad.optim.lr_scheduler.scheduler import LRScheduler, rates_of
from nbgrad.optim.optimizer import Optimizer
from nbgrad.trace import refuse


class ReduceLROnPlateau(LRScheduler):
    """Multiplies rates by ``factor`` when the number given to ``step`` was no better for more than ``patience`` epochs.

    Better is smaller (``mode`` "min") or larger ("max") than the best so far, by a share ``threshold`` of it
    (``threshold_mode`` "rel") or by ``threshold`` itself ("abs"). After a cut ``cooldown`` epochs do not count. Rates
    stay above ``min_lr`` (one, or one for each group); a cut smaller than ``eps`` is left out.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ArgumentError("Factor should be < 1.0.")
        if not isinstance(optimizer, Optimizer):
            raise DTypeError(f"{type(optimizer).__name__} is not an Optimizer")
        if mode not in ("min", "max"):
            raise ArgumentError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ArgumentError(f"threshold mode {threshold_mode} is unknown!")
        groups = len(optimizer.param_groups)
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * groups
        if len(self.min_lrs) != groups:
            raise ArgumentError(f"expected {groups} min_lrs, got {len(self.min_lrs)}")
        self.optimizer = optimizer
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = rates_of(optimizer)
        self._reset()

    def _reset(self) -> None:
        self.cooldown_counter = 0
        self.num_bad_epochs = 0
        self.best = self.mode_worse

    @property
    def mode_worse(self) -> float:
        """What any number is better than."""
        return inf if self.mode == "min" else -inf

    @property
    def in_cooldown(self) -> bool:
        """Whether epochs do not count, as the last cut is recent."""
        return self.cooldown_counter > 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]  # as in PyTorch
        """Take in the number that was measured in this epoch."""
        refuse("ReduceLROnPlateau.step() compares values")
        self._warn(epoch)
        current = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = rates_of(self.optimizer)

    def _reduce(self) -> None:
        rates = rates_of(self.optimizer)
        if len(rates) != len(self.min_lrs):  # a group was added
            if self.default_min_lr is None:
                raise RunError(
                    f"The number of param groups in the `optimizer` ({len(rates)}) differs from when "
                    f"`ReduceLROnPlateau` was initialized ({len(self.min_lrs)}): give `min_lrs` a number for each group"
                )
            self.min_lrs = [self.default_min_lr] * len(rates)
        cut = [max(lr * self.factor, lowest) for lr, lowest in zip(rates, self.min_lrs, strict=True)]
        self._set([new if lr - new > self.eps else lr for lr, new in zip(rates, cut, strict=True)])

    def is_better(self, a: float, best: float) -> bool:
        """Whether ``a`` is better than ``best`` by more than the threshold."""
        if self.mode == "min":
            return a < (best - self.threshold if self.threshold_mode == "abs" else best * (1 - self.threshold))
        return a > (best + self.threshold if self.threshold_mode == "abs" else best * (1 + self.threshold))
