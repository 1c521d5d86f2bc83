"""Every stage of a plan as text: what the logs print and ``explain`` gives."""

from __future__ import annotations

from collections.abc import Sequence

from nbgrad.config import settings
from nbgrad.graph.node import Node
from nbgrad.graph.show import show
from nbgrad.kernels.listing import listing
from nbgrad.log import emit, enabled
from nbgrad.passes.group import Group
from nbgrad.passes.show import show_groups
from nbgrad.tape.show import show_memory, show_tape
from nbgrad.tape.tape import Tape


def stages_of(roots: Sequence[Node], graph: Sequence[Node], groups: Sequence[Group], tape: Tape) -> dict[str, str]:
    """The texts of ``roots`` on their way through ``graph`` (after the passes) and ``groups`` to ``tape``."""
    texts = dict.fromkeys([i.text for i in tape.instructions])
    return {
        "graph": show(roots),
        "passes": show(graph),
        "fuse": show_groups(graph, groups, _left_out()),
        "tape": show_tape(tape),
        "memory": show_memory(tape),
        "code": "\n".join([listing(t) for t in texts]),
    }


def print_graph(label: str, roots: Sequence[Node]) -> None:
    if enabled("graph"):
        emit("graph", f"{label}\n{show(roots)}".lstrip("\n"))


def why_unfused() -> str:
    """Why a plan runs every operator alone at first."""
    if settings.compile == "never":
        return "NBGRAD_COMPILE=never"
    return "every operator runs alone until the fused kernels are there"


def _left_out() -> str:
    return "" if settings.runs("fuse") else "the pass fuse is left out"


def print_tape(label: str, graph: Sequence[Node], groups: Sequence[Group], tape: Tape, unfused: str) -> None:
    """Print what stands between the graph and the machine code, where it is wanted."""
    if enabled("fuse"):
        emit("fuse", f"{label}\n{show_groups(graph, groups, unfused or _left_out())}".lstrip("\n"))
    if enabled("tape"):
        emit("tape", f"{label}\n{show_tape(tape)}".lstrip("\n"))
    if enabled("memory"):
        emit("memory", f"{label}\n{show_memory(tape)}".lstrip("\n"))
