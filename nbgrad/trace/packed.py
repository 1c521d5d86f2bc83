"""Operations whose derivative reads what was saved in another way, by hooks on saved tensors, and not what recording
keeps."""

from __future__ import annotations

from typing import Any, Final

from nbgrad.calls.base import Call
from nbgrad.errors import GradError, RunError
from nbgrad.graph.node import Node, substitute, toposort
from nbgrad.graph.spec import Spec
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.trace.builder import ANY_DEPTH, OWN, Builder
from nbgrad.trace.derive import FREED
from nbgrad.trace.grow import advance, builder_of, new_tensor
from nbgrad.trace.handle import Handle
from nbgrad.trace.inference import RESULT
from nbgrad.trace.nodes import Spot
from nbgrad.trace.past import bring_in
from nbgrad.trace.planning import missing
from nbgrad.trace.storage import entry_of
from nbgrad.trace.thread import EarlierSegment, Trace
from nbgrad.trace.trie import KINDS, Kind, TrieNode, entry_at
from nbgrad.transform.vjp import reads_values, vjp

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
    """The cotangent of operand ``place`` of a call on what was saved in another way (packed.py); ``result``: what was
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
