"""Transposed convolutions as modules."""

from __future__ import annotations

from typing import Any

from nbgrad.errors import ArgumentError
from nbgrad.graph.dtypes import DType
from nbgrad.nn import functional
from nbgrad.nn.convolution import ConvBase, Sizes, each_of
from nbgrad.tensor import Tensor


class _ConvTranspose(ConvBase):
    """What transposed convolutions over 1, 2 and 3 dims share. A filter's channels are output channels of a group, as
    PyTorch reckons.
    """

    padding: tuple[int, ...]

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
        super().__init__(in_channels, out_channels, kernel_size, stride, dilation, groups)
        if padding_mode != "zeros":
            raise ArgumentError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        self.padding = each_of(padding, self.SPATIAL)
        self.output_padding = each_of(output_padding, self.SPATIAL)
        self._make(in_channels, out_channels // groups, bias, device, dtype)

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

    def _usual(self) -> dict[str, Any]:
        usual = super()._usual()
        groups = usual.pop("groups")
        return {**usual, "output_padding": (0,) * self.SPATIAL, "groups": groups}


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
