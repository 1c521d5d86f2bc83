"""What a segment gives and keeps, for a structure and liveness not seen before: the plan of its flush. And which
tensors from memory it writes: parameters, whose new values may be made where the old ones lie."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any, Final

from nbgrad.errors import RunError
from nbgrad.graph.node import Node, reach, substitute, toposort
from nbgrad.graph.op import Kind
from nbgrad.multi_device import plan_at
from nbgrad.ops.composite import passed_back, read_by
from nbgrad.ops.source import boundary
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.references import is_unique
from nbgrad.runtime.runner import Renewed, RunOver
from nbgrad.system.collector import collector_paused
from nbgrad.trace.builder import OWN, Builder, refuse_examples
from nbgrad.trace.flush_plan import OLD_VIEW, Donation, FlushPlan, Struct, held_entries, view_place
from nbgrad.trace.grow import builder_of
from nbgrad.trace.handle import Handle
from nbgrad.trace.segment import Segment
from nbgrad.trace.storage import is_alone
from nbgrad.trace.store import remember
from nbgrad.trace.thread import Trace
from nbgrad.trace.transforms import tangent_nodes
from nbgrad.trace.trie import TrieNode, entry_at, path_between
from nbgrad.transform.vjp import is_number, reads_values, stand_in, vjp

WORTH_BYTES = 1 << 12  # to find out who has a buffer takes 1 us: less memory than this is in the cache anyway
_HOLDERS: Final = 3  # of a buffer: a tensor, its segment's inputs and entries


@collector_paused()
def plan_flush(trace: Trace, node: TrieNode, bits: bytes, recurs: bool) -> FlushPlan:
    """Make the plan for a structure and liveness that have none; ``recurs``: they ran before, in the baseline tier."""
    builder = builder_of(trace, node)
    flush_plan = FlushPlan()
    held = held_entries(trace, bits)
    roots: list[Node] = []
    places: dict[Node, int] = {}

    def place_of(root: Node) -> int:
        root = _bare(root, builder.saved)
        if root not in places:
            places[root] = len(roots)
            roots.append(root)
        return places[root]

    for _, entry in held:
        place = view_place(entry) if entry.is_alias else place_of(builder.node_of(entry.ix))
        flush_plan.commits.append((entry.ix, place, entry.in_memory))
        if not entry.is_leaf and place != OLD_VIEW:
            flush_plan.histories.append(entry.ix)
    if flush_plan.histories:
        saved, kept, readers = saved_by(builder, [builder.node_of(ix) for ix in flush_plan.histories])
        if builder.given[0]:
            saved, kept = _with_tangents(builder, saved, kept)
        flush_plan.saved_places = [place_of(builder.nodes[i]) for i in saved]
        freed = frozenset([i for i, x in enumerate(builder.nodes) if x in builder.freed]) | builder.spent_of(builder)
        end = entry_at(node, max(*flush_plan.histories, builder.last_kept))
        later = [entry for entry in path_between(end, node) or () if entry.record[0] == "earlier segment"]
        n_earlier = len(builder.earlier) - len(later)
        flush_plan.struct = Struct(end, builder.n_inputs, kept, saved, readers, freed, n_earlier)
    if builder.earlier:
        flush_plan.origin = list(builder.origin)
        flush_plan.scalar_origin = list(builder.scalar_origin)
    if roots:
        _check_kept(builder, trace.segment, roots)
        refuse_examples(builder, roots)
        flush_plan.renewed = renewed_by(trace, flush_plan)
        own = {j: position for position, (k, j) in enumerate(builder.origin) if k == OWN}
        donations = {place: own[j] for _, j, place in flush_plan.renewed}
        at = [builder.place_of(root) for root in roots]
        flush_plan.plan = plan_at(substitute(roots, builder.saved), at, recurs=recurs, donations=donations)
    if len(held) == sum([bits[ix] and isinstance(y, Handle) for ix, y in enumerate(trace.live)]):
        node.plans = node.plans or {}  # otherwise somebody else has taken a value since the bits were found
        node.plans[bits] = flush_plan
        remember(node, bits)
    return flush_plan


def _check_kept(builder: Builder, segment: Segment, roots: Sequence[Node]) -> None:
    """Never compute with memory that was given back: a value that is needed and was not kept is an error."""
    if not builder.earlier:
        return
    for x in missing(builder, segment, roots):
        raise RunError(f"a value of an earlier computation, {x.spec}, was not kept: this is a bug of nbgrad")


def missing(builder: Builder, segment: Segment, roots: Sequence[Node]) -> Iterator[Node]:
    """Values of earlier segments that ``roots`` need, and that were not kept."""
    for x in reach(substitute(roots, builder.saved), read_by):
        if x.op.name == "input":
            earlier, place = builder.origin[x.params[0]]
            if earlier != OWN and segment.buffers[earlier][place] is None:
                yield x


def evaluate(builder: Builder, segment: Segment, nodes: Sequence[Node]) -> list[Buffer]:
    """Values of a segment, without the rest of it."""
    _check_kept(builder, segment, nodes)
    refuse_examples(builder, nodes)
    once = FlushPlan()
    once.plan = plan_at(substitute(nodes, builder.saved), [builder.place_of(x) for x in nodes])
    once.origin, once.scalar_origin = list(builder.origin), list(builder.scalar_origin)
    try:
        return once.run(segment)
    except RunOver as stop:
        raise stop.error from None


def saved_by(builder: Builder, roots: list[Node]) -> tuple[tuple[int, ...], frozenset[int], frozenset[int]]:
    """What the derivatives of ``roots`` by leaves and by each other will read: own nodes to keep, own inputs to hold on
    to, own nodes that read."""
    packed = builder.packed
    if builder.functions or packed:
        behind = reach(roots, lambda x: (*x.inputs, *_sent_to(builder, x)))
        roots = [*roots, *[y for x in behind for y in (*_sent_to(builder, x), *packed.get(x, ()))]]
    order = toposort(roots)
    stops = builder.stops  # no cotangent goes beyond a value without gradient, say a new parameter
    stops = stops.union(packed) if packed else stops
    passed = reach([x for x in roots if x not in stops], lambda x: [y for y in passed_back(x) if y not in stops])
    unfreed = [x for x in order if x in passed and x not in builder.freed and x.inputs and reads_values(x)]
    if not unfreed:
        return (), frozenset(), frozenset()
    sources = [x for x in order if x in builder.leaves or x in builder.pasts or x.op.name == "boundary"]
    seeds = [stand_in(x) for x in roots]
    used_up = [x for x in order if x in builder.freed and x.inputs and reads_values(x)]  # derivatives end there
    wanted = [*sources, *used_up, *roots]
    grads = [g for g in vjp(roots, seeds, wanted, stops=stops.union(used_up)) if g is not None]
    index = {x: i for i, x in enumerate(builder.nodes)}
    saved, inputs = _read(builder, index, grads, set(order))
    return tuple(sorted(saved)), frozenset(inputs), frozenset([index[x] for x in unfreed if x in index])


def _read(
    builder: Builder, index: dict[Node, int], made: Sequence[Node], forward: Container[Node]
) -> tuple[set[int], set[int]]:
    """What nodes ``made`` of ``forward`` ones read of these: own nodes, own inputs."""
    saved: set[int] = set()
    inputs: set[int] = set()
    for x in reach(made, lambda x: () if x in forward else x.inputs):
        if x not in forward:
            continue
        x = _memory_of(x, builder.saved)
        if x.op.name == "input":
            earlier, place = builder.origin[x.params[0]]
            if earlier == OWN:
                inputs.add(place)
        elif x.op.kind is not Kind.SOURCE and not is_number(x) and x in index:  # other earlier segments keep their own
            saved.add(index[x])
    return saved, inputs


def _with_tangents(
    builder: Builder, saved: Sequence[int], inputs: frozenset[int]
) -> tuple[tuple[int, ...], frozenset[int]]:
    """The same where a dual level is open: also what the tangents of kept values read, as gradients have tangents."""
    begin, end = builder.given
    given = {**dict.fromkeys(end), **{x: stand_in(x) for x in begin}}
    tangents = tangent_nodes(builder, [builder.nodes[i] for i in saved], given)
    index = {x: i for i, x in enumerate(builder.nodes)}
    more, others = _read(builder, index, [t for t in tangents if t is not None], builder.known)
    return tuple(sorted({*saved, *more})), inputs | others


def _sent_to(builder: Builder, x: Node) -> list[Node]:
    """What the custom function whose boundary ``x`` is sends cotangents to."""
    return builder.read_by_function(x) if x.op is boundary and x.params[0][0] == OWN else []


def _bare(x: Node, saved: dict[Node, Node]) -> Node:
    """The node that has the value of ``x``, whatever its history: one buffer serves all who want it."""
    while x.op.name in ("detach", "rebase_history") and x not in saved:
        x = x.inputs[-1]
    return x


def _memory_of(x: Node, saved: dict[Node, Node]) -> Node:
    """The node whose memory a view looks at; the input that holds it where it was computed before."""
    while x not in saved and (x.op.kind is Kind.VIEW or x.op.name in ("detach", "rebase_history", "overwrite_history")):
        x = x.inputs[0] if x.op.kind is Kind.VIEW else x.inputs[-1]
    return saved.get(x, x)


def own_memory(segment: Segment, live: Sequence[Any], plan: FlushPlan) -> Renewed:
    """By place of result the buffer that a written tensor has, where nobody else has it."""
    spare: list[Buffer | None] = [None] * plan.n_results
    inputs = segment.inputs
    for ix, position, place in plan.renewed:
        y = live[ix]
        is_it = getattr(y, "_buffer", None) is inputs[position]  # what was just computed has none
        if is_it and y._buffer.is_pooled and (y._share is None or is_alone(y)) and is_unique(y, "_buffer", _HOLDERS):
            spare[place] = y._buffer
    return Renewed(spare)


def renewed_by(trace: Trace, plan: FlushPlan) -> list[Donation]:
    """The tensors from memory that are written, once each."""
    kept = plan.struct.kept_inputs if plan.struct is not None else ()
    found: dict[int, Donation] = {}
    for ix, place, leaf in plan.commits:
        if place < 0:
            continue
        entry = trace.segment.entered.get(id(trace.live[ix]))
        if entry is None or not isinstance(entry[2], Buffer | DeviceBuffer) or place in found:
            continue
        position = entry[1].n_inputs - 1
        if entry[1].spec is leaf.spec and position not in kept and leaf.spec.size_bytes >= WORTH_BYTES:
            found[place] = ix, position, place
    return list(found.values())
