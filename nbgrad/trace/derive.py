"""The ``grad`` event: which derivatives a request means, and what it uses up. Runs on a miss only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any, NamedTuple

from nbgrad.errors import GradError
from nbgrad.graph.node import Node, const, reach
from nbgrad.graph.spec import Spec
from nbgrad.ops.composite import passed_back
from nbgrad.ops.view import expand_to
from nbgrad.trace.builder import Builder
from nbgrad.transform.vjp import active, vjp

Place = tuple[int, int]  # (earlier segment or OWN, entry)
Wanted = tuple[tuple[Place, ...], ...] | None  # the places of each; None: anything

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)
UNUSED = (
    "The differentiated Tensor at index {} appears to not have been used in the graph. Set allow_unused=True if this "
    "is the desired behavior."
)


class Request(NamedTuple):
    """What a ``grad`` event asks: cotangents of ``outputs`` are the entries ``seeds`` (-1: ones).

    ``wrt`` None means every leaf behind the outputs; otherwise a tuple of places per wanted tensor. ``kept``: values
    passed on the way whose cotangents are wanted too. ``function`` asks for the cotangents of a custom function's
    outputs instead. ``hooked`` are places with hooks: only the entry beside goes on from there, and the last one is the
    cotangent that those of tensors gave (-1: none). ``past`` are nodes that were differentiated by themselves, and
    their operands: they are used up with the rest. ``is_outside`` all function transforms.
    """

    outputs: tuple[int, ...]
    seeds: tuple[int, ...]
    wrt: Wanted
    kept: tuple[Place, ...]
    function: Place | None
    create_graph: bool
    retain_graph: bool
    allow_unused: bool
    hooked: tuple[tuple[Place, int, int], ...] = ()
    past: tuple[tuple[Place, tuple[Place, ...]], ...] = ()
    is_outside: bool = False


class GradMeta(NamedTuple):
    """What a ``grad`` event gives: a result for each wanted value, then for each of ``kept``.

    ``leaves``: which they are, where all leaves were wanted. ``given[i]``: whether result i exists. ``freed``: per
    entered earlier segment, the nodes used up. ``order``: the results in the order of autograd/leaf_order.py, once
    somebody has asked.
    """

    leaves: tuple[Place, ...]
    given: tuple[bool, ...]
    freed: tuple[tuple[int, frozenset[int]], ...]
    order: list[int]


def derive(builder: Builder, request: Request, before: GradMeta | None = None) -> tuple[GradMeta, list[Node | None]]:
    """Differentiate as ``request`` asks; the graph nodes of the results, in order. ``before``: what a replay
    repeats."""
    outputs = [builder.node_of(r) for r in request.outputs]
    seeds = [
        builder.node_of(ref) if ref >= 0 else expand_to(const(1, out.spec.dtype), out.spec.shape)
        for out, ref in zip(outputs, request.seeds, strict=True)
    ]
    leaves, wanted = _targets(builder, request, outputs, before)
    flat = [x for group in wanted for x in group]
    instead = {_historic(builder, p): builder.node_of(r) if r >= 0 else None for p, r, _ in request.hooked}
    order = builder.order_behind(outputs, {x for x, onward in instead.items() if onward is None})
    kept = _passed(builder, request, outputs, flat)
    flat += [x for x in kept if x is not None]
    visited: set[Node] = set()
    same = builder.origins()
    found = vjp(outputs, seeds, flat, stops=builder.stops, visited=visited, order=order, same=same, instead=instead)
    cotangents = dict(zip(flat, found, strict=True))
    cotangents |= {_historic(builder, p): builder.node_of(r) for p, _, r in request.hooked if r >= 0}
    spent = builder.spent if request.is_outside else ()
    if not builder.replays and any((x in builder.freed or x in spent) and builder.saves(x) for x in visited):
        raise GradError(FREED)
    terms = [[g for x in group if (g := cotangents[x]) is not None] for group in wanted]
    results = [reduce(add, found) if found else None for found in terms]
    if request.wrt is not None and not request.allow_unused and None in results:
        raise GradError(UNUSED.format(results.index(None)))
    if leaves:  # leaves behind the outputs that nothing flows to are not among the results
        reached = [i for i, g in enumerate(results) if g is not None]
        leaves, results = tuple([leaves[i] for i in reached]), [results[i] for i in reached]
        wanted = [wanted[i] for i in reached]
    results += [None if x is None else cotangents[x] for x in kept]
    if Spec.any_placed:
        results = _beside(builder, results, [*wanted, *[[x] if x is not None else [] for x in kept]])
    given = tuple([g is not None for g in results])
    if request.retain_graph or builder.replays:
        return GradMeta(leaves, given, (), []), results
    visited.update(*[_between(builder, place, operands) for place, operands in request.past])
    if builder.variables:  # what a transform records is its own: the function that it gave may ask again
        ends = {*builder.variables, *_boundaries(builder, outputs, None)}  # what is behind one is not in order
        own = visited & active(builder.order_behind(outputs), ends, builder.stops, same)
        visited -= own
        if request.is_outside:
            builder.spent |= own
    builder.freed |= visited
    freed = _freed_by_earlier(builder, visited)
    return GradMeta(leaves, given, freed, []), results


def _beside(builder: Builder, results: Sequence[Node | None], owners: Sequence[Sequence[Node]]) -> list[Node | None]:
    """Each result where the value lives that it is the derivative by: what can be computed anywhere, ones say, too."""
    return [
        None if g is None else builder.wanted_at(g, builder.place_of(group[0]))
        for g, group in zip(results, owners, strict=True)
    ]


def _targets(
    builder: Builder, request: Request, outputs: Sequence[Node], before: GradMeta | None
) -> tuple[tuple[Place, ...], list[list[Node]]]:
    """(which leaves these are, where all are wanted; the nodes of each wanted value)."""
    if request.function is not None:
        return (), [[mark] for mark in builder.edge(request.function)[1].boundaries]
    if request.wrt is not None:
        return (), [list(dict.fromkeys([_historic(builder, p) for p in places])) for places in request.wrt]
    if before is not None:
        return before.leaves, [[_historic(builder, place)] for place in before.leaves]
    behind = {builder.origin_of(x) for x in builder.behind(outputs) if x in builder.leaves and x not in builder.stops}
    leaves = sorted(behind, key=builder.leaves.__getitem__)
    return tuple([builder.leaves[x] for x in leaves]), [[x] for x in leaves]


def _historic(builder: Builder, place: Place) -> Node:
    """The node whose cotangent the value at ``place`` has: a value written without gradient keeps its history."""
    earlier, entry = place
    node = builder.inside(earlier).node_of(entry)
    while True:
        node = builder.origin_of(node)
        if node.op.name != "rebase_history" or node in builder.leaves or node in builder.variables:
            return node
        node = node.inputs[0]


def _between(builder: Builder, place: Place, operands: Sequence[Place]) -> Iterable[Node]:
    """The graph nodes that a node is made of its operands by."""
    ends = {_historic(builder, operand) for operand in operands}
    return reach([_historic(builder, place)], lambda x: [y for y in passed_back(x) if y not in ends])


def _passed(builder: Builder, request: Request, outputs: Sequence[Node], wanted: Sequence[Node]) -> list[Node | None]:
    """The nodes of ``request.kept``; None for those that no path from the outputs to ``wanted`` passes."""
    if not request.kept:
        return []
    ends = {*wanted, *_boundaries(builder, outputs, request.wrt)}
    way = active(builder.order_behind(outputs), ends, builder.stops, builder.origins())
    return [x if x in way else None for x in [_historic(builder, place) for place in request.kept]]


def _boundaries(builder: Builder, outputs: Sequence[Node], wrt: Wanted) -> list[Node]:
    """Those of the custom functions between ``outputs`` and ``wrt``."""
    marks = stops_behind(builder, outputs, wrt).values()
    return [x for mark in marks for x in builder.edge_of(mark)[1].boundaries]


def _freed_by_earlier(builder: Builder, visited: set[Node]) -> tuple[tuple[int, frozenset[int]], ...]:
    used = [{i for i, x in enumerate(sub.nodes) if x in visited} | builder.spent_of(sub) for sub in builder.earlier]
    return tuple([(k, frozenset(nodes)) for k, nodes in enumerate(used) if nodes])


HOOKS = "hooks"  # the first of three parts of a stop: the others are the place of what has them
LAST = "last"  # the same, where nothing is wanted behind
Stop = tuple[Any, ...]  # the place of a custom function, or of hooks


def stops_behind(
    builder: Builder, outputs: Sequence[Node], wrt: Wanted, hooked: Sequence[Place] = ()
) -> dict[Stop, Node]:
    """The custom functions and hooks between ``outputs`` and ``wrt`` (None: anything), users before what they used,
    with a boundary, or the node, of each."""
    marks: dict[Stop, Node] = {}
    users: dict[Stop, set[Stop]] = {}
    hooks = {_historic(builder, place): (HOOKS, *place) for place in hooked}
    wanted = set() if wrt is None else {_historic(builder, place) for places in wrt for place in places}
    useful = set[Stop]()
    cut = builder.stops.union(hooks)  # no derivative goes on from a value without gradient
    ends = {stop for x, stop in hooks.items() if x in wanted}
    pending: list[tuple[Stop | None, Node]] = [(None, out) for out in outputs]
    while pending:
        user, root = pending.pop()
        behind = builder.behind([root], cut)
        if user is not None and (wrt is None or any(builder.origin_of(x) in wanted for x in behind)):
            useful.add(user)
        found: dict[Stop, Node] = {x.params[0]: x for x in behind if x.op.name == "boundary"}
        found |= {hooks[x]: x for x in behind if x in hooks}
        for stop in sorted(found, key=str):
            if stop not in users:
                users[stop], marks[stop] = set(), found[stop]
                mark = found[stop]  # what gets cotangents from there
                pending += [(stop, x) for x in (passed_back if stop[0] == HOOKS else builder.read_by_function)(mark)]
            if user is not None:
                users[stop].add(user)
        for x in behind:
            if x in hooks and x.op.name == "boundary":  # of a custom function, which runs after its hooks
                users[x.params[0]].add(hooks[x])
    at = {x: k for k, x in enumerate(builder.all_nodes())}

    def recorded(stop: Stop) -> tuple[int, bool]:
        """When its value, or its first one, was recorded: hooks on that run before the function that gives it."""
        is_hook, mark = stop[0] == HOOKS, marks[stop]
        return at[mark if is_hook else builder.edge_of(mark)[1].boundaries[0]], is_hook

    order = sorted(users, key=recorded, reverse=True)  # users first, and what was recorded last, as in PyTorch
    for stop in reversed(order):
        if stop in useful or stop in ends:
            useful |= users[stop]
    passed = {stop: stop if stop in useful else (LAST, *stop[1:]) for stop in order if stop in useful or stop in ends}
    return {found: marks[stop] for stop, found in passed.items()}
