"""A function of numbers, as Numba has typed it, as a graph: branches are choices, loops are ``loop`` (ops/loop.py).

Both ways of a branch are computed, under masks that say which lanes go there. What an operation reads in lanes that are
not there is 1: so no derivative of it is NaN there, and no integer is divided by 0.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, NoReturn

import numba
from numba import types

from nbgrad.calls.base import CALLS
from nbgrad.errors import AT_LINE, DTypeError, DTypeNotImplementedError, described
from nbgrad.graph.dtypes import ALL, DType, bool_, float32, int64, promote
from nbgrad.graph.node import Node, apply, const
from nbgrad.kernels.numba_target import REFUSALS, TypedFunction, numba_ir, python_function, said_by, typed_function
from nbgrad.numba.masks import ALWAYS, Mask, node_of, shared, union
from nbgrad.numba.scalar_functions import (
    BINARY,
    COMPARISONS,
    CONVERSIONS,
    EXTREMES,
    FLOATING,
    INTEGERS,
    LINEAR,
    POWERS,
    SAME,
)
from nbgrad.ops.compare import cast_to
from nbgrad.ops.loop import unknown, written

_MOST_FACTORS = 64  # a power that is a product of at most this many
_DIVISIONS = ("floor_divide", "remainder")
_INTEGERS = {getattr(types, dtype.name): dtype for dtype in ALL if dtype.kind in "iu"}

Value = Any  # a node, a tuple of values, one of the records below, or what Python has under a name
Numbers = Mapping[tuple[Callable[..., Any], str], Node]
Variables = dict[str, Value]


class _Range(NamedTuple):
    start: Node
    stop: Node
    step: Node


class _Iterator(NamedTuple):
    """Of a range: ``name.at`` and ``name.left`` are variables."""

    name: str
    step: Node


class _Pair(NamedTuple):
    """What an iterator gives, and whether it does."""

    first: Node
    second: Node


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


def refused(what: str, place: Any, error: type[DTypeError] = DTypeNotImplementedError) -> DTypeError:
    """The error at ``place``, which is a location of Numba's or a function."""
    if isinstance(place, FunctionType):
        code = place.__code__
        return error(f"elementwise: {what}{AT_LINE}{described(code.co_filename, code.co_firstlineno)}")
    return error(f"elementwise: {what}{AT_LINE}{described(place.filename, place.line)}")


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
        if isinstance(kind, types.Float) and kind.bitwidth >= 32:
            return float32 if kind.bitwidth == 32 else self.dtype
        return bool_ if isinstance(kind, types.Boolean) else _INTEGERS.get(kind)


