"""einsum: products of tensors by the names of their dims, contracted two at a time as matrix products."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from nbgrad.calls.base import call, common_dtype
from nbgrad.calls.layout import diagonal
from nbgrad.errors import ArgumentError, DTypeError, DTypeNotImplementedError, ShapeError
from nbgrad.graph.dtypes import bool_, int64
from nbgrad.graph.node import Node, apply
from nbgrad.ops.compare import cast_to
from nbgrad.ops.view import expand_to, reshape_to

DOTS: Final = "..."
Labels = tuple[str, ...]  # one for each dim; those under an ellipsis are "...1" for the last, "...2" before it


@call(function=False, shown="einsum")
def einsum_of(operands: tuple[Node, ...], *, equation: str) -> Node:
    """Sums of products as ``equation`` says: each operand's dims by letters, then those of the result.

    Operands are contracted from left to right. The result has memory of its own, also where one operand is only turned.
    """
    terms, wanted = _parsed(equation, operands)
    sizes = _sizes(terms, operands)
    named = [_without_repeats(labels, x) for labels, x in zip(terms, operands, strict=True)]
    named = [(labels, expand_to(x, tuple([sizes[label] for label in labels]))) for labels, x in named]
    labels, value = named[0]
    for place, (other, x) in enumerate(named[1:], 1):
        later = {label for rest, _ in named[place + 1 :] for label in rest} | set(wanted)
        labels, value = _contracted(labels, value, other, x, later)
    if len(operands) == 1 and not value.spec.dtype.is_inexact and not {*labels} <= {*wanted}:
        value = cast_to(value, int64)
    rest, total = _summed(labels, value, set(wanted))
    y = _ordered(rest, total, wanted)
    return apply("copy", y) if total is value and len(operands) == 1 else y


def _parsed(equation: str, operands: Sequence[Node]) -> tuple[list[Labels], Labels]:
    """The labels of every operand's dims, and those of the result."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    texts = left.split(",")
    if len(texts) != len(operands):
        few = "fewer" if len(texts) > len(operands) else "more"
        raise ShapeError(f"einsum(): {few} operands were provided than specified in the equation")
    terms = []
    for place, (text, x) in enumerate(zip(texts, operands, strict=True)):
        hidden = x.spec.rank - len(_letters(text.replace(DOTS, "", 1), equation))
        if hidden < 0 or (hidden > 0 and DOTS not in text):
            raise ShapeError(
                f"einsum(): the number of subscripts in the equation ({x.spec.rank - hidden}) does not match the "
                f"number of dimensions ({x.spec.rank}) for operand {place}"
            )
        terms.append(_labels(text, hidden))
    hidden = max([len([label for label in labels if DOTS in label]) for labels in terms])
    if arrow:
        _letters(right.replace(DOTS, "", 1), equation)
        wanted = _labels(right, hidden)
    else:
        letters = sorted([c for c in left if c.isalpha() and left.count(c) == 1])
        wanted = (*_labels(DOTS, hidden), *letters)
    for label in wanted:
        if wanted.count(label) > 1:
            raise ShapeError(f"einsum(): output subscript {label} appears more than once in the output")
        if not any(label in labels for labels in terms):
            raise ShapeError(
                f"einsum(): output subscript {label} does not appear in the equation for any input operand"
            )
    return terms, wanted


def _letters(text: str, equation: str) -> str:
    for c in text:
        if not (c.isascii() and c.isalpha()):
            raise ArgumentError(f"einsum(): invalid subscript given: {c!r} in {equation!r}, expected letters")
    return text


def _labels(text: str, hidden: int) -> Labels:
    before, dots, after = text.partition(DOTS)
    return (*before, *[f"{DOTS}{k}" for k in range(hidden if dots else 0, 0, -1)], *after)


