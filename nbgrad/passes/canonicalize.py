"""Decide everything that changes arithmetic, once, for every tier: formulas, reduction forms."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from nbgrad.graph.dtypes import float32, float64, int64
from nbgrad.graph.geometry import affine
from nbgrad.graph.node import Node, apply, toposort
from nbgrad.graph.op import COMPOSITE, ON_COMPLEX, REDUCE, SOURCE, Params, has_complex
from nbgrad.graph.spec import Shape, Spec, contiguous_strides
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.compare import cast_to
from nbgrad.ops.library import is_transposed, transposed
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to, reshape_to
from nbgrad.passes.reductions import empty, normalised

LONG = 32  # terms: of shorter sums more than one of a vector with a matrix is a product


def canonicalize(roots: Sequence[Node]) -> list[Node]:
    """The same values by primitive operators only, each in the one form that kernels carry out.

    Needs: any verified graph.   Gives: no composites; reductions over one run of dims; matmul of floats
    that gives several sums of several products each; run-time numbers read in the dtype they are used in; slices at
    affine starts; nothing computed without elements; complex numbers as their real and imaginary parts.
    Keeps: values (this pass defines their bits), shapes, sites.   Cost: one walk, O(nodes).
    """
    new: dict[Node, Node] = {}  # what replaced nodes became
    done: set[Node] = set()  # canonical nodes
    for node in toposort(roots):
        _put(node, new, done)
    found = [new.get(r, r) for r in roots]
    if not Spec.any_complex:
        return found
    whole = [apply("view_as_real", x) if x.spec.dtype.is_complex else x for x in found]
    for x in whole:
        for inner in _fresh(x, done):
            _put(inner, new, done)
    return [new.get(x, x) for x in whole]


def _put(node: Node, new: dict[Node, Node], done: set[Node]) -> None:
    """Enter the canonical form of ``node``, whose inputs have theirs."""
    inputs = node.inputs
    for x in inputs:
        if x in new:
            inputs = tuple([new.get(x, x) for x in inputs])
            break
    step = _step(node, inputs)
    if step is None:
        out = node if inputs is node.inputs else Node(node.op, inputs, node.params, node.spec, node.site)
    else:
        if step not in done:
            for inner in _fresh(step, done):  # a formula may hold other formulas, a few levels deep
                inner.site = inner.site or node.site
                _put(inner, new, done)
        out = new.get(step, step)
    done.add(out)
    if out is not node:
        new[node] = out


def _fresh(top: Node, done: set[Node]) -> list[Node]:
    """The nodes of ``top`` that are not canonical yet, inputs first."""
    order: list[Node] = []
    seen: set[Node] = set()
    stack = [top]
    while stack:
        node = stack[-1]
        waiting = [x for x in reversed(node.inputs) if x not in done and x not in seen]
        if waiting:
            stack += waiting
        else:
            stack.pop()
            if node not in seen:
                seen.add(node)
                order.append(node)
    return order


def _step(node: Node, inputs: tuple[Node, ...]) -> Node | None:
    """The graph that takes the place of ``node`` over canonical inputs; None where there is nothing to change."""
    op = node.op
    if Spec.any_complex and has_complex(node):
        return ON_COMPLEX[op.name](node, inputs)
    if not node.spec.size and op.kind is not SOURCE and not _is_repeated(node):
        return zeros_of(node.spec)
    rule = _RULES.get(op.name)
    if rule is not None:
        return rule(node, inputs)
    if op.kind is COMPOSITE:
        assert op.decompose is not None, f"{op.name} has no formula"
        return op.decompose(inputs, node.params)
    if op.kind is REDUCE:
        return _reduce(node, inputs[0])
    return None


def _is_repeated(node: Node) -> bool:
    """Whether ``node`` shows one number: a constant, or one that has to be computed though it is shown nowhere."""
    return node.op.name == "tie" or (node.op.name == "expand" and not node.inputs[0].spec.shape)


def _reduce(node: Node, x: Node) -> Node | None:
    shape, dims = x.spec.shape, node.params[0]
    if not prod([shape[d] for d in dims]):
        return empty(node.op.name, node)
    return normalised(node, x)


def _cast(node: Node, inputs: tuple[Node, ...]) -> Node | None:
    """Constants are converted now; run-time numbers when they are bound (integers to floats by way of float64)."""
    (x,), dtype = inputs, node.spec.dtype
    if x.spec.dtype is dtype:
        return x
    if x.op.name == "const":
        return cast_to(x, dtype)
    if x.op.name == "cast" and dtype.is_half and x.inputs[0].spec.dtype is dtype:
        return x.inputs[0]  # a half that was looked at in float32; the other way round it would not be rounded
    is_number = x.op.name == "scalar" and x.spec.dtype in (float64, int64)
    if is_number and dtype in ((float32,) if x.spec.dtype is float64 else (float32, float64)):
        return apply("scalar", params=(x.params[0], dtype))
    return None


def _matmul(node: Node, inputs: tuple[Node, ...]) -> Node | None:
    """A kernel of its own is for sums of floats, and for more than one sum of each matrix: others fuse. So do long sums
    along the rows of a matrix by a vector: 1000 x 1000 takes 0.14 ms, which are those of memory, instead of 0.5.
    """
    a, b = inputs
    *_, n, k = a.spec.shape
    m = b.spec.shape[-1]
    if k == 0:
        return zeros_of(node.spec)
    if k == 1:
        left, right = (expand_to(x, node.spec.shape) for x in (a, b))
        return apply("mul", left, right, site=node.site)
    if a.spec.dtype.is_floating_point and (n > 1 or m > 1):
        if k < LONG or a.spec.dtype.is_half:
            return None
        if n == 1 and is_transposed(b):
            column = _sum_of_products(node, transposed(b), transposed(a))
            return reshape_to(column, node.spec.shape)
        if m > 1 or is_transposed(a):
            return None
    return _sum_of_products(node, a, b)


def _sum_of_products(node: Node, a: Node, b: Node) -> Node:
    """Products (..., n, k, m), summed over k."""
    *batch, n, k = a.spec.shape
    m = b.spec.shape[-1]
    cube = (*batch, n, k, m)
    left = expand_to(reshape_to(a, (*batch, n, k, 1)), cube)
    right = expand_to(reshape_to(b, (*batch, 1, k, m)), cube)
    return apply("sum", apply("mul", left, right, site=node.site), params=((len(batch) + 1,),), site=node.site)


def _cat(node: Node, inputs: tuple[Node, ...]) -> Node | None:
    some = [x for x in inputs if x.spec.size]
    if len(some) == 1:
        return some[0]
    return None if len(some) == len(inputs) else apply("cat", *some, params=node.params, site=node.site)


def _slice(node: Node, inputs: tuple[Node, ...]) -> Node | None:
    x, start = inputs
    if affine(start) is not None:
        return None
    index = _slice_places(x.spec.shape, start, node.params)
    return apply("take", reshape_to(x, (x.spec.size,)), index, site=node.site)


def _put_slice(node: Node, inputs: tuple[Node, ...]) -> Node | None:
    x, w, start = inputs
    if not w.spec.size:
        return x
    if affine(start) is not None:
        return None
    flat = (x.spec.size,)
    index = reshape_to(_slice_places(x.spec.shape, start, node.params), (w.spec.size,))
    put = apply("scatter_put", reshape_to(x, flat), index, reshape_to(w, (w.spec.size,)), site=node.site)
    return reshape_to(put, x.spec.shape)


def _slice_places(shape: Shape, start: Node, params: Params) -> Node:
    """Flat positions of a slice whose start is a computed value: kernels check them against the whole array."""
    dim, length, step = params
    cut = (*shape[:dim], length, *shape[dim + 1 :])
    places: Node | None = None
    for d, stride in enumerate(contiguous_strides(shape)):
        along = iota_node(cut, d)
        if d == dim:
            along = start + along * step
        term = along * stride
        places = term if places is None else places + term
    assert places is not None
    return places


def _scatter(node: Node, inputs: tuple[Node, ...]) -> Node | None:
    return None if inputs[1].spec.size else inputs[0]


def _view(node: Node, inputs: tuple[Node, ...]) -> Node | None:
    """A view that shows its input unchanged is that input."""
    same = node.spec is inputs[0].spec and (node.op.name != "permute" or node.params[0] == tuple(range(node.spec.rank)))
    return inputs[0] if same else None


def _without_words(node: Node, inputs: tuple[Node, ...]) -> Node | None:
    """The words of an error are no part of a kernel; what raises it reads them in the graph as it was recorded."""
    return Node(node.op, inputs, (), node.spec, node.site) if node.params else None


_RULES = {
    "cast": _cast,
    "matmul": _matmul,
    "cat": _cat,
    "slice": _slice,
    "put_slice": _put_slice,
    "scatter_add": _scatter,
    "scatter_extreme": _scatter,
    "scatter_product": _scatter,
    "scatter_put": _scatter,
    "scatter_recurrence": _scatter,
    "reshape": _view,
    "expand": _view,
    "permute": _view,
    "wrap_index": _without_words,
    "check_index": _without_words,
    "require": _without_words,
}
