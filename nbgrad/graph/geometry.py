"""Where the elements of a value lie: a chain of views becomes an offset and strides over the memory of one node."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node
from nbgrad.graph.op import VIEW
from nbgrad.graph.spec import Shape, contiguous_strides

Terms = tuple[tuple[int, int], ...]  # (scalar position, coefficient): what run-time numbers add to an offset

AFFINE_DEPTH = 8  # starts are short formulas; a longer one is computed like any other value


class Geometry(NamedTuple):
    """Element i of a value is element ``offset + terms + sum(i * strides)`` of ``base``, which is row-major.

    ``base`` is the node that has the memory: a source, a computed node, or a ``reshape`` that strides cannot express,
    which has to be copied.
    """

    base: Node
    offset: int
    terms: Terms
    strides: Shape

    @property
    def is_whole(self) -> bool:
        """Whether it starts where the base starts, at no run-time offset."""
        return self.offset == 0 and not self.terms


def resolve(node: Node, known: dict[Node, Geometry]) -> Geometry:
    """The geometry of ``node``. ``known`` remembers what was resolved before; chains are walked with a loop."""
    found = known.get(node)
    if found is not None:
        return found
    if node.op.kind is not VIEW:
        found = known[node] = own(node)
        return found
    chain = []
    x = node
    while x.op.kind is VIEW and x not in known:
        chain.append(x)
        x = x.inputs[0]
    g = known.get(x)
    if g is None:
        g = known[x] = own(x)
    for view in reversed(chain):
        g = known[view] = _VIEWS[view.op.name](view, g)
    return g


def own(node: Node) -> Geometry:
    """The geometry of a node that has its own row-major memory. An index ramp moves along its dim only."""
    if node.op.name == "iota":
        shape, dim = node.params
        return Geometry(node, 0, (), tuple([int(d == dim) for d in range(len(shape))]))
    return Geometry(node, 0, (), node.spec.strides)


def plain(x: Node) -> Node:
    """``x`` before reshapes that only add and remove dims of 1 element: the same elements at the same places."""
    while x.op.name == "reshape" and long_dims(x.spec.shape) == long_dims(x.inputs[0].spec.shape):
        x = x.inputs[0]
    return x


def base_of(x: Node) -> Node:
    """The node below the views that ``x`` is."""
    while x.op.kind is VIEW:
        x = x.inputs[0]
    return x


def long_dims(shape: Shape) -> Shape:
    """``shape`` without dims of 1 element."""
    return tuple([n for n in shape if n != 1])


def is_contiguous(shape: Shape, strides: Shape) -> bool:
    """Whether elements follow each other in row-major order without gaps."""
    step = 1
    for n, s in zip(reversed(shape), reversed(strides), strict=True):
        if n != 1:
            if s != step:
                return False
            step *= n
    return True


def _reshape(node: Node, g: Geometry) -> Geometry:
    strides = reshaped_strides(node.inputs[0].spec.shape, g.strides, node.spec.shape)
    return own(node) if strides is None else g._replace(strides=strides)


def reshaped_strides(shape: Shape, strides: Shape, new_shape: Shape) -> Shape | None:
    """Strides of the same elements under ``new_shape``, PyTorch's for dims of size 1, too; None where no strides give
    that order."""
    if not shape or 0 in new_shape:
        return contiguous_strides(new_shape)
    out: list[int] = []
    left = list(new_shape)
    for size, step in _merged(shape, strides):
        while left and (size > 1 or left[-1] == 1):
            n = left.pop()
            if size % n:
                return None
            out.append(step)
            size, step = size // n, step * n
    return tuple(reversed(out))


def _merged(shape: Shape, strides: Shape) -> list[tuple[int, int]]:
    """(size, stride) of the fewest dims that hold the same order, innermost first."""
    runs = [(shape[-1], strides[-1])]
    for n, s in zip(shape[-2::-1], strides[-2::-1], strict=True):
        size, step = runs[-1]
        if n == 1 or size * step == s:
            runs[-1] = size * n, step
        else:
            runs.append((n, s))
    return runs


def _permute(node: Node, g: Geometry) -> Geometry:
    return g._replace(strides=tuple([g.strides[d] for d in node.params[0]]))


def _expand(node: Node, g: Geometry) -> Geometry:
    old = node.inputs[0].spec.shape
    lead = node.spec.rank - len(old)
    strides = [s if n == m else 0 for n, m, s in zip(old, node.spec.shape[lead:], g.strides, strict=True)]
    for n in reversed(node.spec.shape[:lead]):
        strides.insert(0, node.spec.shape[-len(strides)] * strides[0] if n == 1 and strides else int(n == 1))
    return g._replace(strides=tuple(strides))


def _slice(node: Node, g: Geometry) -> Geometry:
    start = affine(node.inputs[1])
    assert start is not None, "canonicalize leaves only affine starts"
    dim, _, step = node.params
    stride = g.strides[dim]
    first, terms = start
    strides = (*g.strides[:dim], stride * step, *g.strides[dim + 1 :])
    return Geometry(g.base, g.offset + first * stride, add_terms(g.terms, terms, stride), strides)


def _window(node: Node, g: Geometry) -> Geometry:
    dim, _, step, dilation = node.params
    along = g.strides[dim]
    return g._replace(strides=(*g.strides[:dim], along * step, *g.strides[dim + 1 :], along * dilation))


def _diagonal(node: Node, g: Geometry) -> Geometry:
    a, b, offset = node.params
    start = abs(offset) * g.strides[b if offset > 0 else a] if node.spec.size else 0
    kept = [s for d, s in enumerate(g.strides) if d not in (a, b)]
    return Geometry(g.base, g.offset + start, g.terms, (*kept, g.strides[a] + g.strides[b]))


def _embed(node: Node, g: Geometry) -> Geometry:
    start = affine(node.inputs[1])
    assert start is not None, "only affine starts are embedded at"
    stride = g.strides[node.params[0]]
    return g._replace(offset=g.offset - start[0] * stride, terms=add_terms(g.terms, start[1], -stride))


def _shift(node: Node, g: Geometry) -> Geometry:
    """An index ramp's offset is its first value."""
    start = affine(node.inputs[1])
    assert start is not None, "only affine starts are embedded at"
    return g._replace(offset=g.offset - start[0], terms=add_terms(g.terms, start[1], -1))


