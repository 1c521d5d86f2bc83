"""Convolutions as modules."""

from __future__ import annotations

from math import prod, sqrt
from typing import Any

from nbgrad.errors import ArgumentError
from nbgrad.functions.creation import empty
from nbgrad.graph.dtypes import DType
from nbgrad.nn import functional, init
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter
from nbgrad.tensor import Tensor

Sizes = int | tuple[int, ...]
PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


def each_of(value: Sizes, spatial: int) -> tuple[int, ...]:
    """One number for each of ``spatial`` dims; a single one stands for all of them."""
    return (value,) * spatial if isinstance(value, int) else tuple(value)


class ConvBase(Module):
    """What all convolutions share: sizes, and weights and biases that start uniform in +-1/sqrt(fan in): channels of a
    filter times window.
    """

    SPATIAL = 0
    bias: Parameter | None
    padding: tuple[int, ...] | str

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Sizes, stride: Sizes, dilation: Sizes, groups: int
    ) -> None:
        super().__init__()
        _check_channels(in_channels, out_channels, groups)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = each_of(kernel_size, self.SPATIAL)
        self.stride = each_of(stride, self.SPATIAL)
        self.dilation = each_of(dilation, self.SPATIAL)
        self.groups = groups

    def _make(self, filters: int, channels: int, bias: bool, device: Any, dtype: DType | None) -> None:
        """Weights of ``filters`` filters with ``channels`` each, and biases."""
        self.weight = Parameter(empty(filters, channels, *self.kernel_size, device=device, dtype=dtype))
        self.register_parameter(
            "bias", Parameter(empty(self.out_channels, device=device, dtype=dtype)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weights and biases anew."""
        fan_in = prod(self.weight.shape[1:])
        init.kaiming_uniform_(self.weight, a=sqrt(5))  # this slope makes the bound 1/sqrt(fan in)
        if self.bias is not None and fan_in:
            init.uniform_(self.bias, -1 / sqrt(fan_in), 1 / sqrt(fan_in))

    def _usual(self) -> dict[str, Any]:
        """Arguments by name that are shown where they are not these."""
        return {"padding": (0,) * self.SPATIAL, "dilation": (1,) * self.SPATIAL, "groups": 1}

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        for name, usual in self._usual().items():
            value = getattr(self, name)
            text += f", {name}={value}" if value != usual else ""
        return text + ("" if self.bias is not None else ", bias=False")


def _check_channels(in_channels: int, out_channels: int, groups: int) -> None:
    if groups <= 0:
        raise ArgumentError("groups must be a positive integer")
    if in_channels % groups:
        raise ArgumentError("in_channels must be divisible by groups")
    if out_channels % groups:
        raise ArgumentError("out_channels must be divisible by groups")


class _Conv(ConvBase):
    """What convolutions over 1, 2 and 3 dims share."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        *,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, dilation, groups)
        _check_padding(padding, padding_mode)
        self.padding = padding if isinstance(padding, str) else each_of(padding, self.SPATIAL)
        self.padding_mode = padding_mode
        if padding == "same" and any(s != 1 for s in self.stride):
            raise ArgumentError("padding='same' is not supported for strided convolutions")
        self._make(out_channels, in_channels // groups, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input = functional.pad(input, self._margins(), mode=self.padding_mode)
            padding = (0,) * self.SPATIAL
        options = (self.stride, padding, self.dilation, self.groups)
        return _FUNCTIONS[self.SPATIAL](input, self.weight, self.bias, *options)

    def _margins(self) -> tuple[int, ...]:
        """(low, high) of the last dim first, as ``functional.pad`` takes them."""
        margins: list[int] = []
        for i in reversed(range(self.SPATIAL)):
            if isinstance(self.padding, str):
                reach = self.dilation[i] * (self.kernel_size[i] - 1) if self.padding == "same" else 0
                margins += [reach // 2, reach - reach // 2]
            else:
                margins += [self.padding[i]] * 2
        return tuple(margins)

    def extra_repr(self) -> str:
        return super().extra_repr() + ("" if self.padding_mode == "zeros" else f", padding_mode={self.padding_mode}")


def _check_padding(padding: Sizes | str, padding_mode: str) -> None:
    if isinstance(padding, str) and padding not in ("same", "valid"):
        raise ArgumentError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
    if padding_mode not in PADDING_MODES:
        raise ArgumentError(f"padding_mode must be one of {set(PADDING_MODES)}, but got padding_mode='{padding_mode}'")


class Conv1d(_Conv):
    """Shapes (N, in_channels, L) and (N, out_channels, L'); see ``functional.conv1d``."""

    SPATIAL = 1


class Conv2d(_Conv):
    """Shapes (N, in_channels, H, W) and (N, out_channels, H', W'); see ``functional.conv2d``."""

    SPATIAL = 2


class Conv3d(_Conv):
    """Shapes (N, in_channels, D, H, W) and (N, out_channels, D', H', W'); see ``functional.conv3d``."""

    SPATIAL = 3


_FUNCTIONS = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}
