"""The recipe: from the nodes a trace wants to the machine code that computes them. Read this first."""

from __future__ import annotations

from collections.abc import Sequence

from nbgrad.graph.node import Node
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import one_by_one
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.executable import Executable
from nbgrad.runtime.store import store
from nbgrad.tape.lower import lower


class Plan:
    """One structure, ready to run with any inputs and numbers, by several threads at once."""

    def __init__(self, roots: Sequence[Node], label: str = "") -> None:
        self.label = label
        self.roots = list(roots)
        self.canonical = canonicalize(roots)
        tape = lower(self.canonical, one_by_one(self.canonical), padded=True)
        self._executable = Executable(tape, store.addresses([i.text for i in tape.instructions]))

    def run(self, inputs: Sequence[Buffer], scalars: Sequence[float | int] = ()) -> list[Buffer]:
        """The values of the roots, each in a fresh row-major buffer."""
        return self._executable.run(inputs, scalars)


def make_plan(roots: Sequence[Node], *, label: str = "") -> Plan:
    """A plan that computes ``roots``; input nodes read ``inputs[position]``, scalar nodes ``scalars[position]``."""
    return Plan(roots, label)
