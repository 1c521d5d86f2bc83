"""Discrete Fourier transforms along the last dim, of numbers as they lie in memory: complex ones as pairs.

params: (routine, n). ``fft`` and ``ifft`` are sums of x_j e^(-+2 pi i j k / n); ``rfft`` gives the n // 2 + 1 first of
those of n real numbers, ``irfft`` n real numbers from as many. Nothing is divided by n.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Spec
from nbgrad.ops.batching import leading
from nbgrad.ops.source import iota_node
from nbgrad.ops.tangents import linear


def _infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    routine, n = params
    shape = specs[0].shape
    if routine == "rfft":
        shape = (*shape[:-1], n // 2 + 1, 2)
    elif routine == "irfft":
        shape = (*shape[:-2], n)
    return Spec.of(shape, specs[0].dtype)


def _reference(x: Any, routine: str, n: int) -> Any:
    given = x if routine == "rfft" else np.ascontiguousarray(x).view(np.result_type(x.dtype, np.complex64))[..., 0]
    found = getattr(np.fft, routine)(given, n, norm="forward" if routine in ("ifft", "irfft") else "backward")
    return found if routine == "irfft" else np.stack([found.real, found.imag], -1)


def _vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """The transform the other way. Of real numbers each inner frequency stands for two, its conjugate being one."""
    routine, n = params
    if routine == "rfft":
        return (apply("fourier", _weighted(g, n, 0.5), params=("irfft", n)),)
    if routine == "irfft":
        return (_weighted(apply("fourier", g, params=("rfft", n)), n, 2.0),)
    return (apply("fourier", g, params=("ifft" if routine == "fft" else "fft", n)),)


def _weighted(z: Node, n: int, weight: float) -> Node:
    """Frequencies times ``weight``, but for those that are their own conjugates."""
    place = iota_node(z.spec.shape, z.spec.rank - 2)
    own = apply("eq", place, const(0, int64))
    if n % 2 == 0:
        own = apply("bit_or", own, apply("eq", place, const(n // 2, int64)))
    return apply("where", own, z, z * weight)


define(Op("fourier", Kind.LIBRARY, _infer, _reference, vjp=_vjp, jvp=linear, batch=leading, is_for_cpus=True))
