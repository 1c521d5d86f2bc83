"""Plans of graphs whose values live at several places: one plan for each part, on the device it belongs to.

A graph of the CPU alone, which is what most programs have, goes to ``pipeline.make_plan`` as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgrad.config import settings
from nbgrad.errors import TensorIndexError
from nbgrad.graph.node import Node
from nbgrad.graph.spec import HOST, place_name
from nbgrad.kernels.target import Target
from nbgrad.kernels.traits import for_gpu
from nbgrad.passes.group import NO_DONATIONS
from nbgrad.passes.library_products import to_library
from nbgrad.passes.parts import OUTSIDE, Source, divide, is_placed
from nbgrad.pipeline import Plan, make_plan
from nbgrad.runtime.cuda.devices import Gpu, gpu
from nbgrad.runtime.cuda.executable import CudaExecutable
from nbgrad.runtime.executable import Executable
from nbgrad.runtime.interpreted import run_interpreted, which_index
from nbgrad.runtime.places import at_place
from nbgrad.runtime.runner import RunOver
from nbgrad.runtime.store import KernelStore
from nbgrad.system.collector import collector_paused
from nbgrad.system.interrupts import uninterrupted
from nbgrad.tape.kernel import KernelText
from nbgrad.tape.tape import Tape

Buffers = Sequence[Any]  # each in the memory of its place


class DevicePlan(Plan):
    """A plan that runs on a CUDA device, with the kernels and the memory of that device."""

    __slots__ = ("_place",)

    def __init__(
        self, roots: Sequence[Node], label: str, recurs: bool, place: int, donations: Mapping[int, int] = NO_DONATIONS
    ) -> None:
        self._place = place
        super().__init__(roots, label, recurs, donations)

    def _canonicalized(self, roots: Sequence[Node]) -> Sequence[Node]:
        return to_library(super()._canonicalized(roots), lambda: self._gpu.library is not None)

    @property
    def _store(self) -> KernelStore:
        return self._gpu.kernels

    @property
    def _gpu(self) -> Gpu:
        return gpu(self._place - 1)

    @property
    def _is_gpu(self) -> bool:
        return True

    def _fitted(self, tape: Tape) -> Tape:
        return for_gpu(tape, settings.deterministic, self.donations)

    def _bound(self, tape: Tape, addresses: Sequence[int]) -> Executable:
        bound: Any = CudaExecutable(tape, self._place - 1, addresses)
        return bound  # type: ignore[no-any-return]

    def _run(self, inputs: Buffers, scalars: Sequence[float | int], spare: Any) -> list[Any]:
        if settings.interpret:
            found = run_interpreted(self.roots, self._on_host(inputs), scalars)
            return [at_place(buffer, HOST, self._place) for buffer in found]
        executable: Any = self._current()
        try:
            results: list[Any] = self._timed(executable, inputs, scalars, spare)
        except TensorIndexError as error:
            raise which_index(self.roots, self._on_host(inputs), scalars, error) from None
        return results

    def _on_host(self, inputs: Buffers) -> list[Any]:
        return [at_place(buffer, self._place, HOST) for buffer in inputs]


class PlacedPlan:
    """One structure whose values live at several places: its parts' plans, run in order, and what moves between.

    ``donations`` are those of its roots that hold: (root, input) where a run may be given the input's memory for the
    root.
    """

    __slots__ = (
        "_makers",
        "_parted",
        "_parts",
        "_plans",
        "_results",
        "donations",
        "label",
        "n_roots",
    )

    def __init__(
        self,
        roots: Sequence[Node],
        places: Sequence[int],
        label: str,
        recurs: bool,
        donations: Mapping[int, int] = NO_DONATIONS,
    ) -> None:
        division = divide(roots, places)
        self.label = label
        self.n_roots = len(roots)
        self._parts, self._results = division.parts, division.results
        self._makers = division.makers()
        self.donations: Mapping[int, int] = {
            r: i for r, i in donations.items() if r in self._makers and division.reads_once(r, i)
        }
        self._parted = [(root, position) for root, position in donations.items() if root not in self.donations]
        self._plans: list[DevicePlan | Plan] = []
        for k, part in enumerate(division.parts):
            inputs = {source.number: i for i, source in enumerate(part.sources) if source.part == OUTSIDE}
            own = {self._makers[r][1]: inputs[i] for r, i in self.donations.items() if self._makers[r][0] == k}
            here = part.place
            self._plans.append(
                DevicePlan(part.roots, label, recurs, here, own) if here else Plan(part.roots, label, recurs, own)
            )

    def run(self, inputs: Buffers, scalars: Sequence[float | int] = (), spare: Any = None) -> list[Any]:
        """The values of the roots, each in a row-major buffer where it is wanted: a fresh one, or that of ``spare``.

        Ctrl-C waits where memory of inputs is written. RunOver says that all is done: what comes behind a part's run is
        raised behind the last one.
        """
        own = None if spare is None else self._own(inputs, spare)
        if own is None:
            return self._run(inputs, scalars, [None] * len(self._plans))
        done: list[list[Any]] = []
        try:
            self._run_whole(done, inputs, scalars, own)
        except BaseException as stop:
            if not done or isinstance(stop, RunOver):
                raise
            raise RunOver(stop, done[0]) from None
        return done[0]

    @uninterrupted
    def _run_whole(
        self, done: list[list[Any]], inputs: Buffers, scalars: Sequence[float | int], own: Sequence[Any]
    ) -> None:
        done.append(self._run(inputs, scalars, own))

    def _own(self, inputs: Buffers, spare: Sequence[Any]) -> list[list[Any] | None] | None:
        """``spare`` by part, for its roots; None where there is none."""
        given = [*spare]
        for root, position in self._parted:
            if given[root] is inputs[position]:
                given[root] = None
        own: list[list[Any] | None] = [None] * len(self._plans)
        for root, (part, number) in self._makers.items():
            if given[root] is not None:
                mine = own[part] = own[part] or [None] * self._plans[part].n_roots
                mine[number] = given[root]
        return own if any(own) else None

    def _run(self, inputs: Buffers, scalars: Sequence[float | int], own: Sequence[Any]) -> list[Any]:
        values: list[Buffers] = []
        there: dict[tuple[Source, int], Any] = {}

        def bound(source: Source, place: int) -> Any:
            part, index, here = source
            buffer = inputs[index] if part == OUTSIDE else values[part][index]
            if here == place:
                return buffer
            if (source, place) not in there:
                there[source, place] = at_place(buffer, here, place)
            return there[source, place]

        late: BaseException | None = None
        for part, plan, spare in zip(self._parts, self._plans, own, strict=True):
            given = [bound(source, part.place) for source in part.sources]
            try:
                values.append(plan.run(given, scalars, spare))
            except RunOver as stop:
                late = late or stop.error
                values.append(stop.results)
        results = [bound(source, place) for source, place in self._results]
        if late is not None:
            raise RunOver(late, results)
        return results

    @property
    def roots(self) -> list[Node]:
        """What its parts compute."""
        return [root for plan in self._plans for root in plan.roots]

    @property
    def tier(self) -> str:
        """What its parts run on now."""
        return ", ".join(dict.fromkeys([plan.tier for plan in self._plans])) or "copies"

    def kernels(self) -> list[tuple[KernelText, Target]]:
        """The kernels of all parts, and what they are for."""
        return [kernel for plan in self._plans for kernel in plan.kernels()]

    def explain(self) -> dict[str, str]:
        """Every stage as text by its name, part by part."""
        texts: dict[str, str] = {}
        for part, plan in zip(self._parts, self._plans, strict=True):
            for stage, text in plan.explain().items():
                before = texts[stage] + "\n\n" if stage in texts else ""
                texts[stage] = f"{before}-- on {place_name(part.place)}\n{text}"
        return {**texts, "tier": self.tier}


AnyPlan = Plan | PlacedPlan


def plan_at(
    roots: Sequence[Node],
    places: Sequence[int],
    *,
    label: str = "",
    recurs: bool = False,
    donations: Mapping[int, int] = NO_DONATIONS,
) -> AnyPlan:
    """A plan that computes ``roots``; ``places`` say where each is wanted that could be computed anywhere."""
    if not (any(places) or is_placed(roots)):
        return make_plan(roots, label=label, recurs=recurs, donations=donations)
    with collector_paused():
        return PlacedPlan(roots, places, label, recurs, donations)
