"""How a public function is declared: once, over nodes; the user's function and method are generated from it.

    @call(method=True, inplace=True)
    def clamp(input: Node, min: Node | None = None, max: Node | None = None) -> Node: ...

Parameters annotated ``Node`` (or ``Node | None``, ``tuple[Node, ...]``) are *operands*: the user gives tensors or
numbers; the first one, and those annotated ``TensorNode``, are tensors (unless ``number_first``: then one of them is).
All others are *static*: hashable values that belong to the structure of the computation, checked by their annotation
(arguments.py). The body raises shape and dtype errors and builds primitive operators; it runs once per structure, never
on the hot path, and never sees the value of a number.

The result of a call is a view of its first operand exactly where it is a chain of VIEW operators over it.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from nbgrad.errors import (
    DTypeError,
    DTypeNotImplementedError,
    NbgradError,
    NumberError,
    ShapeError,
    TensorIndexError,
)
from nbgrad.graph import dtypes
from nbgrad.graph.dtypes import DType, result_type
from nbgrad.graph.half import range_of
from nbgrad.graph.node import Node, apply, const, in_float32, toposort
from nbgrad.graph.spec import Shape, broadcast_shapes
from nbgrad.ops.compare import cast_to
from nbgrad.ops.view import expand_to


@functools.cache
def parameters_of(build: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The parameters of a function by name."""
    return inspect.signature(build).parameters


MOST_DIMS: Final = 64  # of a tensor that is reduced along some, as in PyTorch
Static = Any
TensorNode = Node  # an operand for which a number will not do
Build = TypeVar("Build", bound=Callable[..., Node])


_NUMBERS = frozenset(("alpha", "atol", "beta", "lambd", "max_val", "min_val", "negative_slope", "rtol", "threshold"))


@functools.cache
def _places_of_numbers(call: str, operands: tuple[str, ...]) -> tuple[int, ...]:
    numbers = _NUMBERS | {"value"} if call.startswith("addc") else _NUMBERS
    return tuple([k for k, name in enumerate(operands) if name in numbers])


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A public function: its name, the node-level ``build``, and which surfaces it appears on."""

    name: str
    number: int  # what stands for it in keys: CALLS_BY_NUMBER[number] is this call
    build: Callable[..., Node]
    operands: tuple[str, ...]  # names of operand parameters, in order
    statics: tuple[str, ...]  # names of static parameters, in order
    function: bool  # nbgrad.name(...)
    method: str  # Tensor.<this>(...); "" where there is none
    inplace: bool  # Tensor.name_(...)
    variadic: bool  # its one operand parameter takes a sequence of tensors
    tensors: tuple[str, ...]  # operands that must be tensors; the others may be numbers
    optional: frozenset[str]  # operands that may be left out: None
    functional: bool  # nbgrad.nn.functional.name(...)
    fits: tuple[str, ...]  # operands whose numbers have to fit the result's dtype; others are converted, and wrap
    wide: bool  # where that is a half, they have to fit float32, in which it is computed
    grad_fn: str  # what PyTorch calls its backward, with a number where that tells overloads apart; "": by its name
    by_dim: str  # what PyTorch calls its second overload, which takes dims
    rounds_numbers: bool  # numbers are rounded to the half that a tensor has, where all else takes them in float32

    @property
    def numbers(self) -> tuple[int, ...]:
        """The places of operands that are one number: a tensor there has no dims."""
        return () if self.variadic else _places_of_numbers(self.name, self.operands)

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The declared parameters by name."""
        return parameters_of(self.build)

    def on(self, operands: tuple[Node | None, ...], statics: tuple[Static, ...]) -> Node:
        """The node of this call on ``operands`` with ``statics``, each in the declaration's order.

        Halves are rounded once, at the end, as PyTorch's kernels do: where more than one operator rounds, it is all
        built once more in float32.
        """
        node = self.built(operands, statics)
        halves = [x for x in operands if x is not None and x.spec.dtype.is_half]
        if halves and self._rounds_inside(node, operands):
            wide = [x if x is None else in_float32(x) for x in operands]
            return cast_to(self.built(wide, statics), node.spec.dtype)
        return node

    def built(self, operands: Sequence[Node | None], statics: tuple[Static, ...]) -> Node:
        """The node as it is declared, rounded as often as its operators round."""
        named = dict(zip(self.statics, statics, strict=True)) if statics else {}
        try:
            if self.variadic:
                return self.build(tuple(operands), **named)
            return self.build(**dict(zip(self.operands, operands, strict=False)), **named)
        except NbgradError as error:  # of an operation that this one is made of, or an alias of
            begins = _NAMED.match(error.args[0])
            if begins and begins[1] in CALLS:
                error.args = (self.name + error.args[0][begins.end(1) :],)
            raise

    def _rounds_inside(self, node: Node, operands: Sequence[Node | None]) -> bool:
        """Whether ``node`` computes with what was rounded to a half; numbers count, but where PyTorch rounds them."""
        known = [x for x in operands if x is not None]
        rounded: set[Node] = set()
        for x in toposort([node], known=known):
            is_rounding = x.op.name == "cast" and x.spec.dtype.is_half
            is_rounding = is_rounding and bool(x.spec.shape or not self.rounds_numbers)
            if is_rounding or not rounded.isdisjoint(x.inputs):
                if x.op.name == "cast" and x.inputs[0].spec.dtype.is_half:
                    return True
                rounded.add(x)
        return False

    def __repr__(self) -> str:
        return f"<call {self.name}>"


