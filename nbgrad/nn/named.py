"""Modules and parameters kept in a dict or a list, where ``parameters()`` and the rest find them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from operator import index
from typing import Any, Self

from nbgrad.errors import TensorIndexError
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter
from nbgrad.tensor import Tensor


def _items(given: Any) -> Iterable[tuple[str, Any]]:
    """Pairs from a mapping, or from an iterable of pairs."""
    return given.items() if isinstance(given, (Mapping, ModuleDict, ParameterDict)) else given


class ModuleDict(Module):
    """A dict whose modules are found by ``parameters()`` and the rest; it has no ``forward``."""

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def __getitem__(self, key: str) -> Module:
        found: Module = self._modules[key]
        return found

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def keys(self) -> Iterable[str]:
        """The names, in order."""
        return self._modules.keys()

    def values(self) -> Iterable[Module]:
        """The modules, in order."""
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, Module]]:
        """Names and modules, in order."""
        return self._modules.items()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add modules, in place of those of the same names."""
        for key, module in _items(modules):
            self[key] = module

    def pop(self, key: str) -> Module:
        """Remove and give back one module."""
        module = self[key]
        del self[key]
        return module

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()


def _as_parameter(value: Any) -> Any:
    """A plain tensor becomes a Parameter, as in PyTorch."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


class ParameterList(Module):
    """A list of parameters, found by ``parameters()``; tensors put into it become parameters."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self.extend(values or ())

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())

    def __getitem__(self, at: int | slice) -> Any:
        """The parameter at a position, or a list over a slice."""
        if isinstance(at, slice):
            return type(self)(list(self)[at])
        return self._parameters[self._key(at)]

    def __setitem__(self, at: int, value: Any) -> None:
        setattr(self, self._key(at), _as_parameter(value))

    def append(self, value: Any) -> Self:
        """Add a parameter at the end."""
        self.register_parameter(str(len(self)), _as_parameter(value))
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add parameters at the end, in order."""
        for value in list(values):
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> Self:
        return self.extend(values)

    def _key(self, at: int) -> str:
        position, size = index(at), len(self)
        if not -size <= position < size:
            raise TensorIndexError(f"index {position} is out of range")
        return str(position % size)

    def extra_repr(self) -> str:
        return "\n".join(f"({name}): {_kind(value)}" for name, value in self._parameters.items())


class ParameterDict(Module):
    """A dict of parameters, found by ``parameters()``; tensors put into it become parameters."""

    def __init__(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None) -> None:
        super().__init__()
        self.update(parameters or {})

    def __getitem__(self, key: str) -> Any:
        return self._parameters[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.register_parameter(key, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._parameters[key]

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __contains__(self, key: str) -> bool:
        return key in self._parameters

    def keys(self) -> Iterable[str]:
        """The names, in order."""
        return self._parameters.keys()

    def values(self) -> Iterable[Any]:
        """The parameters, in order."""
        return self._parameters.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and parameters, in order."""
        return self._parameters.items()

    def update(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
        """Add parameters, in place of those of the same names."""
        for key, value in _items(parameters):
            self[key] = value

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._parameters)

    def __or__(self, other: Any) -> ParameterDict:
        """A dict of both; ``other`` has the last word."""
        made = self.copy()
        made.update(other)
        return made

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self

    def copy(self) -> ParameterDict:
        """A dict of the same parameters."""
        return ParameterDict(dict(self._parameters))

    def get(self, key: str, default: Any = None) -> Any:
        """A parameter, or ``default`` where there is none of this name."""
        return self._parameters.get(key, default)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """A parameter, which becomes ``default`` where there is none of this name."""
        if key not in self._parameters:
            self[key] = default
        return self._parameters[key]

    def pop(self, key: str) -> Any:
        """Remove and give back one parameter."""
        return self._parameters.pop(key)

    def popitem(self) -> tuple[str, Any]:
        """Remove and give back the last name and its parameter."""
        return self._parameters.popitem()

    def clear(self) -> None:
        """Remove all parameters."""
        self._parameters.clear()

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A dict of these names, each ``default``."""
        return ParameterDict([(key, default) for key in keys])

    def extra_repr(self) -> str:
        return "\n".join(f"({name}): {_kind(value)}" for name, value in self._parameters.items())


def _kind(value: Any) -> str:
    sizes = "x".join(map(str, value.shape))
    return f"Parameter containing: [{value.dtype} of size {sizes}]"
