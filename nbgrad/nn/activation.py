"""Activations as modules."""

from __future__ import annotations

from nbgrad.errors import ArgumentError
from nbgrad.nn import functional
from nbgrad.nn.module import Module
from nbgrad.tensor import Tensor


class Tanh(Module):
    """Hyperbolic tangent, element by element."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.tanh(input)


class Sigmoid(Module):
    """1 / (1 + exp(-x)), element by element."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.sigmoid(input)


class GELU(Module):
    """x times the normal distribution's CDF at x; ``approximate`` is "none" or "tanh"."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class InPlace(Module):
    """What activations that may write into their input share."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ReLU(InPlace):
    """max(x, 0), element by element."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.relu(input, self.inplace)


class SiLU(InPlace):
    """x * sigmoid(x), element by element."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.silu(input, self.inplace)


class Mish(InPlace):
    """x * tanh(log(1 + exp(x))), element by element."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.mish(input, self.inplace)


class SELU(InPlace):
    """1.0507 * elu(x, 1.6733): layers of such units keep mean 0 and variance 1."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.selu(input, self.inplace)


class Hardtanh(InPlace):
    """x between ``min_val`` and ``max_val``."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        if min_val >= max_val:
            raise ArgumentError(f"Hardtanh: max_val {max_val} must be larger than min_val {min_val}")
        self.min_val = min_val
        self.max_val = max_val

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}" + (", inplace=True" if self.inplace else "")


class ReLU6(Hardtanh):
    """x between 0 and 6."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class LogSigmoid(Module):
    """log(1 / (1 + exp(-x))), element by element, computed without overflow."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.logsigmoid(input)


class LeakyReLU(InPlace):
    """x where x > 0, otherwise ``negative_slope`` * x."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: Tensor) -> Tensor:
        return functional.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class ELU(InPlace):
    """x where x > 0, otherwise ``alpha`` * (exp(x) - 1)."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        return functional.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class Softplus(Module):
    """log(1 + exp(beta x)) / beta; x itself where beta x is above ``threshold``."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return functional.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Softmax(Module):
    """exp(x) / sum(exp(x)) along ``dim``."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return functional.softmax(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of ``Softmax``, computed without overflow."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return functional.log_softmax(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"
