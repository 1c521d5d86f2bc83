"""The ways over a row that a group takes: what each computes, what the next ones find kept, what follows its sums.

Rows are kept on the kernel's stack, not in the arena: it needs no place in the descriptor, is any thread's own and
stays in cache. A row kernel ends where a row does not fit one block of a reduction's order (8192 elements). Layer norm,
GELU, softmax and back over 4096 x 1024 take 8 ms of CPU time, 0.23 of PyTorch's and 2.1 of copying what has to be read
and written, and 25 MB beside their inputs, where PyTorch takes 217.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final

from nbgrad.graph.blocks import SCRATCH_BYTES
from nbgrad.graph.geometry import base_of
from nbgrad.graph.node import Node
from nbgrad.graph.op import REDUCE
from nbgrad.passes.group import Group
from nbgrad.passes.schedule import Draft

ROW_GAP: Final = 5 * 64  # bytes between kept rows, so that rows of 4 KB do not all fall into the same cache sets
LOAD: Final = 1.0  # what a load or a store costs beside an operator's cost
SLOW: Final = {"div": 4.0, "sqrt": 6.0}  # one instruction, but a slow one: its result is rather loaded


@dataclass(slots=True)
class Sweep:
    """One way over the rows: ``nodes`` in order, of them ``again`` computed before; then ``finish``, once a row."""

    nodes: list[Node] = field(default_factory=list)
    again: set[Node] = field(default_factory=set)
    finish: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Sweeps:
    """The stages of a group.

    ``kept`` has the place in the scratch of each value that later stages load, ``runs`` that of the running values of
    each reduction across the rows. ``is_tight`` says that the scratch was too small, so that costly values are computed
    again.
    """

    stages: list[Sweep]
    kept: dict[Node, int] = field(default_factory=dict)
    runs: dict[Node, int] = field(default_factory=dict)
    is_tight: bool = False


def sweeps_of(group: Group | Draft, stores: Sequence[Node]) -> Sweeps:
    """The stages of a group: a map as late as the first that needs it, a reduction as early as it can.

    A value that a later stage needs is loaded again where it is stored anyway, computed again where that is as cheap as
    keeping it, and kept otherwise.
    """
    return _Sweeping(group, stores).sweeps()


class _Sweeping:
    def __init__(self, group: Group | Draft, stores: Sequence[Node]) -> None:
        nodes, self.finish = group.nodes, group.finish
        self.order = {node: i for i, node in enumerate(nodes)}
        folded = [n for n in nodes if n.op.kind is REDUCE and n.params[0] == group.dims]
        self.rows = {*[n for n in self.finish if n not in self.order], *folded}
        self.stored = set(stores)
        self.elements = prod([group.shape[d] for d in group.dims])
        self.ready = self._find_ready()
        self.place = self._find_places()
        self.found = Sweeps([Sweep() for _ in range(1 + max(self.place.values(), default=0))])
        self.scratch = 0
        for node in nodes:
            if node.op.kind is REDUCE and node not in self.rows:
                self.found.runs[node] = self._room(node)

    def _find_ready(self) -> dict[Node, int]:
        """For each node the first stage that can use it (a row's result: the one after its elements are through)."""
        ready: dict[Node, int] = {}
        stack = [*reversed(self.finish), *reversed(self.order)]
        while stack:
            node = stack[-1]
            inner = [x for x in map(self._inside, node.inputs) if x is not None]
            waiting = [x for x in inner if x not in ready]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            first = max([ready[x] for x in inner], default=0)
            is_row = node in self.rows and (node.op.kind is REDUCE or not first)
            ready.setdefault(node, first + is_row)
        return ready

    def _inside(self, x: Node) -> Node | None:
        """The node of the group that ``x`` is or shows; None for what lies in memory."""
        if x in self.order or x in self.rows:
            return x
        below = base_of(x)
        return below if below in self.rows else None

    def _find_places(self) -> dict[Node, int]:
        """The stage that computes each element: the first one that uses it, see ``sweeps_of``."""
        users: dict[Node, int] = {}
        place: dict[Node, int] = {}
        for node in sorted(self.order, key=self.order.__getitem__, reverse=True):
            at = self.ready[node] - 1 if node in self.rows else users.get(node, self.ready[node])
            place[node] = at
            for x in node.inputs:
                if x in self.order:
                    users[x] = min(at, users.get(x, at))
        return place

    def sweeps(self) -> Sweeps:
        stages = self.found.stages
        for node, at in self.place.items():
            stages[at].nodes.append(node)
        for node in self.finish:
            stages[max(self.ready[node] - 1, 0)].finish.append(node)
        for at, sweep in enumerate(stages):
            here = set(sweep.nodes)
            loaded: set[Node] = set()
            for x in self._origins(sweep.nodes, at):
                self._bring(x, at, here, loaded)
            for node in sorted(sweep.nodes, key=self.order.__getitem__):
                self._provide(node, at, here, loaded)
            sweep.again = {n for n in here if self.place[n] != at}
            sweep.nodes = sorted(here, key=self.order.__getitem__)
        return self.found

    def _origins(self, nodes: Sequence[Node], at: int) -> list[Node]:
        """Elements of earlier stages of which ``nodes`` read several cheap functions: one is kept, not several."""
        counts: dict[Node, int] = {}
        for x in dict.fromkeys([x for node in nodes for x in node.inputs]):
            if x in self.place and self.place[x] < at and x not in self.stored and _cost_of(x) <= LOAD:
                moving = [i for i in x.inputs if i.spec.shape and self._inside(i) not in self.rows]
                if len(moving) == 1 and moving[0] in self.order:
                    counts[moving[0]] = counts.get(moving[0], 0) + 1
        return [x for x, count in counts.items() if count > 1]

    def _provide(self, node: Node, at: int, here: set[Node], loaded: set[Node]) -> None:
        """Have the inputs of ``node`` ready in stage ``at``: computed there, or loaded."""
        for x in node.inputs:
            if x not in self.order or x in self.rows:
                loaded.add(x)
            elif x not in here and x not in loaded:
                self._bring(x, at, here, loaded)

    def _bring(self, x: Node, at: int, here: set[Node], loaded: set[Node]) -> None:
        in_memory = x in self.stored or x in self.found.kept
        price = LOAD if in_memory else 2 * LOAD
        if not x.spec.shape or self._cost(x, here, loaded, price) <= price or not (in_memory or self._keep(x)):
            here.add(x)
            self._provide(x, at, here, loaded)
        else:
            loaded.add(x)

    def _cost(self, x: Node, here: set[Node], loaded: set[Node], most: float) -> float:
        """What computing ``x`` again costs; anything above ``most`` where it is more."""
        if x.op.name == "take":
            return most + 1.0
        cost = _cost_of(x)
        for i in x.inputs:
            if cost > most:
                break
            if i in here or i in loaded or not i.spec.shape or self._inside(i) in self.rows:
                continue
            if i in self.order:
                again = self._cost(i, here, loaded, most)
                cost += min(again, LOAD) if i in self.stored or i in self.found.kept else again
            else:
                cost += LOAD
        return cost

    def _keep(self, x: Node) -> bool:
        """Mark ``x`` as kept; False where there is no room."""
        if self.scratch + self.elements * x.spec.dtype.itemsize > SCRATCH_BYTES:
            self.found.is_tight = True
            return False
        self.found.kept[x] = self._room(x)
        return True

    def _room(self, x: Node) -> int:
        """The place of a new row of the scratch."""
        place = self.scratch
        self.scratch += -(-self.elements * x.spec.dtype.itemsize // 64) * 64 + ROW_GAP
        self.found.is_tight |= self.scratch > SCRATCH_BYTES
        return place


def _cost_of(x: Node) -> float:
    return SLOW.get(x.op.name, x.op.cost)
