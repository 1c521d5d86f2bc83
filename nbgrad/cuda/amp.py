"""``nbgrad.cuda.amp``: older names of ``nbgrad.amp`` for CUDA devices."""

from __future__ import annotations

from functools import partial

from nbgrad import amp
from nbgrad.graph.dtypes import DType, float16

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]

custom_fwd = partial(amp.custom_fwd, device_type="cuda")
custom_bwd = partial(amp.custom_bwd, device_type="cuda")


class autocast(amp.autocast):
    """``nbgrad.amp.autocast("cuda", ...)``.

    >>> with nbgrad.cuda.amp.autocast(enabled=False):
    ...     nbgrad.is_autocast_enabled("cuda")
    False
    """

    def __init__(self, enabled: bool = True, dtype: DType = float16, cache_enabled: bool = True) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """``nbgrad.amp.GradScaler("cuda", ...)``.

    >>> nbgrad.cuda.amp.GradScaler(enabled=False).is_enabled()
    False
    """

    def __init__(
        self,
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