def _real(node: Node, g: Geometry) -> Geometry:
    """Parts of complex numbers, of which each is two elements."""
    terms = tuple([(position, 2 * c) for position, c in g.terms])
    return Geometry(g.base, 2 * g.offset, terms, tuple([2 * s for s in g.strides]))


def _imag(node: Node, g: Geometry) -> Geometry:
    found = _real(node, g)
    return found._replace(offset=found.offset + 1)


def _as_real(node: Node, g: Geometry) -> Geometry:
    found = _real(node, g)
    return found._replace(strides=(*found.strides, 1))


def _as_complex(node: Node, g: Geometry) -> Geometry:
    *strides, last = g.strides
    if last != 1 or any(n % 2 for n in (g.offset, *strides, *[c for _, c in g.terms])):
        return own(node)
    terms = tuple([(position, c // 2) for position, c in g.terms])
    return Geometry(g.base, g.offset // 2, terms, tuple([s // 2 for s in strides]))


def add_terms(terms: Terms, more: Terms, factor: int) -> Terms:
    """``terms + factor * more``."""
    if not more or not factor:
        return terms
    total = dict(terms)
    for position, c in more:
        total[position] = total.get(position, 0) + c * factor
    return tuple([(p, c) for p, c in total.items() if c])


def affine(node: Node, depth: int = AFFINE_DEPTH) -> tuple[int, Terms] | None:
    """An int64 0-d node as ``constant + sum(coefficient * run-time integer)``; None where it is not of that form."""
    name = node.op.name
    if name == "const":
        return int(node.params[0]), ()
    if name == "scalar":
        return (0, ((node.params[0], 1),)) if node.spec.dtype is int64 else None
    if name in ("add", "sub", "mul", "neg") and depth:
        return _affine_of(name, [affine(x, depth - 1) for x in node.inputs])
    return None


def _affine_of(name: str, inputs: Sequence[tuple[int, Terms] | None]) -> tuple[int, Terms] | None:
    known = [x for x in inputs if x is not None]
    if len(known) < len(inputs):
        return None
    (first, terms), (second, more) = known[0], known[-1]
    if name == "mul":
        if terms and more:
            return None
        factor = first if more else second
        return first * second, add_terms((), more or terms, factor)
    if name == "neg":
        return -first, add_terms((), terms, -1)
    sign = 1 if name == "add" else -1
    return first + sign * second, add_terms(terms, more, sign)


_VIEWS = {
    "reshape": _reshape,
    "permute": _permute,
    "expand": _expand,
    "slice": _slice,
    "window": _window,
    "diagonal": _diagonal,
    "embed": _embed,
    "shift": _shift,
    "real": _real,
    "imag": _imag,
    "view_as_real": _as_real,
    "view_as_complex": _as_complex,
}


@lru_cache(1000)
def memory_order(shape: Shape, strides: Shape, with_gaps: bool = False) -> Shape | None:
    """The order in which dims lie in memory, the outermost first; None where that is their own, or there are gaps or
    repeats, unless a copy ``with_gaps`` closed is meant."""
    order = _outermost_first(shape, strides)
    if order == tuple(range(len(shape))):
        return None
    dense = contiguous_strides(tuple([shape[d] for d in order]))
    is_dense = with_gaps or all(shape[d] < 2 or strides[d] == step for d, step in zip(order, dense, strict=True))
    return order if is_dense else None


def _outermost_first(shape: Shape, strides: Shape) -> Shape:
    """Dims by falling strides; one that is repeated stays between its neighbours, as in PyTorch."""
    order = list(range(len(shape)))[::-1]  # the innermost first
    for k in range(1, len(order)):
        at = k
        for before in range(k - 1, -1, -1):
            a, b = order[before], order[at]
            if not (strides[a] and strides[b]) or (strides[a] == strides[b] and shape[a] <= shape[b]):
                continue
            if strides[a] < strides[b]:
                break
            order[before], order[at], at = b, a, before
    return tuple(order[::-1])
