"""Modules made of modules: one after the other, or a list of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Self, overload

from nbgrad.calls.arguments import int_of, items_of
from nbgrad.errors import ArgumentError, TensorIndexError
from nbgrad.nn.module import Module, indent


class _Numbered(Module):
    """What both containers share: children named "0", "1", ..., indexed like a list."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    @overload
    def __getitem__(self, at: int) -> Module: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: int | slice) -> Module | Self:
        """The module at a position, or a container of the same kind over a slice."""
        if isinstance(at, slice):
            return self._like(list(self._modules.items())[at])
        found: Module = self._modules[self._key(at)]
        return found

    def __setitem__(self, at: int, module: Module) -> None:
        setattr(self, self._key(at), module)

    def __delitem__(self, at: int | slice) -> None:
        gone = list(self._modules)[at] if isinstance(at, slice) else [self._key(at)]
        self._refill(module for name, module in self._modules.items() if name not in gone)

    def insert(self, index: int, module: Module) -> None:
        """Put ``module`` in front of position ``index``. IndexError beyond the end."""
        items = list(self._modules.values())
        if not -len(items) <= index <= len(items):
            raise TensorIndexError(f"insert(): index {index} is out of range for {len(items)} modules")
        items.insert(index, module)
        self._refill(items)

    def append(self, module: Module) -> Self:
        """Add ``module`` at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add ``modules`` at the end, in order."""
        for module in items_of(type(self).__name__, "modules", modules, "iterable of Modules"):
            self.append(module)
        return self

    def pop(self, key: int = -1) -> Module:
        """Remove and give back the module at a position."""
        module = self[key]
        del self[key]
        return module

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, modules: Iterable[Module]) -> Self:
        """A container of the modules of both."""
        made = type(self)()
        made._refill([*self, *modules])
        return made

    def _key(self, at: int) -> str:
        position, size = int_of(type(self).__name__, "index", at), len(self)
        if not -size <= position < size:
            raise TensorIndexError(f"index {position} is out of range: the {type(self).__name__} has {size} modules")
        return list(self._modules)[position]

    def _like(self, items: list[tuple[str, Module]]) -> Self:
        made = type(self)()
        made._refill(module for _, module in items)
        return made

    def _refill(self, modules: Iterable[Module]) -> None:
        """Hold ``modules`` and nothing else, numbered from 0."""
        items = list(modules)
        self._modules.clear()
        self.extend(items)


class Sequential(_Numbered):
    """Modules called one after the other: ``Sequential(a, b)(x)`` is ``b(a(x))``. Also takes one dict of names."""

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        named = len(modules) == 1 and isinstance(modules[0], dict)
        items = modules[0].items() if named else ((str(i), m) for i, m in enumerate(modules))
        for name, module in items:
            self.add_module(name, module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def insert(self, index: int, module: Module) -> Self:  # type: ignore[override]  # PyTorch's lists give nothing
        """Put ``module`` in front of position ``index``. IndexError beyond the end."""
        super().insert(index, module)
        return self

    def __mul__(self, times: int) -> Self:
        """The same modules ``times`` times over. TypeError for no int, ValueError for fewer than once."""
        if int_of("Sequential", "times", times) <= 0:
            raise ArgumentError(f"Non-positive multiplication factor {times} for {type(self).__name__}")
        made = type(self)()
        made._refill([*self] * times)
        return made

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Self:
        self._refill([*(self * times)])
        return self

    def _like(self, items: list[tuple[str, Module]]) -> Self:
        """A slice keeps the names, so that its state_dict is part of the whole's."""
        return type(self)(dict(items))


class ModuleList(_Numbered):
    """A list whose modules are found by ``parameters()`` and the rest; it has no ``forward``."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def __repr__(self) -> str:
        """Equal neighbours are written once: ``(0-2): 3 x Linear(...)``."""
        runs: list[tuple[int, int, str]] = []
        for position, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1] = (runs[-1][0], position, text)
            else:
                runs.append((position, position, text))
        if not runs:
            return f"{type(self).__name__}()"
        return "\n  ".join([f"{type(self).__name__}(", *(_run_line(*run) for run in runs)]) + "\n)"


def _run_line(first: int, last: int, text: str) -> str:
    if first == last:
        return f"({first}): {indent(text)}"
    return f"({first}-{last}): {last - first + 1} x {indent(text)}"
