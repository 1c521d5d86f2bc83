"""The forward variables of connectionist temporal classification, step by step."""

from __future__ import annotations

from typing import Final

from nbgrad.calls.base import TensorNode, call
from nbgrad.calls.indexing import flat
from nbgrad.calls.reduce import logsumexp
from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to, reshape_to, slice_at

NEVER: Final = -1e30  # the logarithm of a probability of 0, for which derivatives are 0, not NaN


@call("ctc_losses", function=False, shown="ctc_loss", grad_fn="CtcLoss")
def ctc_losses(input: Node, labels: TensorNode, times: TensorNode, sizes: TensorNode, *, blank: int) -> Node:
    """The loss of each sequence: input (T, N, C), labels (N, S), times and sizes (N), how many of these count.

    The variables stand over the labels with blanks around each.
    """
    steps, count, classes = input.spec.shape
    wide = 2 * labels.spec.shape[1] + 1
    shape = (count, wide)
    never, gap, place = const(NEVER, input.spec.dtype), const(blank, int64), iota_node(shape, 1)
    ends = _over(sizes, wide) * const(2, int64)
    inside = apply("le", place, ends)
    pairs = [expand_to(gap, (*labels.spec.shape, 1)), reshape_to(labels, (*labels.spec.shape, 1))]
    marks = reshape_to(apply("cat", *pairs, params=(2,)), (count, wide - 1))
    marks = apply("where", inside, apply("cat", marks, expand_to(gap, (count, 1)), params=(1,)), gap)
    skips = apply("bit_and", apply("ne", marks, _later(marks, 2, gap)), apply("ne", marks, gap))
    skips = apply("bit_and", skips, apply("ge", place, const(2, int64)))
    begins = apply("le", place, apply("minimum", ends, const(1, int64)))
    first = iota_node((steps, *shape), 0) * const(count, int64) + iota_node((steps, *shape), 1)
    known = apply("bit_and", apply("ge", marks, const(0, int64)), apply("lt", marks, const(classes, int64)))
    columns = apply("where", known, marks, const(input.spec.size, int64))  # others than classes are out of range
    seen = apply("take", flat(input), first * const(classes, int64) + expand_to(columns, (steps, *shape)))
    seen = apply("where", expand_to(inside, (steps, *shape)), _at_least(seen, never), never)
    none = apply("where", apply("eq", place, const(0, int64)), const(0, input.spec.dtype), never)
    alpha = none
    for t in range(steps):
        here = reshape_to(slice_at(seen, t, 0, 1), shape)
        if t == 0:
            new = apply("where", begins, here, never)
        else:
            two = apply("where", skips, _later(alpha, 2, never), never)
            new = _at_least(_added(alpha, _later(alpha, 1, never), two) + here, never)
        alpha = apply("where", apply("gt", _over(times, wide), const(t, int64)), new, alpha)
    is_last = apply("bit_or", apply("eq", place, ends), apply("eq", place, ends - const(1, int64)))
    return -logsumexp(apply("where", is_last, alpha, never), (1,))


def _over(x: Node, wide: int) -> Node:
    """A number of each sequence for all places."""
    return expand_to(reshape_to(x, (x.spec.size, 1)), (x.spec.size, wide))


def _later(x: Node, by: int, fill: Node) -> Node:
    """What is ``by`` places before each; ``fill`` at the first ones."""
    count, wide = x.spec.shape
    by = min(by, wide)
    return apply("cat", expand_to(fill, (count, by)), slice_at(x, 0, 1, wide - by), params=(1,))


def _at_least(x: Node, never: Node) -> Node:
    return apply("where", apply("lt", x, never), never, x)


def _added(a: Node, b: Node, c: Node) -> Node:
    """log(exp(a) + exp(b) + exp(c))."""
    most = apply("maximum", apply("maximum", *[apply("detach", x) for x in (a, b)]), apply("detach", c))
    total = apply("exp", a - most) + apply("exp", b - most) + apply("exp", c - most)
    return apply("log", total) + most
