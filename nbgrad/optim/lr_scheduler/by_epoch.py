"""Schedules written down in advance: the rate is a function of the epoch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import cos, floor, pi
from typing import Any

from nbgrad.calls.arguments import function_of, int_of
from nbgrad.errors import ArgumentError
from nbgrad.optim.lr_scheduler.scheduler import LRScheduler, rates_of, restore_function, state_of_function
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

    def _rates(self) -> list[float]:
        return [base * factor(self.last_epoch) for base, factor in zip(self.base_lrs, self.lr_lambdas, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """Functions are code and not in it; of other callable objects their attributes are."""
        return {**super().state_dict(), "lr_lambdas": [state_of_function(factor) for factor in self.lr_lambdas]}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from ``state_dict``, with the functions that are here."""
        for factor, state in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            restore_function(factor, state)
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "lr_lambdas"})


class MultiplicativeLR(LambdaLR):
    """The last rate times ``lr_lambda(epoch)``: one function for all groups, or a list with one for each."""

    def _rates(self) -> list[float]:
        now = rates_of(self.optimizer)
        if self._is_initial:
            return now
        return [lr * factor(self.last_epoch) for lr, factor in zip(now, self.lr_lambdas, strict=True)]


class _Scaled(LRScheduler):
    """Initial rates times one factor for all groups; or the last rates times what that has changed by."""

    _scales_at_once = False  # also when it is made in an epoch that was reached before, as PyTorch's

    def _factor(self, epoch: int) -> float:
        """What the initial rates are multiplied by in ``epoch``."""
        raise NotImplementedError

    def _change(self, epoch: int) -> float:
        """What the rates of the epoch before are multiplied by; 0 where those are 0 and the new ones are not."""
        before, now = self._factor(epoch - 1), self._factor(epoch)
        return now / before if before else float(now == 0)

    def _rates(self) -> list[float]:
        epoch = self.last_epoch
        if epoch > 0 and self._is_initial and not self._scales_at_once:
            return rates_of(self.optimizer)
        change = self._factor(0) if epoch <= 0 else self._change(epoch)
        return [lr * change for lr in rates_of(self.optimizer)] if change else self._get_closed_form_lr()

    def _get_closed_form_lr(self) -> list[float]:
        factor = self._factor(self.last_epoch)
        return [base * factor for base in self.base_lrs]


class _Decay(_Scaled):
    """Initial rates times ``gamma`` as often as ``_count`` says."""

    gamma: float

    def _count(self, epoch: int) -> int:
        raise NotImplementedError

    def _factor(self, epoch: int) -> float:
        scale: float = self.gamma ** self._count(epoch)
        return scale

    def _change(self, epoch: int) -> float:
        change: float = self.gamma ** (self._count(epoch) - self._count(epoch - 1))
        return change


class StepLR(_Decay):
    """Initial rate times ``gamma`` once every ``step_size`` epochs."""

    _scales_at_once = True

    def __init__(self, optimizer: Optimizer, step_size: float, gamma: float = 0.1, last_epoch: int = -1) -> None:
        is_whole = isinstance(step_size, float) and step_size.is_integer()  # programs say 1.0
        self.step_size = int(step_size) if is_whole else int_of("StepLR", "step_size", step_size)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _count(self, epoch: int) -> int:
        return epoch // self.step_size


class MultiStepLR(_Decay):
    """Initial rate times ``gamma`` once at each of ``milestones``."""

    _scales_at_once = True

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _count(self, epoch: int) -> int:
        return sum(times for milestone, times in self.milestones.items() if milestone <= epoch)


class ExponentialLR(_Decay):
    """Initial rate times ``gamma`` ** epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _count(self, epoch: int) -> int:
        return epoch


class ConstantLR(_Scaled):
    """Initial rate times ``factor`` for the first ``total_iters`` epochs, and the initial rate from then on."""

    _scales_at_once = True

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1.0:
            raise ArgumentError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        return self.factor if epoch < self.total_iters else 1.0


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

    def _factor(self, epoch: int) -> float:
        done = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * done


class PolynomialLR(_Scaled):
    """Initial rate times (1 - epoch / ``total_iters``) ** ``power``: 0 from epoch ``total_iters`` on."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        scale: float = (1 - min(epoch, self.total_iters) / self.total_iters) ** self.power
        return scale


class CosineAnnealingLR(LRScheduler):
    """From the initial rate to ``eta_min`` along half a cosine of ``T_max`` epochs, and back again.

    Source: Loshchilov and Hutter 2017, "SGDR", without the restarts.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _rates(self) -> list[float]:
        now, epoch = rates_of(self.optimizer), self.last_epoch
        if epoch == 0 or self._is_initial:
            return now
        left = 1 + cos(pi * (epoch - 1) / self.T_max)
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # from the lowest rate up again
            rise = (1 - cos(pi / self.T_max)) / 2
            return [lr + (base - self.eta_min) * rise for lr, base in zip(now, self.base_lrs, strict=True)]
        change = (1 + cos(pi * epoch / self.T_max)) / left
        return [self.eta_min + (lr - self.eta_min) * change for lr in now]

    def _get_closed_form_lr(self) -> list[float]:
        return _along_cosine(self.base_lrs, self.eta_min, self.last_epoch / self.T_max)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half cosines from the initial rate to ``eta_min``, each beginning anew: ``T_0`` epochs, then ``T_mult`` times as
    many as the last one. ``step`` takes an epoch with a fraction, too. Source: Loshchilov and Hutter 2017, "SGDR".
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ArgumentError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ArgumentError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ArgumentError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def _warn(self, epoch: float | None) -> None:
        if epoch is not None and epoch < 0:
            raise ArgumentError(f"Expected non-negative epoch, but got {epoch}")

    def _go_on(self, epoch: float | None = None) -> None:
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            self.T_cur, self.T_i = epoch % self.T_0 if self.T_mult == 1 else epoch, self.T_0
            while self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        super()._go_on(floor(epoch))

    def _rates(self) -> list[float]:
        return _along_cosine(self.base_lrs, self.eta_min, self.T_cur / self.T_i)


def _along_cosine(tops: Sequence[float], low: float, done: float) -> list[float]:
    """From each of ``tops`` to ``low``, the share ``done`` of half a cosine."""
    return [low + (top - low) * (1 + cos(pi * done)) / 2 for top in tops]
