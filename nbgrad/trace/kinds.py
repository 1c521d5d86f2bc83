"""The kinds of op records: what each means, in one table with a column for each of its two readers.

A record is (kind, arguments...). The graph builder makes a node of it (builder.py). The baseline tier writes a line of
its program (baseline_builder.py); what it knows nothing of has no line here, and takes the graph. An argument that is
an entry is its number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from nbgrad.calls.base import Call
from nbgrad.graph.node import Node, apply, substitute, toposort
from nbgrad.graph.show import show
from nbgrad.graph.spec import Shape, Spec
from nbgrad.log import emit, enabled
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.batching import every
from nbgrad.ops.put import is_undoable, put_through
from nbgrad.ops.source import example
from nbgrad.runtime.baseline.layout import ALIAS, EVENT, GIVEN, LEAF
from nbgrad.runtime.baseline.rules import Unsupported
from nbgrad.system.collector import collector_paused
from nbgrad.trace.baseline_builder import BaselineBuilder
from nbgrad.trace.builder import ANY_DEPTH, OWN, Builder
from nbgrad.trace.derive import Request, derive, stops_behind
from nbgrad.trace.transforms import Marks, batch_nodes, push_nodes, tangent_nodes
from nbgrad.trace.trie import KINDS, Kind, Leaf, TrieNode
from nbgrad.transform.vjp import vjp

Given = Sequence[tuple[tuple[int, int], int]]  # places, and the entries of the tangents given there (-1: none)


def _leaf(b: Builder, entry: TrieNode, leaf: Leaf, *before: int) -> Node:
    """A tensor from memory; ``before``: the earlier segment and entry where this leaf came in first."""
    node = b.next_input(leaf.spec)
    if leaf.requires_grad:
        b.make_leaf(entry, node)
    if before:
        earlier, ix = before
        b.unite(node, b.inside(earlier).node_of(ix))
    return node


def _leaf_line(s: BaselineBuilder, entry: TrieNode, leaf: Leaf, *before: int) -> None:
    if before or leaf.spec.place:
        raise Unsupported("a tensor that came in before, or lives elsewhere")
    if leaf.requires_grad:
        entry.requires_grad, entry.leaf = True, entry.ix
    form = s.book.form(leaf.spec)
    if leaf.inference:
        s.leave()  # whoever differentiates what is made of it must hear of that
    s.inputs.append(entry.ix)
    s.note(entry, form, LEAF, int(leaf.requires_grad), form)


def _history(b: Builder, entry: TrieNode, spec: Spec, *_: Shape) -> Node:
    """A value of an earlier segment, which has a history there. The strides of others' memory are part of the key."""
    node = b.next_input(spec)
    b.pasts.add(node)
    return node


def _modes(b: Builder, entry: TrieNode, grad_enabled: bool, inference: bool, autocast: Any, anomaly: Any) -> None:
    b.grad_enabled, b.autocast = grad_enabled, autocast


def _modes_line(
    s: BaselineBuilder, entry: TrieNode, grad_enabled: bool, inference: bool, autocast: Any, anomaly: Any
) -> None:
    if autocast is not None or anomaly is not None:
        raise Unsupported("other dtypes than those of the operands, or the lines of all operations")
    s.grad_enabled = grad_enabled
    if inference:
        s.leave()
    s.note(entry, -1, EVENT)


def _detach(b: Builder, entry: TrieNode, ref: int, inference: bool = False) -> Node:
    return apply("detach", b.node_of(ref))


def _detach_line(s: BaselineBuilder, entry: TrieNode, ref: int, inference: bool = False) -> None:
    s.note(entry, s.entries[ref].form, ALIAS, 0, ref, -1)
    if inference:
        s.leave()


def _rebase_history(
    b: Builder, entry: TrieNode, history: int, value: int, leaf: int = -1, inference: bool = False
) -> Node:
    """The value of one entry with the history of another. Of a view: a value that others may have written meanwhile,
    whose place in the graph stays; the same entry twice begins a place of its own."""
    entry.leaf = leaf
    return apply("rebase_history", b.node_of(history), b.node_of(value))


def _rebase_history_line(
    s: BaselineBuilder, entry: TrieNode, history: int, value: int, leaf: int, inference: bool = False
) -> None:
    entry.requires_grad, entry.leaf = True, leaf
    s.note(entry, s.entries[value].form, ALIAS, 1, value, history)
    s.has_rebased = True


def _resume(b: Builder, entry: TrieNode, ref: int) -> Node:
    """A view as older segments know it: it may have a history where what it shows has none any more."""
    node = _rebase_history(b, entry, ref, ref)
    b.pasts.add(node)
    return node


def _variable(b: Builder, entry: TrieNode, ref: int, depth: int) -> Node:
    """What a function transform differentiates by: the same value at a place of its own (autograd/levels.py)."""
    node = _rebase_history(b, entry, ref, ref)
    b.variables[node] = depth
    return node


