"""The linear map, and modules that only pass on or reshape."""

from __future__ import annotations

from math import sqrt
from typing import Any

from nbgrad.functions.creation import empty
from nbgrad.graph.dtypes import DType
from nbgrad.nn import functional, init
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter
from nbgrad.tensor import Tensor


class Linear(Module):
    """y = x W^T + b. Shapes: x (..., in_features), W (out_features, in_features), b (out_features).

    Weights and biases start uniform in +-1/sqrt(in_features).
    """

    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, *, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weights and biases anew."""
        init.kaiming_uniform_(self.weight, a=sqrt(5))  # this slope makes the bound 1/sqrt(in_features)
        if self.bias is not None and self.in_features > 0:
            bound = 1 / sqrt(self.in_features)
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Identity(Module):
    """Its input. Takes and ignores any arguments, so it can stand in for any module."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Flatten(Module):
    """Axes ``start_dim`` to ``end_dim`` (included) made one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        flat: Tensor = input.flatten(self.start_dim, self.end_dim)
        return flat

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """One axis split into several; one of the sizes may be -1."""

    def __init__(self, dim: int, unflattened_size: tuple[int, ...]) -> None:
        super().__init__()
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        split: Tensor = input.unflatten(self.dim, self.unflattened_size)
        return split

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
