"""Modules that few programs use: bilinear maps, shuffles and norms across channels, noise, margins of volumes, bags."""

from __future__ import annotations

from math import sqrt
from typing import Any, Self

from nbgrad.autograd import no_grad
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.functions.creation import empty
from nbgrad.graph.dtypes import DType
from nbgrad.nn import functional, init
from nbgrad.nn.activation import InPlace
from nbgrad.nn.dropout import _Dropout
from nbgrad.nn.module import Module
from nbgrad.nn.normalization import BatchNorm2d
from nbgrad.nn.padding import ReplicationPad1d, ReplicationPad2d, ReplicationPad3d
from nbgrad.nn.parameter import Parameter
from nbgrad.nn.upsampling import Upsample
from nbgrad.tensor import Tensor


class Bilinear(Module):
    """y_k = x1^T W_k x2 + b_k. Shapes: x1 (*, in1_features), x2 (*, in2_features), y (*, out_features).

    Weights (out, in1, in2) and biases start uniform in +-1/sqrt(in1_features).
    """

    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ArgumentError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = Parameter(empty(out_features, in1_features, in2_features, device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weights and biases anew."""
        bound = 1 / sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return functional.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class ChannelShuffle(Module):
    """Channels of ``groups`` equal groups, one of each after the other; see ``functional.channel_shuffle``."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return functional.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"


class LocalResponseNorm(Module):
    """Division by what ``size`` neighbouring channels are like; see ``functional.local_response_norm``."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        return functional.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class RReLU(InPlace):
    """x where x > 0, otherwise x times a random slope; see ``functional.rrelu``."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.lower, self.upper = lower, upper

    def forward(self, input: Tensor) -> Tensor:
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")


class Dropout3d(_Dropout):
    """``Dropout`` of whole channels: shapes (N, C, D, H, W) or (C, D, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_Dropout):
    """Dropout that keeps mean 0 and variance 1, for layers of ``SELU``; see ``functional.alpha_dropout``."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_Dropout):
    """``AlphaDropout`` of whole channels: shapes (N, C, ...)."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.feature_alpha_dropout(input, self.p, self.training, self.inplace)


class BatchNorm3d(BatchNorm2d):
    """Shape (N, C, D, H, W); see ``functional.batch_norm``."""

    RANKS = (5,)


class CircularPad1d(ReplicationPad1d):
    """Margins that go on at the other end of the last dim: (left, right); shapes (N, C, W) or (C, W).

    >>> nbgrad.nn.CircularPad1d(1)(nbgrad.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 1., 2., 3., 1.]])
    """

    MODE = "circular"


class CircularPad2d(ReplicationPad2d):
    """Margins that go on at the other ends of the last two dims: (left, right, top, bottom)."""

    MODE = "circular"


class CircularPad3d(ReplicationPad3d):
    """Margins that go on at the other ends of the last three dims: (left, right, top, bottom, front, back)."""

    MODE = "circular"


class ReflectionPad3d(ReplicationPad3d):
    """Margins that mirror the last three dims without repeating edges: (left, right, top, bottom, front, back)."""

    MODE = "reflect"


class UpsamplingNearest2d(Upsample):
    """``Upsample`` of images by their nearest elements."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """``Upsample`` of images with mode "bilinear" and ``align_corners``."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class EmbeddingBag(Module):
    """The sum, mean or max of rows of a (num_embeddings, embedding_dim) table; see ``functional.embedding_bag``.

    Rows start normally distributed; the row ``padding_idx`` starts at zero and counts as not there.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ArgumentError("padding_idx must be within num_embeddings")
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self.mode, self.sparse, self.include_last_offset = mode, sparse, include_last_offset
        if _weight is not None and tuple(_weight.shape) != (num_embeddings, embedding_dim):
            raise ShapeError("Shape of weight does not match num_embeddings and embedding_dim")
        given = _weight is not None
        self.weight = Parameter(_weight if given else empty(num_embeddings, embedding_dim, device=device, dtype=dtype))
        if not given:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all rows anew."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return functional.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, **options: Any) -> Self:
        """An EmbeddingBag over the rows of a 2-d tensor, which it shares; frozen ones get no gradient."""
        if embeddings.dim() != 2:
            raise ShapeError("Embeddings parameter is expected to be 2-dimensional")
        made = cls(*embeddings.shape, _weight=embeddings, **options)  # type: ignore[misc]
        made.weight.requires_grad_(not freeze)
        return made

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        text += "" if self.max_norm is None else f", max_norm={self.max_norm}"
        text += "" if self.norm_type == 2 else f", norm_type={self.norm_type}"
        text += f", scale_grad_by_freq={self.scale_grad_by_freq}" if self.scale_grad_by_freq else ""
        text += f", mode={self.mode!r}"
        return text + ("" if self.padding_idx is None else f", padding_idx={self.padding_idx}")


CrossMapLRN2d = LocalResponseNorm
