"""Operators defined by a published formula, with a derivative of their own that reads less than the formula's.

``canonicalize`` replaces them by their formula, so every tier computes the same bits.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.batching import by_dims, leading
from nbgrad.ops.compare import cast_to
from nbgrad.ops.reduce import reduced_shape, restore
from nbgrad.ops.tangents import symmetric


def _same(specs: tuple[Spec, ...], params: Params) -> Spec:
    return specs[0]


def infer_reduced(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(reduced_shape(specs[0].shape, params[0]), specs[0].dtype)


def _reduce(name: str, x: Node, dims: Shape) -> Node:
    return apply(name, x, params=(dims,))


def _shifted(x: Node, dims: Shape) -> tuple[Node, Node]:
    """(x - max, max), the max of an infinite row taken as 0 so that inf - inf does not arise; that of real parts."""
    top = _reduce("amax", apply("real", x) if x.spec.dtype.is_complex else x, dims)
    infinite = apply("eq", apply("abs", top), const(float("inf"), top.spec.dtype))
    safe = cast_to(apply("where", infinite, const(0, top.spec.dtype), top), x.spec.dtype)
    return x - restore(safe, x.spec.shape, dims), safe


def _softmax(inputs: tuple[Node, ...], params: Params) -> Node:
    """exp(x - max) / sum(exp(x - max))."""
    (x,), (dims,) = inputs, params
    e = apply("exp", x - restore(_reduce("amax", x, dims), x.spec.shape, dims))
    return e / restore(_reduce("sum", e, dims), x.spec.shape, dims)


def _softmax_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    return (y * (g - restore(_reduce("sum", g * y, params[0]), y.spec.shape, params[0])),)


def _log_softmax(inputs: tuple[Node, ...], params: Params) -> Node:
    """(x - max) - log(sum(exp(x - max)))."""
    (x,), (dims,) = inputs, params
    shifted = x - restore(_reduce("amax", x, dims), x.spec.shape, dims)
    total = _reduce("sum", apply("exp", shifted), dims)
    return shifted - restore(apply("log", total), x.spec.shape, dims)


def _log_softmax_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    return (g - apply("exp", y) * restore(_reduce("sum", g, params[0]), y.spec.shape, params[0]),)


def _logsumexp(inputs: tuple[Node, ...], params: Params) -> Node:
    """log(sum(exp(x - max))) + max."""
    (x,), (dims,) = inputs, params
    shifted, top = _shifted(x, dims)
    return apply("log", _reduce("sum", apply("exp", shifted), dims)) + top


def _logsumexp_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    (x,), (dims,) = inputs, params
    return (restore(g, x.spec.shape, dims) * apply("exp", x - restore(y, x.spec.shape, dims)),)


def mean_of(x: Node, dims: Shape) -> Node:
    """sum / n."""
    n = prod([x.spec.shape[d] for d in dims])
    return _reduce("sum", x, dims) / const(n, x.spec.dtype)


def _var(inputs: tuple[Node, ...], params: Params) -> Node:
    """sum((x - mean)^2) / (n - correction), in two passes."""
    (x,), (dims, correction) = inputs, params
    d = x - restore(mean_of(x, dims), x.spec.shape, dims)
    return _reduce("sum", d * d, dims) / const(freedom(x, dims, correction), x.spec.dtype)


def freedom(x: Node, dims: Shape, correction: float) -> float:
    return max(prod([x.spec.shape[d] for d in dims]) - correction, 0)


def _var_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    (x,), (dims, correction) = inputs, params
    d = x - restore(mean_of(x, dims), x.spec.shape, dims)
    scale = const(2.0, x.spec.dtype) / const(freedom(x, dims, correction), x.spec.dtype)
    return (restore(g * scale, x.spec.shape, dims) * d,)


def var_reference(x: Any, dims: Shape, correction: float) -> Any:
    n = np.array(prod([x.shape[d] for d in dims]), x.dtype)
    d = x - np.sum(x, axis=dims, keepdims=True) / n
    return np.sum(d * d, axis=dims) / np.maximum(n - np.array(correction, x.dtype), 0)


def _softmax_reference(x: Any, dims: Shape) -> Any:
    e = np.exp(x - np.max(x, axis=dims, keepdims=True, initial=-np.inf))
    return e / np.sum(e, axis=dims, keepdims=True)


def _log_softmax_reference(x: Any, dims: Shape) -> Any:
    shifted = x - np.max(x, axis=dims, keepdims=True, initial=-np.inf)
    return shifted - np.log(np.sum(np.exp(shifted), axis=dims, keepdims=True))


def _logsumexp_reference(x: Any, dims: Shape) -> Any:
    top = np.max(x.real, axis=dims, keepdims=True, initial=-np.inf)
    top = np.where(np.isinf(top), 0, top).astype(x.dtype)
    return np.log(np.sum(np.exp(x - top), axis=dims)) + top.reshape(reduced_shape(x.shape, dims))


softmax = define(
    Op(
        "softmax",
        Kind.COMPOSITE,
        _same,
        _softmax_reference,
        vjp=_softmax_vjp,
        jvp=symmetric(_softmax_vjp),
        decompose=_softmax,
        batch=by_dims,
    )
)
log_softmax = define(
    Op(
        "log_softmax",
        Kind.COMPOSITE,
        _same,
        _log_softmax_reference,
        vjp=_log_softmax_vjp,
        decompose=_log_softmax,
        batch=by_dims,
    )
)
logsumexp = define(
    Op(
        "logsumexp",
        Kind.COMPOSITE,
        infer_reduced,
        _logsumexp_reference,
        vjp=_logsumexp_vjp,
        is_holomorphic=True,
        decompose=_logsumexp,
        batch=by_dims,
    )
)
var = define(
    Op(
        "var",  # params: (dims, correction)
        Kind.COMPOSITE,
        infer_reduced,
        var_reference,
        vjp=_var_vjp,
        decompose=_var,
        batch=by_dims,
    )
)


def _graft_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return specs[1]


def _rebased(y: Node, inputs: tuple[Node, ...], batched: tuple[bool, ...], size: int) -> Node:
    """What a custom function gave for one example is what it gave for all, with the history that has."""
    return inputs[1] if inputs[0].op.name == "boundary" else leading(y, inputs, batched, size)


# rebase_history(history, value): the value of one node with the derivative history of another. It is how a value that
# was computed earlier (or written by an operation autograd does not record) stands in the graph.
rebase_history = define(
    Op(
        "rebase_history",
        Kind.COMPOSITE,
        _graft_infer,
        lambda history, value: value,
        vjp=lambda g, y, i, p: (g, None),
        decompose=lambda inputs, params: inputs[1],
        batch=_rebased,
        moves=True,
    )
)
# overwrite_history(old, new): ``new``, written over all of ``old``. What depends on it depends on ``old`` too, with
# zeros. They are constants, or where it was written through a view, as ``params`` say then, of the cotangent, as in
# PyTorch.
overwrite_history = define(
    Op(
        "overwrite_history",
        Kind.COMPOSITE,
        _graft_infer,
        lambda old, new, *through_view: new,
        vjp=lambda g, y, i, p: (
            apply("overwrite_history", g, zeros_of(g.spec), params=p) if p else zeros_of(i[0].spec),
            g,
        ),
        decompose=lambda inputs, params: inputs[1],
        batch=leading,
        moves=True,
    )
)
# detach(x): the value without its history.
stop = define(
    Op(
        "detach",
        Kind.COMPOSITE,
        _same,
        lambda x: x,
        vjp=lambda g, y, i, p: (None,),
        decompose=lambda inputs, params: inputs[0],
        batch=leading,
        moves=True,
    )
)


def _tie_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    return (g, *[zeros_of(x.spec) if x.spec.dtype.is_inexact else None for x in inputs[1:]])


tie = define(
    # inputs (x, other, ...): x, which is flat in the others and still depends on them: their derivative is zeros, where
    # without the tie it would be missing. PyTorch says so of x ** 0 and of the second derivative of relu.
    Op(
        "tie",
        Kind.COMPOSITE,
        _same,
        lambda x, *others: np.array(x),
        vjp=_tie_vjp,
        decompose=lambda inputs, params: inputs[0],
        batch=leading,
        moves=True,
    )
)


flat = define(
    # flat(x): x, before what is made of straight pieces: its cotangent depends on it as PyTorch's, with zeros.
    Op(
        "flat",
        Kind.COMPOSITE,
        _same,
        np.array,
        vjp=lambda g, y, i, p: (apply("tie", g, i[0]),),
        decompose=lambda inputs, params: inputs[0],
        batch=leading,
        moves=True,
    )
)


def _leaky_relu_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    x, slope = inputs
    zero = const(0, x.spec.dtype)
    positive = apply("gt", x, zero)
    by_slope = _reduce("sum", apply("where", positive, zero, g * x), tuple(range(x.spec.rank)))
    return apply("tie", apply("where", positive, g, g * slope), x), by_slope


leaky_relu = define(
    # inputs (x, slope 0-d): x where it is above 0, slope * x elsewhere
    Op(
        "leaky_relu",
        Kind.COMPOSITE,
        _same,
        lambda x, slope: np.where(x > 0, x, x * slope),
        vjp=_leaky_relu_vjp,
        decompose=lambda inputs, params: apply(
            "where", apply("gt", inputs[0], const(0, inputs[0].spec.dtype)), inputs[0], inputs[0] * inputs[1]
        ),
    )
)


def passed_back(x: Node) -> tuple[Node, ...]:
    """The inputs that a derivative of ``x`` may go on to."""
    return x.inputs[:1] if x.op is rebase_history else x.inputs


def read_by(x: Node) -> tuple[Node, ...]:
    """The inputs whose values that of ``x`` is made of: of a history only the shape is read."""
    return x.inputs[1:] if x.op is rebase_history or x.op is overwrite_history else x.inputs
