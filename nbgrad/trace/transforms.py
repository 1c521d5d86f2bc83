"""Events of function transforms: what was recorded of one example, for all of them; tangents. Runs on a miss only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nbgrad.errors import RunError
from nbgrad.graph.node import Node, reach
from nbgrad.ops.composite import passed_back, stop
from nbgrad.ops.source import boundary
from nbgrad.passes.parts import HISTORIES
from nbgrad.trace.builder import Builder
from nbgrad.trace.handle import ROOT
from nbgrad.trace.trie import path_between
from nbgrad.transform.batch import batch
from nbgrad.transform.jvp import jvp, push_forward


def batch_nodes(b: Builder, outputs: Sequence[Node], examples: Sequence[Node], randomness: str) -> dict[Node, Node]:
    """What the nodes behind ``outputs`` that depend on ``examples`` are for all of them."""
    every = {x: b.examples[x][0] for x in examples}
    start = min([b.examples[x][1] for x in examples])
    bits = {x for x in b.nodes[start:] if x.op.name == "philox"}
    if bits and randomness == "error":
        raise RunError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
            "randomness flags on vmap or perform the randomness operation out of vmap"
        )
    size = next(iter(every.values())).spec.shape[0]
    found = batch(outputs, every, size, bits if randomness == "different" else (), b.nodes[:start])
    for x in b.nodes[start:]:
        if x not in found or x.op.name != "rebase_history" or x.inputs[0].op is not boundary:
            continue
        if not b.edge_of(x.inputs[0])[1].has_vmap:
            raise RunError(
                f"You tried to vmap over {_name(b, x.inputs[0])}, but it does not have vmap support. Please override "
                "and implement the vmap staticmethod or set generate_vmap_rule=True: its backward knows one example"
            )
    b.stops.update([found[x] for x in found if x in b.stops])
    for x, number in [*b.examples.items()]:
        if x in found and x not in every:  # of a transform around this one
            b.examples[found[x]] = number
    return found


Marks = Sequence[tuple[tuple[int, int], Sequence[int]]]  # places of custom functions, tangents of outputs (-1: none)


def push_nodes(
    b: Builder, outputs: Sequence[Node], by: Sequence[Node], tangents: Sequence[Node], marks: Marks
) -> list[Node | None]:
    """The tangents of ``outputs``, given those of the variables ``by`` and of outputs of custom functions."""
    same = b.origins()
    wrt = {same.get(x, x): t for x, t in zip(by, tangents, strict=True)}
    for place, moved in marks:
        for mark, r in zip(b.edge(place)[1].boundaries, moved, strict=False):  # the last may have been let go at once
            if r >= 0:
                wrt[mark] = b.node_of(r)
    return jvp(outputs, wrt, stops=b.stops, order=b.all_nodes(), same=same)


def tangent_nodes(b: Builder, outputs: Sequence[Node], given: Mapping[Node, Node | None]) -> list[Node | None]:
    """The tangents of ``outputs``, which go where values go, whatever requires grad: through writes without history,
    and what was recorded without grad mode. They begin, or end, at the nodes ``given``."""
    tangents = dict(given)
    carriers = {x for part in (*b.by_age, b) for x in _carriers(part)}
    same = b.origins()

    def behind(x: Node) -> tuple[Node, ...]:
        """What the tangent of ``x`` may come from."""
        if x in tangents:
            return ()
        if x in b.examples:
            return b.examples[x][:1]
        found = x.inputs[-1:] if x in carriers else () if x.op is stop else passed_back(x)
        return (*found, same[x]) if x in same else found

    needed = reach(outputs, behind)
    for x in [x for x in b.all_nodes() if x in needed]:
        if x in tangents or not x.spec.dtype.is_inexact:
            continue
        ts = [tangents.get(y) for y in behind(x)]
        if x in b.examples and ts[0] is not None:
            raise RunError(
                f"unpack_dual: inside {x.params[1]} the tangent of an example of a dual tensor is not to be had: make "
                f"the dual of the example, or unpack what {x.params[1]} gives"
            )
        if x in same or x in carriers:
            tangents[x] = ts[-1]
        elif x.op is not stop:
            tangents[x] = push_forward(x, [tangents.get(y) for y in x.inputs])
    return [tangents.get(y) for y in outputs]


def _carriers(part: Builder) -> Iterator[Node]:
    """Nodes by which the trace gives a value another history, or none: its tangent stays. The formulas of calls have
    such nodes for other reasons."""
    for entry, x in zip(path_between(ROOT, part.at) or (), part.env, strict=True):
        if x is not None and x.op.name in HISTORIES:
            kind, *arguments = entry.record
            if kind not in ("call", "view") or (x.op.name == "detach" and arguments[0].name != "detach_value"):
                yield x


def _name(b: Builder, mark: Node) -> str:
    owner, index = mark.params[0]
    segment = b.inside(owner).segment
    return "a custom function" if segment is None else f"{segment.functions[index][0].name}"
