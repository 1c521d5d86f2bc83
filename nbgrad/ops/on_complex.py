"""What computes each operator on complex numbers, by the parts of these.

For what treats both parts alike, it is the operator itself on each part; for the rest a formula. ``canonicalize`` puts
that in its place (passes/canonicalize.py), so kernels see real numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Final

from nbgrad.graph.dtypes import bool_
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import ON_COMPLEX
from nbgrad.graph.spec import Spec
from nbgrad.ops.compare import cast_to
from nbgrad.ops.complex import Nodes, parts_of, whole
from nbgrad.ops.complex_formulas import FORMULAS, Pair, is_zero_part, zero_like
from nbgrad.ops.view import expand_to, reshape_to, slice_at

# Products of many


def _rows(x: Node, dims: tuple[int, ...]) -> Node:
    """``dims`` as one last dim."""
    kept = [d for d in range(x.spec.rank) if d not in dims]
    shape = [x.spec.shape[d] for d in kept]
    return reshape_to(apply("permute", x, params=((*kept, *dims),)), (*shape, prod([x.spec.shape[d] for d in dims])))


def _prod(node: Node, inputs: Nodes) -> Node:
    """Halves are multiplied element by element, until one is left."""
    x = _rows(inputs[0], node.params[0])
    last = x.spec.rank - 1
    while (n := x.spec.shape[last]) > 1:
        half = n // 2
        y = slice_at(x, 0, last, half) * slice_at(x, half, last, half)
        x = y if n == 2 * half else apply("cat", y, slice_at(x, 2 * half, last, 1), params=(last,))
    return reshape_to(x, node.spec.shape) if x.spec.size else expand_to(const(1, x.spec.dtype), node.spec.shape)


# Casts, sources, and parts in memory


def _cast(node: Node, inputs: Nodes) -> Node:
    (x,), dtype = inputs, node.spec.dtype
    if not x.spec.dtype.is_complex:
        re = cast_to(x, dtype.to_real())
        return whole(re, expand_to(zero_like(re), re.spec.shape))
    re, im = parts_of(x)
    if dtype.is_complex:
        return whole(cast_to(re, dtype.to_real()), cast_to(im, dtype.to_real()))
    if dtype is bool_:
        return apply("bit_or", cast_to(re, bool_), cast_to(im, bool_))
    return cast_to(re, dtype)


def _alike(node: Node, inputs: Nodes) -> Node:
    """The operator itself on real parts, and on imaginary ones."""
    spec = Spec.of(node.spec.shape, node.spec.dtype.to_real())
    split = [parts_of(x) if x.spec.dtype.is_complex else (x, x) for x in inputs]
    made = []
    for k in (0, 1):
        parts = [x[k] for x in split]
        is_nothing = all(is_zero_part(x) for x, given in zip(parts, inputs, strict=True) if given.spec.dtype.is_complex)
        zeros = expand_to(const(0, spec.dtype), spec.shape)
        made.append(zeros if is_nothing and inputs else Node(node.op, tuple(parts), node.params, spec, node.site))
    return whole(*made)


def _by_parts(formula: Callable[..., Pair]) -> Callable[[Node, Nodes], Node]:
    return lambda node, inputs: whole(*formula(*[parts_of(x) for x in inputs]))


def _compared(name: str, joined: str) -> Callable[[Node, Nodes], Node]:
    def formula(node: Node, inputs: Nodes) -> Node:
        (a, b), (c, d) = (parts_of(x) for x in inputs)
        return apply(joined, apply(name, a, c), apply(name, b, d))

    return formula


def _filled(node: Node, inputs: Nodes) -> Node | None:
    """Parts of the shape of the whole, of which one may be a number."""
    shape = node.spec.shape
    parts = [expand_to(x, shape) for x in inputs]
    return None if parts == [*inputs] else whole(parts[0], parts[1])


def _input(node: Node, inputs: Nodes) -> Node:
    position, spec, *place = node.params
    raw = Spec.of((*spec.shape, 2), spec.dtype.to_real())
    return _apart(Node(node.op, (), (position, raw, *place), raw, node.site))


def _const(node: Node, inputs: Nodes) -> Node:
    number, part = complex(node.params[0]), node.spec.dtype.to_real()
    return whole(const(number.real, part), const(number.imag, part))


def _apart(raw: Node) -> Node:
    """The complex numbers that lie in ``raw``, of shape (..., 2)."""
    *shape, _ = raw.spec.shape
    return whole(*[reshape_to(slice_at(raw, k, len(shape), 1), tuple(shape)) for k in (0, 1)])


def _as_real(node: Node, inputs: Nodes) -> Node:
    """The parts as they lie in memory; what they were taken from, where that is so."""
    parts = parts_of(inputs[0])
    raw = [_taken_from(x, k) for k, x in enumerate(parts)]
    if raw[0] is not None and raw[0] is raw[1]:
        return raw[0]
    shape = (*node.spec.shape[:-1], 1)
    return apply("cat", *[reshape_to(x, shape) for x in parts], params=(len(shape) - 1,), site=node.site)


def _taken_from(x: Node, k: int) -> Node | None:
    """The array whose part ``k`` is ``x``."""
    if x.op.name != "reshape" or (cut := x.inputs[0]).op.name != "slice":
        return None
    raw, start = cut.inputs
    is_part = raw.spec.shape == (*x.spec.shape, 2) and cut.params == (x.spec.rank, 1, 1)
    return raw if is_part and start.op.name == "const" and start.params[0] == k else None


def _cumprod(node: Node, inputs: Nodes) -> Node:
    """In rounds, after each of which an element has seen twice as far back.

    Source: Hillis and Steele 1986, "Data parallel algorithms".
    """
    (dim, backwards), (x,) = node.params, inputs
    x, reach, n = _ordered(x, dim, backwards), 1, x.spec.shape[dim]
    while reach < n:
        before, here = slice_at(x, 0, dim, n - reach), slice_at(x, reach, dim, n - reach)
        x = apply("cat", slice_at(x, 0, dim, reach), before * here, params=(dim,))
        reach *= 2
    return _ordered(x, dim, backwards)


def _recurrence(node: Node, inputs: Nodes) -> Node:
    """The same for y_i = x_i + a_i y_h, where a round joins what two stretches multiply by and add."""
    (dim, backwards), (a, x) = node.params, inputs
    n, reach = x.spec.shape[dim], 1
    a, x = (_ordered(y, dim, backwards) for y in (a, x))
    a = apply("cat", slice_at(x, 0, dim, 1), a, params=(dim,))  # the first links nothing
    while reach < n:
        (a_before, a_here), (x_before, x_here) = (
            (slice_at(y, 0, dim, n - reach), slice_at(y, reach, dim, n - reach)) for y in (a, x)
        )
        a, x = (
            apply("cat", slice_at(y, 0, dim, reach), joined, params=(dim,))
            for y, joined in ((a, a_here * a_before), (x, x_here + a_here * x_before))
        )
        reach *= 2
    return _ordered(x, dim, backwards)


def _ordered(x: Node, dim: int, backwards: bool) -> Node:
    n = x.spec.shape[dim]
    return apply("copy", slice_at(x, n - 1, dim, n, -1)) if backwards and n else x


_ALIKE: Final = (
    "add after boundary cat copy cumsum diagonal example expand guard neg overlap_add pad permute put_slice reshape "
    "scatter_add scatter_put slice sub sum take transfer where window"
)
_COMPOSITES: Final = (
    "conj convolution detach flat logsumexp modulus overwrite_history rebase_history roll sgn sum_pool tan tie"
)
ON_COMPLEX |= {
    **dict.fromkeys(_ALIKE.split(), _alike),
    **dict.fromkeys(_COMPOSITES.split(), lambda node, inputs: node.op.decompose(inputs, node.params)),  # type: ignore
    **{name: _by_parts(formula) for name, formula in FORMULAS.items()},
    "cast": _cast,
    "complex": _filled,
    "const": _const,
    "cumprod": _cumprod,
    "eq": _compared("eq", "bit_and"),
    "imag": lambda node, inputs: parts_of(inputs[0])[1],
    "input": _input,
    "ne": _compared("ne", "bit_or"),
    "prod": _prod,
    "recurrence": _recurrence,
    "real": lambda node, inputs: parts_of(inputs[0])[0],
    "view_as_complex": lambda node, inputs: _apart(inputs[0]),
    "view_as_real": _as_real,
}
