"""LLVM text of one function, line by line: a quarter of the time that llvmlite's objects take."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

ENTRY: Final = "entry"


class IRText:
    """A function under construction: a value is its name in LLVM, ``%v7`` or a number."""

    def __init__(self, head: str) -> None:
        self._head = head
        self._variables: list[str] = []
        self._lines: list[str] = []
        self._numbers = itertools.count()
        self._reached: set[str] = set()
        self._known: dict[str, str] = {}  # values that the block has, by what gives them
        self.label = ENTRY  # of the block that is being written
        self.is_open = True  # whether that block goes on

    def let(self, what: str) -> str:
        """A new value: what the instruction ``what`` gives."""
        name = f"%v{next(self._numbers)}"
        self._lines.append(f"  {name} = {what}")
        return name

    def once(self, what: str) -> str:
        """What the instruction ``what`` gives, from where the block has it already; nothing else changes it."""
        found = self._known.get(what)
        if found is None:
            found = self._known[what] = self.let(what)
        return found

    def get(self, variable: str) -> str:
        """The value of a variable."""
        return self.once(f"load i64, ptr {variable}")

    def set(self, variable: str, word: str) -> None:
        self.do(f"store i64 {word}, ptr {variable}")
        self._known[f"load i64, ptr {variable}"] = word

    def do(self, what: str) -> None:
        """An instruction that gives no value."""
        self._lines.append(f"  {what}")

    def variable(self) -> str:
        """A new int64 on the stack."""
        name = f"%v{next(self._numbers)}"
        self._variables.append(f"  {name} = alloca i64")
        return name

    def new_label(self, name: str) -> str:
        return f"{name}{next(self._numbers)}"

    def begin(self, label: str) -> None:
        """Start the block ``label``; where nothing leads to it, it ends at once."""
        self.label = label
        self._known.clear()
        self._lines.append(f"{label}:")
        self.is_open = True
        if label not in self._reached:
            self._end("unreachable")

    def go(self, label: str) -> None:
        self._reached.add(label)
        self._end(f"br label %{label}")

    def choose(self, bit: str, then: str, otherwise: str) -> None:
        self._reached |= {then, otherwise}
        self._end(f"br i1 {bit}, label %{then}, label %{otherwise}")

    def give(self, kind: str, value: str) -> None:
        """Return from the function."""
        self._end(f"ret {kind} {value}")

    def never(self) -> None:
        self._end("unreachable")

    def meet(self, values: Sequence[tuple[str, str]]) -> str:
        """One bit that comes from several blocks: (value, label of the block)."""
        return self.let("phi i1 " + ", ".join([f"[ {value}, %{label} ]" for value, label in values]))

    def _end(self, what: str) -> None:
        self.do(what)
        self.is_open = False

    def __str__(self) -> str:
        return "\n".join([f"{self._head} {{", f"{ENTRY}:", *self._variables, *self._lines, "}"])
