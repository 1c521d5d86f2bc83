"""Maps that read the bits of floats: the exponent, the next number."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.graph.dtypes import float32, int32, int64
from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import Params
from nbgrad.graph.spec import Spec
from nbgrad.ops.compare import cast_to
from nbgrad.ops.family import elementwise
from nbgrad.ops.transcendental import LAYOUT


def _exponent_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(specs[0].shape, int32)


def _exponent(b: Any, x: Any) -> Any:
    """e of x = m 2^e with m in [1/2, 1); 0 for 0, infinities and NaN."""
    dtype = b.dtype_of(x)
    fraction, bias, lift = LAYOUT[dtype.name]
    integer = int32 if dtype is float32 else int64
    size = b.abs(x)
    small = b.lt(size, b.const(2.0 ** (1 - bias), dtype))
    bits = b.bitcast(b.select(small, b.mul(size, b.const(2.0**lift, dtype)), size), integer)
    shift = b.select(small, b.const(bias - 1 + lift, integer), b.const(bias - 1, integer))
    finite = b.bit_and(b.gt(size, b.const(0.0, dtype)), b.lt(size, b.const(float("inf"), dtype)))
    return b.cast(b.select(finite, b.sub(b.ashr(bits, fraction), shift), b.const(0, integer)), int32)


exponent = elementwise("exponent", infer=_exponent_infer, emit=_exponent, reference=lambda x: np.frexp(x)[1])


def _nextafter(b: Any, x: Any, y: Any) -> Any:
    """The bits of floats of one sign count up with their size, so the next one is a step of 1; NaN stays."""
    dtype = b.dtype_of(x)
    integer = int32 if dtype is float32 else int64
    zero, one = b.const(0.0, dtype), b.const(1, integer)
    grows = b.eq(b.lt(x, y), b.gt(x, zero))  # whether y lies away from 0
    bits = b.bitcast(x, integer)
    stepped = b.bitcast(b.select(grows, b.add(bits, one), b.sub(bits, one)), dtype)
    smallest = b.copysign(b.bitcast(one, dtype), y)
    moved = b.select(b.eq(x, zero), smallest, stepped)
    return b.select(b.eq(x, y), y, b.select(b.ne(x, x), x, b.select(b.ne(y, y), y, moved)))


def _nextafter_partials(out: Node, x: Node, y: Node) -> tuple[Node, None]:
    """A step is a constant; where there is none to go, PyTorch gives no derivative."""
    return cast_to(apply("ne", x, y), x.spec.dtype), None


nextafter = elementwise("nextafter", emit=_nextafter, reference=np.nextafter, partials=_nextafter_partials)
