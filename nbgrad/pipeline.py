"""The recipe: from the nodes a trace wants to the machine code that computes them. Read this first.

canonicalize   decide everything that changes arithmetic           passes/canonicalize.py
one_by_one     tier 0: every operator a group of its own           passes/group.py
optimise       tier 1: fold, merge, absorb, sink, scatter,         passes/run.py
               embed, and
grouped        fuse: what runs as one loop                         passes/fuse.py
lower          groups to a tape: kernels' texts and descriptors    tape/lower.py
lower_rounds   the same for an unrolled loop, planned once         tape/rounds.py
store          kernels' texts to addresses                         runtime/store.py
Executable     bind a run's memory, walk the tape                  runtime/executable.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from time import thread_time
from typing import Final

from nbgrad.config import settings
from nbgrad.errors import PerformanceWarning, TensorIndexError, warn_once
from nbgrad.graph.node import Node, toposort
from nbgrad.graph.op import SOURCE, VIEW
from nbgrad.graph.packed import PackedGraph
from nbgrad.graph.rounds import LEAST_NODES, Rounds, find_rounds
from nbgrad.graph.verify import verify
from nbgrad.kernels.target import Target
from nbgrad.log import current_step, emit, enabled, fall_back, in_step
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import NO_DONATIONS, Group, one_by_one
from nbgrad.passes.run import grouped, optimise, timed
from nbgrad.runtime.buffers import Buffer, give_back
from nbgrad.runtime.executable import Executable
from nbgrad.runtime.interpreted import run_interpreted, which_index
from nbgrad.runtime.stages import print_graph, print_tape, stages_of, why_unfused
from nbgrad.runtime.store import KernelStore, store
from nbgrad.runtime.tiers import Upgrade
from nbgrad.system.collector import collector_paused
from nbgrad.tape.kernel import KernelText
from nbgrad.tape.lower import lower
from nbgrad.tape.rounds import LOOP_NOTE, Grouping, Planned, lower_rounds
from nbgrad.tape.short_rows import with_short_rows
from nbgrad.tape.tape import Tape
from nbgrad.tape.verify import verify_tape

# Bytes that an operator's result takes in the mean. Planning an operator takes 40 us; touching this much
# memory for the first time takes 80 (on a virtual machine; 5 where it was touched before).
HEAVY_BYTES: Final = 1 << 15
UNFUSED_S: Final = 1e-5  # what an operator of a loop takes on its way to an unfused program; to a fused one less
FUSING_S: Final = 1.1e-4  # what an operator takes to plan fused, where rounds of a loop are not planned once
SLOW_S: Final = 2.0  # whoever waits longer for a plan is told why
S_PER_BYTE: Final = 0.5e-9  # of the results of an unfused program; 0.8 on a virtual machine


class Plan:
    """One structure, ready to run with any inputs and numbers, by several threads at once.

    The fused program is used at once where all its kernels are there. Otherwise the plan runs unfused, and when it runs
    again (with ``recurs``, now: it ran before in some other way) its fused kernels are made in the background. They
    take over, with the same bits, when all of them are there. They are asked for at once also where the first run would
    take longer unfused than planning does, and made at once where it would take longer than that, too. A loop is
    planned fused from the start: its rounds are planned once.
    """

    __slots__ = (
        "_canonical",
        "_executable",
        "_fuses_whole",
        "_loop",
        "_roots",
        "_rounds",
        "_size",
        "_step",
        "_upgrade",
        "donations",
        "label",
        "n_roots",
    )

    def __init__(
        self, roots: Sequence[Node], label: str = "", recurs: bool = False, donations: Mapping[int, int] = NO_DONATIONS
    ) -> None:
        start_s = thread_time()
        self.label = label
        self.donations = donations
        self.n_roots = len(roots)
        self._roots: list[Node] | PackedGraph = list(roots)
        self._executable: Executable | None = None
        self._upgrade: Upgrade | None = None
        self._loop: Planned | None = None  # the fused program, where it comes from a few rounds
        self._fuses_whole = False  # the rounds of its loop do not come out alike, fused
        self._step = current_step()
        print_graph(label, roots)
        self._canonical, self._rounds, order = self._looked_over(self._roots)
        self._size = len(order)
        if enabled("time"):
            emit("time", f"planning {self._size} operators")
        if settings.check:
            verify(roots, "recording")
            verify(self._canonical or (), "canonicalize")
        if not settings.interpret:
            self._executable = self._first(recurs, order)
            self._tell_if_slow(start_s)
            if self._upgrade is None:
                self._rest()
            elif self._upgrade.is_waiting:
                self._pack()

    def _first(self, recurs: bool, order: Sequence[Node]) -> Executable:
        """The program to begin with. One call of the compiler at most, for per-operator kernels never made before.
        ``order`` is the graph's: of a long program each walk over it takes a fiftieth of the whole time."""
        if settings.compile == "background":
            patience_s = _heavy_s(order)
            planning_s = FUSING_S * self._size
            if self._rounds is not None:
                self._loop = self._by_rounds(self._rounds, self._optimised, padded=False)
                if self._loop is None:
                    self._fuses_whole = True
                else:
                    patience_s += UNFUSED_S * len(self._rounds.order)
                    planning_s = 0.0
            self._upgrade = Upgrade(self._store, lambda: self._fused()[2], self._bound, planning_s)
            is_asked = patience_s or (recurs and not self._upgrade.is_waiting)
            fused = self._upgrade.ask(patience_s) if is_asked else None
            if fused is not None:
                return fused
        tape = self._fused()[2] if settings.compile == "eager" else self._unfused(order)[2]
        with timed("kernels"):
            return self._bound(tape, self._store.addresses([i.text for i in tape.instructions]))

    def _looked_over(self, roots: Sequence[Node]) -> tuple[Sequence[Node] | None, Rounds | None, Sequence[Node]]:
        """The canonical form, unless the rounds of a loop are found as they were recorded: then those that are planned
        have it. The rounds. The order of the graph that was looked at last."""
        order = toposort(roots)
        rounds = _rounds_of(roots, order, with_rows=False)
        if rounds is not None:
            return None, rounds, order
        with timed("canonicalize"):
            canonical = self._canonicalized(roots)
        order = toposort(canonical)
        return canonical, _rounds_of(canonical, order), order

    def _canonicalized(self, roots: Sequence[Node]) -> Sequence[Node]:
        """``roots`` with all decided that changes arithmetic."""
        return canonicalize(roots)

    @property
    def _store(self) -> KernelStore:
        """Where its kernels are."""
        return store

    @property
    def _is_gpu(self) -> bool:
        """Whether its kernels are shared among thousands of warps, and launched."""
        return False

    def _fitted(self, tape: Tape) -> Tape:
        """A tape with the kernels that are best for its device. Unfused programs share those that most sizes need."""
        found = tape if tape.padded else with_short_rows(tape)
        if settings.check:
            verify_tape(found)
        return found

    def _bound(self, tape: Tape, addresses: Sequence[int]) -> Executable:
        """A tape, ready to run."""
        return Executable(tape, addresses)

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
        executable = self._executable
        if executable is None or self._upgrade is not None:
            executable = self._current()
        try:
            if self._upgrade is None:
                return executable.run(inputs, scalars, spare)
            return self._timed(executable, inputs, scalars, spare)
        except TensorIndexError as error:
            raise which_index(self.roots, inputs, scalars, error) from None

    def run_within(
        self,
        around: Callable[[Executable], AbstractContextManager[None]],
        inputs: Sequence[Buffer],
        scalars: Sequence[float | int],
    ) -> list[Buffer]:
        """``run``, compiled, inside of what ``around`` gives for the program that it is."""
        executable = self._current()
        try:
            with around(executable):
                return self._timed(executable, inputs, scalars, None)
        except TensorIndexError as error:
            raise which_index(self.roots, inputs, scalars, error) from None

    @property
    def is_settled(self) -> bool:
        """Whether no other program will come than the one that runs now."""
        return self._upgrade is None and self._executable is not None

    def _timed(
        self,
        executable: Executable,
        inputs: Sequence[Buffer],
        scalars: Sequence[float | int],
        spare: Sequence[Buffer | None] | None,
    ) -> list[Buffer]:
        """Run, and count the time where the fused program waits for it."""
        upgrade = self._upgrade
        if upgrade is None:
            return executable.run(inputs, scalars, spare)
        start_s = thread_time()
        results = executable.run(inputs, scalars, spare)
        upgrade.spent_s += thread_time() - start_s
        return results

    def _current(self) -> Executable:
        """The program to run now."""
        if self._upgrade is not None:
            self._try_upgrade(self._upgrade)
        executable = self._executable
        if executable is None:  # made while the interpreter was on
            executable = self._executable = self._first(False, toposort(self.canonical))
        return executable

    @property
    def roots(self) -> list[Node]:
        """What it computes."""
        roots = self._roots
        return roots if isinstance(roots, list) else roots.unpack()

    @property
    def canonical(self) -> Sequence[Node]:
        """The same in canonical form."""
        known = self._canonical
        return self._canonicalized(self.roots) if known is None else known

    @property
    def executable(self) -> Executable | None:
        """The program that runs now; None before there is any."""
        return self._executable

    @property
    def tape(self) -> Tape | None:
        """What it runs now; None before there is any."""
        return None if self._executable is None else self._executable.tape

    @property
    def tier(self) -> str:
        """What it runs on now: "interpreted", "unfused" or "fused"."""
        if settings.interpret or self._executable is None:
            return "interpreted"
        return "unfused" if self._executable.tape.padded else "fused"

    def kernels(self) -> list[tuple[KernelText, Target]]:
        """The kernels of the fused program, in the order in which they run, and what they are for."""
        return [(i.text, self._store.target) for i in self._fused()[2].instructions if i.text.has_code]

    def explain(self) -> dict[str, str]:
        """Every stage as text by its name: graph, passes, fuse, tape, code, who made the kernels (all of the fused
        program), and the tier."""
        fused = self._fused()
        kernels = self._store.made_by([i.text for i in fused[2].instructions])
        return {**stages_of(self.roots, *fused), "kernels": kernels, "tier": self.tier}

    def _try_upgrade(self, upgrade: Upgrade) -> None:
        start_s = thread_time()
        fused = upgrade.step()
        if fused is not None:
            before, self._executable = self._executable, fused  # runs under way keep the program they began with
            if before is not None:
                give_back(before.tape.arena_bytes)  # often many times what the fused program needs
        if upgrade.over:
            self._upgrade = None
            self._rest()
        self._tell_if_slow(start_s)

    def _tell_if_slow(self, start_s: float) -> None:
        """Say that planning took long since ``start_s``, and whether the rounds of a loop were planned once: the user
        wants to know, once for a line."""
        elapsed_s = thread_time() - start_s  # not while others had the processor
        if elapsed_s >= SLOW_S and self._size >= LEAST_NODES:  # else kernels took it
            tape = self.tape
            once = [note for note in tape.notes if note.startswith(LOOP_NOTE)] if tape is not None else []
            why = once[0] if once else "no rounds of a loop were found in it, or they are not planned alike"
            text = f"a plan of {self._size} operators took {elapsed_s:.1f} s: {why}"
            fall_back("time", text)
            warn_once(f"nbgrad: {text}", PerformanceWarning)

    def _rest(self) -> None:
        """No other program will be made: keep the graph in a form that costs nothing."""
        self._loop = None
        self._pack()

    def _pack(self) -> None:
        """Nobody asks for the graph for a while: keep it so that it is no matter to the garbage collector."""
        if isinstance(self._roots, list):
            known = self._rounds is not None and self._rounds.roots is self._roots
            self._roots = PackedGraph(self._roots, self._rounds if known else None)
        self._canonical = self._rounds = None

    def _unfused(self, order: Sequence[Node] | None = None) -> Planned:
        whole = self._canonical
        return self._planned(
            lambda roots, *_: (roots, one_by_one(roots, order if roots is whole else None)), padded=True
        )

    def _optimised(
        self, roots: Sequence[Node], donations: Mapping[int, int], few: bool = False
    ) -> tuple[Sequence[Node], Sequence[Group]]:
        graph = optimise(roots)
        with timed("fuse"):
            return graph, grouped(graph, donations, few, gpu=self._is_gpu)

    def _fused(self) -> Planned:
        return self._loop or self._planned(self._optimised, padded=False)

    def _planned(self, group: Grouping, *, padded: bool) -> Planned:
        """Graph, groups and tape; of a loop those of a few rounds, with a tape for all of them."""
        canonical, rounds = self._canonical, self._rounds
        if canonical is None and rounds is None:  # packed
            canonical, rounds, _ = self._looked_over(self.roots)
        if self._fuses_whole and not padded:
            rounds = None
        found = self._by_rounds(rounds, group, padded=padded) if rounds is not None else None
        if found is None:
            canonical = self.canonical if canonical is None else canonical
            graph, groups = group(canonical, self.donations, False)
            with timed("lower"):
                reuse = settings.runs("plan")
                tape = lower(graph, groups, padded=padded, reuse=reuse, donations=self.donations, gpu=self._is_gpu)
            found = graph, groups, self._fitted(tape)
            print_tape(self.label, *found, why_unfused() if padded else "")
        return found

    def _by_rounds(self, rounds: Rounds, group: Grouping, *, padded: bool) -> Planned | None:
        def canonical(
            roots: Sequence[Node], donations: Mapping[int, int], few: bool
        ) -> tuple[Sequence[Node], Sequence[Group]]:
            return group(self._canonicalized(roots), donations, few)

        with timed("lower rounds"):
            reuse = settings.runs("plan")
            found = lower_rounds(
                rounds, canonical, padded=padded, reuse=reuse, donations=self.donations, gpu=self._is_gpu
            )
        if found is not None:
            graph, groups, tape = found
            found = graph, groups, self._fitted(tape)
            print_tape(self.label, *found, why_unfused() if padded else "")
        return found


def _rounds_of(roots: Sequence[Node], order: Sequence[Node], *, with_rows: bool = True) -> Rounds | None:
    if settings.interpret or not settings.runs("rounds"):
        return None
    with timed("rounds"):
        return find_rounds(roots, order, with_rows=with_rows)


def _heavy_s(order: Sequence[Node]) -> float:
    """How long the unfused program of a graph works on its memory; 0 where the fused one is not found sooner."""
    computed = [n for n in order if n.op.kind is not SOURCE and n.op.kind is not VIEW]
    size_bytes = sum([n.spec.size_bytes for n in computed])
    return size_bytes * S_PER_BYTE if size_bytes > HEAVY_BYTES * len(computed) else 0.0


def make_plan(
    roots: Sequence[Node], *, label: str = "", recurs: bool = False, donations: Mapping[int, int] = NO_DONATIONS
) -> Plan:
    """A plan that computes ``roots``; input nodes read ``inputs[position]``, scalar nodes ``scalars[position]``.

    ``donations`` are (root, input) where a run may be given the input's buffer for the root: what a step writes anew.
    """
    with collector_paused():
        return Plan(roots, label, recurs, donations)
