"""The runs of one tape on one stream: what they launch, one by one or as a graph.

A graph is the whole of what is enqueued at once: our own launches, which look for their addresses in the run's block,
and a library's calls, which were told theirs while it was recorded. Where these addresses change from run to run
instead of coming back, each of our own launches between two calls is in a graph, the calls are made anew.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from nbgrad.log import fall_back
from nbgrad.runtime.cuda.devices import Gpu
from nbgrad.runtime.cuda.driver import DriverError, Grid
from nbgrad.runtime.cuda.graphs import Graphs, Key
from nbgrad.runtime.cuda.homes import Homes
from nbgrad.runtime.cuda.library import Bound, LibraryCalls
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.cuda.owned import Owned
from nbgrad.runtime.cuda.parts import Part, Parts, Step
from nbgrad.runtime.cuda.precision import matmul_precision
from nbgrad.tape.numbers import WORD

GRAPH_FROM: Final = 2  # the run on a stream that records a graph
LEAST_LAUNCHES: Final = 2  # of a graph: a single one needs none

Launches = list[tuple[int, Grid, tuple[int, ...]]]  # (function, grid, arguments)


class _Stretch:
    """The launches of a part, and what a library does after them."""

    def __init__(self, launches: Launches, calls: Sequence[LibraryCalls]) -> None:
        self.launches = launches
        self.calls = calls
        self.graph: Owned | None = None  # of the launches alone


class Span:
    """What is enqueued at once: stretches one after the other."""

    def __init__(self, stretches: Sequence[_Stretch]) -> None:
        self.stretches = stretches
        self.calls = [call for s in stretches for call in s.calls]
        self.n_steps = sum([len(s.launches) for s in stretches]) + sum([call.count for call in self.calls])
        self.told = np.array([at for call in self.calls for at in call.words], np.int64)
        self.graphs = Graphs()


class Lane:
    """What the runs on ``stream`` share: ``block``, the run's block on the device, the memory of large rows, the
    launches with these addresses, the tables of those that go together, the event that ends the head.

    ``head`` alone can fail, ``tail`` comes behind it, ``whole`` is both.
    """

    def __init__(self, gpu: Gpu, stream: int, parts: Parts, block_bytes: int, told: Sequence[int]) -> None:
        self._gpu = gpu
        self.stream = stream
        self.block = gpu.pool.take(block_bytes, stream)
        self._workspace = gpu.pool.take(parts.workspace_bytes, stream)
        self._n_words = block_bytes // WORD
        self.homes = Homes(told)
        self.runs = 0
        self.event: Owned | None = None
        self._capturing = True
        self._kept: list[DeviceBuffer] = []  # workspaces that graphs know
        stretches = self._stretches(parts.all)
        self.head, self.tail = Span(stretches[: parts.n_head]), Span(stretches[parts.n_head :])
        self.whole = Span(stretches) if parts.n_head else self.tail
        gpu.spares.add(self)

    def let_go(self) -> None:
        """Drop homes and a library's workspaces, and with these the graphs that know them."""
        self.homes.let_go()
        if self._kept:
            self._kept.clear()
            for span in (self.head, self.tail, self.whole):
                span.graphs = Graphs()

    def _stretches(self, parts: Sequence[Part]) -> list[_Stretch]:
        stretches = []
        for part in parts:
            launches: Launches = []
            for step in part.steps:
                of = step.launch
                launches.append(
                    (step.function, Grid(of.blocks, of.threads, of.shared_bytes, of.dims), self._arguments(step))
                )
            stretches.append(_Stretch(launches, part.calls))
        return stretches

    def _arguments(self, step: Step) -> tuple[int, ...]:
        base = self.block.address
        return step.launch.arguments(base + step.desc, base + step.status, self._workspace.address)

    def graph_of(self, span: Span, words: int, *, stands: bool = False) -> int:
        """The graph of all of ``span``, for the run whose block is at ``words`` in the host's memory; 0 where there is
        none: because none is worth it yet, or the addresses never come back, or the driver makes none. ``stands``: it
        is known that they will."""
        if span.n_steps < LEAST_LAUNCHES:
            return 0
        key = self._key(span, words)
        graph = span.graphs.find(key)
        if graph is None and self._capturing:
            is_due = stands or not span.calls or span.graphs.is_due(key)
            if is_due and self.runs >= GRAPH_FROM:
                graph = self._captured(span.stretches, words)
                if graph is not None:
                    span.graphs.add(key, graph)
        return graph.handle if graph is not None else 0

    def _key(self, span: Span, words: int) -> Key:
        """What a graph of ``span`` depends on."""
        if not span.calls:
            return False, b""
        block: Any = (ctypes.c_int64 * self._n_words).from_address(words)
        return matmul_precision.allow_tf32, np.frombuffer(block, np.int64)[span.told].tobytes()

    def is_at_once(self, span: Span, graph: int) -> bool:
        """Whether enqueuing ``span`` is one call of the driver, or none: it happens or does not."""
        return bool(graph) or span.n_steps < LEAST_LAUNCHES

    def start(self, span: Span, graph: int, words: int) -> None:
        """Enqueue ``span``: as ``graph``, or piece by piece."""
        if graph:
            self._gpu.driver.launch_graph(graph, self.stream)
            return
        if span.calls and self._capturing and span.graphs.miss():
            fall_back(
                "tape",
                f"CUDA: a step is more than one launch: its {len(span.calls)} products by a library have other "
                "addresses in each run, so they are enqueued one by one",
            )
        for stretch in span.stretches:
            self._start_launches(stretch)
            bound = self._bound(stretch, words)
            self._multiply(bound, self._workspace_for(bound), self.stream)

    def _start_launches(self, stretch: _Stretch) -> None:
        """Enqueue the launches of ``stretch``, as a graph where there is one, or where it is time to have one."""
        is_time = self._capturing and self.runs >= GRAPH_FROM and len(stretch.launches) >= LEAST_LAUNCHES
        if is_time and not stretch.graph:
            stretch.graph = self._captured([_Stretch(stretch.launches, ())], 0)
        if stretch.graph:
            self._gpu.driver.launch_graph(stretch.graph.handle, self.stream)
        else:
            self._launch_each(stretch.launches, self.stream)

    def _launch_each(self, launches: Launches, stream: int) -> None:
        launch = self._gpu.driver.launch
        for function, grid, arguments in launches:
            launch(function, grid, stream, arguments)

    def _bound(self, stretch: _Stretch, words: int) -> list[Bound]:
        """What the run whose block is at ``words`` has a library do."""
        if not stretch.calls:
            return []
        library = self._gpu.library
        assert library is not None, "the plan was made where there was one"
        return [each for call in stretch.calls for each in call.bound(library, words)]

    def _workspace_for(self, bound: Sequence[Bound]) -> DeviceBuffer | None:
        nbytes = max([prepared.workspace_bytes for prepared, _ in bound], default=0)
        return self._gpu.library_workspace(self.stream, nbytes) if nbytes else None

    def _multiply(self, bound: Sequence[Bound], workspace: DeviceBuffer | None, stream: int) -> None:
        """Enqueue a library's calls."""
        library, place = self._gpu.library, workspace.address if workspace is not None else 0
        for prepared, addresses in bound:
            assert library is not None
            library.multiply(prepared, addresses, place, stream)

    def _captured(self, stretches: Sequence[_Stretch], words: int) -> Owned | None:
        """The stretches as a graph; None where the driver does not make one, which is said."""
        driver, side = self._gpu.driver, self._gpu.capture_stream
        bound = [self._bound(stretch, words) for stretch in stretches]
        workspace = self._workspace_for([each for calls in bound for each in calls])
        try:
            with self._gpu.capturing:
                driver.begin_capture(side)
                try:
                    for stretch, calls in zip(stretches, bound, strict=True):
                        self._launch_each(stretch.launches, side)
                        self._multiply(calls, workspace, side)
                finally:
                    graph = self._gpu.owned_graph(driver.end_capture(side))
        except DriverError as error:
            self._capturing = False
            count = sum([len(s.launches) for s in stretches]) + sum([len(calls) for calls in bound])
            fall_back("tape", f"CUDA: no graph of {count} launches, they are enqueued one by one: {error}")
            return None
        if workspace is not None and workspace not in self._kept:
            self._kept.append(workspace)
        return graph