_NAMED: Final = re.compile(r"([\w.]+)(?:\(\))?:")  # what an error's message begins with


class errors_name:
    """A context of a function that is made of others, whose errors name it: ``logdet`` calls ``slogdet``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, place: Any) -> None:
        if isinstance(error, NbgradError) and (begins := _NAMED.match(error.args[0])):
            error.args = (self._name + error.args[0][begins.end(1) :],)


CALLS: dict[str, Call] = {}
CALLS_BY_NUMBER: list[Call] = []


def call(
    name: str | None = None,
    *,
    aliases: tuple[str, ...] = (),
    function: bool = True,
    method: bool | str = False,
    inplace: bool = False,
    number_first: bool = False,
    shown: str = "",
    functional: bool = False,
    fits: tuple[str, ...] = (),
    wide: bool = False,
    grad_fn: str = "",
    by_dim: str = "",
    rounds_numbers: bool = False,
) -> Callable[[Build], Build]:
    """Declare the decorated node-level function as a public one, also under ``aliases``. A name can be taken once.

    ``inplace``: tensors have ``name_``, too. ``functional``: ``nn.functional`` has it. Others: see ``Call``.
    ``method`` may be another name: ``Tensor.where`` takes its arguments in another order than ``where``. ``shown`` is
    the name by which the user knows a call that is a part of a function. With ``number_first``, ``nbgrad.name(2, x)``
    is allowed. ``fits``: operands whose numbers must fit the dtype of the result, or float32 of a half with ``wide``.
    """

    def declare(build: Build) -> Build:
        operands: list[str] = []
        statics: list[str] = []
        tensors: list[str] = []
        optional: list[str] = []
        variadic = False
        annotations = inspect.unwrap(build).__annotations__  # a signature takes ten times as long
        for parameter, annotation in annotations.items():
            if parameter == "return":
                continue
            is_operand = "Node" in annotation
            variadic = variadic or "tuple[Node, ...]" in annotation
            (operands if is_operand else statics).append(parameter)
            if is_operand and ("TensorNode" in annotation or (len(operands) == 1 and not number_first)):
                tensors.append(parameter)
            if is_operand and "None" in annotation:
                optional.append(parameter)
        for public in (name or build.__name__, *aliases):
            if public in CALLS:
                raise ValueError(f"call {public!r} is already declared")
            made = CALLS[public] = Call(
                shown or public,
                len(CALLS_BY_NUMBER),
                _operands_first(build, tuple(operands)),
                tuple(operands),
                tuple(statics),
                function,
                method if isinstance(method, str) else public if method else "",
                inplace,
                variadic,
                tuple(tensors),
                frozenset(optional),
                functional,
                fits,
                wide,
                grad_fn,
                by_dim,
                rounds_numbers,
            )
            CALLS_BY_NUMBER.append(made)
        return build

    return declare


def _operands_first(build: Callable[..., Node], operands: tuple[str, ...]) -> Callable[..., Node]:
    """``build`` taking its operands by position, also where they are keyword-only or a static one stands between."""
    code = inspect.unwrap(build).__code__
    if code.co_varnames[: min(len(operands), code.co_argcount)] == operands:
        return build

    @functools.wraps(build)
    def reordered(*nodes: Node, **named: Static) -> Node:
        return build(**dict(zip(operands, nodes, strict=False)), **named)

    return reordered


def is_number(x: Node) -> bool:
    """Whether ``x`` stands for a Python number the user wrote."""
    return x.op.name == "scalar" or (x.op.name in ("cast", "complex") and x.inputs[0].op.name == "scalar")


def standing(x: Node) -> tuple[DType, int]:
    """``x`` as the promotion rule sees it: (dtype, 0 with dims, 1 for 0-d, 2 for a Python number)."""
    if is_number(x):
        return _of_number(x.spec.dtype), 2
    return x.spec.dtype, 0 if x.spec.shape else 1


def _of_number(dtype: DType) -> DType:
    """The dtype that a Python number counts as: a floating or complex one is of the default precision."""
    default = dtypes.get_default_dtype()
    return dtype if not dtype.is_inexact else default.to_complex() if dtype.is_complex else default


def common_dtype(*nodes: Node) -> DType:
    """``torch.result_type`` of the operands."""
    return result_type(tuple([standing(x) for x in nodes]))


def promoted(*nodes: Node, floating: bool = False) -> list[Node]:
    """The operands in their common dtype; with ``floating``, integers become the default floating dtype."""
    dtype = common_dtype(*nodes)
    if floating and not dtype.is_inexact:
        dtype = dtypes.get_default_dtype()
    return [x if x.spec.dtype is dtype else cast_to(x, dtype) for x in nodes]


def broadcasted(name: str, *nodes: Node) -> list[Node]:
    """The operands expanded to their common shape; 0-d operands stay 0-d, maps take them as they are."""
    shape: Shape = ()
    for x in nodes:
        shape = broadcast_shapes(shape, x.spec.shape, name)
    return [x if x.spec.shape == () else expand_to(x, shape) for x in nodes]


def fitting(x: Node, dtype: DType) -> Node:
    """A 0-d ``x`` in another dtype; the read that computes it raises ValueError, a RuntimeError, where it does not fit.
    The recorder looks at Python numbers itself (``fits``)."""
    kind = x.spec.dtype
    if kind is dtype or dtypes.bool_ in (kind, dtype) or is_number(x):
        return cast_to(x, dtype)
    parts = [apply(part, x) for part in ("real", "imag")] if kind.is_complex else [x]
    fits = const(True, dtypes.bool_)
    if kind.is_complex and not dtype.is_complex:
        fits = apply("eq", parts[1], const(0, parts.pop().spec.dtype))
    (least, most), (low, high) = range_of(dtype), range_of(kind)
    for part in parts if low < least or most < high or kind.is_inexact > dtype.is_inexact else ():
        wide = dtypes.float64 if kind.is_inexact else dtypes.int64
        start = -most if dtype.kind == "u" and not kind.is_inexact else least  # negative integers wrap
        a = cast_to(part, wide)
        inside = apply("bit_and", *[apply(op, a, const(end, wide)) for op, end in (("ge", start), ("le", most))])
        if dtype.is_inexact and kind.is_inexact:  # infinities and NaN are everywhere
            inside = apply("bit_or", inside, apply("ne", a - a, const(0, wide)))
        fits = apply("bit_and", fits, inside)
    text = f"value cannot be converted to type {dtype.name} without overflow"
    return apply("require", cast_to(x, dtype), fits, params=(text,))


def floating(name: str, x: Node) -> Node:
    """``x``, or the default floating dtype of an integer ``x`` (functions such as exp promote)."""
    return x if x.spec.dtype.is_inexact else cast_to(x, dtypes.get_default_dtype())


def size_of(x: Node) -> Node:
    """|x|, which is real."""
    return apply("modulus" if x.spec.dtype.is_complex else "abs", x)


def require_floating(name: str, x: Node) -> Node:
    """``x`` where it is floating; the error PyTorch gives otherwise."""
    if not x.spec.dtype.is_floating_point:
        raise DTypeNotImplementedError(f"{name}: expected a floating point input, got {x.spec.dtype.name}")
    return x


def require_inexact(name: str, x: Node) -> Node:
    """``x`` where it is floating or complex; the error PyTorch gives otherwise."""
    return x if x.spec.dtype.is_complex else require_floating(name, x)


def require_number(name: str, *nodes: Node) -> None:
    """DTypeError for a bool tensor in an operation on numbers."""
    if any(x.spec.dtype is dtypes.bool_ for x in nodes):
        raise DTypeNotImplementedError(
            f"{name}: not implemented for bool; convert to an integer or floating dtype first"
        )


def require_integral(name: str, *nodes: Node) -> None:
    """DTypeError for a floating point tensor in an operation on bits."""
    for x in nodes:
        if x.spec.dtype.is_inexact:
            raise DTypeNotImplementedError(
                f"{name}: not implemented for {x.spec.dtype.name}: expected integers or bool"
            )


def one_dim(name: str, dim: int, rank: int) -> int:
    """``dim`` counted from 0; IndexError with PyTorch's text where it is out of range."""
    wide = max(rank, 1)
    if not isinstance(dim, int) or isinstance(dim, bool):
        raise DTypeError(f"{name}(): argument 'dim' must be int, not {type(dim).__name__}")
    if not -wide <= dim < wide:
        if not -(1 << 63) <= dim < 1 << 63:
            raise NumberError(f"{name}(): Overflow when unpacking long: dim {dim} does not fit in 64 bits")
        raise TensorIndexError(
            f"{name}: Dimension out of range (expected to be in range of [{-wide}, {wide - 1}], but got {dim})"
        )
    return dim % wide


def all_dims(name: str, dim: int | Sequence[int] | None, rank: int) -> Shape:
    """The sorted dims that ``dim`` means: all of them for None or (); RuntimeError where one appears twice."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(rank))
    if rank > MOST_DIMS:
        raise ShapeError(f"{name}: only tensors with up to {MOST_DIMS} dims are supported, not with {rank}")
    dims = [one_dim(name, d, rank) for d in ([dim] if isinstance(dim, int) else dim)]
    if len(set(dims)) != len(dims):
        raise ShapeError(f"{name}: dim {max(dims, key=dims.count)} appears multiple times in the list of dims")
    return tuple(sorted(dims)) if rank else ()
