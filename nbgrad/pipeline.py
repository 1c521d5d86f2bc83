"""The recipe: from the nodes a trace wants to the machine code that computes them. Read this first.

canonicalize   decide everything that changes arithmetic           passes/canonicalize.py
one_by_one     tier 0: every operator a group of its own           passes/group.py
optimise       tier 1: fold, merge, absorb, sink, scatter,         passes/run.py
               embed, and
grouped        fuse: what runs as one loop                         passes/fuse.py
lower          groups to a tape: kernels' texts and descriptors    tape/lower.py
store          kernels' texts to addresses                         runtime/store.py
Executable     bind a run's memory, walk the tape                  runtime/executable.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from nbgrad.config import settings
from nbgrad.errors import TensorIndexError
from nbgrad.graph.node import Node, toposort
from nbgrad.graph.op import SOURCE, VIEW
from nbgrad.graph.packed import PackedGraph
from nbgrad.graph.verify import verify
from nbgrad.log import current_step, in_step
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import Group, one_by_one
from nbgrad.passes.run import grouped, optimise, timed
from nbgrad.passes.ties import NO_TIES
from nbgrad.runtime.buffers import Buffer, give_back
from nbgrad.runtime.collector import collector_paused
from nbgrad.runtime.executable import Executable
from nbgrad.runtime.interpreted import run_interpreted, which_index
from nbgrad.runtime.stages import print_graph, print_tape, stages_of, why_unfused
from nbgrad.runtime.store import store
from nbgrad.runtime.tiers import Upgrade
from nbgrad.tape.lower import lower
from nbgrad.tape.tape import Tape

# Bytes that an operator's result takes in the mean. Planning an operator takes 40 us; touching this much
# memory for the first time takes 80 (on a virtual machine; 5 where it was touched before).
HEAVY_BYTES: Final = 1 << 15
S_PER_BYTE: Final = 0.5e-9  # of the results of an unfused program; 0.8 on a virtual machine


class Plan:
    """One structure, ready to run with any inputs and numbers, by several threads at once.

    The fused program is used at once where all its kernels are there. Otherwise the plan runs unfused, and when it runs
    again (with ``recurs``, now: it ran before in some other way) its fused kernels are made in the background. They
    take over, with the same bits, when all of them are there. They are asked for at once also where the first run would
    take longer unfused than planning does, and made at once where it would take longer than that, too.
    """

    __slots__ = ("_canonical", "_executable", "_roots", "_step", "_upgrade", "label", "n_roots", "ties")

    def __init__(
        self, roots: Sequence[Node], label: str = "", recurs: bool = False, ties: Mapping[int, int] = NO_TIES
    ) -> None:
        self.label = label
        self.ties = ties
        self.n_roots = len(roots)
        self._roots: list[Node] | PackedGraph = list(roots)
        self._canonical: Sequence[Node] | None = None
        self._executable: Executable | None = None
        self._upgrade: Upgrade | None = None
        self._step = current_step()
        print_graph(label, roots)
        with timed("canonicalize"):
            self._canonical = canonicalize(roots)
        if settings.check:
            verify(roots, "recording")
            verify(self._canonical, "canonicalize")
        if not settings.interpret:
            self._executable = self._first(recurs)
            if self._upgrade is None:
                self._rest()

    def _first(self, recurs: bool) -> Executable:
        """The program to begin with. One call of the compiler at most, for per-operator kernels never made before."""
        if settings.compile == "background":
            self._upgrade = Upgrade(store, lambda: self._fused()[2])
            heavy_s = _heavy_s(self.canonical)
            fused = self._upgrade.ask(heavy_s) if recurs or heavy_s else None
            if fused is not None:
                return fused
        tape = self._fused()[2] if settings.compile == "eager" else self._unfused()[2]
        with timed("kernels"):
            return Executable(tape, store.addresses([i.text for i in tape.instructions]))

    def run(
        self,
        inputs: Sequence[Buffer],
        scalars: Sequence[float | int] = (),
        spare: Sequence[Buffer | None] | None = None,
    ) -> list[Buffer]:
        """The values of the roots, each in a row-major buffer: a fresh one, or that of ``spare`` in its place.

        That may be the buffer of the input that the root is tied to.
        """
        if settings.log:
            with in_step(self._step), timed(lambda: f"run ({self.tier})"):
                return self._run(inputs, scalars, spare)
        return self._run(inputs, scalars, spare)

    def _run(
        self, inputs: Sequence[Buffer], scalars: Sequence[float | int], spare: Sequence[Buffer | None] | None
    ) -> list[Buffer]:
        if settings.interpret:
            return run_interpreted(self.roots, inputs, scalars)
        if self._upgrade is not None:
            self._try_upgrade(self._upgrade)
        executable = self._executable
        if executable is None:  # made while the interpreter was on
            executable = self._executable = self._first(recurs=False)
        try:
            return executable.run(inputs, scalars, spare)
        except TensorIndexError as error:
            raise which_index(self.roots, inputs, scalars, error) from None

    @property
    def roots(self) -> list[Node]:
        """What it computes."""
        roots = self._roots
        return roots if isinstance(roots, list) else roots.unpack()

    @property
    def canonical(self) -> Sequence[Node]:
        """The same in canonical form."""
        known = self._canonical
        return canonicalize(self.roots) if known is None else known

    @property
    def tier(self) -> str:
        """What it runs on now: "interpreted", "unfused" or "fused"."""
        if settings.interpret or self._executable is None:
            return "interpreted"
        return "unfused" if self._executable.tape.padded else "fused"

    def explain(self) -> dict[str, str]:
        """Every stage as text by its name: graph, passes, fuse, tape, code (all of the fused program), and the tier."""
        return {**stages_of(self.roots, *self._fused()), "tier": self.tier}

    def _try_upgrade(self, upgrade: Upgrade) -> None:
        fused = upgrade.step()
        if fused is not None:
            before, self._executable = self._executable, fused  # runs under way keep the program they began with
            if before is not None:
                give_back(before.tape.arena_bytes)  # often many times what the fused program needs
        if upgrade.over:
            self._upgrade = None
            self._rest()

    def _rest(self) -> None:
        """No other program will be made: keep the graph in a form that costs nothing."""
        self._canonical = None
        if isinstance(self._roots, list):
            self._roots = PackedGraph(self._roots)

    def _unfused(self) -> tuple[Sequence[Node], Sequence[Group], Tape]:
        canonical = self.canonical
        return self._lowered(canonical, one_by_one(canonical), padded=True)

    def _fused(self) -> tuple[Sequence[Node], Sequence[Group], Tape]:
        graph = optimise(self.canonical)
        with timed("fuse"):
            groups = grouped(graph, self.ties)
        return self._lowered(graph, groups, padded=False)

    def _lowered(
        self, graph: Sequence[Node], groups: Sequence[Group], *, padded: bool
    ) -> tuple[Sequence[Node], Sequence[Group], Tape]:
        with timed("lower"):
            tape = lower(graph, groups, padded=padded, reuse=settings.runs("plan"), ties=self.ties)
        print_tape(self.label, graph, groups, tape, why_unfused() if padded else "")
        return graph, groups, tape


def _heavy_s(canonical: Sequence[Node]) -> float:
    """How long the unfused program of a graph works on its memory; 0 where the fused one is not found sooner."""
    computed = [n for n in toposort(canonical) if n.op.kind is not SOURCE and n.op.kind is not VIEW]
    size_bytes = sum([n.spec.size_bytes for n in computed])
    return size_bytes * S_PER_BYTE if size_bytes > HEAVY_BYTES * len(computed) else 0.0


def make_plan(
    roots: Sequence[Node], *, label: str = "", recurs: bool = False, ties: Mapping[int, int] = NO_TIES
) -> Plan:
    """A plan that computes ``roots``; input nodes read ``inputs[position]``, scalar nodes ``scalars[position]``.

    ``ties`` are (root, input) where a run may be given the input's buffer for the root: what a step writes anew.
    """
    with collector_paused():
        return Plan(roots, label, recurs, ties)
