"""The passes in order: named, timed, printed, verified, and left out on request (``NBGRAD_PASSES=-fold``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Final

from nbgrad.config import settings
from nbgrad.graph.node import Node
from nbgrad.graph.show import show
from nbgrad.graph.verify import verify
from nbgrad.log import emit, enabled
from nbgrad.passes.fold import fold
from nbgrad.passes.fuse import fuse
from nbgrad.passes.group import Group, one_by_one
from nbgrad.passes.merge import merge
from nbgrad.passes.sink import sink

Pass = Callable[[Sequence[Node]], list[Node]]
PIPELINE: Final[tuple[tuple[str, Pass], ...]] = (("fold", fold), ("merge", merge), ("sink", sink), ("merge", merge))


def optimise(roots: Sequence[Node]) -> list[Node]:
    """``roots``, which are canonical, with less to compute and views out of the way; the same bits."""
    graph = list(roots)
    for name, run in PIPELINE:
        if settings.runs(name):
            start = perf_counter()
            graph = run(graph)
            elapsed_s = perf_counter() - start
            if settings.check:
                verify(graph, name)
            if enabled("time"):
                emit("time", f"{name} {1e3 * elapsed_s:.2f} ms")
    if enabled("graph"):
        emit("graph", f"after passes\n{show(graph)}")
    return graph


def grouped(roots: Sequence[Node]) -> list[Group]:
    """What runs as one loop."""
    return fuse(roots) if settings.runs("fuse") else one_by_one(roots)
