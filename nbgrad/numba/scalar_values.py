"""What the expressions of a scalar function are as nodes, under the mask of the block in which they stand.

What an operation reads in lanes that are not there is 1: so no derivative of it is NaN there, and no integer is divided
by 0.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np

from nbgrad.calls.base import CALLS
from nbgrad.errors import AT_LINE, DTypeError, DTypeNotImplementedError, described
from nbgrad.graph.dtypes import DType, bool_, int64, promote
from nbgrad.graph.node import Node, apply, const
from nbgrad.kernels.numba_target import numba_ir, python_function
from nbgrad.numba.masks import ALWAYS, Mask, node_of
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

_MOST_FACTORS = 64  # a power that is a product of at most this many
_DIVISIONS = ("floor_divide", "remainder")

Value = Any  # a node, a tuple of values, one of the records below, or what Python has under a name
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


def refused(what: str, place: Any, error: type[DTypeError] = DTypeNotImplementedError) -> DTypeError:
    """The error at ``place``, which is a location of Numba's or a function."""
    if isinstance(place, FunctionType):
        code = place.__code__
        return error(f"elementwise: {what}{AT_LINE}{described(code.co_filename, code.co_firstlineno)}")
    return error(f"elementwise: {what}{AT_LINE}{described(place.filename, place.line)}")


class Program(Protocol):
    """What a function and its callees have in common."""

    dtype: DType
    numbers: Mapping[tuple[Callable[..., Any], str], Node]

    def run(
        self, function: Callable[..., Any], args: Sequence[Value], mask: Mask, location: Any, depth: int = 0
    ) -> Value: ...

    def dtype_of(self, kind: Any) -> DType | None: ...


class Values:
    """The expressions of one run through ``function``, whose variables have these ``types`` of Numba's."""

    def __init__(
        self,
        program: Program,
        function: Callable[..., Any],
        args: Sequence[Value],
        kinds: Mapping[str, Any],
        depth: int,
    ) -> None:
        self.program, self.function, self.args, self.types = program, function, args, kinds
        self.depth = depth  # of loops: their derivative goes forward, and takes nothing from lanes that are not there
        self.location: Any = None
        self.mask: Mask = ALWAYS
        self.iterators: set[str] = set()
        self.safe: set[tuple[Mask, Node]] = set()  # values that are harmless in lanes outside of a mask
        self.guards: dict[tuple[Mask, Node], Node] = {}
        self.node_of = functools.cache(node_of)

    def refuse(self, what: str) -> NoReturn:
        raise refused(what, self.location)

    def dtype_of(self, name: str) -> DType | None:
        return self.program.dtype_of(self.types[name])

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
            number = self.program.numbers.get((self.function, source.name))
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
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, bool):
            return const(value, bool_)
        if isinstance(value, int):
            return const(value, int64)
        if isinstance(value, float):
            return const(float(value), self.program.dtype)
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
            passed = bound.arguments.copy()
            bound.apply_defaults()
            given = [x if name in passed else self.constant(x) for name, x in bound.arguments.items()]
            return self.program.run(callee, given, self.mask, self.location, self.depth)
        if function in (round, np.round) and len(args) + len(named) > 1:
            self.refuse("round(x, digits) has no formula here; write round(x * 10.0**digits) / 10.0**digits")
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
            if any(_is_float(x) for x in args):
                self.refuse("range() goes over whole numbers; write int(x)")
            whole = [cast_to(x, int64) for x in args]
            start, stop, step = [zero, *whole, one] if len(whole) == 1 else [*whole, one][:3]
            return _Range(start, stop, step)
        if function is bool and len(args) == 1:
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
            dtype = functools.reduce(promote, floats) if floats else self.program.dtype
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
        if exponent is not None and abs(exponent) <= _MOST_FACTORS and exponent == int(exponent):
            if exponent < 0 and not dtype.is_floating_point:
                self.refuse("a whole number to a negative power is a float; write float(n) ** k")
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
