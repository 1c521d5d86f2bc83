"""Normalisation as modules: over rows, over channels, over groups of channels."""

from __future__ import annotations

from typing import Any

from nbgrad.autograd import no_grad
from nbgrad.errors import ArgumentError
from nbgrad.functions.creation import ones, tensor, zeros
from nbgrad.graph.dtypes import DType, float64, int64
from nbgrad.nn import functional
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter
from nbgrad.tensor import Tensor

Shape = tuple[int, ...]


class _Affine(Module):
    """What all of them share: a weight that starts at 1 and a bias that starts at 0, each where wanted."""

    weight: Parameter | None
    bias: Parameter | None

    def _make(self, shape: Shape, weight: bool, bias: bool, device: Any, dtype: DType | None) -> None:
        self.register_parameter("weight", Parameter(ones(*shape, device=device, dtype=dtype)) if weight else None)
        self.register_parameter("bias", Parameter(zeros(*shape, device=device, dtype=dtype)) if bias else None)

    def reset_parameters(self) -> None:
        """Weight 1, bias 0."""
        with no_grad():
            if self.weight is not None:
                self.weight.fill_(1)
            if self.bias is not None:
                self.bias.zero_()


class LayerNorm(_Affine):
    """(x - mean) / sqrt(var + eps) * weight + bias over the last dims; see ``functional.layer_norm``."""

    def __init__(
        self,
        normalized_shape: int | Shape,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        *,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._make(self.normalized_shape, elementwise_affine, elementwise_affine and bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(_Affine):
    """x / sqrt(mean(x^2) + eps) * weight over the last dims; see ``functional.rms_norm``."""

    def __init__(
        self,
        normalized_shape: int | Shape,
        eps: float | None = None,
        elementwise_affine: bool = True,
        *,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.register_parameter(
            "weight",
            Parameter(ones(*self.normalized_shape, device=device, dtype=dtype)) if elementwise_affine else None,
        )

    def forward(self, input: Tensor) -> Tensor:
        return functional.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def reset_parameters(self) -> None:
        """Weight 1."""
        if self.weight is not None:
            with no_grad():
                self.weight.fill_(1)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(_Affine):
    """``LayerNorm`` of equal runs of channels; see ``functional.group_norm``."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        *,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ArgumentError("num_channels must be divisible by num_groups")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._make((num_channels,), affine, affine and bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class BatchStatistics(_Affine):
    """A weight and a bias for each channel, and running averages of mean and variance, each where wanted."""

    RANKS: tuple[int, ...] = ()
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        *,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._make((num_features,), affine, affine and bias, device, dtype)
        tracked = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, device=device, dtype=dtype) if tracked else None)
        self.register_buffer("running_var", ones(num_features, device=device, dtype=dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", tensor(0, device=device, dtype=int64) if tracked else None)

    def reset_running_stats(self) -> None:
        """Forget all batches seen."""
        with no_grad():
            if self.running_mean is not None and self.running_var is not None and self.num_batches_tracked is not None:
                self.running_mean.zero_()
                self.running_var.fill_(1)
                self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Weight 1, bias 0, no batch seen."""
        self.reset_running_stats()
        super().reset_parameters()

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(BatchStatistics):
    """Normalisation of each channel (dim 1) over the batch while training, by running averages afterwards.

    ``momentum`` None averages all batches alike. The running variance is the unbiased one.
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in self.RANKS:
            wanted = " or ".join(f"{n}D" for n in self.RANKS)
            raise ArgumentError(f"expected {wanted} input (got {input.dim()}D input)")
        return functional.batch_norm(
            input,
            self.running_mean if not self.training or self.track_running_stats else None,
            self.running_var if not self.training or self.track_running_stats else None,
            self.weight,
            self.bias,
            self.training or self.running_mean is None,
            self._share_of_this_batch(),
            self.eps,
        )

    def _share_of_this_batch(self) -> Any:
        """How much the batch weighs in the running averages: a number, or a 0-d float64 tensor; counts it."""
        share: Any = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            with no_grad():
                self.num_batches_tracked.add_(1)
                if self.momentum is None:
                    share = 1.0 / self.num_batches_tracked.to(float64)
        return share


class BatchNorm1d(_BatchNorm):
    """Shapes (N, C) or (N, C, L); see ``functional.batch_norm``."""

    RANKS = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Shape (N, C, H, W); see ``functional.batch_norm``."""

    RANKS = (4,)
