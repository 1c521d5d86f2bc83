"""The passes in order: named, timed, printed, verified, and left out on request (``NBGRAD_PASSES=-fold``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Final

from nbgrad.config import settings
from nbgrad.graph.node import Node
from nbgrad.graph.show import show
from nbgrad.graph.verify import verify
from nbgrad.log import emit, enabled
from nbgrad.passes.absorb import absorb
from nbgrad.passes.collect import collect
from nbgrad.passes.components import components
from nbgrad.passes.embed import embed
from nbgrad.passes.fold import fold
from nbgrad.passes.fuse import fuse
from nbgrad.passes.group import NO_DONATIONS, Group, one_by_one
from nbgrad.passes.merge import merge
from nbgrad.passes.scatter import scatter
from nbgrad.passes.sink import sink
from nbgrad.passes.snapshot import snapshot

Pass = Callable[[Sequence[Node]], list[Node]]
PIPELINE: Final[tuple[tuple[str, Pass], ...]] = (
    ("fold", fold),
    ("merge", merge),
    ("components", components),
    ("absorb", absorb),
    ("sink", sink),
    ("merge", merge),
    ("scatter", scatter),
    ("embed", embed),
    ("collect", collect),
    ("snapshot", snapshot),
)


@contextmanager
def timed(name: str | Callable[[], str]) -> Iterator[None]:
    """Prints how long the block took, where "time" is wanted; a ``name`` that is called is asked when it is over."""
    if not enabled("time"):
        yield
        return
    start = perf_counter()
    yield
    elapsed_ms = 1e3 * (perf_counter() - start)
    emit("time", f"{name if isinstance(name, str) else name()} {elapsed_ms:.2f} ms")


def optimise(roots: Sequence[Node]) -> list[Node]:
    """``roots``, which are canonical, with less to compute and views out of the way; the same bits."""
    graph = list(roots)
    for name, run in PIPELINE:
        if settings.runs(name):
            with timed(name):
                graph = run(graph)
            if settings.check:
                verify(graph, name)
    if enabled("graph"):
        emit("graph", f"after passes\n{show(graph)}")
    return graph


def grouped(
    roots: Sequence[Node], donations: Mapping[int, int] = NO_DONATIONS, few: bool = False, *, gpu: bool = False
) -> list[Group]:
    """What runs as one loop. ``donations`` (result, input): who reads the input comes before the result, where it
    can."""
    return fuse(roots, donations, few, gpu=gpu) if settings.runs("fuse") else one_by_one(roots)
