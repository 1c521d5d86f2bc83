"""What holds the lines: a module of globals and functions, which are made of blocks."""

from __future__ import annotations

import itertools
from typing import Any

from nbgrad.kernels.ir.types import FunctionType, Place, PointerType, Value


class Module:
    """One file of LLVM's language; ``str`` writes it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.triple = ""
        self.data_layout = ""
        self.globals: dict[str, Any] = {}  # functions and variables, by name
        self._metadata: dict[str, str] = {}

    def add(self, what: Function | GlobalVariable | WrittenFunction, name: str) -> str:
        """Take in a global; gives how instructions name it. ValueError where the name is taken."""
        if name in self.globals:
            raise ValueError(f"the module has a global {name!r} already")
        self.globals[name] = what
        return f'@"{name}"'

    def metadata(self, text: str) -> str:
        """How instructions refer to the metadata ``text``."""
        return self._metadata.setdefault(text, f"!{len(self._metadata)}")

    def __str__(self) -> str:
        head = [f'; ModuleID = "{self.name}"']
        head.append(f'target triple = "{self.triple}"')
        head.append(f'target datalayout = "{self.data_layout}"')
        metadata = [f"{number} = {text}" for text, number in self._metadata.items()]
        return "\n".join([*head, *[found.written() for found in self.globals.values()], *metadata, ""])


class GlobalVariable(Place):
    """Memory that a module has; without ``initializer`` it is somebody else's."""

    __slots__ = ("align", "global_constant", "initializer", "linkage")

    def __init__(self, module: Module, kind: Any, name: str, addrspace: int = 0) -> None:
        super().__init__(PointerType(addrspace), module.add(self, name), kind)
        self.align = 0
        self.global_constant = False
        self.initializer: Value | None = None
        self.linkage = ""

    def written(self) -> str:
        space = f"addrspace({self.type.addrspace})" if self.type.addrspace else ""
        what = "constant" if self.global_constant else "global"
        start = self.initializer.text if self.initializer is not None else ""
        words = [self.text, "=", self.linkage, space, what, self.kind.text, start]
        return " ".join([word for word in words if word]) + (f", align {self.align}" if self.align else "")


class Block:
    """Instructions that run one after the other. ``end`` leads to other blocks; what is added comes before it.

    ``known`` holds the values of those that need not be written twice, by what they say.
    """

    __slots__ = ("end", "known", "lines", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[str] = []
        self.known: dict[str, Value] = {}
        self.end = ""


class Function(Value):
    """A function; without blocks it is the declaration of one that is elsewhere."""

    __slots__ = ("args", "attributes", "blocks", "calling_convention", "function_type", "linkage", "module", "numbers")

    def __init__(self, module: Module, function_type: FunctionType, name: str) -> None:
        super().__init__(function_type, module.add(self, name))
        self.module = module
        self.function_type = function_type
        self.args = tuple([Value(kind, f"%a{k}") for k, kind in enumerate(function_type.args)])
        self.attributes: set[str] = set()
        self.blocks: list[Block] = []
        self.calling_convention = ""
        self.linkage = ""
        self.numbers = itertools.count()

    def append_basic_block(self, name: str) -> Block:
        """A new block, behind all others."""
        block = Block(f"{name}{next(self.numbers)}")
        self.blocks.append(block)
        return block

    def written(self) -> str:
        args = ", ".join([f"{x.type.text} {x.text}" for x in self.args] if self.blocks else self._kinds())
        what = "define" if self.blocks else "declare"
        words = [what, self.linkage, self.calling_convention, self.function_type.result.text, f"{self.text}({args})"]
        head = " ".join([word for word in (*words, *sorted(self.attributes)) if word])
        if not self.blocks:
            return head
        lines = [head, "{"]
        for block in self.blocks:
            lines.append(f"{block.name}:")
            lines += block.lines
            lines.append(block.end)
        lines.append("}")
        return "\n".join(lines)

    def _kinds(self) -> list[str]:
        return [kind.text for kind in self.function_type.args]


class WrittenFunction(Value):
    """A function whose text is there; who calls it says what it takes."""

    __slots__ = ("_text", "attributes", "function_type", "linkage")
    function_type: FunctionType

    def __init__(self, module: Module, name: str, text: str) -> None:
        super().__init__(PointerType(), module.add(self, name))
        self._text = text
        self.attributes: set[str] = set()
        self.linkage = ""

    def written(self) -> str:
        head, body = self._text.removeprefix("define ").split("{", 1)
        words = ["define", self.linkage, head.strip(), *sorted(self.attributes), "{"]
        return " ".join([word for word in words if word]) + body
