"""A tensor that a module learns."""

from __future__ import annotations

from typing import Any

from nbgrad.functions.creation import empty
from nbgrad.tensor import Tensor
from nbgrad.trace import tensor_of


class Parameter(Tensor):
    """A leaf tensor that a Module lists among its parameters when it is assigned to an attribute.

    It shares ``data``'s memory. ``data`` loses its history; ``requires_grad`` is True unless said otherwise.
    """

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        given = empty(0) if data is None else tensor_of("Parameter", "data", data)
        made: Parameter = Tensor._make_subclass(cls, given, requires_grad)
        return made

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        """Nothing: ``__new__`` has set all there is."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        """A Parameter with its own memory and no gradient, so that ``copy.deepcopy(model)`` gives a model."""
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        copied: Parameter = memo[id(self)]
        return copied

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"
