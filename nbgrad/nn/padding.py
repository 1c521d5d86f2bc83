"""Margins around signals, images and volumes, as modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from nbgrad.errors import ArgumentError
from nbgrad.nn import functional
from nbgrad.nn.module import Module
from nbgrad.tensor import Tensor


class _Padding(Module):
    """What all of them share: margins (low, high) of the last dim, then of the one before it; one number for all."""

    DIMS: ClassVar[int] = 0
    MODE: ClassVar[str] = "constant"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        wanted = 2 * self.DIMS
        self.padding = (padding,) * wanted if isinstance(padding, int) else tuple(padding)
        if len(self.padding) != wanted:
            raise ArgumentError(f"{type(self).__name__}: expected a number or {wanted} of them, got {padding}")

    def forward(self, input: Tensor) -> Tensor:
        if self.MODE != "constant" and input.dim() not in (self.DIMS + 1, self.DIMS + 2):
            raise ArgumentError(
                f"{type(self).__name__}: expected {self.DIMS + 1}D or {self.DIMS + 2}D input (got {input.dim()}D input)"
            )
        return functional.pad(input, self.padding, self.MODE)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Padding):
    """Margins of one value."""

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return functional.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Margins of ``value`` around the last dim: ``padding`` is (left, right), or one number for both.

    >>> nbgrad.nn.ConstantPad1d((1, 2), 9.0)(nbgrad.tensor([[1.0, 2.0]]))
    tensor([[9., 1., 2., 9., 9.]])
    """

    DIMS = 1


class ConstantPad2d(_ConstantPad):
    """Margins of ``value`` around the last two dims: (left, right, top, bottom), or one number for all."""

    DIMS = 2


class ConstantPad3d(_ConstantPad):
    """Margins of ``value`` around the last three dims: (left, right, top, bottom, front, back), or one number."""

    DIMS = 3


class ZeroPad1d(_Padding):
    """Margins of 0 around the last dim: (left, right), or one number for both."""

    DIMS = 1


class ZeroPad2d(_Padding):
    """Margins of 0 around the last two dims: (left, right, top, bottom), or one number for all."""

    DIMS = 2


class ZeroPad3d(_Padding):
    """Margins of 0 around the last three dims: (left, right, top, bottom, front, back), or one number for all."""

    DIMS = 3


class ReflectionPad1d(_Padding):
    """Margins that mirror the last dim without repeating its edge: (left, right); shapes (N, C, W) or (C, W).

    >>> nbgrad.nn.ReflectionPad1d(2)(nbgrad.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 2., 1., 2., 3., 2., 1.]])
    """

    DIMS = 1
    MODE = "reflect"


class ReflectionPad2d(_Padding):
    """Margins that mirror the last two dims: (left, right, top, bottom); shapes (N, C, H, W) or (C, H, W)."""

    DIMS = 2
    MODE = "reflect"


class ReplicationPad1d(_Padding):
    """Margins that repeat the edges of the last dim: (left, right); shapes (N, C, W) or (C, W).

    >>> nbgrad.nn.ReplicationPad1d((2, 1))(nbgrad.tensor([[1.0, 2.0]]))
    tensor([[1., 1., 1., 2., 2.]])
    """

    DIMS = 1
    MODE = "replicate"


class ReplicationPad2d(_Padding):
    """Margins that repeat the edges of the last two dims: (left, right, top, bottom)."""

    DIMS = 2
    MODE = "replicate"


class ReplicationPad3d(_Padding):
    """Margins that repeat the edges of the last three dims: (left, right, top, bottom, front, back)."""

    DIMS = 3
    MODE = "replicate"
