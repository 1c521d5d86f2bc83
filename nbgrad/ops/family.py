"""How the element-by-element family is written: partial derivatives are enough, the vjp follows from them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from nbgrad.errors import DTypeError, ShapeError
from nbgrad.graph.dtypes import DType, bool_
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops.tangents import gathered, symmetric

Infer = Callable[[tuple[Spec, ...], Params], Spec]


def map_shape(name: str, specs: tuple[Spec, ...]) -> Shape:
    """The common shape of a map's inputs; 0-d inputs go with anything."""
    shape: Shape = ()
    for spec in specs:
        if spec.shape and shape and spec.shape != shape:
            raise ShapeError(f"{name}: inputs differ in shape: {', '.join(map(str, specs))}")
        shape = spec.shape or shape
    return shape


def same_dtype(name: str, specs: tuple[Spec, ...]) -> DType:
    """The dtype all inputs share; promotion happened before, as ``cast`` nodes."""
    dtype = specs[0].dtype
    for spec in specs:
        if spec.dtype is not dtype:
            raise DTypeError(f"{name}: inputs differ in dtype: {', '.join(map(str, specs))}")
    return dtype


def infer_same(name: str) -> Infer:
    def infer(specs: tuple[Spec, ...], params: Params) -> Spec:
        first = specs[0]
        if len(specs) == 1 or (len(specs) == 2 and first is specs[1]):  # most uses of most operators
            return first
        return Spec.of(map_shape(name, specs), same_dtype(name, specs))

    return infer


def infer_mask(name: str) -> Infer:
    def infer(specs: tuple[Spec, ...], params: Params) -> Spec:
        same_dtype(name, specs)
        return Spec.of(map_shape(name, specs), bool_)

    return infer


def elementwise(
    name: str,
    *,
    emit: Callable[..., Any] | str | None,
    reference: Callable[..., Any],
    partials: Callable[..., tuple[Any, ...]] | None = None,
    vjp: Callable[[Node, Node, tuple[Node, ...], Params], tuple[Node | None, ...]] | None = None,
    jvp: Callable[[Node, tuple[Node, ...], tuple[Node | None, ...]], Node | None] | None = None,
    infer: Infer | None = None,
    **facts: Any,
) -> Op:
    """Define an element-by-element operator.

    ``partials(y, *inputs, *params)`` gives the derivative by each input as a node, a number, or None where there is
    none. Operators whose cotangent is not a product (``where`` must not multiply infinity by 0) give ``vjp``. The same
    rule carries tangents forward; those where what comes in and what goes out differ (``cast``) give ``jvp``.
    ``emit`` may be the name of an elementary function (kernels/elementary/). ``facts`` are others of the record.
    """
    body = (lambda b, *x: b.function(emit, *x)) if isinstance(emit, str) else emit
    if partials is not None:
        vjp, jvp = _vjp_from(partials), jvp or _jvp_from(partials)
    if vjp is not None and jvp is None:
        jvp = symmetric(vjp)
    rules: dict[str, Any] = {"vjp": vjp, "jvp": jvp, "emit": body}
    return define(Op(name, Kind.MAP, infer or infer_same(name), reference, **rules, is_holomorphic=True, **facts))


exact: Final = partial(elementwise, is_exact=True)  # NumPy and a kernel compute it with the same rounding


def _vjp_from(partials: Callable[..., tuple[Any, ...]]) -> Callable[..., tuple[Node | None, ...]]:
    def vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
        return tuple([_times(g, d) for d in partials(y, *inputs, *params)])

    return vjp


def _jvp_from(partials: Callable[..., tuple[Any, ...]]) -> Callable[..., Node | None]:
    def jvp(y: Node, inputs: tuple[Node, ...], tangents: tuple[Node | None, ...]) -> Node | None:
        slopes = zip(tangents, partials(y, *inputs, *y.params), strict=True)
        return gathered(y, [_times(t, d) for t, d in slopes if t is not None and (isinstance(d, Node) or d)])

    return jvp


def _times(g: Node, d: Node | float | None) -> Node | None:
    if d is None:
        return None
    if isinstance(d, Node):
        return g * d
    if d == 0.0:  # flat: zeros, which is not the same as no derivative
        return apply("expand", const(0, g.spec.dtype), params=(g.spec.shape,))
    if d == 1.0:
        return g
    if d == -1.0:
        return -g
    return g * const(d, g.spec.dtype)
