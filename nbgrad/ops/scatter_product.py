"""Products of what several values say of one element: ``scatter_reduce`` and ``index_reduce``."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import ALWAYS, Kind, Op, Params, define
from nbgrad.graph.spec import Spec
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.batching import in_one, scattered
from nbgrad.ops.view import reshape_to, slice_at


def _backwards(x: Node) -> Node:
    return apply("slice", x, const(x.spec.size - 1, int64), params=(0, x.spec.size, -1))


def _parts(packed: Node, length: int) -> tuple[Node, Node]:
    """(what each element became, what its element was before each value)."""
    return slice_at(packed, 0, 0, length), slice_at(packed, length, 0, packed.spec.size - length)


def _from_the_end(g: Node, index: Node, factors: Node, added: Node) -> tuple[Node, Node]:
    """The recurrence of cotangents, from the last value to the first: those of x and of what is added."""
    operands = (g, _backwards(index), _backwards(factors), added)
    of_x, of_added = _parts(apply("scatter_recurrence", *operands), g.spec.size)
    return of_x, _backwards(of_added)


def _product_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """The product of what comes before a value and of what comes after it: no division, so zeros do no harm."""
    x, index, values = inputs
    if not values.spec.size:
        return g, None, None
    none = zeros_of(values.spec)
    _, before = _parts(apply("scatter_recurrence", *inputs, none), x.spec.size)
    of_x, after = _from_the_end(g, index, values, none)
    return of_x, None, before * after


def _recurrence_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """The recurrence from the other end, which begins with the cotangents of the last."""
    x, index, factors, _ = inputs
    (g_last, g_before), (_, before) = (_parts(packed, x.spec.size) for packed in (g, y))
    of_x, of_added = _from_the_end(g_last, index, factors, _backwards(g_before))
    return of_x, None, before * of_added, of_added


def _recurrences(y: Node, inputs: tuple[Node, ...], batched: tuple[bool, ...], size: int) -> Node:
    """Those of all examples in one; what belongs to an example comes together again."""
    length = y.inputs[0].spec.size
    last, before = _parts(apply("scatter_recurrence", *in_one(inputs, batched, size)), size * length)
    rows = reshape_to(last, (size, length)), reshape_to(before, (size, y.spec.size - length))
    return apply("cat", *rows, params=(1,))


def _product_reference(x: Any, index: Any, values: Any) -> Any:
    out = np.array(x)
    np.multiply.at(out, index, values)
    return out


def _recurrence_reference(x: Any, index: Any, factors: Any, added: Any) -> Any:
    h, before = np.array(x), np.array(added)
    for i, k in enumerate(index):
        before[i] = h[k]
        h[k] = h[k] * factors[i] + added[i]
    return np.concatenate([h, before])


def _recurrence_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    x, _, _, added = specs
    return Spec.of((x.size + added.size,), x.dtype)


scatter_product = define(
    # inputs (x 1-d, index 1-d, values 1-d): x with values multiplied to it at index, in source order
    Op(
        "scatter_product",
        Kind.LIBRARY,
        lambda specs, params: specs[0],
        _product_reference,
        vjp=_product_vjp,
        batch=scattered,
        can_fail=ALWAYS,
    )
)
scatter_recurrence = define(
    # inputs (x, index, factors, added), all 1-d: x whose element becomes factor * it + what is added for each value at
    # its index, in source order; then what the element was before each value
    Op(
        "scatter_recurrence",
        Kind.LIBRARY,
        _recurrence_infer,
        _recurrence_reference,
        vjp=_recurrence_vjp,
        batch=_recurrences,
        can_fail=ALWAYS,
    )
)
