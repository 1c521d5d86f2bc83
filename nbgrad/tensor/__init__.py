"""The tensor a user holds, and what makes its methods and functions from declarations."""

from nbgrad.tensor.tensor import Size, Tensor

__all__ = ["Size", "Tensor"]
