"""Comparison and choice: masks, where, maximum, minimum, relu, casts."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.graph.dtypes import DType, bool_, by_name, float32
from nbgrad.graph.half import rounded, stored
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Params
from nbgrad.graph.spec import Spec
from nbgrad.ops.family import elementwise, exact, infer_mask, map_shape, same_dtype
from nbgrad.ops.source import scalar
from nbgrad.ops.tangents import linear

lt = exact("lt", emit=lambda b, x, y: b.lt(x, y), reference=np.less, infer=infer_mask("lt"))
le = exact("le", emit=lambda b, x, y: b.le(x, y), reference=np.less_equal, infer=infer_mask("le"))
gt = exact("gt", emit=lambda b, x, y: b.gt(x, y), reference=np.greater, infer=infer_mask("gt"))
ge = exact("ge", emit=lambda b, x, y: b.ge(x, y), reference=np.greater_equal, infer=infer_mask("ge"))
eq = exact("eq", emit=lambda b, x, y: b.eq(x, y), reference=np.equal, infer=infer_mask("eq"))
ne = exact("ne", emit=lambda b, x, y: b.ne(x, y), reference=np.not_equal, infer=infer_mask("ne"))


def _signbit_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(specs[0].shape, bool_)


def _signbit(b: Any, x: Any) -> Any:
    dtype = b.dtype_of(x)
    return b.lt(b.copysign(b.const(1.0, dtype), x), b.const(0.0, dtype))


signbit = elementwise("signbit", infer=_signbit_infer, emit=_signbit, reference=np.signbit)  # floating point inputs


def _copysign_partials(y: Node, x: Node, sign: Node) -> tuple[Node, float]:
    """y / x, so NaN where x is infinite, and 0 where it is 0, as in PyTorch; 0."""
    zero, one = const(0, x.spec.dtype), const(1, x.spec.dtype)
    is_zero = apply("eq", x, zero)
    return apply("where", is_zero, zero, y / apply("where", is_zero, one, x)), 0.0


copysign = elementwise(
    "copysign", partials=_copysign_partials, emit=lambda b, x, y: b.copysign(x, y), reference=np.copysign
)


def _where_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    same_dtype("where", (Spec.of((), bool_), Spec.of(specs[0].shape, specs[0].dtype)))
    return Spec.of(map_shape("where", specs), same_dtype("where", specs[1:]))


def _where_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """A choice, not a product: an infinite or NaN branch that was not taken must not leak."""
    zero = const(0, g.spec.dtype)
    return None, apply("where", inputs[0], g, zero), apply("where", inputs[0], zero, g)


where = exact(
    "where",
    infer=_where_infer,
    vjp=_where_vjp,
    jvp=linear,
    emit=lambda b, m, x, y: b.select(m, x, y),
    reference=np.where,
    moves=True,
)


def _extreme_vjp(loses: str, wins: str) -> Any:
    def vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
        """The larger (or smaller) input takes the cotangent; equal inputs share it in halves, as in PyTorch."""
        a, b = inputs
        shared = apply("where", apply("eq", a, b), g * 0.5, g)
        zero = const(0, g.spec.dtype)
        return apply("where", apply(loses, a, b), zero, shared), apply("where", apply(wins, a, b), zero, shared)

    return vjp


maximum = elementwise(
    "maximum", vjp=_extreme_vjp("lt", "gt"), emit=lambda b, x, y: _maximum(b, x, y), reference=np.maximum
)
minimum = elementwise(
    "minimum", vjp=_extreme_vjp("gt", "lt"), emit=lambda b, x, y: _minimum(b, x, y), reference=np.minimum
)


def _maximum(b: Any, x: Any, y: Any) -> Any:
    return b.bit_or(x, y) if b.dtype_of(x).kind == "b" else b.maximum(x, y)


def _minimum(b: Any, x: Any, y: Any) -> Any:
    return b.bit_and(x, y) if b.dtype_of(x).kind == "b" else b.minimum(x, y)


def _relu(b: Any, x: Any) -> Any:
    """max(x, 0), NaN passed on; -0 becomes 0."""
    zero = b.const(0, b.dtype_of(x))
    return b.select(b.le(x, zero), zero, x)


def _relu_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node]:
    flat = apply("le", y, const(0, y.spec.dtype))
    return (apply("tie", apply("where", flat, const(0, g.spec.dtype), g), y),)


# The subgradient of relu at 0 is 0, at NaN 1; the derivative reads the output, so the input need not be kept.
relu = elementwise(
    "relu",
    vjp=_relu_vjp,
    emit=_relu,
    reference=lambda x: np.where(x <= 0, np.zeros_like(x), x),
)


def _cast_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(specs[0].shape, by_name(params[0]))


def _cast_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    return (cast_to(g, inputs[0].spec.dtype) if inputs[0].spec.dtype.is_inexact else None,)


def _cast_reference(x: Any, name: str) -> Any:
    array, dtype = np.asarray(x), by_name(name)
    return array.astype(name) if dtype.is_complex else np.array(stored(array.real, dtype))


cast = exact(
    "cast",  # params: (dtype name,)
    infer=_cast_infer,
    vjp=_cast_vjp,
    jvp=linear,
    emit=lambda b, x, name: b.cast(x, by_name(name)),
    reference=_cast_reference,
    moves=True,
)


def cast_to(x: Node, dtype: DType) -> Node:
    """``x`` in ``dtype``; itself where it already is. Constants are converted at once. Halves go by way of float32."""
    source = x.spec.dtype
    if source is dtype:
        return x
    if (source.is_half and dtype is not float32) or (dtype.is_half and source is not float32):
        return cast_to(cast_to(x, float32), dtype)
    is_number = x.op.name == "complex" and x.inputs[0].op is scalar
    if is_number and not dtype.is_complex and dtype.kind != "b":
        return cast_to(x.inputs[0], dtype)  # what records it refuses other imaginary parts than 0
    if x.op.name == "const":
        if dtype.is_half or source.is_half:
            return const(rounded(x.params[0], dtype if dtype.is_half else source), dtype)
        return const(_cast_reference(np.asarray(x.params[0], x.spec.dtype.numpy), dtype.name).item(), dtype)
    return apply("cast", x, params=(dtype.name,))
