"""First sight: run a structure never seen, without building its graph.

Every call becomes a *stamp* (runtime/stamp.py), found by its call, static arguments and the forms of its operands; so does the
derivative of every call. Walking the recorded entries then costs a few look-ups each. The stamps hold the same canonical
operators that the full plan has, in the same order of additions, so the bits are the same. Whatever this file does not know
(custom functions, earlier chapters, second derivatives) is left to the full plan: ``Unsupported``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from nbgrad.calls.base import CALLS, Call
from nbgrad.config import settings
from nbgrad.graph import dtypes
from nbgrad.graph.dtypes import by_name
from nbgrad.graph.node import Node, apply, const, substitute, toposort
from nbgrad.graph.op import Kind
from nbgrad.graph.spec import Spec
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import input_node, scalar_node
from nbgrad.runtime.stamp import Pasted, Stamp
from nbgrad.trace.builder import is_view_of
from nbgrad.trace.derive import GradMeta, Request
from nbgrad.trace.handle import ROOT
from nbgrad.trace.trie import BOOL, FLOAT, NONE, TrieNode
from nbgrad.transform.vjp import vjp

OWN = -1
START = "number"  # in a view step: its start is the next of the value's numbers


# Operators whose kernels may refuse their input.
FAILING = frozenset(
    (
        "take",
        "wrap_index",
        "check_index",
        "scatter_add",
        "scatter_put",
        "floor_divide",
        "trunc_divide",
        "remainder",
        "fmod",
    )
)
MEMORY_LIMIT = 64 << 20  # temporaries of a first run lie side by side; beyond this they are worth planning


class Unsupported(Exception):
    """This structure needs its graph."""


class Form(NamedTuple):
    """What a value looks like: a base (a Spec in memory, or a constant) seen through view steps (op, params, start)."""

    base: Any
    chain: tuple[tuple[str, tuple[Any, ...], Any], ...]


class Value(NamedTuple):
    """A value of this chapter: its form, the slot of its base (-1 for a constant), and where in the chapter's list of
    numbers the starts of its steps stand."""

    form: Form
    slot: int
    starts: tuple[int, ...]


class Result(NamedTuple):
    """Where a stamp's result is: output ``output`` or (if -1) input ``input`` (-1 too: a constant), in ``form``.

    ``numbers`` are positions among the stamp's numbers that the form's steps start at.
    """

    form: Form
    output: int
    input: int
    numbers: tuple[int, ...]


class Rule(NamedTuple):
    """A call on operands of given forms: how to compute it and what it gives."""

    stamp: Stamp | None  # None: nothing to compute, the result is an operand seen otherwise
    outputs: tuple[Spec, ...]
    results: tuple[Result | None, ...]
    spec: Spec
    is_view: bool
    is_same: bool  # the result is operand 0 itself
    can_fail: bool  # a kernel of it may refuse its input: the user's line is needed


class _Graph:
    """A small graph under construction: inputs and numbers get positions as they are made."""

    def __init__(self) -> None:
        self.n_inputs = 0
        self.n_numbers = 0

    def value(self, form: Form) -> Node:
        """The node of a value of ``form`` at the next input position."""
        base = form.base
        node = input_node(self.n_inputs, base) if isinstance(base, Spec) else const(base[0], by_name(base[1]))
        self.n_inputs += 1
        for name, params, start in form.chain:
            if name != "slice":
                node = apply(name, node, params=params)
            else:
                at = self.number(dtypes.int64) if start is START else const(start, dtypes.int64)
                node = apply(name, node, at, params=params)
        return node

    def number(self, dtype: Any) -> Node:
        node = scalar_node(self.n_numbers, dtype)
        self.n_numbers += 1
        return node


def _describe(node: Node, outputs: list[Node]) -> Result:
    """How a result is reached: a computed node becomes an output of the stamp."""
    chain: list[tuple[str, tuple[Any, ...], Any]] = []
    numbers: list[int] = []
    while node.op.kind is Kind.VIEW or node.op.name in ("stop", "graft"):
        if node.op.name == "slice":
            start = node.inputs[1]
            if start.op.name == "const":
                chain.append(("slice", node.params, int(start.params[0])))
            elif start.op.name == "scalar":
                chain.append(("slice", node.params, START))
                numbers.append(start.params[0])
            else:
                raise Unsupported("a slice starts at a computed number")
        elif node.op.kind is Kind.VIEW:
            chain.append((node.op.name, node.params, None))
        node = node.inputs[1] if node.op.name == "graft" else node.inputs[0]
    steps, starts = tuple(reversed(chain)), tuple(reversed(numbers))
    if node.op.name == "input":
        return Result(Form(node.spec, steps), -1, node.params[0], starts)
    if node.op.name == "const":
        value, dtype = node.params
        return Result(Form((value, dtype.name), steps), -1, -1, starts)
    if node not in outputs:
        outputs.append(node)
    return Result(Form(node.spec, steps), outputs.index(node), -1, starts)


RULES_KEPT = 20_000
_forward: dict[Any, Rule] = {}
_backward: dict[Any, Rule] = {}


def _forward_rule(key: Any) -> Rule:
    """The rule for (call, statics, forms and type marks of the operands, which of them are the same entry)."""
    rule = _forward.get(key)
    if rule is None:
        if len(_forward) > RULES_KEPT:
            _forward.clear()
        rule = _forward[key] = _make_forward(*key)
    return rule


def _call_node(graph: _Graph, call: Call, statics: Any, operands: Any, same: Any) -> tuple[Node, list[Node | None]]:
    nodes: list[Node | None] = []
    for i, operand in enumerate(operands):
        if isinstance(operand, Form):
            nodes.append(graph.value(operand) if same[i] == i else nodes[same[i]])
        elif operand == NONE:
            nodes.append(None)
        else:
            number = graph.number(dtypes.float64 if operand == FLOAT else dtypes.int64)
            nodes.append(cast_to(number, dtypes.bool_) if operand == BOOL else number)
    named = dict(zip(call.statics, statics, strict=True)) if statics else {}
    if call.variadic:
        return call.build(tuple(nodes), **named), nodes
    return call.build(**dict(zip(call.operands, nodes, strict=False)), **named), nodes


def _make_forward(call: Call, statics: Any, operands: Any, same: Any) -> Rule:
    node, nodes = _call_node(_Graph(), call, statics, operands, same)
    outputs: list[Node] = []
    result = _describe(node, outputs)
    first = nodes[0] if nodes else None
    is_view = isinstance(operands[0], Form) and is_view_of(node, first) if first is not None else False
    stamp = Stamp(outputs) if outputs else None
    can_fail = any(x.op.name in FAILING for x in toposort([node]))
    return Rule(stamp, tuple([x.spec for x in outputs]), (result,), node.spec, is_view, node is first, can_fail)


def _make_backward(
    call: Call, statics: Any, operands: Any, same: Any, needed: Any, g_form: Form, before_forms: Any
) -> Rule:
    """The cotangents of the operands ``needed`` given that of the result, added to what they have already."""
    graph = _Graph()
    node, nodes = _call_node(graph, call, statics, operands, same)
    computed: list[Node] = []
    _describe(node, computed)
    y = input_node(graph.n_inputs, computed[0].spec) if computed else None
    graph.n_inputs += 1
    g = graph.value(g_form)
    before = {}
    for i, form in zip(needed, before_forms, strict=True):
        if form is None:
            graph.n_inputs += 1
        else:
            before[_node(nodes, i)] = graph.value(form)
    wanted = [_node(nodes, i) for i in needed]
    stops = {x for i, x in enumerate(nodes) if x is not None and i == same[i] and i not in needed}
    grads = vjp([node], [g], wanted, stops=stops - set(wanted), before=before)
    if y is not None:
        grads = _replaced(grads, computed[0], y)
    outputs: list[Node] = []
    results = tuple([None if x is None else _describe(x, outputs) for x in grads])
    stamp = Stamp(outputs) if outputs else None
    return Rule(stamp, tuple([x.spec for x in outputs]), results, node.spec, False, False, False)


def _node(nodes: Sequence[Node | None], i: int) -> Node:
    node = nodes[i]
    assert node is not None
    return node


def _replaced(roots: Sequence[Node | None], old: Node, new: Node) -> list[Node | None]:
    found = iter(substitute([x for x in roots if x is not None], {old: new}))
    return [None if x is None else next(found) for x in roots]


class Sight:
    """A chapter on its way to being run at first sight, grown entry by entry like a Builder.

    ``values[ix]`` is the value of entry ``ix``; ``owner[ix]`` the entry whose cotangent it shares (itself, unless a call
    gave its operand back). ``code`` are the stamps so far, ``specs[slot]`` what each slot holds. ``visited`` entries
    were differentiated and freed.
    """

    def __init__(self) -> None:
        self.at = ROOT
        self.entries: list[TrieNode] = []
        self.values: list[Value | None] = []
        self.owner: list[int] = []
        self.calls: dict[int, tuple[Any, list[int], list[int]]] = {}
        self.code: list[Pasted] = []
        self.specs: list[Spec] = []
        self.input_slots: list[int] = []
        self.results: dict[int, list[Value | None]] = {}
        self.visited: set[int] = set()
        self.grad_enabled = True
        self.n_numbers = 0

    def sync(self, node: TrieNode) -> None:
        """Take in everything on the path up to ``node``."""
        if node is self.at:
            return
        path = []
        while node is not self.at:
            path.append(node)
            assert node.parent is not None
            node = node.parent
        for entry in reversed(path):
            self.step(entry)

    def step(self, entry: TrieNode) -> bool:
        """Take in one entry and write down its spec and flags. Whether a kernel of it may refuse its input."""
        record = entry.record
        kind = record[0]
        self.owner.append(entry.ix)
        value: Value | None = None
        can_fail = False
        if kind == "call":
            value, can_fail = self._call(entry, record)
        elif kind == "leaf":
            value = self._leaf(entry, record[1])
        elif kind == "mode":
            self.grad_enabled = record[1]
        elif kind == "grad":
            entry.meta = self._grad(entry, record[1])
        elif kind == "out":
            value = self.results[record[1]][record[2]]
        elif kind == "stop":
            value = self.values[record[1]]
        elif kind == "graft":
            value = self.values[record[2]]
            entry.requires_grad, entry.leaf = True, record[3]
        else:
            raise Unsupported(kind)
        self.values.append(value)
        self.entries.append(entry)
        self.at = entry
        if value is not None and entry.spec is None:
            entry.spec = _Graph().value(value.form).spec
        return can_fail

    def new_slot(self, spec: Spec) -> int:
        self.specs.append(spec)
        return len(self.specs) - 1

    def _leaf(self, entry: TrieNode, leaf: Any) -> Value:
        slot = self.new_slot(leaf.spec)
        self.input_slots.append(slot)
        if leaf.requires_grad:
            entry.requires_grad = True
            entry.leaf = entry.ix
        return Value(Form(leaf.spec, ()), slot, ())

    def _call(self, entry: TrieNode, record: Any) -> tuple[Value, bool]:
        _, call, refs, statics = record
        found = self.calls[entry.ix] = self._operands(call, refs, statics)
        key, inputs, numbers = found
        rule = _forward_rule(key)
        entry.spec = rule.spec
        entry.view = rule.is_view
        entries = self.entries
        entry.requires_grad = (
            self.grad_enabled
            and rule.spec.dtype.is_floating_point
            and any(r >= 0 and entries[r].requires_grad for r in refs)
        )
        if rule.is_same and entry.requires_grad == entries[refs[0]].requires_grad:
            self.owner[entry.ix] = self.owner[refs[0]]
        elif rule.is_same and entry.requires_grad:
            raise Unsupported("a value with and without gradient")
        result = rule.results[0]
        assert result is not None
        return self._located(result, self._paste(rule, inputs, numbers), inputs, numbers), rule.can_fail

    def _operands(self, call: Call, refs: tuple[int, ...], statics: Any) -> tuple[Any, list[int], list[int]]:
        """(key of the rule, input slots, places of the numbers) of a call's operands."""
        forms: list[Any] = []
        inputs: list[int] = []
        numbers: list[int] = []
        same: list[int] = []
        first: dict[int, int] = {}
        for i, ref in enumerate(refs):
            if ref >= 0:
                value = self.values[ref]
                assert value is not None
                forms.append(value.form)
                at = first.setdefault(self.owner[ref], i)
                same.append(at)
                if at == i:
                    inputs.append(value.slot)
                    numbers += value.starts
            else:
                forms.append(ref)
                same.append(i)
                if ref != NONE:
                    numbers.append(self.n_numbers)
                    self.n_numbers += 1
        return (call, statics, tuple(forms), tuple(same)), inputs, numbers

    def _paste(self, rule: Rule, inputs: list[int], numbers: list[int]) -> list[int]:
        if rule.stamp is None:
            return []
        slots = [self.new_slot(spec) for spec in rule.outputs]
        self.code.append(Pasted(rule.stamp, inputs, slots, numbers))
        return slots

    def _located(self, result: Result, slots: list[int], inputs: list[int], numbers: list[int]) -> Value:
        if result.output >= 0:
            slot = slots[result.output]
        else:
            slot = inputs[result.input] if result.input >= 0 else -1
        return Value(result.form, slot, tuple([numbers[p] for p in result.numbers]) if result.numbers else ())

    def stored(self, value: Value) -> int:
        """The slot that holds ``value`` row-major: its own, or that of a copy."""
        if value.slot >= 0 and not value.form.chain:
            return value.slot
        key = (CALLS["clone"], (), (value.form,), (0,))
        return self._paste(_forward_rule(key), [value.slot], list(value.starts))[0]

    # --- derivatives

    def _grad(self, entry: TrieNode, request: Request) -> GradMeta:
        """Cotangents of all leaves, entry by entry backwards."""
        if (
            request.wrt is not None
            or request.function is not None
            or request.kept
            or request.create_graph
            or self.visited
        ):
            raise Unsupported("derivatives other than a first backward")
        cotangents: dict[int, Value] = {}
        for out, seed in zip(request.outputs, request.seeds, strict=True):
            spec, owner = self.entries[out].spec, self.owner[out]
            assert spec is not None
            g = self.values[seed] if seed >= 0 else Value(_ones(spec), -1, ())
            if owner in cotangents or g is None:
                raise Unsupported("one output twice")
            cotangents[owner] = g
        leaves: list[int] = []
        for ix in range(max(cotangents), -1, -1):
            here = self.entries[ix]
            if ix not in cotangents or not here.requires_grad:
                continue
            kind = here.record[0]
            if kind == "leaf":
                leaves.append(ix)
            elif kind == "call":
                self._pull_back(here, cotangents)
            elif kind == "graft" and self.owner[here.record[1]] not in cotangents:
                cotangents[self.owner[here.record[1]]] = cotangents[ix]
            else:
                raise Unsupported("a written value with several uses")
            if not request.retain_graph:
                self.visited.add(ix)
        leaves.reverse()
        self.results[entry.ix] = [cotangents[ix] for ix in leaves]
        return GradMeta(tuple([(OWN, ix) for ix in leaves]), (True,) * len(leaves), ())

    def _pull_back(self, entry: TrieNode, cotangents: dict[int, Value]) -> None:
        _, call, refs, statics = entry.record
        value, g = self.values[entry.ix], cotangents[entry.ix]
        assert value is not None
        (_, _, forms, same), inputs, numbers = self.calls[entry.ix]
        entries, owner = self.entries, self.owner
        needed = tuple([i for i, r in enumerate(refs) if r >= 0 and same[i] == i and entries[r].requires_grad])
        owners = [owner[refs[i]] for i in needed]
        before = [cotangents.get(o) for o in owners]
        key = (call, statics, forms, same, needed, g.form, tuple([None if b is None else b.form for b in before]))
        rule = _backward.get(key)
        if rule is None:
            if len(_backward) > RULES_KEPT:
                _backward.clear()
            rule = _backward[key] = _make_backward(*key)
        inputs = [*inputs, value.slot, g.slot, *[-1 if b is None else b.slot for b in before]]
        numbers = [*numbers, *g.starts]
        for b in before:
            if b is not None:
                numbers += b.starts
        slots = self._paste(rule, inputs, numbers)
        for o, result in zip(owners, rule.results, strict=True):
            if result is not None:
                cotangents[o] = self._located(result, slots, inputs, numbers)


def _ones(spec: Spec) -> Form:
    return Form((1, spec.dtype.name), (("expand", (spec.shape,), None),) if spec.shape else ())


# Stands in a trace whose chapter is beyond what this file knows.
NO_SIGHT = Sight()


def first_sight_allowed() -> bool:
    """Whether structures may run without their graph: not where somebody wants to see or check every stage."""
    s = settings
    return not (s.log or s.check or s.interpret or s.compile == "eager")
