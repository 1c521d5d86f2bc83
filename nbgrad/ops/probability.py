"""Losses of probabilities whose derivative is bounded where their formula's is not."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import ALWAYS, Kind, Op, Params, define
from nbgrad.ops.batching import leading
from nbgrad.ops.family import elementwise
from nbgrad.ops.tangents import symmetric

LOWEST_LOG = -100.0  # PyTorch's bound: a certain mistake costs 100, not infinity
CODES = {"input": 7, "target": 8}  # the kernel's failure codes, nbgrad/tape/kernel.py
SMALLEST_SPREAD = 1e-12  # PyTorch's bound of p (1 - p) in the derivative


def _log(name: str, x: Node) -> Node:
    return apply("maximum", apply(name, x), const(LOWEST_LOG, x.spec.dtype))


def _loss(inputs: tuple[Node, ...], params: Params) -> Node:
    """-(t log(p) + (1 - t) log(1 - p)), the logarithms bounded."""
    p, t = inputs
    return (t - 1.0) * _log("log1p", -p) - t * _log("log", p)


def _loss_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """(p - t) / (p (1 - p)) with the divisor bounded: the bounded logarithms are flat, and infinite beside."""
    p, t = inputs
    spread = apply("maximum", (1.0 - p) * p, const(SMALLEST_SPREAD, p.spec.dtype))
    return g * (p - t) / spread, g * (_log("log1p", -p) - _log("log", p))


def _reference(p: Any, t: Any) -> Any:
    log_p, log_q = np.maximum(np.log(p), LOWEST_LOG), np.maximum(np.log1p(-p), LOWEST_LOG)
    return (t - 1) * log_q - t * log_p


def _check(b: Any, p: Any, of: str) -> Any:
    """``p`` as it is; the kernel fails where it is outside 0 to 1, or NaN."""
    zero, one = b.const(0, b.dtype_of(p)), b.const(1, b.dtype_of(p))
    b.fail_if(b.bit_not(b.bit_and(b.ge(p, zero), b.le(p, one))), CODES[of])
    return p


def _check_reference(p: Any, of: str) -> Any:
    if not np.all((p >= 0) & (p <= 1)):
        raise OverflowError
    return p


check_probability = elementwise(  # params: (of,), whether it is the "input" or the "target" of a loss
    "check_probability", emit=_check, reference=_check_reference, vjp=lambda g, y, inputs, params: (g,), can_fail=ALWAYS
)
binary_cross_entropy = define(
    # inputs (p, t) of one shape and dtype
    Op(
        "binary_cross_entropy",
        Kind.COMPOSITE,
        lambda specs, params: specs[0],
        _reference,
        vjp=_loss_vjp,
        jvp=symmetric(_loss_vjp),
        decompose=_loss,
        batch=leading,
    )
)
