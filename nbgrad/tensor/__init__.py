"""The tensor a user holds, and what makes its methods and functions from declarations."""

from nbgrad.tensor.described import Size
from nbgrad.tensor.tensor import Tensor

__all__ = ["Size", "Tensor"]