def _sizes(terms: Sequence[Labels], operands: Sequence[Node]) -> dict[str, int]:
    """The size of every label: dims of size 1 are as large as the others of their name."""
    sizes: dict[str, int] = {}
    for place, (labels, x) in enumerate(zip(terms, operands, strict=True)):
        if x.spec.dtype is not operands[0].spec.dtype:
            raise DTypeError(
                f"einsum(): operands must have one dtype, but operand {place} is {x.spec.dtype.name} and the first "
                f"is {operands[0].spec.dtype.name}"
            )
        for label, size in zip(labels, x.spec.shape, strict=True):
            known = sizes.setdefault(label, size)
            if known != size and 1 not in (known, size):
                raise ShapeError(
                    f"einsum(): subscript {label} has size {size} for operand {place} which does not broadcast with "
                    f"previously seen size {known}"
                )
            sizes[label] = size if known == 1 else known
    return sizes


def _without_repeats(labels: Labels, x: Node) -> tuple[Labels, Node]:
    """The diagonal over the dims of ``x`` that share a label."""
    for label in labels:
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            if x.spec.shape[first] != x.spec.shape[second]:
                raise ShapeError(
                    f"einsum(): subscript {label} is repeated for an operand but the sizes don't match, "
                    f"{x.spec.shape[second]} != {x.spec.shape[first]}"
                )
            x = diagonal(x, 0, first, second)
            labels = (*[other for k, other in enumerate(labels) if k not in (first, second)], label)
    return labels, x


def _summed(labels: Labels, x: Node, kept: set[str]) -> tuple[Labels, Node]:
    dims = tuple([k for k, label in enumerate(labels) if label not in kept])
    rest = tuple([label for label in labels if label in kept])
    if not dims:
        return rest, x
    return rest, apply("sum", cast_to(x, int64) if x.spec.dtype is bool_ else x, params=(dims,))


def _ordered(labels: Labels, x: Node, wanted: Labels) -> Node:
    order = tuple([labels.index(label) for label in wanted])
    return x if order == tuple(range(len(order))) else apply("permute", x, params=(order,))


def _contracted(a_labels: Labels, a: Node, b_labels: Labels, b: Node, later: set[str]) -> tuple[Labels, Node]:
    """Products of two operands, summed over what nobody needs ``later``."""
    a_labels, a = _summed(a_labels, a, later | set(b_labels))
    b_labels, b = _summed(b_labels, b, later | set(a_labels))
    both = tuple([label for label in a_labels if label in b_labels and label in later])
    inner = tuple([label for label in a_labels if label in b_labels and label not in later])
    rows = tuple([label for label in a_labels if label not in b_labels])
    columns = tuple([label for label in b_labels if label not in a_labels])
    a, b = _ordered(a_labels, a, (*both, *rows, *inner)), _ordered(b_labels, b, (*both, *inner, *columns))
    size = dict(
        [*zip((*both, *rows, *inner), a.spec.shape, strict=True), *zip(columns, _last(b, columns), strict=True)]
    )
    n, m, k, batch = (prod([size[label] for label in group]) for group in (rows, columns, inner, both))
    result = (*both, *rows, *columns)
    if inner:
        if bool_ in (a.spec.dtype, b.spec.dtype):
            raise DTypeNotImplementedError("einsum: \"bmm\" not implemented for 'Bool'; use .to(int64) or .any(dim)")
        lead = (batch,) if both else ()
        y = apply("matmul", reshape_to(a, (*lead, n, k)), reshape_to(b, (*lead, k, m)))
    else:
        full, dtype = (batch, n, m), common_dtype(a, b)  # sums of bools are numbers
        a, b = cast_to(a, dtype), cast_to(b, dtype)
        y = expand_to(reshape_to(a, (batch, n, 1)), full) * expand_to(reshape_to(b, (batch, 1, m)), full)
    return result, reshape_to(y, tuple([size[label] for label in result]))


def _last(x: Node, labels: Labels) -> tuple[int, ...]:
    return x.spec.shape[x.spec.rank - len(labels) :]
