"""A function of numbers, as Numba has typed it, as a graph: branches are choices, loops are ``loop`` (ops/loop.py).

Both ways of a branch are computed, under masks that say which lanes go there.

A scalar function of the user's is a graph of basic operators (`numba/scalar.py`, its expressions in
`numba/scalar_values.py`), read from Numba's typed IR, whose statements know their lines. Branches are choices between
both ways, whose operands are 1 in lanes that do not go there, so all passes, derivatives and GPUs know them. A loop is
one operator, `loop` (`ops/loop.py`): its body is a text of statements in the params, run under a mask until no lane
goes on, and its derivative is a loop with tangents beside the state (forward mode, from the same rules: of one element
the pullback of a tangent is its product with the derivative). Numba's LLVM text would know neither lines nor operators,
and needs a reader of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numba
from numba import types

from nbgrad.errors import DTypeError
from nbgrad.graph.dtypes import ALL, DType, bool_, float32, promote
from nbgrad.graph.node import Node, apply, const
from nbgrad.kernels.numba_target import REFUSALS, TypedFunction, numba_ir, said_by, typed_function
from nbgrad.numba.masks import ALWAYS, Mask, shared, union
from nbgrad.numba.scalar_values import Value, Values, Variables, refused
from nbgrad.ops.compare import cast_to
from nbgrad.ops.loop import unknown, written

_INTEGERS = {getattr(types, dtype.name): dtype for dtype in ALL if dtype.kind in "iu"}

Numbers = Mapping[tuple[Callable[..., Any], str], Node]


class _Edge(NamedTuple):
    """A way between basic blocks: who goes it, with what."""

    mask: Mask
    variables: Variables


Edges = dict[tuple[int, int], _Edge]


def lowered(function: Callable[..., Any], kinds: Sequence[DType], dtype: DType, numbers: Numbers) -> _Lowered:
    """What ``function`` computes of numbers of these dtypes, where floats are of ``dtype``. ``numbers`` stand for
    numbers that it and its callees find outside of them."""
    given = [unknown(kind) for kind in kinds]
    result = _Scalar(dtype, numbers, ()).run(function, given, ALWAYS, None)
    results = result if isinstance(result, tuple) else (result,)
    if not results or not all(isinstance(y, Node) for y in results):
        raise refused(f"{function.__name__}() must give a number or a tuple of numbers", function)
    return _Lowered(given, list(results), isinstance(result, tuple))


class _Lowered(NamedTuple):
    given: list[Node]
    results: list[Node]
    is_tuple: bool


class _Scalar:
    """A function and its callees; ``outside`` are those that call it."""

    def __init__(self, dtype: DType, numbers: Numbers, outside: tuple[Callable[..., Any], ...]) -> None:
        self.dtype, self.numbers, self.outside = dtype, numbers, outside

    def run(
        self, function: Callable[..., Any], args: Sequence[Value], mask: Mask, location: Any, depth: int = 0
    ) -> Value:
        """Its result in the lanes of ``mask``, inside of ``depth`` loops."""
        if function in self.outside:
            raise refused(f"{function.__name__}() calls itself", location)
        try:
            typed = typed_function(function, [self.type_of(x, location or function) for x in args])
        except REFUSALS as error:
            place = getattr(error, "loc", None)
            why = said_by(error, with_places=False)
            if "Untyped global name" in why:
                why += ". What it calls must be @numba.njit functions"
            raise refused(f"Numba cannot compile it: {why}", place or function, DTypeError) from error
        inner = _Scalar(self.dtype, self.numbers, (*self.outside, function))
        return _Frame(inner, function, typed, args, depth).run(mask)

    def type_of(self, x: Value, place: Any) -> Any:
        """Numba's type of a value."""
        if isinstance(x, tuple):
            return types.Tuple([self.type_of(one, place) for one in x])
        if not isinstance(x, Node):
            try:
                return numba.typeof(x)
            except ValueError:
                raise refused(f"{x!r} is no argument for a function of numbers", place) from None
        dtype = x.spec.dtype
        return types.boolean if dtype is bool_ else getattr(types, "float64" if dtype is self.dtype else dtype.name)

    def dtype_of(self, kind: Any) -> DType | None:
        """The dtype that is computed with for a type of Numba's; None where it is no number."""
        kind = types.unliteral(kind)
        kind = kind.dtype if isinstance(kind, types.IntEnumMember) else kind
        if isinstance(kind, types.Float) and kind.bitwidth >= 32:
            return float32 if kind.bitwidth == 32 else self.dtype
        return bool_ if isinstance(kind, types.Boolean) else _INTEGERS.get(kind)