def _lowered(b: Builder, entry: TrieNode, ref: int, depth: int) -> Node:
    """A result of a function transform, outside of which are ``depth`` others: all deeper variables have done their
    duty."""
    node = b.node_of(ref)
    entry.requires_grad = b.grad_enabled and b.depends(node, depth)
    if not entry.requires_grad:
        return b.distinct(node, False)
    result = apply("rebase_history", node, node)
    b.lowered[result] = depth
    return result


def _example(b: Builder, entry: TrieNode, ref: int, function: str) -> Node:
    """One of the examples along the first dim of an entry: no value has it, only what is made of all of them."""
    every = b.node_of(ref)
    node = apply(example, params=(Spec.of(every.spec.shape[1:], every.spec.dtype), function))
    b.examples[node] = every, len(b.nodes)
    entry.requires_grad = b.requires_grad(ref)
    return node


@collector_paused()
def _batch(b: Builder, entry: TrieNode, refs: tuple[int, ...], examples: tuple[int, ...], randomness: str) -> None:
    """What entries are for all examples: each is an entry of its own."""
    by = [b.node_of(r) for r in examples]
    found = batch_nodes(b, [b.node_of(r) for r in refs], by, randomness)
    size = b.examples[by[0]][0].spec.shape[0]
    b.results[entry.ix] = [every(found.get(x, x), x in found, size) for x in [b.node_of(r) for r in refs]]


def _gives(b: Builder, event: TrieNode, tangents: list[Node | None]) -> None:
    """An event has these tangents, and says which there are."""
    b.results[event.ix], event.meta = tangents, tuple([x is not None for x in tangents])


@collector_paused()
def _push(
    b: Builder, entry: TrieNode, refs: tuple[int, ...], by: tuple[int, ...], tangents: tuple[int, ...], marks: Marks
) -> None:
    """The tangents of entries, given those of variables and of outputs of custom functions: those that there are, are
    entries of their own."""
    outputs, variables, along = ([b.node_of(r) for r in each] for each in (refs, by, tangents))
    _gives(b, entry, push_nodes(b, outputs, variables, along, marks))


def _dual(b: Builder, entry: TrieNode, ref: int) -> Node:
    """The same value and history at a place of its own: where a tangent begins, or ends (autograd/forward_ad.py)."""
    node = b.node_of(ref)
    entry.requires_grad = b.grad_enabled and b.requires_grad(ref)
    return apply("reshape", node, params=(node.spec.shape,)) if entry.requires_grad else apply("detach", node)


@collector_paused()
def _tangents(b: Builder, entry: TrieNode, refs: tuple[int, ...], given: Given) -> None:
    """The tangents of entries, as a dual level asks for them: those that there are, are entries of their own."""
    tangents = {b.inside(k).node_of(ix): b.node_of(t) if t >= 0 else None for (k, ix), t in given}
    b.given = [x for x, t in tangents.items() if t is not None], [x for x, t in tangents.items() if t is None]
    _gives(b, entry, tangent_nodes(b, [b.node_of(r) for r in refs], tangents))


def _batched(b: Builder, entry: TrieNode, event: int, place: int, ref: int) -> Node:
    """One result of the ``batch`` event at entry ``event``: ``ref`` for all examples."""
    node = b.results[event][place]
    assert node is not None
    entry.requires_grad = b.requires_grad(ref)
    return b.distinct(node, entry.requires_grad)


def _own(b: Builder, entry: TrieNode, ref: int) -> Node:
    """A view of plain memory, or a value of the segment, that is a leaf itself."""
    node = b.distinct(b.node_of(ref), True)
    b.make_leaf(entry, node)
    return node


def _put(b: Builder, entry: TrieNode, base: int, view: int, value: int, covers: bool, written: int) -> Node:
    """A value in which another one stands where a view looks."""
    entry.requires_grad = b.grad_enabled and (b.requires_grad(base) or b.requires_grad(value))
    old, window = b.node_of(base), b.node_of(view)
    node = put_through(old, window, b.node_of(value), None if written < 0 else b.node_of(written))
    if covers and b.requires_grad(base) and node.spec.size == window.spec.size and is_undoable(old, window):
        node = apply("overwrite_history", old, node, params=(True,))
    b.saving.add(node)
    return b.distinct(node, entry.requires_grad)


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


def _function(
    b: Builder, entry: TrieNode, index: int, place: int, inputs: tuple[int, ...], value: int, has_vmap: bool
) -> Node:
    """Output ``place`` of custom function ``index``: the forward's value with the user's backward behind it."""
    return apply("rebase_history", b.mark_output(index, place, inputs, value, has_vmap), b.node_of(value))


def _reach(b: Builder, entry: TrieNode, outputs: tuple[int, ...], wrt: Any, hooked: Any) -> None:
    """Which custom functions and hooks are behind some values."""
    if not b.replays:
        entry.meta = tuple(stops_behind(b, [b.node_of(r) for r in outputs], wrt, hooked))


def _kept(b: Builder, entry: TrieNode, ref: int, value: int) -> None:
    """The value of entry ``ref`` is entry ``value``, a tensor from memory: whoever reads it need not compute it."""
    b.saved[b.node_of(ref)] = b.node_of(value)
    b.last_kept = entry.ix


