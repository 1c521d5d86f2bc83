"""einops on tensors, from the import of this module on: ``einops.rearrange(x, ...)``, with derivatives.

einops asks each class of backends that it finds whether it knows a tensor, so the class being there is all it takes.

>>> import einops, nbgrad.utils.einops
>>> einops.rearrange(nbgrad.arange(4), "(a b) -> b a", a=2)
tensor([[0, 2],
        [1, 3]])
"""

from __future__ import annotations

from typing import Any

from einops._backends import AbstractBackend
from einops.layers import RearrangeMixin, ReduceMixin

from nbgrad import functions
from nbgrad.calls.base import CALLS
from nbgrad.nn import Module
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of

__all__ = ["Rearrange", "Reduce"]

_cat, _stack = (function_of(CALLS[name]) for name in ("cat", "stack"))


class _Backend(AbstractBackend):
    """What einops does with tensors, in PyTorch's words."""

    framework_name = "nbgrad"

    def is_appropriate_type(self, tensor: Any) -> bool:
        return isinstance(tensor, Tensor)

    def transpose(self, x: Any, axes: Any) -> Any:
        return x.permute(tuple(axes))

    def reduce(self, x: Any, operation: str, axes: Any) -> Any:
        dims = tuple(sorted(axes, reverse=True))
        if operation != "prod":
            return getattr(x, {"min": "amin", "max": "amax"}.get(operation, operation))(dims)
        for d in dims:
            x = x.prod(d)
        return x

    def stack_on_zeroth_dimension(self, tensors: list[Any]) -> Any:
        return _stack(tensors)

    def add_axis(self, x: Any, new_position: int) -> Any:
        return x.unsqueeze(new_position)

    def tile(self, x: Any, repeats: tuple[int, ...]) -> Any:
        return x.tile(repeats)

    def concat(self, tensors: list[Any], axis: int) -> Any:
        return _cat(tensors, axis)

    def is_float_type(self, x: Any) -> bool:
        return bool(x.is_floating_point())

    def einsum(self, pattern: str, *x: Any) -> Any:
        return functions.einsum(pattern, *x)

    def arange(self, start: int, stop: int) -> Any:
        return functions.arange(start, stop)

    def from_numpy(self, x: Any) -> Any:
        return functions.from_numpy(x)

    def to_numpy(self, x: Any) -> Any:
        return x.detach().cpu().numpy()


class Rearrange(RearrangeMixin, Module):
    """``einops.rearrange`` as a layer."""

    def forward(self, input: Tensor) -> Any:
        return self._apply_recipe(input)


class Reduce(ReduceMixin, Module):
    """``einops.reduce`` as a layer."""

    def forward(self, input: Tensor) -> Any:
        return self._apply_recipe(input)
