"""What derivatives read of a call's operands. Tensors made in inference mode never take part in one; what hooks on
saved tensors have saved in another way is read there, and not where recording keeps it."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import Any, Final

from nbgrad.calls.base import CALLS_BY_NUMBER, Call
from nbgrad.calls.key import NONE, count_of, number_node, split_key
from nbgrad.errors import GradError, RunError
from nbgrad.graph.node import Node, reach, substitute, toposort
from nbgrad.graph.spec import Spec
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.source import input_node
from nbgrad.trace.builder import ANY_DEPTH, OWN, Builder
from nbgrad.trace.derive import FREED
from nbgrad.trace.grow import advance, builder_of, new_tensor
from nbgrad.trace.handle import Handle
from nbgrad.trace.nodes import Spot
from nbgrad.trace.past import bring_in
from nbgrad.trace.planning import missing
from nbgrad.trace.storage import entry_of
from nbgrad.trace.thread import EarlierSegment, Trace
from nbgrad.trace.trie import KINDS, Kind, TrieNode, entry_at
from nbgrad.transform.vjp import reads_values, stand_in, vjp

RESULT: Final = -1  # what an operation gives, where its operands are told by their places


def refuse(end: TrieNode, key: tuple[Any, ...], operands: tuple[Any, ...]) -> None:
    """PyTorch's error where the derivative of this call would keep an inference tensor. Runs on a miss only."""
    states = [a._at if isinstance(a, Handle) else None for a in operands]
    made = {k for k, at in enumerate(states) if at is not None and at.inference}
    wanted = [k for k, at in enumerate(states) if at is not None and at.requires_grad]
    if made and wanted:
        refs, statics = split_key(key)
        specs = tuple([entry_at(end, ref).spec if ref >= 0 else None for ref in refs])
        if not made.isdisjoint(
            places_read(CALLS_BY_NUMBER[key[0]], tuple([min(r, 0) for r in refs]), statics, specs, tuple(wanted))
        ):
            raise cannot_be_saved()


@lru_cache(10_000)
def places_read(
    call: Call, refs: tuple[int, ...], statics: tuple[Any, ...], specs: tuple[Spec | None, ...], wanted: tuple[int, ...]
) -> tuple[int, ...]:
    """Which operands of a call, tensors of these ``specs`` among them, its derivatives by the operands ``wanted`` read,
    and RESULT. ``refs`` are 0 for tensors, wherever they stand."""
    numbers = accumulate([0, *map(count_of, refs)])
    operands: list[Node | None] = [
        input_node(k, spec) if spec is not None else None if r == NONE else number_node(place, r)
        for k, (r, spec, place) in enumerate(zip(refs, specs, numbers, strict=False))
    ]
    y = call.on(tuple(operands), statics)
    given = [x for x in operands if x is not None]
    made = vjp([y], [stand_in(y)], [x for k in wanted if (x := operands[k])], order=[*given, *toposort([y], given)])
    ends = {*given, y}
    read = reach([x for x in made if x is not None], lambda x: () if x in ends else x.inputs)
    places = [k for k, x in enumerate(operands) if x in read and specs[k] is not None]
    return (*places, *([RESULT] if y in read else []))


def cannot_be_saved() -> GradError:
    """The error of an inference tensor that a derivative would read."""
    return GradError(
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode "
        "in computation tracked by autograd. To work around this, you can make a clone to get a normal tensor "
        "and use it in autograd, or use `nbgrad.no_grad()` instead of `nbgrad.inference_mode()`"
    )


HOLE: Final = -6  # in place of an operand that no derivative reads: one below the marks of numbers (calls/key.py)


def _pulled(
    b: Builder,
    entry: TrieNode,
    call: Call,
    refs: tuple[int, ...],
    statics: tuple[Any, ...],
    holes: tuple[Spec, ...],
    g: int,
    result: int,
    place: int,
    create_graph: bool,
) -> Node:
    """The cotangent of operand ``place`` of a call on what was saved in another way; ``result``: what was
    saved of its own, or -1. Operands that no derivative reads are ``holes``."""
    specs = iter(holes)
    operands = [zeros_of(next(specs)) if r == HOLE else b.apart(r) for r in refs]
    given = [x for x in operands if x is not None]
    y = call.on(tuple(operands), statics)
    wanted = operands[place]
    assert wanted is not None
    order = [*given, *toposort([y], known=given)]
    found = vjp([y], [b.node_of(g)], [wanted], order=order)[0] or zeros_of(wanted.spec)
    if result >= 0:
        kept = {x: x for x in (*given, b.node_of(g))}
        (found,) = substitute([found], {**kept, y: b.node_of(result)})
    entry.requires_grad = create_graph and b.depends(found, ANY_DEPTH)
    return b.distinct(found, entry.requires_grad)


def _packed(b: Builder, entry: TrieNode, ref: int, operands: tuple[int, ...]) -> None:
    """What entry ``ref`` reads of its operands for its derivative is kept elsewhere."""
    b.packed[b.node_of(ref)] = [b.node_of(r) for r in operands]


KINDS |= {
    "packed": Kind(_packed),
    "pulled": Kind(
        _pulled,
        None,
        lambda call, refs, statics, holes, g, result, place, create_graph: (
            [r for r in (*refs, g, result) if r >= 0] if create_graph else ()
        ),
    ),
}


def pulled(trace: Trace, numbers: tuple[float | int, ...], *arguments: Any) -> Handle:
    """The cotangent of one operand: the entry of ``_pulled`` with these arguments, and the numbers among operands."""
    return new_tensor(trace, "pulled", *arguments, trace.grad_enabled, numbers=numbers)


def saved_at(trace: Trace, spot: Spot, node: Handle, place: int) -> Handle:
    """The value of operand ``place`` of the call at ``spot``, or its result, as its derivative would read it; ``node``
    has its place in the graph. GradError where that was freed."""
    book, entry = spot
    ref = entry.ix if place == RESULT else entry.record[2][place]
    at = entry_of(trace, node).ix
    bring_in(trace, [at])
    builder = builder_of(trace, trace.node)
    is_own = book is trace.segment
    k = OWN if is_own else next(k for k, other in enumerate(trace.segment.earlier) if other.leaves is book.leaves)
    top, value = [builder.inside(k).node_of(ix) for ix in (entry.ix, ref)]
    if top in builder.freed and reads_values(top):
        raise GradError(FREED)
    for _ in missing(builder, trace.segment, [value]):
        raise RunError("this value was not kept: the derivative is computed without it")
    leaf = book.leaves.get(ref)
    if leaf is not None and (
        leaf._buffer in book.buffers if isinstance(book, EarlierSegment) else entry_of(trace, leaf).ix == ref
    ):
        return leaf
    return _value_at(trace, entry_at(trace.node, ref) if is_own else advance(trace, ("past", k, ref)))


def _value_at(trace: Trace, entry: TrieNode) -> Handle:
    """A tensor with the value of an entry of the running segment, and its history: the one that stands for it where
    somebody holds that."""
    known = trace.live[entry.ix]
    if isinstance(known, Handle) and known._at is entry and known._page is trace.page:
        return known
    ix = entry.ix
    return new_tensor(trace, *(("rebase_history", ix, ix, -1) if entry.requires_grad else ("detach", ix, False)))
