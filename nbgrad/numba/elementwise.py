"""Scalar functions of the user's own as elementwise operators: ``nbgrad.elementwise``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

from nbgrad.calls.base import CALLS, broadcasted
from nbgrad.calls.elementwise import ScalarFunction
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.graph.dtypes import DType, as_dtype, bool_, get_default_dtype, int64, result_type
from nbgrad.graph.node import Node, apply, toposort
from nbgrad.graph.spec import Shape, broadcast_shapes
from nbgrad.kernels.numba_target import python_function
from nbgrad.numba.scalar import lowered
from nbgrad.numba.scalar_values import refused
from nbgrad.number import value_of
from nbgrad.ops.compare import cast_to
from nbgrad.ops.loop import unknown
from nbgrad.tensor import Tensor
from nbgrad.trace import as_operand, record
from nbgrad.transform.vjp import active


def elementwise(fn: Callable[..., Any]) -> Elementwise:
    """``fn``, a function of numbers, as an operator on tensors: applied to each element, with broadcasting.

    ``fn`` is a Python function that Numba can compile, or what ``numba.njit`` or ``numba.vectorize`` made of one. It
    may have branches, ``for`` loops over ``range``, ``while`` loops with ``break`` and ``continue``, call other
    ``@njit`` functions and those of ``math`` and NumPy, and give a number or a tuple of several. It becomes a part of
    the kernels of its neighbours, for vectors of elements, on the CPU and on GPUs. It has derivatives of any order:
    those of what it computes, on the way that an element takes; a condition has none.

    Arguments are real tensors, or real numbers; complex ones are a TypeError. Floats are computed with in the dtype to
    which they promote, also those that the function's text says: in float32 where tensors are float32. Whole numbers
    are int64. Numbers that a function finds in a closure or among its globals are read at each call. Division by zero
    is infinity, or NaN, where Python raises; of whole numbers it is an error. TypeError, at the function's line, for
    what Numba refuses, or what is not a function of numbers alone.

    >>> import math, nbgrad
    >>> def kepler(mean, eccentricity):  # Newton's method for E - e sin E = M
    ...     e = mean
    ...     while True:
    ...         step = (e - eccentricity * math.sin(e) - mean) / (1.0 - eccentricity * math.cos(e))
    ...         e -= step
    ...         if abs(step) < 1e-6:
    ...             return e
    >>> anomaly = nbgrad.elementwise(kepler)
    >>> mean = nbgrad.tensor([0.5, 1.0, 1.5], requires_grad=True)
    >>> e = anomaly(mean, 0.3)
    >>> e.detach()
    tensor([0.6982, 1.2838, 1.7930])
    >>> e.sum().backward()
    >>> mean.grad
    tensor([1.2984, 1.0930, 0.9380])
    """
    return Elementwise(fn)


_PAUSES: Final = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Elementwise(ScalarFunction):
    """What ``elementwise`` gives: called with tensors, it gives a tensor, or a tuple of several."""

    def __init__(self, fn: Any) -> None:
        function = python_function(fn) or fn
        if not isinstance(function, FunctionType):
            raise DTypeError(
                "elementwise(): argument 'fn' must be a Python function, or one that numba.njit or numba.vectorize "
                f"made, not {type(fn).__name__}"
            )
        if function.__code__.co_flags & _PAUSES:
            what = f"{function.__name__}() is a generator or a coroutine, and no function of numbers"
            raise refused(what, function, DTypeError)
        self.name: str = function.__name__
        self.__doc__, self.__name__, self.__wrapped__ = function.__doc__, self.name, function
        self._signature = inspect.signature(function)
        self._function = function
        self._kinds = _numbers_outside(function)
        self.outside = {place: holder for place, (holder, _) in self._kinds.items()}
        self._made: dict[Any, _Template] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise DTypeError(f"{self.name}(): {error}") from None
        bound.apply_defaults()
        given = []
        for name, x in bound.arguments.items():
            given.append(as_operand(x))
            if given[-1] is NotImplemented:
                raise DTypeError(f"{self.name}(): argument '{name}' must be Tensor or number, not {type(x).__name__}")
            if isinstance(given[-1], complex) or (isinstance(given[-1], Tensor) and given[-1].dtype.is_complex):
                what = given[-1].dtype.name if isinstance(given[-1], Tensor) else "complex"
                raise DTypeError(
                    f"{self.name}(): argument '{name}' is {what}, and elementwise() is for functions of real numbers: "
                    "give the real and the imaginary part as two arguments"
                )
        if not any(isinstance(x, Tensor) for x in given):
            raise ArgumentError(f"{self.name}(): expected at least one Tensor")
        given += [_number(name, *found) for (_, name), found in self._kinds.items()]
        operands = tuple([_standing(x) for x in given])
        key = get_default_dtype(), operands
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._read(operands)
        results = [record(CALLS["elementwise"], given, (made, k)) for k in range(len(made.results))]
        return tuple(results) if made.is_tuple else results[0]

    def __repr__(self) -> str:
        return f"<elementwise {self.name}>"

    def _read(self, operands: tuple[tuple[DType, int], ...]) -> _Template:
        """The function for operands of such dtypes and standing, see ``result_type``."""
        floating = [x for x in operands if x[0].is_floating_point]
        dtype = result_type(tuple(floating)) if floating else get_default_dtype()
        kinds = [dtype if x.is_floating_point else x if x is bool_ else int64 for x, _ in operands]
        numbers = [unknown(kind) for kind in kinds[len(kinds) - len(self.outside) :]]
        found = lowered(
            self._function,
            kinds[: len(kinds) - len(numbers)],
            dtype,
            dict(zip(self.outside, numbers, strict=True)),
        )
        return _Template([*found.given, *numbers], found.results, found.is_tuple)


def _standing(x: Any) -> tuple[DType, int]:
    if isinstance(x, Tensor):
        return x.dtype, 0 if x.ndim else 1
    value = value_of(x)
    dtype = as_dtype(next(kind for kind in (bool, int, float) if isinstance(value, kind)))
    return (get_default_dtype() if dtype.is_floating_point else dtype), 2


class _Template:
    """A function as a graph of one element: nodes ``results`` over the nodes ``given``."""

    def __init__(self, given: list[Node], results: list[Node], is_tuple: bool) -> None:
        self.results, self.is_tuple = results, is_tuple
        self._given = given
        self._order = [toposort([y]) for y in results]
        floats = [x for x in given if x.spec.dtype.is_floating_point]
        # Those that have no way to a result but through conditions: it is flat in them.
        self._flat = [
            [x for x in floats if y not in active(order, {x}, ())]
            for y, order in zip(results, self._order, strict=True)
        ]

    def on(self, operands: tuple[Node, ...], which: int) -> Node:
        """Result number ``which`` of these operands."""
        cast = [cast_to(x, one.spec.dtype) for x, one in zip(operands, self._given, strict=True)]
        nodes = dict(zip(self._given, broadcasted("elementwise", *cast), strict=True))
        for x in self._order[which]:
            if x not in nodes:
                nodes[x] = apply(x.op, *[nodes[one] for one in x.inputs], params=x.params) if x.inputs else x
        y = nodes[self.results[which]]
        shape: Shape = ()
        for x in operands:
            shape = broadcast_shapes(shape, x.spec.shape, "elementwise")
        if y.spec.shape != shape:
            y = apply("expand", y, params=(shape,))
        if self.results[which] in self._given:
            y = apply("copy", y)
        if not y.spec.dtype.is_floating_point:
            return y
        flat = [nodes[x] for x in self._flat[which]]
        return apply("tie", y, *flat) if flat else y


def _numbers_outside(function: FunctionType) -> dict[tuple[Callable[..., Any], str], tuple[Any, type]]:
    """The numbers that a function and its callees find in closures and among globals: where each stands, its type."""
    found: dict[tuple[Callable[..., Any], str], tuple[Any, type]] = {}
    waiting, seen = [function], {function}
    while waiting:
        one = waiting.pop(0)
        code = one.__code__
        cells = dict(zip(code.co_freevars, one.__closure__ or (), strict=True))
        for name in (*code.co_freevars, *code.co_names):
            holder: Any = cells.get(name, one.__globals__)
            try:
                value = holder.cell_contents if name in cells else holder[name]
            except (KeyError, ValueError):
                continue
            callee: Any = python_function(value)
            if callee is not None and callee not in seen:
                seen.add(callee)
                waiting.append(callee)
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                found[one, name] = holder, float if isinstance(value, float) else int
    return found


def _number(name: str, holder: Any, kind: type) -> float | int:
    """A number, as it is now. What Numba once knew as whole stays so."""
    value: float | int = holder[name] if isinstance(holder, dict) else holder.cell_contents
    if not isinstance(value, kind) or isinstance(value, bool):
        raise DTypeError(f"elementwise: {name} was {kind.__name__}, and is {type(value).__name__} now")
    return value
