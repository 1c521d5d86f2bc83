"""Schedules written down in advance: the rate is a function of the epoch."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from math import cos, pi
from typing import Any

from nbgrad.calls.arguments import function_of, int_of
from nbgrad.errors import ArgumentError
from nbgrad.optim.lr_scheduler.scheduler import LRScheduler
from nbgrad.optim.optimizer import Optimizer

Factor = Callable[[int], float]


class LambdaLR(LRScheduler):
    """Initial rate times ``lr_lambda(epoch)``: one function for all groups, or a list with one for each."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Factor | Sequence[Factor], last_epoch: int = -1) -> None:
        groups = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, Sequence) else [lr_lambda] * groups
        for factor in self.lr_lambdas:
            function_of(type(self).__name__, "lr_lambda", factor)
        if len(self.lr_lambdas) != groups:
            raise ArgumentError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [base * factor(self.last_epoch) for base, factor in zip(self.base_lrs, self.lr_lambdas, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """Without the functions: they are code."""
        return {name: value for name, value in super().state_dict().items() if name != "lr_lambdas"}


class MultiplicativeLR(LambdaLR):
    """The last rate times ``lr_lambda(epoch)``: one function for all groups, or a list with one for each."""

    _multiplies = True

    def get_lr(self) -> list[float]:
        now = [group["lr"] for group in self.optimizer.param_groups]
        if "_last_lr" not in vars(self):  # the first epoch, or the one that was reached, has the rates that are there
            return self.base_lrs.copy() if self.last_epoch == 0 else now
        return [lr * factor(self.last_epoch) for lr, factor in zip(now, self.lr_lambdas, strict=True)]


class _Scaled(LRScheduler):
    """Initial rates times one factor for all groups."""

    _multiplies = True

    def factor(self, epoch: int) -> float:
        """What the initial rates are multiplied by in ``epoch``."""
        raise NotImplementedError

    def get_lr(self) -> list[float]:
        factor = self.factor(self.last_epoch)
        return [base * factor for base in self.base_lrs]


class StepLR(_Scaled):
    """Initial rate times ``gamma`` once every ``step_size`` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = int_of("StepLR", "step_size", step_size)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        scale: float = self.gamma ** (epoch // self.step_size)
        return scale


class MultiStepLR(_Scaled):
    """Initial rate times ``gamma`` once at each of ``milestones``."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = sorted(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        scale: float = self.gamma ** bisect_right(self.milestones, epoch)
        return scale


class ExponentialLR(_Scaled):
    """Initial rate times ``gamma`` ** epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        scale: float = self.gamma**epoch
        return scale


class ConstantLR(_Scaled):
    """Initial rate times ``factor`` for the first ``total_iters`` epochs, and the initial rate from then on."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1.0:
            raise ArgumentError("Constant multiplicative factor expected to be between 0 and 1.")
        self.scale = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        return self.scale if epoch < self.total_iters else 1.0


class LinearLR(_Scaled):
    """Initial rate times a factor that goes from ``start_factor`` to ``end_factor`` in ``total_iters`` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1.0:
            raise ArgumentError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1.0:
            raise ArgumentError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        done = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * done


class PolynomialLR(_Scaled):
    """Initial rate times (1 - epoch / ``total_iters``) ** ``power``: 0 from epoch ``total_iters`` on."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        scale: float = (1 - min(epoch, self.total_iters) / self.total_iters) ** self.power
        return scale


class CosineAnnealingLR(LRScheduler):
    """From the initial rate to ``eta_min`` along half a cosine of ``T_max`` epochs, and back again.

    Source: Loshchilov and Hutter 2017, "SGDR", without the restarts.
    """

    _multiplies = True

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        share = (1 + cos(pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half cosines from the initial rate to ``eta_min``, each beginning anew: ``T_0`` epochs, then ``T_mult`` times as
    many as the last one. Source: Loshchilov and Hutter 2017, "SGDR".
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ArgumentError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ArgumentError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0 = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        since, length = self.last_epoch, self.T_0
        if self.T_mult == 1:
            since %= length
        while since >= length:
            since -= length
            length *= self.T_mult
        share = (1 + cos(pi * since / length)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]
