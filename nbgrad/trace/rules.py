"""What a call on operands of given forms comes to: a stamp, and where its result lies. So with its derivative.

A *form* says how a value looks (its base in memory and the views over it) without saying where it is. Rules are found
by the call, its static arguments and the forms of its operands; making one builds and lowers a graph of that call
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.calls.base import Call
from nbgrad.graph import dtypes
from nbgrad.graph.dtypes import by_name
from nbgrad.graph.node import Node, apply, const, substitute, toposort
from nbgrad.graph.op import Kind
from nbgrad.graph.spec import Spec
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import input_node, scalar_node
from nbgrad.runtime.stamp import Stamp
from nbgrad.trace.builder import is_view_of
from nbgrad.trace.trie import BOOL, FLOAT, NONE
from nbgrad.transform.vjp import vjp

START = "number"  # in a view step: its start is the next of the value's numbers
RULES_KEPT = 20_000

# Operators whose kernels may refuse their input.
FAILING = frozenset(
    (
        "check_index",
        "floor_divide",
        "fmod",
        "remainder",
        "scatter_add",
        "scatter_put",
        "take",
        "trunc_divide",
        "wrap_index",
    )
)


class Unsupported(Exception):
    """This structure needs its graph."""


class Form:
    """How a value looks: a base (a Spec in memory, or a constant's (value, dtype name)) seen through view steps.

    A step is (op, params, start). Interned, so that keys made of forms are hashed by identity.
    """

    __slots__ = ("base", "chain")

    def __init__(self, base: Any, chain: tuple[tuple[str, tuple[Any, ...], Any], ...]) -> None:
        self.base = base
        self.chain = chain


_forms: dict[Any, Form] = {}


def form_of(base: Any, chain: tuple[tuple[str, tuple[Any, ...], Any], ...] = ()) -> Form:
    """The one Form of this base and chain."""
    key = (base, chain)
    found = _forms.get(key)
    if found is None:
        found = _forms.setdefault(key, Form(base, chain))
    return found


class Result:
    """Where a result is: output ``output`` of the stamp, or (if -1) its input ``input`` (-1: a constant), in ``form``.

    ``numbers`` are positions among the stamp's numbers that the form's steps start at.
    """

    __slots__ = ("form", "input", "numbers", "output")

    def __init__(self, form: Form, output: int, input: int, numbers: tuple[int, ...]) -> None:
        self.form, self.output, self.input, self.numbers = form, output, input, numbers


class Rule:
    """A call on operands of given forms: how to compute it and what it gives.

    ``stamp`` is None where the result is an operand seen otherwise. ``is_same``: the result is operand 0 itself.
    ``can_fail``: a kernel of it may refuse its input, so the user's line is needed. ``call``: what a derivative is
    made of.
    """

    __slots__ = ("call", "can_fail", "is_floating", "is_same", "is_view", "outputs", "results", "spec", "stamp")

    def __init__(self, outputs: Sequence[Node], results: Any, spec: Spec, n_inputs: int) -> None:
        self.stamp = Stamp(outputs, n_inputs) if outputs else None
        self.outputs = tuple([x.spec for x in outputs])
        self.results = results
        self.spec = spec
        self.is_floating = spec.dtype.is_floating_point
        self.is_view = self.is_same = self.can_fail = False
        self.call: Any = None


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


def spec_of(form: Form) -> Spec:
    """The Spec of a value of ``form``."""
    return _Graph().value(form).spec if form.chain or not isinstance(form.base, Spec) else form.base


def ones_form(spec: Spec) -> Form:
    """Ones of ``spec``: a constant that every element reads."""
    return form_of((1, spec.dtype.name), (("expand", (spec.shape,), None),) if spec.shape else ())


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
        return Result(form_of(node.spec, steps), -1, node.params[0], starts)
    if node.op.name == "const":
        value, dtype = node.params
        return Result(form_of((value, dtype.name), steps), -1, -1, starts)
    if node not in outputs:
        outputs.append(node)
    return Result(form_of(node.spec, steps), outputs.index(node), -1, starts)


_forward: dict[Any, Rule] = {}
_backward: dict[Any, Rule] = {}


def forward_rule(key: Any) -> Rule:
    """The rule for (call, statics, forms and type marks of the operands, which operands are the same or None)."""
    rule = _forward.get(key)
    if rule is None:
        if len(_forward) > RULES_KEPT:
            _forward.clear()
        rule = _forward[key] = _make_forward(*key)
    return rule


def backward_rule(rule: Rule, needed: tuple[int, ...], g: Form, before: tuple[Form | None, ...]) -> Rule:
    """Cotangents of the operands ``needed`` of a call, given that of its result, added to those ``before``.

    Inputs of its stamp: the operands, the result, the cotangent, then one per needed operand.
    """
    key = (rule, needed, g, before)
    found = _backward.get(key)
    if found is None:
        if len(_backward) > RULES_KEPT:
            _backward.clear()
        found = _backward[key] = _make_backward(rule.call, needed, g, before)
    return found


def _call_node(graph: _Graph, call: Call, statics: Any, operands: Any, same: Any) -> tuple[Node, list[Node | None]]:
    nodes: list[Node | None] = []
    for i, operand in enumerate(operands):
        if isinstance(operand, Form):
            nodes.append(graph.value(operand) if same is None or same[i] == i else nodes[same[i]])
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
    graph = _Graph()
    node, nodes = _call_node(graph, call, statics, operands, same)
    outputs: list[Node] = []
    result = _describe(node, outputs)
    rule = Rule(outputs, (result,), node.spec, graph.n_inputs)
    first = nodes[0] if nodes and isinstance(operands[0], Form) else None
    rule.is_same = node is first
    rule.is_view = first is not None and is_view_of(node, first)
    rule.can_fail = any(x.op.name in FAILING for x in toposort([node]))
    rule.call = (call, statics, operands, same)
    return rule


def _make_backward(called: Any, needed: tuple[int, ...], g_form: Form, before_forms: tuple[Form | None, ...]) -> Rule:
    call, statics, operands, same = called
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
    stops = {x for x in nodes if x is not None} - set(wanted)
    grads = vjp([node], [g], wanted, stops=stops, before=before)
    if y is not None:
        found = iter(substitute([x for x in grads if x is not None], {computed[0]: y}))
        grads = [None if x is None else next(found) for x in grads]
    outputs: list[Node] = []
    results = tuple([None if x is None else _describe(x, outputs) for x in grads])
    return Rule(outputs, results, node.spec, graph.n_inputs)


def _node(nodes: Sequence[Node | None], i: int) -> Node:
    node = nodes[i]
    assert node is not None
    return node
