"""A tensor that a module learns."""

from __future__ import annotations

from typing import Any

from nbgrad.functions.creation import empty
from nbgrad.system.imports import import_module
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
            data: Any = self.detach().clone()
            memo[id(self)] = type(self)(data, self.requires_grad)
        copied: Parameter = memo[id(self)]
        return copied

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"


class _AnyBuffer(type):
    def __instancecheck__(cls, value: object) -> bool:
        return getattr(value, "_is_buffer", False) is True


class Buffer(metaclass=_AnyBuffer):
    """A tensor that a Module registers as a buffer when it is assigned to an attribute: saved with the module where
    ``persistent``, and not learned. It is a plain tensor that shares ``data``'s memory.

    >>> module = nbgrad.nn.Module()
    >>> module.mean = nbgrad.nn.Buffer(nbgrad.zeros(2))
    >>> list(module.state_dict())
    ['mean']
    """

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        made: Any = empty(0) if data is None else tensor_of("Buffer", "data", data)
        made = made.detach().requires_grad_(made.requires_grad)
        made.persistent, made._is_buffer = persistent, True
        return made


def __getattr__(name: str) -> Any:
    """PyTorch's scripts import these from here."""
    if name in ("Buffer", "UninitializedBuffer", "UninitializedParameter"):
        return getattr(import_module("nbgrad.nn"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
