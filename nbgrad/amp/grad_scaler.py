"""``GradScaler``: losses times a large number, so that float16's gradients do not underflow, and steps left out where
they overflow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from nbgrad.autograd import no_grad
from nbgrad.calls.arguments import flag_of, float_of, int_of
from nbgrad.errors import ArgumentError, RunError, StateError, warn_here
from nbgrad.graph.dtypes import float16
from nbgrad.runtime.cuda import devices
from nbgrad.tensor import Tensor

_READY, _UNSCALED, _STEPPED = range(3)
_NAMES: Final = ("scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker")


class GradScaler:
    """Scales losses by a number that grows by ``growth_factor`` after ``growth_interval`` steps whose gradients were
    finite, and is multiplied by ``backoff_factor`` where they were not; such a step is left out.

    ``device``: "cuda" or "cpu"; for "cuda" without a device a warning says that it is disabled. ``enabled=False`` makes
    ``scale`` and ``unscale_`` do nothing and ``step`` a step. ValueError for factors that do not grow or fall.

    >>> w = nbgrad.ones(2, requires_grad=True)
    >>> optimizer, scaler = nbgrad.optim.SGD([w], lr=0.5), nbgrad.amp.GradScaler("cpu", init_scale=8.0)
    >>> scaler.scale((w * w).sum()).backward()
    >>> w.grad
    tensor([16., 16.])
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> w
    tensor([0., 0.], requires_grad=True)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = flag_of("GradScaler", "enabled", enabled)
        if self._enabled and device == "cuda" and not devices.device_count():
            warn_here("GradScaler is enabled, but CUDA is not available. Disabling.", UserWarning)
            self._enabled = False
        if self._enabled and not growth_factor > 1.0:
            raise ArgumentError(f"GradScaler(): The growth factor must be > 1.0, got {growth_factor}")
        if self._enabled and not backoff_factor < 1.0:
            raise ArgumentError(f"GradScaler(): The backoff factor must be < 1.0, got {backoff_factor}")
        self._scale = float_of("GradScaler", "init_scale", init_scale)
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = int_of("GradScaler", "growth_interval", growth_interval)
        self._growth_tracker = 0
        # By the id of each optimiser since the last update: it, how far it is, and whether all gradients are finite.
        self._seen: dict[int, tuple[Any, int, Any]] = {}

    def scale(self, outputs: Any) -> Any:
        """A tensor, or each of nested sequences of them, times the scale. ValueError for anything else."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if not isinstance(outputs, Iterable):
            raise ArgumentError(
                f"scale(): outputs must be a Tensor or an iterable of Tensors, not {type(outputs).__name__}"
            )
        scaled = [self.scale(x) for x in outputs]
        return tuple(scaled) if isinstance(outputs, tuple) else scaled

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of the optimiser's parameters by the scale, to clip them for example. ``step`` does it
        otherwise. RuntimeError for a second time before ``update``, ValueError for gradients in float16."""
        if not self._enabled:
            return
        _, state, _ = self._state_of(optimizer)
        if state == _UNSCALED:
            raise RunError("unscale_() has already been called on this optimizer since the last update().")
        if state == _STEPPED:
            raise RunError("unscale_() is being called after step().")
        finite: Any = None
        with no_grad():
            for param in [p for group in optimizer.param_groups for p in group["params"]]:
                if param.grad is None:
                    continue
                if param.grad.dtype is float16:
                    raise ArgumentError("Attempting to unscale FP16 gradients.")
                param.grad.mul_(1.0 / self._scale)
                here = param.grad.isfinite().all()
                finite = here if finite is None else finite & here.to(finite.device)
        if finite is None:
            raise RunError("No inf checks were recorded for this optimizer: no parameter of it has a gradient.")
        self._seen[id(optimizer)] = optimizer, _UNSCALED, finite

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """``optimizer.step(*args, **kwargs)`` and what it gives, unless a gradient is infinite or NaN: then None.
        Gradients are unscaled before, if they are not yet. RuntimeError for a closure, and for a second time."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RunError("Closure use is not currently supported if GradScaler is enabled.")
        if self._state_of(optimizer)[1] == _STEPPED:
            raise RunError("step() has already been called since the last update().")
        if self._state_of(optimizer)[1] == _READY:
            self.unscale_(optimizer)
        finite = bool(self._state_of(optimizer)[2])
        result = optimizer.step(*args, **kwargs) if finite else None
        self._seen[id(optimizer)] = optimizer, _STEPPED, finite
        return result

    def update(self, new_scale: Any = None) -> None:
        """After the steps of an iteration: let the scale grow or fall, or be ``new_scale``, a number or a tensor of
        one."""
        if not self._enabled:
            return
        found = [finite for _, _, finite in self._seen.values() if finite is not None]
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not found:
            raise RunError("No inf checks were recorded prior to update.")
        elif all(found):
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                grown = self._scale * self._growth_factor
                self._scale, self._growth_tracker = (grown if grown < _MOST else self._scale), 0
        else:
            self._scale, self._growth_tracker = self._scale * self._backoff_factor, 0
        self._seen.clear()

    def _state_of(self, optimizer: Any) -> tuple[Any, int, Any]:
        return self._seen.get(id(optimizer), (optimizer, _READY, None))

    def is_enabled(self) -> bool:
        """Whether it scales."""
        return self._enabled

    def get_scale(self) -> float:
        """The scale; 1.0 where it is disabled."""
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """By what the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Let the scale grow by ``new_factor``."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """By what the scale is multiplied after an overflow."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Let the scale be multiplied by ``new_factor`` after an overflow."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many steps the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Let the scale grow after ``new_interval`` steps."""
        self._growth_interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        """What ``load_state_dict`` takes; empty where it is disabled."""
        values = (self._scale, self._growth_factor, self._backoff_factor, self._growth_interval, self._growth_tracker)
        return dict(zip(_NAMES, values, strict=True)) if self._enabled else {}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from what ``state_dict`` gave. RuntimeError for the state of one that was disabled."""
        if not self._enabled:
            return
        if not state_dict:
            raise StateError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._scale, self._growth_factor, self._backoff_factor, self._growth_interval, self._growth_tracker = [
            state_dict[name] for name in _NAMES
        ]


_MOST: Final = 2.0**128  # the scale stays a float32, as in PyTorch
