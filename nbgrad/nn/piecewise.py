"""Activations made of pieces, as modules."""

from __future__ import annotations

from typing import Any

from nbgrad.errors import ArgumentError
from nbgrad.functions.creation import full
from nbgrad.graph.dtypes import DType
from nbgrad.nn import functional
from nbgrad.nn.activation import InPlace
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter
from nbgrad.tensor import Tensor


class Hardswish(InPlace):
    """x * min(max(x + 3, 0), 6) / 6, element by element."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardswish(input, self.inplace)


class Hardsigmoid(InPlace):
    """x / 6 + 1 / 2, at least 0 and at most 1, element by element."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardsigmoid(input, self.inplace)


class Softsign(Module):
    """x / (1 + |x|)."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x), element by element."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.tanhshrink(input)


class _Shrink(Module):
    """What both ways to shrink share."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(_Shrink):
    """x nearer to 0 by ``lambd``, and 0 where it is not beyond it."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.softshrink(input, self.lambd)


class Hardshrink(_Shrink):
    """x, and 0 where it is not beyond ``lambd`` on either side."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardshrink(input, self.lambd)


class Threshold(InPlace):
    """x where it is above ``threshold``, elsewhere ``value``."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold, self.value = threshold, value

    def forward(self, input: Tensor) -> Tensor:
        return functional.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}" + (", inplace=True" if self.inplace else "")


class CELU(InPlace):
    """x where x > 0, otherwise ``alpha`` * (exp(x / ``alpha``) - 1)."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        return functional.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class PReLU(Module):
    """x where x > 0, otherwise a learned weight times x: one weight, or one for each channel (dim 1)."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(full((num_parameters,), init, device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """The weights as they began."""
        self.weight.data.fill_(self.init)

    def forward(self, input: Tensor) -> Tensor:
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class GLU(Module):
    """The first half of ``dim`` times the sigmoid of the second."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return functional.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmin(Module):
    """The softmax of -x along ``dim``."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return functional.softmin(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax2d(Module):
    """The softmax over channels: shapes (N, C, H, W) or (C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ArgumentError(f"Softmax2d: expected input to be 3D or 4D (got {input.dim()}D instead)")
        return functional.softmax(input, -3)
