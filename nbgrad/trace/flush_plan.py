"""What a flush does for one structure and liveness: what to run, and who gets the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

from nbgrad.graph.rounds import LEAST_ROUNDS
from nbgrad.graph.runs import find_runs
from nbgrad.multi_device import AnyPlan
from nbgrad.runtime.buffers import Buffer
from nbgrad.trace.builder import OWN
from nbgrad.trace.handle import Handle
from nbgrad.trace.segment import EarlierSegment, Segment
from nbgrad.trace.thread import Trace
from nbgrad.trace.trie import Leaf, TrieNode

NOTHING = Buffer.alloc(0)

PLANNING_S = 150e-6  # what an entry takes to plan: graph, derivative, passes, tape
TAKE_IN_S = 3e-6  # what it takes longer to run one that has no plan, beside what the kernels take
LOOP_SHARE = 0.2  # of that for an entry of a loop, whose passes and tape are made for a few rounds
SMALL_ENTRIES = 160
# Whoever knew how often a structure will come would plan it at once, or never. This waits until its runs have taken
# that part of what planning will take: two runs, where planning takes less than five.
WAITED = 0.4

watchers: list[PlansRun] = []  # those who want to know which plans run


class PlansRun(list[AnyPlan]):
    """The plans that ran, in order, for one who watches."""

    def run(self, plan: AnyPlan, inputs: Any, scalars: Any, spare: Any) -> list[Buffer]:
        """Run one."""
        return plan.run(inputs, scalars, spare)


def is_small(n_entries: int) -> bool:
    """Whether a structure is planned when it comes back, however long it took: then nobody need look at the clock of
    the thread, which takes a microsecond."""
    return n_entries <= SMALL_ENTRIES


@contextmanager
def plans_run(plans: PlansRun | None = None) -> Iterator[list[AnyPlan]]:
    """The plans that run inside the ``with`` block, in order; run by ``plans`` where that is given."""
    plans = PlansRun() if plans is None else plans
    watchers.append(plans)
    try:
        yield plans
    finally:
        watchers[:] = [w for w in watchers if w is not plans]


@dataclass(slots=True, eq=False)
class Struct:
    """The structure of an earlier segment: its trie path, its inputs, and the nodes whose values it kept.

    The path stops at ``end``, with the last history, or value that was kept: what came after, its own derivatives
    mostly, no later derivative passes. ``n_earlier`` had come in until there. ``readers`` are the nodes whose
    derivative reads values, ``freed`` those of them and others used up at birth.
    """

    end: TrieNode
    n_inputs: int
    kept_inputs: frozenset[int]
    saved: tuple[int, ...]
    readers: frozenset[int]
    freed: frozenset[int]
    n_earlier: int = 0


def view_place(entry: TrieNode) -> int:
    """What stands for the place of an output in the commit of a view."""
    return OLD_VIEW if entry.record[0] == "resume" else NEW_VIEW


def is_torn(trace: Trace) -> bool:
    """Whether an exception struck between two steps of recording one operation."""
    node, segment = trace.node, trace.segment
    return (
        len(trace.live) != node.ix + 1 or len(segment.scalars) != node.n_scalars or len(segment.inputs) != node.n_inputs
    )


def held_entries(trace: Trace, bits: bytes) -> list[tuple[Handle, TrieNode]]:
    """The tensors of the running segment that somebody holds, and what they stand for. Others may have been brought
    into memory, or written, by another thread since the bits were found."""
    segment, live = trace.segment, trace.live
    return [
        (y, entry)  # type: ignore[misc]
        for y in compress(live, bits)
        if isinstance(y, Handle) and (page := y._page) and page.segment is segment and live[(entry := y._at).ix] is y
    ]


# Plain tuples, which Python takes apart without a call: a step has dozens.

# (ix, place, leaf): entry ``ix`` becomes a tensor in memory, output ``place`` of the plan, in state ``leaf``; a view,
# which has no value of its own, where ``place`` is one of these: with a history that begins here, or an older one.
NEW_VIEW, OLD_VIEW = -1, -2
Commit = tuple[int, int, Leaf]

# (ix, position, place): the tensor of entry ``ix``, input ``position`` of the segment, gets output ``place`` of the
# plan: a parameter that is written. Where nobody else has its memory, the output is made in it.
Donation = tuple[int, int, int]


@dataclass(slots=True, eq=False)
class FlushPlan:
    """What to run for one structure and liveness, and what to do with the results."""

    plan: AnyPlan | None = None
    commits: list[Commit] = field(default_factory=list)
    histories: list[int] = field(default_factory=list)  # entries whose tensors, views too, keep a derivative history
    origin: list[tuple[int, int]] | None = None
    scalar_origin: list[tuple[int, int]] | None = None
    struct: Struct | None = None
    saved_places: list[int] = field(default_factory=list)
    renewed: list[Donation] = field(default_factory=list)

    @property
    def n_results(self) -> int:
        return self.plan.n_roots if self.plan is not None else 0

    def earlier(self, segment: Segment, inputs: Sequence[Buffer], buffers: Sequence[Buffer]) -> EarlierSegment:
        """What derivatives need of a segment that ran on these inputs, and gave these results."""
        struct = self.struct
        assert struct is not None
        kept: list[Buffer | None] = [None] * struct.n_inputs
        if struct.kept_inputs or self.saved_places:
            for i in struct.kept_inputs:
                kept[i] = inputs[i]
            kept += map(buffers.__getitem__, self.saved_places)
        return EarlierSegment(struct, segment, kept, struct.freed)

    def run(self, segment: Segment, spare: Sequence[Buffer | None] | None = None) -> list[Buffer]:
        inputs: Sequence[Buffer] = segment.inputs
        scalars: Sequence[float | int] = segment.scalars
        if self.origin is not None:
            buffers = segment.buffers
            inputs = [segment.inputs[j] if k == OWN else buffers[k][j] or NOTHING for k, j in self.origin]
        if self.scalar_origin is not None:
            earlier_segments = segment.earlier
            scalars = [
                segment.scalars[j] if k == OWN else earlier_segments[k].scalars[j] for k, j in self.scalar_origin
            ]
        return self.run_bound(inputs, scalars, spare)

    def run_bound(
        self, inputs: Sequence[Buffer], scalars: Sequence[float | int], spare: Sequence[Buffer | None] | None
    ) -> list[Buffer]:
        """Run on inputs and numbers as the plan wants them."""
        if self.plan is None:
            return []
        if watchers:
            return _run_watched(self.plan, inputs, scalars, spare)
        return self.plan.run(inputs, scalars, spare)


def _run_watched(plan: AnyPlan, inputs: Any, scalars: Any, spare: Any) -> list[Buffer]:
    """The run of a plan that somebody wants to know of. Whoever runs it in a way of its own comes first."""
    told = [*watchers] or [PlansRun()]  # another thread may have watched
    for plans in told:
        plans.append(plan)
    return max(told, key=lambda plans: type(plans) is not PlansRun).run(plan, inputs, scalars, spare)


def is_worth_planning(node: TrieNode, spent_s: float, times: int = 1) -> bool:
    """Whether the structure that ends with ``node``, or one of so many ``times`` as many entries, is planned now that
    its runs in the baseline tier have taken ``spent_s`` seconds in all.

    A plan pays when a structure comes back often enough, which nobody knows beforehand. A small one is planned when it
    comes back first: that is not felt. A large one is planned when its runs have taken ``WAITED`` of what planning will
    take, so that what never comes again has cost little more than its runs.
    """
    size = times * (node.ix + 1)
    if is_small(size):
        return True
    enough = spent_s >= WAITED * PLANNING_S * LOOP_SHARE * size  # to look for loops takes as long as a run
    return enough and spent_s >= WAITED * PLANNING_S * planning_work(node, times)


def planning_work(node: TrieNode, times: int = 1) -> float:
    """As how many entries the structure that ends with ``node``, or one with so many ``times`` as many, counts when it
    is planned: an unrolled loop as few."""
    codes: list[tuple[object, object]] = []
    at: TrieNode | None = node
    while at is not None and at.parent is not None:
        codes.append((at.key[0] if type(at.key) is tuple else "leaf", at.spec))
        at = at.parent
    looped = sum([run.period * run.rounds for run in find_runs(codes, LEAST_ROUNDS)])
    return times * (len(codes) - looped + LOOP_SHARE * looped)
