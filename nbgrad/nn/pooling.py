"""Pooling as modules."""

from __future__ import annotations

from typing import Any, ClassVar

from nbgrad.nn import functional
from nbgrad.nn.module import Module
from nbgrad.tensor import Tensor

Sizes = int | tuple[int, ...]


class MaxPool1d(Module):
    """The largest element of every window; ``stride`` is the window's size unless given. Shapes (N, C, L) or (C, L).

    With ``return_indices`` also where it is; see ``functional.max_pool1d``.
    """

    SPATIAL: ClassVar[int] = 1

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        pool = getattr(functional, f"max_pool{self.SPATIAL}d")
        sizes = (self.kernel_size, self.stride, self.padding, self.dilation)
        return pool(input, *sizes, self.ceil_mode, self.return_indices)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool2d(MaxPool1d):
    """The largest element of every window; shapes (N, C, H, W) or (C, H, W); see ``functional.max_pool2d``."""

    SPATIAL = 2


class _AvgPool(Module):
    """The mean of every window; ``stride`` is the window's size unless given."""

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """Shapes (N, C, L) or (C, L); see ``functional.avg_pool1d``."""

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        for name in ("kernel_size", "stride", "padding"):
            value = getattr(self, name)
            setattr(self, name, (value,) if isinstance(value, int) else tuple(value))

    def forward(self, input: Tensor) -> Tensor:
        return functional.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class AvgPool2d(_AvgPool):
    """Shapes (N, C, H, W) or (C, H, W); ``divisor_override`` replaces the number of elements of a window."""

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        sizes = (self.kernel_size, self.stride, self.padding)
        return functional.avg_pool2d(
            input, *sizes, self.ceil_mode, self.count_include_pad, divisor_override=self.divisor_override
        )


class AdaptiveAvgPool1d(Module):
    """Means of ``output_size`` parts; shapes (N, C, L) or (C, L)."""

    def __init__(self, output_size: int | None) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return functional.adaptive_avg_pool1d(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool2d(Module):
    """Means of ``output_size`` parts; None keeps a size. Shapes (N, C, H, W) or (C, H, W)."""

    def __init__(self, output_size: int | tuple[int | None, ...] | None) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return functional.adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"