@collector_paused()
def _grad(b: Builder, entry: TrieNode, request: Request) -> None:
    """Derivatives, whose results are entries of their own."""
    meta, results = derive(b, request, entry.meta if b.replays else None)
    b.results[entry.ix] = results
    if not b.replays:
        entry.meta = meta
        if enabled("grad"):
            emit("grad", show([x for x in results if x is not None]))


def _out(b: Builder, entry: TrieNode, event: int, place: int, depth: int) -> Node:
    """One result of the event at entry ``event``, derivatives or tangents, inside ``depth`` function transforms; -1:
    one that shall not require grad."""
    node = b.results[event][place]
    assert node is not None
    entry.requires_grad = depth >= 0 and b.depends(node, depth)
    return b.distinct(node, entry.requires_grad)


def _out_line(s: BaselineBuilder, entry: TrieNode, event: int, place: int, depth: int) -> bool:
    form, slot, starts = s.results[event][place]
    s.note(entry, form, GIVEN, form, slot, len(starts), *starts)
    return s.may_fail


def _operands(call: Call, refs: Sequence[int], *_: Any) -> Sequence[int]:
    return refs


def _last(*arguments: Any) -> bool:
    return bool(arguments[-1])


def _first(history: int, *_: Any) -> Sequence[int]:
    return (history,)


KINDS |= {
    # tensors from memory
    "leaf": Kind(_leaf, _leaf_line, inference=lambda leaf, *_: leaf.inference, n_inputs=1),
    "history": Kind(_history, has_grad=True, n_inputs=1),
    # calls; "view" is a step from what a view shows, which is the same in every grad mode
    "call": Kind(lambda b, entry, *call: b.called(entry, *call, b.grad_enabled), None, _operands),
    "view": Kind(
        lambda b, entry, *call: b.called(entry, *call[:3], True),
        lambda s, entry, *call: s.view(entry, *call[:3]),
        _operands,
        is_alias=True,
        inference=_last,
    ),
    # one value, and the history of none, of another, or of its own
    "detach": Kind(_detach, _detach_line, inference=_last),
    "still": Kind(_detach, _detach_line, is_alias=True, inference=_last),
    "rebase_history": Kind(
        _rebase_history,
        _rebase_history_line,
        _first,
        has_grad=True,
        inference=lambda history, value, leaf=-1, inference=False: inference,
    ),
    "renewed": Kind(_rebase_history, None, _first, has_grad=True, is_alias=True),
    "resume": Kind(_resume, None, _first, has_grad=True, is_alias=True),
    "own": Kind(_own, None, _first, has_grad=True),
    "own view": Kind(_own, None, _first, has_grad=True, is_alias=True),
    # function transforms
    "variable": Kind(_variable, None, _first, has_grad=True),
    "example": Kind(_example, None, lambda ref, _: (ref,)),
    "batch": Kind(_batch, None, lambda refs, *_: refs),
    "push": Kind(
        _push,
        None,
        lambda refs, by, tangents, marks: [*refs, *by, *tangents, *[r for _, moved in marks for r in moved]],
    ),
    "dual": Kind(_dual, None, _first),
    "tangents": Kind(
        _tangents, None, lambda refs, given: [*refs, *[r for (k, ix), t in given for r in (t, ix if k == OWN else -1)]]
    ),
    "batched": Kind(_batched, None, lambda event, place, ref: (event, ref)),
    "lowered": Kind(_lowered, None, _first),
    # writes; what covers all of a value that has a history lets gradients go on to it, as zeros
    "overwrite_history": Kind(
        lambda b, _, base, value: apply("overwrite_history", b.node_of(base), b.node_of(value)),
        None,
        lambda base, value: (base, value),
        has_grad=True,
    ),
    "put": Kind(_put, None, lambda base, view, value, *_: (base, view, value)),
    # derivatives; what is differentiable goes back as what was differentiated
    "grad": Kind(
        _grad,
        lambda s, entry, request: s.differentiate(entry, request),
        lambda request: (*request.outputs, *request.seeds, *[r for _, *after in request.hooked for r in after]),
    ),
    "out": Kind(_out, _out_line, lambda event, place, depth: (event,) if depth >= 0 else ()),
    "kept": Kind(_kept),
    "function": Kind(_function, None, lambda index, place, inputs, *_: inputs, has_grad=True),
    "reach": Kind(_reach),
    "packed": Kind(_packed),
    "pulled": Kind(
        _pulled,
        None,
        lambda call, refs, statics, holes, g, result, place, create_graph: (
            [r for r in (*refs, g, result) if r >= 0] if create_graph else ()
        ),
    ),
    # earlier segments
    "earlier segment": Kind(lambda b, _, *segment: b.enter_earlier(*segment)),
    "link": Kind(lambda b, _, links: b.unite_all(b, links)),
    "same": Kind(lambda b, _, earlier, links: b.unite_all(b.inside(earlier), links)),
    "past": Kind(lambda b, _, earlier, ix: b.earlier[earlier].node_of(ix), has_grad=True),
    # events without a value
    "modes": Kind(_modes, _modes_line),
    "block": Kind(lambda *_: None, lambda s, entry: s.note(entry, -1, EVENT)),
}