class _Frame:
    """One run through a function: blocks in order, each under its mask."""

    def __init__(
        self, scalar: _Scalar, function: Callable[..., Any], typed: TypedFunction, args: Sequence[Value], depth: int
    ) -> None:
        self.scalar, self.function, self.args = scalar, function, args
        self.depth = depth  # of loops: their derivative goes forward, and takes nothing from lanes that are not there
        self.blocks, self.types, self.loops, self.location = typed
        self.returned: list[tuple[Mask, Value]] = []
        self.iterators: set[str] = set()
        self.mask: Mask = ALWAYS
        self.safe: set[tuple[Mask, Node]] = set()  # values that are harmless in lanes outside of a mask
        self.guards: dict[tuple[Mask, Node], Node] = {}
        self.node_of = functools.cache(node_of)

    def run(self, mask: Mask) -> Value:
        self.region(frozenset(self.blocks), next(iter(self.blocks)), _Edge(mask, {}))
        if not self.returned:
            raise refused(f"{self.function.__name__}() never returns", self.function)
        return self.choice(self.returned)

    def refuse(self, what: str) -> NoReturn:
        raise refused(what, self.location)

    # Control flow
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

    # Values
    def dtype_of(self, name: str) -> DType | None:
        return self.scalar.dtype_of(self.types[name])

    def as_typed(self, x: Value, name: str) -> Value:
        """``x`` in the dtype that the variable has."""
        if not isinstance(x, Node):
            return x
        dtype = self.dtype_of(name)
        if dtype is None:
            self.refuse(f"numbers of type {self.types[name]} are not possible here")
        return cast_to(x, dtype)

    def value(self, source: Any, name: str, variables: Variables) -> Value:
        """What is assigned to the variable ``name``."""
        if isinstance(source, numba_ir.Arg):
            return self.args[source.index]
        if isinstance(source, numba_ir.Var):
            return variables[source.name]
        if isinstance(source, (numba_ir.FreeVar, numba_ir.Global)):
            number = self.scalar.numbers.get((self.function, source.name))
            return self.constant(source.value) if number is None else number
        if isinstance(source, numba_ir.Const):
            return self.constant(source.value)
        if not isinstance(source, numba_ir.Expr):
            self.refuse("this is not possible in a function of numbers")
        handle = getattr(self, f"expr_{source.op}", None)
        if handle is None:
            self.refuse(f"this is not possible in a function of numbers ({source.op})")
        return handle(source, name, variables)

    def constant(self, value: Any) -> Value:
        if isinstance(value, bool):
            return const(value, bool_)
        if isinstance(value, int):
            return const(value, int64)
        if isinstance(value, float):
            return const(float(value), self.scalar.dtype)
        return tuple([self.constant(x) for x in value]) if type(value) is tuple else value

    def expr_phi(self, source: Any, name: str, variables: Variables) -> Value:
        raise AssertionError("blocks see to these")

    def expr_cast(self, source: Any, name: str, variables: Variables) -> Value:
        return variables[source.value.name]

    def expr_build_tuple(self, source: Any, name: str, variables: Variables) -> Value:
        return tuple([variables[x.name] for x in source.items])

    def expr_exhaust_iter(self, source: Any, name: str, variables: Variables) -> Value:
        x = variables[source.value.name]
        return x if type(x) is tuple else self.refuse("only tuples of numbers can be taken apart")

    def expr_static_getitem(self, source: Any, name: str, variables: Variables) -> Value:
        x = variables[source.value.name]
        if type(x) is not tuple or not isinstance(source.index, int):
            self.refuse("only tuples of numbers have items here, with numbers written in the code")
        return x[source.index]

    def expr_getattr(self, source: Any, name: str, variables: Variables) -> Value:
        x = variables[source.value.name]
        if not isinstance(x, (ModuleType, FunctionType, type)):
            self.refuse(f"numbers have no attribute {source.attr} here")
        return self.constant(getattr(x, source.attr))

    def expr_getiter(self, source: Any, name: str, variables: Variables) -> Value:
        x = variables[source.value.name]
        if not isinstance(x, _Range):
            self.refuse("only range() can be iterated over")
        zero, one = const(0, int64), const(1, int64)
        if all(bound.op.name == "const" for bound in x):
            distance, size = const(len(range(*[bound.params[0] for bound in x])), int64), one
        elif x.step.op.name == "const":
            up = x.step.params[0] > 0
            distance = self.made("sub", *((x.stop, x.start) if up else (x.start, x.stop)))
            size = const(abs(x.step.params[0]), int64)
        else:
            distance = apply("where", apply("gt", x.step, zero), x.stop - x.start, x.start - x.stop)
            size = apply("abs", x.step)
        if size.op.name != "const" or size.params[0] != 1:
            distance = self.made("floor_divide", distance + size - one, size)
        variables[f"{name}.at"], variables[f"{name}.left"] = x.start, apply("maximum", distance, zero)
        self.iterators |= {f"{name}.at", f"{name}.left"}
        return _Iterator(name, x.step)

    def expr_iternext(self, source: Any, name: str, variables: Variables) -> Value:
        x = variables[source.value.name]
        at, left = variables[f"{x.name}.at"], variables[f"{x.name}.left"]
        variables[f"{x.name}.at"], variables[f"{x.name}.left"] = at + x.step, left - const(1, int64)
        return _Pair(at, apply("gt", left, const(0, int64)))

    def expr_pair_first(self, source: Any, name: str, variables: Variables) -> Value:
        return variables[source.value.name].first

    def expr_pair_second(self, source: Any, name: str, variables: Variables) -> Value:
        return variables[source.value.name].second

    def expr_unary(self, source: Any, name: str, variables: Variables) -> Value:
        x, sign = variables[source.value.name], source.fn.__name__
        if sign == "not_":
            return apply("bit_not", self.truth(x))
        x = self.as_typed(x, name)
        return x if sign == "pos" else apply("neg" if sign == "neg" else "bit_not", x)

    def expr_binop(self, source: Any, name: str, variables: Variables) -> Value:
        function = source.immutable_fn if source.op == "inplace_binop" else source.fn
        a, b = variables[source.lhs.name], variables[source.rhs.name]
        if not isinstance(a, Node) or not isinstance(b, Node):
            self.refuse("only numbers can be computed with")
        if function in COMPARISONS:
            dtype = promote(a.spec.dtype, b.spec.dtype)
            dtype = int64 if dtype is bool_ else dtype
            return self.made(COMPARISONS[function], cast_to(a, dtype), cast_to(b, dtype))
        if function in POWERS:
            return self.power(a, b, self.result(name))
        if function not in BINARY:
            self.refuse(f"the operator {function.__name__} is not possible here")
        dtype = self.result(name)
        return self.made(BINARY[function], cast_to(a, dtype), cast_to(b, dtype))

    expr_inplace_binop = expr_static_binop = expr_binop

    def expr_call(self, source: Any, name: str, variables: Variables) -> Value:
        function = variables[source.func.name]
        args = [variables[x.name] for x in source.args]
        named = {key: variables[x.name] for key, x in source.kws}
        if source.vararg is not None or source.varkwarg is not None:
            self.refuse("* and ** are not possible in a call")
        callee = python_function(function)
        if callee is not None:
            bound = inspect.signature(callee).bind(*args, **named)
            given = list(bound.arguments.values())
            for parameter in list(inspect.signature(callee).parameters.values())[len(given) :]:
                given.append(self.constant(parameter.default))
            return self.scalar.run(callee, given, self.mask, self.location, self.depth)
        if named or not all(isinstance(x, Node) for x in args):
            self.refuse(f"{_said(function)} is not possible in a function of numbers in this form")
        return self.called(function, args, name)

    def called(self, function: Any, args: list[Node], name: str) -> Value:
        """A function that is no callee: one of ``math``, of NumPy or of Python's own."""
        if getattr(function, "__module__", "") == "numba.core.unsafe.eh":
            self.refuse("exceptions cannot be caught in a function of numbers")
        unknown_function = f"{_said(function)}() is not among the functions that have a formula and a derivative here"
        if not _is_hashable(function):  # of ctypes, say
            self.refuse(unknown_function)
        if function is range:
            zero, one = const(0, int64), const(1, int64)
            whole = [cast_to(x, int64) for x in args]
            start, stop, step = [zero, *whole, one] if len(whole) == 1 else [*whole, one][:3]
            return _Range(start, stop, step)
        if function is bool:
            return self.truth(args[0])
        if function in CONVERSIONS and len(args) == 1:
            return self.made("round", args[0]) if function is round and _is_float(args[0]) else args[0]
        if function in INTEGERS:
            return args[0]
        if function in POWERS and len(args) == 2:
            return self.power(args[0], args[1], self.result(name))
        if function in EXTREMES and len(args) > 1:
            dtype = self.result(name)
            found, *others = [cast_to(x, dtype) for x in args]
            for other in others:
                found = self.made("where", self.made(EXTREMES[function], other, found), other, found)
            return found
        if function is divmod:
            dtype = functools.reduce(promote, [x.spec.dtype for x in args])
            a, b = [cast_to(x, dtype) for x in args]
            return self.made("floor_divide", a, b), self.made("remainder", a, b)
        call, count = FLOATING.get(function) or SAME.get(function) or ("", -1)
        if _said(function) == "where" and len(args) == 3:
            dtype = self.result(name)
            return self.made("where", self.truth(args[0]), *[cast_to(x, dtype) for x in args[1:]])
        if len(args) != count:
            self.refuse(unknown_function)
        if function in FLOATING:
            floats = [x.spec.dtype for x in args if _is_float(x)]
            dtype = functools.reduce(promote, floats) if floats else self.scalar.dtype
        else:
            dtype = self.result(name)
        return self.made(call, *[cast_to(x, dtype) for x in args])

    def result(self, name: str) -> DType:
        dtype = self.dtype_of(name)
        return dtype if dtype is not None else self.refuse(f"{self.types[name]} is no type of numbers here")

    def truth(self, x: Value) -> Node:
        if not isinstance(x, Node):
            self.refuse("only a number can be a condition")
        return x if x.spec.dtype is bool_ else apply("ne", x, const(0, x.spec.dtype))

    def power(self, a: Node, b: Node, dtype: DType) -> Node:
        """a to the power of b; of a small whole number a product."""
        base = cast_to(a, dtype)
        exponent = b.params[0] if b.op.name == "const" else None
        if exponent is not None and exponent == int(exponent) and abs(exponent) <= _MOST_FACTORS:
            left, found = int(abs(exponent)), None
            square = base
            while left:
                if left & 1:
                    found = square if found is None else self.made("mul", found, square)
                left >>= 1
                square = self.made("mul", square, square) if left else square
            found = const(1, dtype) if found is None else found
            return found if exponent >= 0 else self.made("div", const(1.0, dtype), found)
        if not dtype.is_floating_point:
            self.refuse("a whole number to a power that is not written in the code; convert one of them to float")
        return self.made("sqrt", base) if exponent == 0.5 else self.made("pow", base, cast_to(b, dtype))

    def made(self, name: str, *args: Node) -> Node:
        """A call on nodes; what it reads where no lane of the mask is cannot do harm."""
        divides = name in _DIVISIONS and not _is_float(args[1])
        is_linear = name in LINEAR or (name == "mul" and any(x.op.name == "const" for x in args))
        masked = bool(self.mask) and (divides or not (is_linear or self.depth))
        if masked:
            args = tuple([self.guarded(x, divides and k == 1) for k, x in enumerate(args)])
        is_safe = masked or all(self.is_safe(x) for x in args)
        y = CALLS[name].on(args, ()) if name in CALLS and name not in BINARY.values() else apply(name, *args)
        if is_safe:
            self.safe.add((self.mask, y))
        return y

    def is_safe(self, x: Node) -> bool:
        return not _is_float(x) or (not x.inputs and x.op.name == "const") or (self.mask, x) in self.safe

    def guarded(self, x: Node, is_divisor: bool) -> Node:
        if x.op.name == "const" or (self.is_safe(x) and not is_divisor):
            return x
        mask = self.node_of(self.mask)
        assert mask is not None
        y = self.guards.get((self.mask, x))
        if y is None:
            y = self.guards[self.mask, x] = apply("where", mask, x, const(1, x.spec.dtype))
        self.safe.add((self.mask, y))
        return y


def _mapped(x: Value, change: Callable[[Node], Node]) -> Value:
    """``x`` with other nodes in it."""
    if isinstance(x, Node):
        return change(x)
    if isinstance(x, tuple):
        parts = [_mapped(part, change) for part in x]
        return tuple(parts) if type(x) is tuple else type(x)(*parts)
    return x


def _is_float(x: Node) -> bool:
    return x.spec.dtype.is_floating_point


def _is_hashable(x: Any) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return True


def _said(function: Any) -> str:
    return str(getattr(function, "__name__", function))
