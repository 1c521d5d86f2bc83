"""Complex numbers: how they are made of parts and taken apart; conjugates, moduli and phases.

An operator keeps its record: shape rule and derivative are the same on complex numbers (``holomorphic`` in
ops/tangents.py). What computes it, by parts, says ops/on_complex.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.errors import DTypeError, ShapeError
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Spec
from nbgrad.ops.batching import leading
from nbgrad.ops.compare import cast_to
from nbgrad.ops.complex_formulas import Pair, tan, zero_like
from nbgrad.ops.family import map_shape, same_dtype
from nbgrad.ops.tangents import conjugate, linear

Nodes = tuple[Node, ...]


# Together and apart


def _complex_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(map_shape("complex", specs), same_dtype("complex", specs).to_complex())


def _complex_reference(re: Any, im: Any) -> Any:
    re, im = np.broadcast_arrays(re, im)
    made = np.empty(re.shape, np.result_type(re.dtype, np.complex64))
    made.real, made.imag = re, im
    return made


def _part_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    if not specs[0].dtype.is_complex:
        raise DTypeError(f"real and imaginary parts are those of complex numbers, not of {specs[0].dtype.name}")
    return Spec.of(specs[0].shape, specs[0].dtype.to_real())


def _as_real_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of((*_part_infer(specs, params).shape, 2), specs[0].dtype.to_real())


def _as_real_reference(x: Any) -> Any:
    half = x.itemsize // 2
    return np.lib.stride_tricks.as_strided(x.real, (*x.shape, 2), (*x.strides, half), writeable=x.flags.writeable)


def _as_complex_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    shape = specs[0].shape
    if specs[0].dtype.name not in ("float32", "float64"):
        raise DTypeError(
            f"view_as_complex is only supported for float32 and float64 tensors, but got {specs[0].dtype.name}"
        )
    if not shape or shape[-1] != 2:
        raise ShapeError(f"view_as_complex: Tensor must have a last dimension of size 2, got shape {list(shape)}")
    return Spec.of(shape[:-1], specs[0].dtype.to_complex())


def _as_complex_reference(x: Any) -> Any:
    rows = x if x.strides[-1] == x.itemsize else np.ascontiguousarray(x)
    return rows.view(np.result_type(x.dtype, np.complex64))[..., 0]


define(
    Op(
        "complex",  # of real and imaginary parts
        Kind.MAP,
        _complex_infer,
        _complex_reference,
        vjp=lambda g, y, i, p: (apply("real", g), apply("imag", g)),
        jvp=linear,
    )
)
define(
    Op(
        "real",
        Kind.VIEW,
        _part_infer,
        lambda x: x.real,
        vjp=lambda g, y, i, p: (apply("complex", g, zero_like(g)),),
        jvp=linear,
        batch=leading,
    )
)
define(
    Op(
        "imag",
        Kind.VIEW,
        _part_infer,
        lambda x: x.imag,
        vjp=lambda g, y, i, p: (apply("complex", zero_like(g), g),),
        jvp=linear,
        batch=leading,
    )
)
define(
    Op(
        "view_as_real",  # (...) as (..., 2): what lies in memory
        Kind.VIEW,
        _as_real_infer,
        _as_real_reference,
        vjp=lambda g, y, i, p: (apply("view_as_complex", g),),
        jvp=linear,
        batch=leading,
    )
)
define(
    Op(
        "view_as_complex",
        Kind.VIEW,
        _as_complex_infer,
        _as_complex_reference,
        vjp=lambda g, y, i, p: (apply("view_as_real", g),),
        jvp=linear,
        batch=leading,
    )
)


def parts_of(z: Node) -> Pair:
    """Real and imaginary part."""
    return (z.inputs[0], z.inputs[1]) if z.op.name == "complex" else (apply("real", z), apply("imag", z))


def whole(re: Node, im: Node) -> Node:
    """The complex numbers with these parts."""
    return apply("complex", re, im)


# What has no complex derivative


def _same(specs: tuple[Spec, ...], params: Params) -> Spec:
    return specs[0]


def _conj(inputs: Nodes, params: Params) -> Node:
    re, im = parts_of(inputs[0])
    return whole(re, -im)


def _modulus(inputs: Nodes, params: Params) -> Node:
    return apply("hypot", *parts_of(inputs[0]))


def _scaled(x: Node, by: Node) -> Node:
    """Complex numbers times real ones."""
    return x * cast_to(by, x.spec.dtype)


def _modulus_vjp(g: Node, y: Node, inputs: Nodes, params: Params) -> tuple[Node | None, ...]:
    """g z / |z|, and 0 where z is, as in PyTorch."""
    return (_scaled(apply("sgn", inputs[0]), g),)


def _sgn(inputs: Nodes, params: Params) -> Node:
    re, im = parts_of(inputs[0])
    size = apply("hypot", re, im)
    size = apply("where", apply("eq", size, zero_like(size)), const(1, size.spec.dtype), size)
    return whole(re / size, im / size)


def _sgn_vjp(g: Node, y: Node, inputs: Nodes, params: Params) -> tuple[Node | None, ...]:
    """(g - s Re(conj(s) g)) / |z| with s = z / |z|: what turns it; 0 where z is 0."""
    size = apply("modulus", inputs[0])
    is_zero, one = apply("eq", size, zero_like(size)), const(1, size.spec.dtype)
    slope = apply("where", is_zero, zero_like(size), one / apply("where", is_zero, one, size))
    return (_scaled(g - _scaled(y, apply("real", conjugate(y) * g)), slope),)


define(
    Op(
        "conj",
        Kind.COMPOSITE,
        _same,
        np.conj,
        vjp=lambda g, y, i, p: (conjugate(g),),
        jvp=linear,
        decompose=_conj,
        batch=leading,
    )
)
define(Op("modulus", Kind.COMPOSITE, _part_infer, np.abs, vjp=_modulus_vjp, decompose=_modulus, batch=leading))
define(
    Op(
        "sgn",
        Kind.COMPOSITE,
        _same,
        lambda x: np.divide(x, np.abs(x), out=np.zeros_like(x), where=x != 0),
        vjp=_sgn_vjp,
        decompose=_sgn,
        batch=leading,
    )
)


define(
    Op(  # -i tanh(i z); of real numbers it is made of others
        "tan",
        Kind.COMPOSITE,
        _same,
        np.tan,
        vjp=lambda g, y, i, p: (g * (y * y + 1.0),),
        is_holomorphic=True,
        decompose=lambda inputs, params: whole(*tan(parts_of(inputs[0]))),
        batch=leading,
    )
)
