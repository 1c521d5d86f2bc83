"""Pools of volumes, pools to a given size, pools undone, windows as columns, as modules."""

from __future__ import annotations

from typing import Any, ClassVar

from nbgrad.errors import ArgumentError
from nbgrad.nn import functional
from nbgrad.nn.module import Module
from nbgrad.nn.pooling import AvgPool2d, MaxPool1d, Sizes
from nbgrad.tensor import Tensor


class MaxPool3d(MaxPool1d):
    """The largest element of every window; shapes (N, C, D, H, W) or (C, D, H, W); see ``functional.max_pool3d``."""

    SPATIAL = 3


class AvgPool3d(AvgPool2d):
    """The mean of every window; shapes (N, C, D, H, W) or (C, D, H, W); see ``functional.avg_pool3d``."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.avg_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            divisor_override=self.divisor_override,
        )


class _ToSize(Module):
    """Pools of ``output_size`` parts; None keeps a size."""

    FUNCTION: ClassVar[str] = ""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        return getattr(functional, self.FUNCTION)(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_ToSize):
    """The largest element of ``output_size`` parts; shapes (N, C, L) or (C, L).

    >>> nbgrad.nn.AdaptiveMaxPool1d(2)(nbgrad.tensor([[1.0, 3.0, 2.0]]))
    tensor([[3., 3.]])
    """

    FUNCTION = "adaptive_max_pool1d"


class AdaptiveMaxPool2d(_ToSize):
    """The largest element of ``output_size`` parts; shapes (N, C, H, W) or (C, H, W)."""

    FUNCTION = "adaptive_max_pool2d"


class AdaptiveMaxPool3d(_ToSize):
    """The largest element of ``output_size`` parts; shapes (N, C, D, H, W) or (C, D, H, W)."""

    FUNCTION = "adaptive_max_pool3d"


class AdaptiveAvgPool3d(_ToSize):
    """Means of ``output_size`` parts; shapes (N, C, D, H, W) or (C, D, H, W)."""

    def __init__(self, output_size: Any) -> None:
        super().__init__(output_size)

    def forward(self, input: Tensor) -> Any:
        return functional.adaptive_avg_pool3d(input, self.output_size)


class _Unpool(Module):
    """Elements put back where a pooling has found them; zeros elsewhere."""

    SPATIAL: ClassVar[int] = 0

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        super().__init__()
        given = (kernel_size, kernel_size if stride is None else stride, padding)
        self.kernel_size, self.stride, self.padding = [
            (n,) * self.SPATIAL if isinstance(n, int) else tuple(n) for n in given
        ]

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        unpool = getattr(functional, f"max_unpool{self.SPATIAL}d")
        result: Tensor = unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)
        return result

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_Unpool):
    """``MaxPool1d`` undone: zeros, and the largest elements where they were; see ``functional.max_unpool1d``."""

    SPATIAL = 1


class MaxUnpool2d(_Unpool):
    """``MaxPool2d`` undone: zeros, and the largest elements where they were; see ``functional.max_unpool2d``.

    >>> values, places = nbgrad.nn.MaxPool2d(2, return_indices=True)(nbgrad.tensor([[[1.0, 3.0], [2.0, 0.0]]]))
    >>> nbgrad.nn.MaxUnpool2d(2)(values, places)
    tensor([[[0., 3.],
             [0., 0.]]])
    """

    SPATIAL = 2


class MaxUnpool3d(_Unpool):
    """``MaxPool3d`` undone: zeros, and the largest elements where they were; see ``functional.max_unpool3d``."""

    SPATIAL = 3


class _LPPool(Module):
    """(the sum of x^p over every window)^(1/p) with p the ``norm_type``."""

    SPATIAL: ClassVar[int] = 0

    def __init__(
        self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        pool = getattr(functional, f"lp_pool{self.SPATIAL}d")
        result: Tensor = pool(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)
        return result

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """(the sum of x^p over every window)^(1/p); shapes (N, C, L) or (C, L); see ``functional.lp_pool1d``."""

    SPATIAL = 1


class LPPool2d(_LPPool):
    """(the sum of x^p over every window)^(1/p); shapes (N, C, H, W) or (C, H, W)."""

    SPATIAL = 2


class LPPool3d(_LPPool):
    """(the sum of x^p over every window)^(1/p); shapes (N, C, D, H, W) or (C, D, H, W)."""

    SPATIAL = 3


class FractionalMaxPool2d(Module):
    """The largest element of windows that begin at random; see ``functional.fractional_max_pool2d``."""

    SPATIAL: ClassVar[int] = 2

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = (kernel_size,) * self.SPATIAL if isinstance(kernel_size, int) else tuple(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size, self.output_ratio = [
            n if n is None or isinstance(n, (tuple, list)) else (n,) * self.SPATIAL for n in (output_size, output_ratio)
        ]
        if (output_size is None) == (output_ratio is None):
            raise ArgumentError(f"{type(self).__name__} requires specifying either an output size, or a pooling ratio")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ArgumentError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        pool = getattr(functional, f"fractional_max_pool{self.SPATIAL}d")
        sizes = (self.kernel_size, self.output_size, self.output_ratio)
        return pool(input, *sizes, self.return_indices, self._random_samples)


class FractionalMaxPool3d(FractionalMaxPool2d):
    """``FractionalMaxPool2d`` of volumes."""

    SPATIAL = 3


class Unfold(Module):
    """Every window of images as a column; see ``functional.unfold``."""

    def __init__(self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> None:
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input: Tensor) -> Tensor:
        return functional.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Fold(Unfold):
    """Columns of windows added up to images of ``output_size``; see ``functional.fold``."""

    def __init__(
        self, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        sizes = (self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)
        return functional.fold(input, *sizes)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, {super().extra_repr()}"
