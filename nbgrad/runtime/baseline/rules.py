"""What a call on operands of given forms comes to: a template, and where its result lies. So with its derivative.

A *form* says how a value looks (its base in memory and the views over it) without saying where it is. Rules are found
by the call, its static arguments and the forms of its operands; making one builds and lowers a graph of that call
alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from nbgrad.calls.base import CALLS_BY_NUMBER
from nbgrad.calls.key import COMPLEX, INT, NONE, number_node, split_key
from nbgrad.calls.transfer import TRANSFER
from nbgrad.graph import dtypes
from nbgrad.graph.dtypes import by_name
from nbgrad.graph.node import Node, apply, const, substitute, toposort
from nbgrad.graph.op import Kind
from nbgrad.graph.spec import Spec
from nbgrad.ops.put import is_view_of
from nbgrad.ops.source import input_node
from nbgrad.runtime.baseline.layout import MARKS, SAME
from nbgrad.runtime.baseline.program import Program, RuleTable
from nbgrad.runtime.buffers import Array
from nbgrad.runtime.template import Template
from nbgrad.system.collector import collector_paused
from nbgrad.transform.vjp import vjp

START = "number"  # in a view step: its start is the next of the value's numbers
RULES_KEPT = 3_000  # of 10 KB each

Steps = tuple[tuple[str, tuple[Any, ...], Any], ...]


COMPLEX_NUMBERS: Final = "complex numbers: canonicalize decides on them"


class Unsupported(Exception):
    """This structure needs its graph."""


@dataclass(slots=True, eq=False)
class Form:
    """How a value looks: a base (a Spec in memory, or a constant's (value, dtype name)) seen through view steps.

    A step is (op, params, start). ``is_plain``: it lies row-major in memory.
    """

    base: Any
    chain: Steps
    is_plain: bool = field(init=False)

    def __post_init__(self) -> None:
        self.is_plain = isinstance(self.base, Spec) and not self.chain


class Forms:
    """The forms that a book of rules met, by their ids, which are no others' in any book. Entries know theirs by it,
    also such as another thread took in with the book ``before``, or after, this one."""

    _ids_of_all = itertools.count()
    last_two: ClassVar[tuple[Forms, ...]] = ()

    def __init__(self) -> None:
        self.first = next(Forms._ids_of_all)
        self._all: dict[int, Form] = {}
        self._ids: dict[Any, int] = {}
        Forms.last_two = (*Forms.last_two[-1:], self)

    def __getitem__(self, form: int) -> Form:
        for forms in (self, *Forms.last_two):
            found = forms._all.get(form)
            if found is not None:
                return found
        raise Unsupported("a value that was taken in long ago")

    def id(self, base: Any, chain: Steps) -> int:
        """The id of the form of this base and chain."""
        if isinstance(base, Spec) and base.dtype.is_complex:
            raise Unsupported(COMPLEX_NUMBERS)
        key = (base if isinstance(base, Spec) else repr(base), chain)  # -0.0 == 0.0, and nan is not itself
        found = self._ids.get(key)
        if found is None:
            made = next(Forms._ids_of_all)
            self._all[made] = Form(base, chain)
            found = self._ids.setdefault(key, made)  # another thread may have been quicker
        return found


class Result(NamedTuple):
    """Where a result is: output ``output`` of the template, or (if -1) its input ``input`` (-1: a constant), in
    ``form``.

    ``numbers`` are positions among the template's numbers that the form's steps start at.
    """

    form: int
    output: int
    input: int
    numbers: tuple[int, ...]


@dataclass(slots=True, eq=False)
class Rule:
    """A call on operands of given forms: its ``number`` in the table, and what it gives (``form``, ``spec``).

    ``is_same``: the result is operand 0 itself. ``can_fail``: a kernel of it may refuse its input, so the user's line
    is needed. ``is_usual``: it is none of these, and no view; ``is_lazy_view``: it is a view and none of the others.
    ``n_scalars``: how many operands are numbers. ``key``: what a derivative is made of.
    """

    key: tuple[Any, ...]
    number: int
    form: int
    spec: Spec
    is_same: bool
    is_view: bool
    can_fail: bool
    is_usual: bool = field(init=False)
    is_lazy_view: bool = field(init=False)
    is_floating: bool = field(init=False)
    n_scalars: int = field(init=False)

    def __post_init__(self) -> None:
        self.is_usual = not (self.is_same or self.is_view or self.can_fail)
        self.is_lazy_view = self.is_view and not (self.is_same or self.can_fail)
        self.is_floating = self.spec.dtype.is_floating_point
        self.n_scalars = sum([MARKS <= operand < 0 for operand in split_key(self.key)[0]])


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
                at = self.number(INT) if start is START else const(start, dtypes.int64)
                node = apply(name, node, at, params=params)
        return node

    def number(self, mark: int) -> Node:
        if mark == COMPLEX:
            raise Unsupported(COMPLEX_NUMBERS)
        self.n_numbers += 1
        return number_node(self.n_numbers - 1, mark)


class RuleBook:
    """All rules made so far. All threads share it.

    Whoever adds to it holds the table's lock; each step leaves the book whole, whatever exception comes after it.
    """

    def __init__(self) -> None:
        self.table = RuleTable()
        self.forward: dict[tuple[Any, ...], Rule] = {}
        self._backward: dict[tuple[int, ...], Array] = {}
        self._rules: dict[int, Rule] = {}
        self._templates: list[Template] = []
        self._ones: dict[Spec, int] = {}
        self.programs: list[Program] = []  # that nobody uses now
        self.forms = Forms()

    def program(self) -> Program:
        """An empty program."""
        try:
            return self.programs.pop().reuse()
        except IndexError:
            return Program(self.table)

    def is_full(self) -> bool:
        return len(self.forward) + len(self._backward) > RULES_KEPT

    def form(self, base: Any, chain: Steps = ()) -> int:
        """The id of the form of this base and chain."""
        return self.forms.id(base, chain)

    def spec(self, form: int) -> Spec:
        """The Spec of values of a form."""
        found = self.forms[form]
        return found.base if found.is_plain else _Graph().value(found).spec

    def ones(self, spec: Spec) -> int:
        """The form of ones of ``spec``: a constant that every element reads."""
        found = self._ones.get(spec)
        if found is None:
            steps = (("expand", (spec.shape,), None),) if spec.shape else ()
            found = self._ones[spec] = self.form((1, spec.dtype.name), steps)
        return found

    def rule(self, key: tuple[Any, ...]) -> Rule:
        """The rule for (number of the call, operands..., static arguments if any). An operand is a form, the mark of a
        number, or SAME - place of the operand that it is once more."""
        found = self.forward.get(key)
        if found is None:
            with self.table.lock:
                found = self.forward.get(key) or self._make_forward(key)
        return found

    def _make_forward(self, key: tuple[Any, ...]) -> Rule:
        if key[0] == TRANSFER.number:
            raise Unsupported("a tensor that goes elsewhere")
        graph = _Graph()
        node, nodes = self._call_node(graph, key)
        if node.spec.dtype.is_complex:
            raise Unsupported(COMPLEX_NUMBERS)
        outputs: list[Node] = []
        result = self._describe(node, outputs)
        first = nodes[0] if nodes and key[1] >= 0 else None
        is_same = node is first
        is_view = node.op.kind is Kind.VIEW and first is not None and is_view_of(node, first)
        fails = any(x.op.can_fail and x.op.fails_on(x.spec.dtype) for x in toposort([node]))
        rule = Rule(key, self.table.reserve(), result.form, node.spec, is_same, is_view, fails)
        self._rules[rule.number] = rule

        def write() -> None:
            template = Template(outputs, graph.n_inputs) if outputs else None
            self.table.add(rule.number, self._words(template, graph, len(nodes), is_same, [result]))

        self.table.unwritten.append(write)
        self.forward[key] = rule  # the last: from here on it is used
        return rule

    def backward(self, key: Sequence[int]) -> Array:
        """A cell for the cotangents of a call's operands, given that of its result, added to those before.

        ``key``: number of the call's rule, form of the cotangent, then the place of each operand and the form of what
        is added to (-1: nothing). Inputs of its template: the call's, its result, the cotangent, one for each operand.
        """
        with self.table.lock:
            found = self._backward.get(tuple(key))
            if found is None:
                with collector_paused():
                    cell = np.concatenate([[len(key), *key], self._make_backward(*key)])
                found = np.ascontiguousarray(cell, np.int64)
                self.table.keep(found)
                self._backward[tuple(key)] = found
            return found

    def _call_node(self, graph: _Graph, key: tuple[Any, ...]) -> tuple[Node, list[Node | None]]:
        operands, statics = split_key(key)
        nodes: list[Node | None] = []
        for operand in operands:
            if operand >= 0:
                nodes.append(graph.value(self.forms[operand]))
            elif operand <= SAME:
                nodes.append(nodes[SAME - operand])
            elif operand == NONE:
                nodes.append(None)
            else:
                nodes.append(graph.number(operand))
        return CALLS_BY_NUMBER[key[0]].on(tuple(nodes), statics), nodes

    def _describe(self, node: Node, outputs: list[Node]) -> Result:
        """How a result is reached: a computed node becomes an output of the template."""
        chain: list[tuple[str, tuple[Any, ...], Any]] = []
        numbers: list[int] = []
        while node.op.kind is Kind.VIEW or node.op.name in ("detach", "rebase_history"):
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
            node = node.inputs[0] if node.op.kind is Kind.VIEW else node.inputs[-1]
        steps, starts = tuple(reversed(chain)), tuple(reversed(numbers))
        if node.op.name == "input":
            return Result(self.form(node.spec, steps), -1, node.params[0], starts)
        if node.op.name == "const":
            value, dtype = node.params
            return Result(self.form((value, dtype.name), steps), -1, -1, starts)
        if node not in outputs:
            outputs.append(node)
        return Result(self.form(node.spec, steps), outputs.index(node), -1, starts)

    def _make_backward(self, rule: int, g_form: int, *targets: int) -> Array:
        graph = _Graph()
        node, nodes = self._call_node(graph, self._rules[rule].key)
        computed: list[Node] = []
        self._describe(node, computed)
        y = input_node(graph.n_inputs, computed[0].spec) if computed else None
        graph.n_inputs += 1
        g = graph.value(self.forms[g_form])
        wanted, before = [], {}
        for place, form in zip(targets[::2], targets[1::2], strict=True):
            operand = nodes[place]
            assert operand is not None
            wanted.append(operand)
            if form < 0:
                graph.n_inputs += 1
            else:
                before[operand] = graph.value(self.forms[form])
        stops = {x for x in nodes if x is not None} - set(wanted)
        grads = vjp([node], [g], wanted, stops=stops, before=before)
        if y is not None:
            found = iter(substitute([x for x in grads if x is not None], {computed[0]: y}))
            grads = [None if x is None else next(found) for x in grads]
        outputs: list[Node] = []
        results = [None if x is None else self._describe(x, outputs) for x in grads]
        template = Template(outputs, graph.n_inputs) if outputs else None
        return self._words(template, graph, 0, False, results)

    def _words(
        self,
        template: Template | None,
        graph: _Graph,
        n_operands: int,
        is_same: bool,
        results: Sequence[Result | None],
    ) -> Array:
        """A rule as compiled code reads it, see runtime/baseline/layout.py."""
        address = 0
        if template is not None:
            self._templates.append(template)
            address = self.table.write(template)
        n_starts = sum([len(result.numbers) for result in results if result is not None])
        words = [address, n_operands, graph.n_numbers, n_starts, int(is_same)]
        for result in results:
            if result is None:
                words += (-1, -1, -1, 0)
            else:
                words += (result.form, result.output, result.input, len(result.numbers), *result.numbers)
        return np.array(words, np.int64)


_book = RuleBook()


def forget_rules() -> None:
    """Begin a new book."""
    global _book
    _book = RuleBook()


def rule_book() -> RuleBook:
    """The rules in use. A full book gives way to a new one; whoever still works with the old one keeps it."""
    if _book.is_full():
        forget_rules()
    return _book