class _Frame(Values):
    """One run through a function: blocks in order, each under its mask."""

    def __init__(
        self, scalar: _Scalar, function: Callable[..., Any], typed: TypedFunction, args: Sequence[Value], depth: int
    ) -> None:
        blocks, kinds, loops, location = typed
        super().__init__(scalar, function, args, kinds, depth)
        self.blocks, self.loops, self.location = blocks, loops, location
        self.returned: list[tuple[Mask, Value]] = []

    def run(self, mask: Mask) -> Value:
        self.region(frozenset(self.blocks), next(iter(self.blocks)), _Edge(mask, {}))
        if not self.returned:
            raise refused(f"{self.function.__name__}() never returns", self.function)
        return self.choice(self.returned)

    def region(self, labels: frozenset[int], entry: int, start: _Edge) -> Edges:
        """Run blocks without the ways back to ``entry``; gives the ways that lead there, and out."""
        edges: Edges = {}
        done: set[int] = set()
        for label in self.blocks:
            if label not in labels or label in done:
                continue
            incoming = {way: edge for way, edge in edges.items() if way[1] == label}
            here = start if label == entry else self.meeting(incoming) if incoming else None
            if here is None:  # nobody comes
                continue
            loop = self.loops.get(label)
            if loop is not None and label != entry:
                done |= loop
                edges |= self.loop(label, loop, incoming, here)
            else:
                edges |= self.block(label, incoming, here)
        return {way: edge for way, edge in edges.items() if way[1] not in labels or way[1] == entry}

    def meeting(self, incoming: Edges) -> _Edge:
        edges = list(incoming.values())
        names = dict.fromkeys([name for edge in edges for name in edge.variables])
        found = {}
        for name in names:
            pairs = [(edge.mask, edge.variables[name]) for edge in edges if name in edge.variables]
            found[name] = self.choice(pairs) if name in self.iterators else pairs[0][1]
        return _Edge(union([edge.mask for edge in edges]), found)

    def choice(self, pairs: Sequence[tuple[Mask, Value]]) -> Value:
        """The value that belongs to the mask in which a lane is."""
        first = pairs[0][1]
        if all(value is first for _, value in pairs):
            return first
        if all(isinstance(value, tuple) and type(value) is type(first) for _, value in pairs):
            parts = zip(*[value for _, value in pairs], strict=True)
            masks = [mask for mask, _ in pairs]
            found = [self.choice(list(zip(masks, part, strict=True))) for part in parts]
            return tuple(found) if type(first) is tuple else type(first)(*found)
        if not all(isinstance(value, Node) for _, value in pairs):
            self.refuse("it depends on a condition which object this is")
        dtype = functools.reduce(promote, [value.spec.dtype for _, value in pairs])
        start = len(shared([mask for mask, _ in pairs]))
        chosen = cast_to(pairs[-1][1], dtype)
        for mask, value in reversed(pairs[:-1]):
            condition = self.node_of(mask[start:])
            other = cast_to(value, dtype)
            chosen = other if condition is None or other is chosen else apply("where", condition, other, chosen)
        return chosen

    def block(self, label: int, incoming: Edges, here: _Edge) -> Edges:
        self.mask, variables = here.mask, dict(here.variables)
        for stmt in self.blocks[label].body:
            self.location = stmt.loc
            if isinstance(stmt, numba_ir.Assign):
                name = stmt.target.name
                if isinstance(stmt.value, numba_ir.Expr) and stmt.value.op == "phi":
                    if name not in variables:
                        ways = [(edge, way[0]) for way, edge in incoming.items()]
                        variables[name] = self.as_typed(self.met(stmt.value, ways), name)
                else:
                    variables[name] = self.as_typed(self.value(stmt.value, name, variables), name)
            elif isinstance(stmt, numba_ir.Jump):
                return {(label, stmt.target): _Edge(self.mask, variables)}
            elif isinstance(stmt, numba_ir.Branch):
                return self.branch(label, stmt, variables)
            elif isinstance(stmt, numba_ir.Return):
                self.returned.append((self.mask, variables[stmt.value.name]))
                return {}
            elif isinstance(stmt, (numba_ir.Raise, numba_ir.StaticRaise)):
                self.refuse("a function of elements cannot raise")
            elif not isinstance(stmt, numba_ir.Del):
                self.refuse("this is not possible in a function of numbers")
        return {}

    def met(self, phi: Any, ways: Sequence[tuple[_Edge, int]]) -> Value:
        """What a variable is where ways meet, each with the block that it comes from; None where it is nothing yet."""
        source = dict(zip(phi.incoming_blocks, phi.incoming_values, strict=True))
        pairs = []
        for edge, label in ways:
            variable = source.get(label)
            if isinstance(variable, numba_ir.Var) and variable.name in edge.variables:
                pairs.append((edge.mask, edge.variables[variable.name]))
        return self.choice(pairs) if pairs else None

    def branch(self, label: int, stmt: Any, variables: Variables) -> Edges:
        condition = self.truth(variables[stmt.cond.name])
        if condition.op.name == "const" or stmt.truebr == stmt.falsebr:
            target = stmt.truebr if condition.op.name != "const" or condition.params[0] else stmt.falsebr
            return {(label, target): _Edge(self.mask, variables)}
        return {
            (label, target): _Edge((*self.mask, (condition, answer)), variables)
            for target, answer in ((stmt.truebr, True), (stmt.falsebr, False))
        }

    def loop(self, header: int, labels: frozenset[int], incoming: Edges, here: _Edge) -> Edges:
        """A loop as one operator: its state is what changes in it, and what is read of it afterwards."""
        inside: dict[Node, Node] = {}  # what stands in the body for a node outside

        def stand_in(x: Node) -> Node:
            return x if x.op.name == "const" else inside.setdefault(x, unknown(x.spec.dtype))

        body = {name: _mapped(x, stand_in) for name, x in here.variables.items()}
        state: dict[str, Node] = {}
        starts: dict[str, Any] = {}  # None: not known yet
        nexts: dict[str, Any] = {}
        for stmt in self.blocks[header].body:
            if isinstance(stmt, numba_ir.Assign) and isinstance(stmt.value, numba_ir.Expr) and stmt.value.op == "phi":
                self.location, name = stmt.loc, stmt.target.name
                start = self.as_typed(self.met(stmt.value, [(e, way[0]) for way, e in incoming.items()]), name)
                if isinstance(start, Node) or (start is None and self.dtype_of(name) is not None):
                    starts[name], nexts[name] = start, stmt.value
                else:
                    body[name] = _mapped(start, stand_in)
        starts |= {name: x for name, x in here.variables.items() if name in self.iterators}
        starts |= {name: None for name in self.read_after(labels) if name not in starts and self.dtype_of(name)}
        for name, start in starts.items():
            if start is None:
                dtype = self.dtype_of(name)
                assert dtype is not None
                start = starts[name] = const(dtype.numpy.type(0).item(), dtype)
            state[name] = unknown(start.spec.dtype)
            if name in nexts or name in self.iterators:
                body[name] = state[name]
        self.depth += 1
        ways = self.region(labels, header, _Edge(ALWAYS, body))
        self.depth -= 1
        back = [(edge, way[0]) for way, edge in ways.items() if way[1] == header]
        exits = {way: edge for way, edge in ways.items() if way[1] != header}
        if not exits:
            self.refuse("this loop does not end")
        following = {}
        for name, x in state.items():
            pairs = [(edge.mask, edge.variables.get(name, x)) for edge in exits.values()]
            if name in nexts:
                pairs += [(edge.mask, self.as_typed(self.met(nexts[name], [(edge, way)]), name)) for edge, way in back]
                pairs = [(mask, x if new is None else new) for mask, new in pairs]
            else:
                pairs += [(edge.mask, edge.variables.get(name, x)) for edge, _ in back]
            following[name] = cast_to(self.choice(pairs), x.spec.dtype)
        taken = [f"exit {k}" for k in range(len(exits) - 1)]
        for name, edge in zip(taken, exits.values(), strict=False):
            starts[name], state[name] = const(False, bool_), unknown(bool_)
            following[name] = self.node_of(edge.mask) or const(True, bool_)
        outside = {x: node for node, x in inside.items()}
        for name in [name for name, x in following.items() if x is state[name]]:  # it stays as it is
            outside[state.pop(name)] = starts[name]
            del following[name]
        going = self.node_of(union([edge.mask for edge, _ in back])) if back else const(False, bool_)
        text, fixed = written([*state.values()], const(True, bool_) if going is None else going, [*following.values()])
        given = [starts[name] for name in state] + [outside.get(x, x) for x in fixed]
        begin = self.node_of(here.mask) or const(True, bool_)
        results = {name: apply("loop", begin, *given, params=(text, k)) for k, name in enumerate(state)}
        after = {**here.variables, **{name: starts[name] for name in starts if name not in taken}, **results}
        masks, mask = [], here.mask
        for name in taken:
            flag = after.pop(name, None)
            masks.append((*mask, (flag, True)) if flag is not None else mask)
            mask = (*mask, (flag, False)) if flag is not None else mask
        return {way: _Edge(m, after) for way, m in zip(exits, [*masks, mask], strict=True)}

    def read_after(self, labels: frozenset[int]) -> list[str]:
        """The variables of a loop that blocks outside of it read."""
        made = [s.target.name for label in labels for s in self.blocks[label].body if isinstance(s, numba_ir.Assign)]
        read = {
            v.name for label, b in self.blocks.items() if label not in labels for s in b.body for v in s.list_vars()
        }
        return sorted(read.intersection(made))


def _mapped(x: Value, change: Callable[[Node], Node]) -> Value:
    """``x`` with other nodes in it."""
    if isinstance(x, Node):
        return change(x)
    if isinstance(x, tuple):
        parts = [_mapped(part, change) for part in x]
        return tuple(parts) if type(x) is tuple else type(x)(*parts)
    return x
