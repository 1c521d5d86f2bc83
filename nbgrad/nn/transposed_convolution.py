"""Transposed convolutions as modules."""

from __future__ import annotations

from math import prod, sqrt
from typing import Any

from nbgrad.creation import empty
from nbgrad.errors import ArgumentError
from nbgrad.graph.dtypes import DType
from nbgrad.nn import functional, init
from nbgrad.nn.convolution import Sizes, each_of
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter
from nbgrad.tensor import Tensor


class _ConvTranspose(Module):
    """What transposed convolutions over 1, 2 and 3 dims share. Weights and biases start uniform in +-1/sqrt(fan in), as
    PyTorch reckons it: output channels of a group times window.
    """

    SPATIAL = 0
    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        *,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if padding_mode != "zeros":
            raise ArgumentError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        if groups <= 0 or in_channels % groups or out_channels % groups:
            raise ArgumentError(f"groups must divide in_channels and out_channels, and be positive, not {groups}")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = each_of(kernel_size, self.SPATIAL)
        self.stride = each_of(stride, self.SPATIAL)
        self.padding = each_of(padding, self.SPATIAL)
        self.output_padding = each_of(output_padding, self.SPATIAL)
        self.dilation = each_of(dilation, self.SPATIAL)
        self.groups = groups
        self.weight = Parameter(
            empty(in_channels, out_channels // groups, *self.kernel_size, device=device, dtype=dtype)
        )
        self.register_parameter("bias", Parameter(empty(out_channels, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weights and biases anew."""
        fan_in = self.out_channels // self.groups * prod(self.kernel_size)
        init.kaiming_uniform_(self.weight, a=sqrt(5))  # this slope makes the bound 1/sqrt(fan in)
        if self.bias is not None and fan_in:
            init.uniform_(self.bias, -1 / sqrt(fan_in), 1 / sqrt(fan_in))

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """``output_size`` says which of the sizes is meant that a convolution makes the input's size of."""
        extra = self.output_padding if output_size is None else self._missing(input, tuple(output_size))
        options = (self.stride, self.padding, extra, self.groups, self.dilation)
        return _FUNCTIONS[self.SPATIAL](input, self.weight, self.bias, *options)

    def _missing(self, input: Tensor, wanted: tuple[int, ...]) -> tuple[int, ...]:
        """The output padding that makes a result of this size."""
        extra = []
        wanted = wanted[-self.SPATIAL :]
        if len(wanted) != self.SPATIAL:
            raise ArgumentError(f"{type(self).__name__}: output_size must have {self.SPATIAL} elements, got {wanted}")
        for i, size in enumerate(wanted):
            reach = self.dilation[i] * (self.kernel_size[i] - 1) + 1
            least = (input.shape[i - self.SPATIAL] - 1) * self.stride[i] - 2 * self.padding[i] + reach
            if not least <= size < least + self.stride[i]:
                raise ArgumentError(
                    f"requested an output size of {wanted}, but valid sizes of dim {i} range from {least} to "
                    f"{least + self.stride[i] - 1}"
                )
            extra.append(size - least)
        return tuple(extra)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        zeros, ones = (0,) * self.SPATIAL, (1,) * self.SPATIAL
        usual: dict[str, Any] = {"padding": zeros, "dilation": ones, "output_padding": zeros, "groups": 1}
        for name, value in usual.items():
            text += f", {name}={getattr(self, name)}" if getattr(self, name) != value else ""
        return text + ("" if self.bias is not None else ", bias=False")


class ConvTranspose1d(_ConvTranspose):
    """Shapes (N, in_channels, L) and (N, out_channels, L'); see ``functional.conv_transpose1d``."""

    SPATIAL = 1


class ConvTranspose2d(_ConvTranspose):
    """Shapes (N, in_channels, H, W) and (N, out_channels, H', W'); see ``functional.conv_transpose2d``."""

    SPATIAL = 2


class ConvTranspose3d(_ConvTranspose):
    """Shapes (N, in_channels, D, H, W) and (N, out_channels, D', H', W'); see ``functional.conv_transpose3d``."""

    SPATIAL = 3


_FUNCTIONS = {1: functional.conv_transpose1d, 2: functional.conv_transpose2d, 3: functional.conv_transpose3d}
