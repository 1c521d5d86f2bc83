"""Normalisation of each channel of each sample, as modules."""

from __future__ import annotations

import warnings
from typing import Any

from nbgrad.errors import ArgumentError
from nbgrad.graph.dtypes import DType
from nbgrad.nn import functional
from nbgrad.nn.normalization import BatchStatistics
from nbgrad.tensor import Tensor


class _InstanceNorm(BatchStatistics):
    """(x - mean) / sqrt(var + eps) of each channel of each sample; in evaluation by running averages, where kept."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, bias=bias, device=device, dtype=dtype
        )

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in self.RANKS:
            wanted = " or ".join(f"{n}D" for n in self.RANKS)
            raise ArgumentError(f"expected {wanted} input (got {input.dim()}D input)")
        alone = input.dim() == min(self.RANKS)
        channels = input.size(0 if alone else 1)
        if channels != self.num_features:
            words = f"expected input's size at dim={0 if alone else 1} to match num_features ({self.num_features})"
            if self.affine:
                raise ArgumentError(f"{words}, but got: {channels}.")
            warnings.warn(f"{words}, which is not used, but got: {channels}.", stacklevel=2)
        result = functional.instance_norm(
            input.unsqueeze(0) if alone else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return result.squeeze(0) if alone else result


class InstanceNorm1d(_InstanceNorm):
    """Shapes (N, C, L) or (C, L); see ``functional.instance_norm``."""

    RANKS = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Shapes (N, C, H, W) or (C, H, W); see ``functional.instance_norm``."""

    RANKS = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Shapes (N, C, D, H, W) or (C, D, H, W); see ``functional.instance_norm``."""

    RANKS = (4, 5)
