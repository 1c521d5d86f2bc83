"""A learning rate that goes up and down again and again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import floor
from typing import Any

from nbgrad.errors import ArgumentError
from nbgrad.optim.lr_scheduler.one_cycle import check_momentum, for_each, set_momentum
from nbgrad.optim.lr_scheduler.scheduler import LRScheduler, restore_function, state_of_function
from nbgrad.optim.optimizer import Optimizer

_MODES = ("triangular", "triangular2", "exp_range")


class CyclicLR(LRScheduler):
    """From ``base_lr`` to ``max_lr`` in ``step_size_up`` steps and back in ``step_size_down`` (as many unless given),
    in turns; momentum (or Adam's first beta) goes the other way. Call ``step`` after every batch.

    ``mode`` says how high a turn is: "triangular" all alike, "triangular2" each half as high as the last, "exp_range"
    ``gamma`` ** step; ``scale_fn`` is a function of the turn, counted from 1, or of the step with ``scale_mode``
    "iterations", in place of it: code, which is not saved. Source: Smith 2017, "Cyclical learning rates".
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.8,
        max_momentum: float | Sequence[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        if mode not in _MODES and scale_fn is None:
            raise ArgumentError(f"mode is invalid and scale_fn is None: got {mode!r}, not one of {', '.join(_MODES)}")
        if scale_mode not in ("cycle", "iterations"):
            raise ArgumentError(f"scale_mode must be 'cycle' or 'iterations', got {scale_mode!r}")
        groups = optimizer.param_groups
        check_momentum(groups, cycle_momentum)
        low, self.max_lrs = [for_each(name, groups, x) for name, x in (("base_lr", base_lr), ("max_lr", max_lr))]
        self.total_size = float(step_size_up + (step_size_up if step_size_down is None else step_size_down))
        self.step_ratio = step_size_up / self.total_size
        self.mode = mode
        self.gamma = gamma
        self.scale_mode = scale_mode
        self._scale_fn_custom = scale_fn
        self.cycle_momentum = cycle_momentum
        self.base_momentums = for_each("base_momentum", groups, base_momentum)
        self.max_momentums = for_each("max_momentum", groups, max_momentum)
        if last_epoch == -1:
            for group, lr, slow, fast in zip(groups, low, self.base_momentums, self.max_momentums, strict=True):
                group["lr"] = lr
                if cycle_momentum:
                    group.update(max_momentum=fast, base_momentum=slow)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = low

    def _rates(self) -> list[float]:
        share = self._height()
        if self.cycle_momentum:
            ends = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, low, high in ends:
                set_momentum(group, high - (high - low) * share)
        return [low + (high - low) * share for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def _height(self) -> float:
        """How far the rate is from the lower end to the upper one, in the current step."""
        turn = floor(1 + self.last_epoch / self.total_size)
        done = 1.0 + self.last_epoch / self.total_size - turn
        rises = done <= self.step_ratio
        return (done / self.step_ratio if rises else (done - 1) / (self.step_ratio - 1)) * self._scale(turn)

    def _scale(self, turn: int) -> float:
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(turn if self.scale_mode == "cycle" else self.last_epoch)
        if self.mode == "exp_range":
            shrunk: float = self.gamma**self.last_epoch
            return shrunk
        return 1.0 if self.mode == "triangular" else 0.5 ** (turn - 1)

    def state_dict(self) -> dict[str, Any]:
        """A function is code and not in it; of another callable object its attributes are."""
        return {**super().state_dict(), "_scale_fn_custom": state_of_function(self._scale_fn_custom)}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from ``state_dict``, with the function that is here."""
        restore_function(self._scale_fn_custom, state_dict["_scale_fn_custom"])
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_scale_fn_custom"})
