"""Random graphs for Hypothesis: maps, views, reductions, products, indices, empty and 0-d values, derivatives.

Operators that jump (comparisons, argmax, rounding) look only at values every evaluator computes exactly, so that a last
bit never decides between two answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

import nbgrad.ops  # noqa: F401  fills the table of operators
from nbgrad.graph.dtypes import DType, float32, float64, int32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Spec
from nbgrad.ops.compare import cast_to
from nbgrad.ops.reduce import restore
from nbgrad.ops.source import input_node, iota_node, scalar_node
from nbgrad.ops.view import expand_to, reshape_to, slice_at
from nbgrad.transform.vjp import vjp

Draw = Callable[[Any], Any]

SHAPES = ((), (1,), (7,), (33,), (4, 5), (1, 6), (16, 17), (3, 1, 5), (2, 3, 4), (2, 1, 3, 2), (0,), (3, 0))
LARGE = ((3, 9001), (20000,), (600, 40), (2, 70, 130))
MOST_ELEMENTS = 60_000


@dataclass
class Case:
    """A random program: what it computes and what it is given."""

    roots: list[Node]
    inputs: list[np.ndarray[Any, np.dtype[Any]]]
    scalars: list[float | int]


@dataclass
class Growing:
    """The graph so far. ``exact`` are the values that every evaluator computes to the last bit."""

    random: Random
    values: list[Node] = field(default_factory=list)
    exact: set[Node] = field(default_factory=set)
    scalars: list[float | int] = field(default_factory=list)

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def flip(self) -> bool:
        return self.random.random() < 0.5

    def one_of(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def pick(self, wanted: Callable[[Node], bool] = lambda x: True) -> Node | None:
        """A value of the wanted kind, rather a late one, so that graphs become deep."""
        found = [x for x in self.values if wanted(x)]
        return found[max(self.number(0, len(found) - 1) for _ in range(2))] if found else None

    def add(self, node: Node, *of: Node, exact: bool = True) -> None:
        if node.spec.size <= MOST_ELEMENTS:
            self.values.append(node)
            if exact and all(x in self.exact for x in of):
                self.exact.add(node)


def is_float(x: Node) -> bool:
    return x.spec.dtype.is_floating_point


def unary(g: Growing) -> None:
    x = g.pick(is_float)
    if x is not None:
        name = g.one_of("tanh", "sin", "cos", "sigmoid", "erf", "neg", "abs", "relu")
        g.add(apply(name, x), x, exact=name in ("neg", "abs", "relu"))


def bounded(g: Growing) -> None:
    """Functions with a narrow domain, on values brought into it."""
    x = g.pick(is_float)
    if x is not None:
        size = apply("abs", x)
        g.add(
            g.one_of(
                lambda: apply("exp", -size),
                lambda: apply("log", size + 0.5),
                lambda: apply("log1p", size),
                lambda: apply("sqrt", size + 0.1),
                lambda: x / (size + 1.0),
            )(),
            x,
            exact=False,
        )


def binary(g: Growing) -> None:
    a = g.pick()
    if a is None:
        return
    b = g.pick(lambda x: x.spec.dtype is a.spec.dtype and x.spec.shape in (a.spec.shape, ()))
    if b is None:
        return
    name = g.one_of("add", "sub", "mul", "maximum", "minimum")
    if g.flip():
        a, b = b, a
    g.add(apply(name, a, b), a, b)


def broadcast(g: Growing) -> None:
    """A row, a column or a single element met with a larger value."""
    a = g.pick(lambda x: x.spec.rank >= 1)
    b = g.pick(lambda x: a is not None and x.spec.dtype is a.spec.dtype and _broadcasts(x.spec.shape, a.spec.shape))
    if a is not None and b is not None:
        g.add(apply(g.one_of("add", "mul", "sub"), a, expand_to(b, a.spec.shape)), a, b)


def _broadcasts(small: tuple[int, ...], large: tuple[int, ...]) -> bool:
    tail = large[len(large) - len(small) :]
    return len(small) <= len(large) and all(n in (1, m) for n, m in zip(small, tail, strict=True))


def with_number(g: Growing) -> None:
    x = g.pick()
    if x is None:
        return
    if g.flip():
        c = const(g.one_of(0, 1, -1, 2, 3) if not is_float(x) else g.one_of(0.5, -1.0, 1.0, 0.0, 1.25), x.spec.dtype)
    elif is_float(x):
        g.scalars.append(g.one_of(0.3, -0.75, 1.5, 2))
        kind = int64 if isinstance(g.scalars[-1], int) else float64
        c = cast_to(scalar_node(len(g.scalars) - 1, kind), x.spec.dtype)
    else:
        g.scalars.append(g.one_of(-3, 2, 5))
        c = cast_to(scalar_node(len(g.scalars) - 1, int64), x.spec.dtype)
    g.add(apply(g.one_of("add", "mul", "sub"), x, c), x)


def choose(g: Growing) -> None:
    """where(a > 0, b, c) by a mask of exact values."""
    a = g.pick(lambda x: x in g.exact)
    b = g.pick(lambda x: a is not None and x.spec.shape == a.spec.shape)
    if a is not None and b is not None:
        mask = apply(g.one_of("gt", "le", "eq"), a, const(0, a.spec.dtype))
        g.add(apply("where", mask, b, const(0, b.spec.dtype)), a, b)


def convert(g: Growing) -> None:
    x = g.pick(lambda x: x in g.exact)
    if x is None:
        return
    if is_float(x):
        rounded = apply(g.one_of("floor", "trunc", "round", "sign"), x)
        small = apply("maximum", apply("minimum", rounded, const(99, x.spec.dtype)), const(-99, x.spec.dtype))
        g.add(cast_to(small, g.one_of(int32, int64)), x)
    else:
        g.add(cast_to(apply("remainder", x, const(7, x.spec.dtype)), float32), x)


def integers(g: Growing) -> None:
    x = g.pick(lambda x: not is_float(x))
    if x is not None:
        name = g.one_of("floor_divide", "remainder", "trunc_divide", "bit_and", "bit_xor")
        g.add(apply(name, x, const(g.one_of(3, -4, 7), x.spec.dtype)), x)


def ramp(g: Growing) -> None:
    x = g.pick(lambda x: x.spec.rank >= 1)
    if x is not None:
        node = iota_node(x.spec.shape, g.number(0, x.spec.rank - 1))
        g.add(node)
        g.add(cast_to(node, float32) * 0.125, node)


def view(g: Growing) -> None:
    x = g.pick()
    if x is None:
        return
    shape = x.spec.shape
    kind = g.number(0, 3)
    if kind == 0 and shape:
        order = g.random.sample(range(len(shape)), len(shape))
        g.add(apply("permute", x, params=(tuple(order),)), x)
    elif kind == 1:
        g.add(reshape_to(x, g.one_of((x.spec.size,), (1, *shape), (*shape, 1), _split(shape))), x)
    elif kind == 2:
        g.add(expand_to(x, (g.one_of(1, 3), *shape)), x)
    elif shape:
        cut(g, x)


def _split(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The first dim that a small factor divides, in two."""
    for d, n in enumerate(shape):
        for f in (2, 3, 5, 7):
            if n > f and n % f == 0:
                return (*shape[:d], n // f, f, *shape[d + 1 :])
    return shape


def cut(g: Growing, x: Node) -> None:
    """A slice of one dim, in either direction, from a place known now or when it runs."""
    dim = g.number(0, x.spec.rank - 1)
    n = x.spec.shape[dim]
    step = g.one_of(1, 2, -1, -3)
    length = g.number(0, -(-n // abs(step)))
    reach = (max(length, 1) - 1) * step
    start = g.number(max(0, -reach), max(0, -reach, n - 1 - max(0, reach)))
    if g.flip():
        g.add(slice_at(x, start, dim, length, step), x)
    else:
        g.scalars.append(start)
        g.add(apply("slice", x, scalar_node(len(g.scalars) - 1, int64), params=(dim, length, step)), x)


def reduction(g: Growing) -> None:
    x = g.pick(lambda x: x.spec.rank >= 1)
    if x is None:
        return
    dims = tuple(d for d in range(x.spec.rank) if g.flip()) or (x.spec.rank - 1,)
    name = g.one_of("sum", "sum", "amax", "amin", "argmax", "argmin", "mean")
    length = prod([x.spec.shape[d] for d in dims])
    if name.startswith("arg") and x not in g.exact:
        name = "sum"
    if length == 0 and name not in ("sum",):
        return
    if name == "mean":
        if is_float(x):
            g.add(apply("sum", x, params=(dims,)) * (1.0 / length), x, exact=False)
        return
    g.add(apply(name, x, params=(dims,)), x, exact=name != "sum" or not is_float(x))


def behind(g: Growing) -> None:
    """Maps of the results of reductions, of one or of several, with what was there before."""
    x = g.pick(lambda x: is_float(x) and x.spec.rank >= 1 and x.spec.size > 0)
    if x is None:
        return
    dims = g.one_of((0,), (x.spec.rank - 1,), tuple(range(x.spec.rank)))
    first, second = (apply(g.one_of("sum", "amax", "amin"), x, params=(dims,)) for _ in range(2))
    y = first * 0.25
    if g.flip():
        y = y - apply("sqrt", apply("abs", second) + 1.0)
    kept = reshape_to(y, tuple(1 if d in dims else n for d, n in enumerate(x.spec.shape))) if g.flip() else y
    other = g.pick(lambda z: z.spec.dtype is x.spec.dtype and _broadcasts(z.spec.shape, kept.spec.shape))
    if other is not None:
        kept = kept + expand_to(other, kept.spec.shape)
    g.add(kept, x, exact=False)
    g.add(apply("tanh", kept), x, exact=False)
    if g.flip():
        g.add(y, x, exact=False)
    if kept.spec.rank == x.spec.rank and kept is not y:
        g.add(x - expand_to(kept, x.spec.shape), x, exact=False)
    if x in g.exact:
        g.add(apply("argmax", x, params=(dims,)) * 3 + 1, x)


def composite(g: Growing) -> None:
    x = g.pick(lambda x: is_float(x) and x.spec.rank >= 1 and x.spec.size > 0)
    if x is not None:
        dims = (g.number(0, x.spec.rank - 1),)
        name = g.one_of("softmax", "log_softmax", "logsumexp", "norm2", "var")
        g.add(apply(name, x, params=(dims, 0) if name == "var" else (dims,)), x, exact=False)


def product(g: Growing) -> None:
    a = g.pick(lambda x: x.spec.rank == 2)
    b = g.pick(lambda x: a is not None and x.spec.rank == 2 and x.spec.dtype is a.spec.dtype)
    if a is None or b is None:
        return
    for left in (a, apply("permute", a, params=((1, 0),))):
        for right in (b, apply("permute", b, params=((1, 0),))):
            if left.spec.shape[1] == right.spec.shape[0]:
                g.add(apply("matmul", left, right), a, b, exact=not is_float(a))
                return


def residual(g: Growing) -> None:
    """A value that one operator reads twice: a product added to a product of itself, a value put into itself."""
    x = g.pick(lambda x: is_float(x) and x.spec.rank == 2 and x.spec.size > 0)
    if x is None:
        return
    n = x.spec.shape[1]
    square = cast_to(apply("remainder", iota_node((n, n), 0) * 3 + iota_node((n, n), 1), const(5, int64)), x.spec.dtype)
    h = apply("matmul", x, square * (0.3 / n))
    g.add(g.one_of(h, x) + apply("matmul", h, square * (0.2 / n)), x, exact=False)
    g.add(h + apply("matmul", h, square * (0.2 / n)), x, exact=False)
    flat = reshape_to(apply("tanh", x), (x.spec.size,))
    backwards = const(x.spec.size - 1, int64) - iota_node((x.spec.size,), 0)
    put = apply(g.one_of("scatter_add", "scatter_put"), flat, backwards, flat)
    g.add(apply("neg", put), x, exact=False)


def joined(g: Growing) -> None:
    a = g.pick(lambda x: x.spec.rank >= 1)
    b = g.pick(lambda x: a is not None and x.spec is a.spec)
    if a is not None and b is not None:
        g.add(apply("cat", a, b, a, params=(g.number(0, a.spec.rank - 1),)), a, b)


def gathered(g: Growing) -> None:
    """take, scatter_add and scatter_put through indices that are all in range."""
    x = g.pick(lambda x: x.spec.size > 0)
    if x is None:
        return
    flat = reshape_to(x, (x.spec.size,))
    n = g.one_of(5, 17)
    index = apply("remainder", iota_node((n,), 0) * g.one_of(1, 3, 7), const(x.spec.size, int64))
    kind = g.number(0, 2)
    if kind == 0:
        g.add(apply("take", flat, index), x)
    else:
        values = cast_to(iota_node((n,), 0), x.spec.dtype)
        g.add(apply("scatter_add" if kind == 1 else "scatter_put", flat, index, values), x)


def rowed(g: Growing) -> None:
    """Rows of a table read, and added to rows of another."""
    x = g.pick(lambda x: x.spec.rank >= 2 and x.spec.shape[-1] > 1 and x.spec.size > 0)
    if x is None:
        return
    shape, width = x.spec.shape, x.spec.shape[-1]
    many = x.spec.size // width
    which = apply("remainder", iota_node(shape[:-1], 0) * g.one_of(1, 3), const(g.number(1, many), int64))
    starts = which * g.one_of(width, width, 1)
    places = expand_to(reshape_to(starts, (*shape[:-1], 1)), shape) + iota_node(shape, len(shape) - 1)
    flat = reshape_to(x, (x.spec.size,))
    if g.flip():
        g.add(apply("take", flat, places), x)
    values = g.one_of(x, x * 3, apply("maximum", x, const(0, x.spec.dtype)), expand_to(const(1, x.spec.dtype), shape))
    into = g.one_of(expand_to(const(0, x.spec.dtype), flat.spec.shape), flat)
    put = apply("scatter_add", into, reshape_to(places, flat.spec.shape), reshape_to(values, flat.spec.shape))
    g.add(reshape_to(put, shape), x)


def written(g: Growing) -> None:
    """put_slice of a slice of one value into another."""
    x = g.pick(lambda x: x.spec.rank >= 1 and x.spec.size > 0)
    if x is not None:
        dim = g.number(0, x.spec.rank - 1)
        n = x.spec.shape[dim]
        length = g.number(0, n)
        step = -1 if g.flip() else 1
        source = slice_at(x, n - length if length else 0, dim, length)
        start = const(0 if step > 0 else max(length - 1, 0), int64)
        g.add(apply("put_slice", x, source, start, params=(dim, length, step)), x)


def _start(g: Growing, at: int) -> Node:
    """A place that is known now, or when it runs."""
    if g.flip():
        return const(at, int64)
    g.scalars.append(at)
    return scalar_node(len(g.scalars) - 1, int64)


def stencil(g: Growing) -> None:
    """What each element makes of its neighbours along a dim or two, and a border round it."""
    x = g.pick(lambda x: any(n > 2 for n in x.spec.shape))
    if x is None:
        return
    whole, dims = x, [d for d, n in enumerate(x.spec.shape) if n > 2]
    for dim in g.random.sample(dims, g.number(1, min(2, len(dims)))):
        n = x.spec.shape[dim]
        reach = g.number(1, min(3, (n - 1) // 2))
        first, middle, last = [
            apply("slice", x, _start(g, at), params=(dim, n - 2 * reach, 1)) for at in (0, reach, 2 * reach)
        ]
        y = g.one_of(
            lambda m, a, b: b - m * 2 + a,
            lambda m, a, b: m - m * (b - a),
            lambda m, a, b: apply("maximum", apply("minimum", a, m), b),
            lambda m, a, b: b - a,
        )(middle, first, last)
        x = _bordered(g, x, y, dim, reach)
        if g.flip():
            g.add(x, whole)
    g.add(x, whole)


def _bordered(g: Growing, x: Node, y: Node, dim: int, reach: int) -> Node:
    """``y``, which lacks ``reach`` elements of ``x`` at both ends of ``dim``, made as large as ``x``, or as it is."""
    n, kind = x.spec.shape[dim], g.number(0, 3)
    if kind == 0:
        first, last = [apply("slice", x, _start(g, at), params=(dim, reach, 1)) for at in (0, n - reach)]
        return apply("cat", first, y, last, params=(dim,))
    if kind == 1:
        around = tuple([(reach * (d == dim),) * 2 for d in range(x.spec.rank)])
        return apply("pad", y, const(g.one_of(0, -3), y.spec.dtype), params=(around,))
    if kind == 2:
        return apply("put_slice", x, y, _start(g, reach), params=(dim, n - 2 * reach, 1))
    return y


def scattered(g: Growing) -> None:
    """Several parts added up at places of one whole, as derivatives of slices are."""
    x = g.pick(lambda x: x.spec.rank >= 1 and x.spec.size > 0)
    if x is None:
        return
    dim = g.number(0, x.spec.rank - 1)
    n = x.spec.shape[dim]
    total = g.one_of(expand_to(const(0, x.spec.dtype), x.spec.shape), x)
    for _ in range(g.number(1, 5)):
        length = g.one_of(n, max(1, n - 1), max(1, n - 2), max(1, n - 2), 1)
        part = slice_at(x, g.number(0, n - length), dim, length) * g.one_of(1, -2, 3)
        place, params = _start(g, g.number(0, n - length)), (dim, length, 1)
        if g.number(0, 3):
            part = apply("slice", total, place, params=params) + part
        total = apply("put_slice", total, part, place, params=params)
        if g.number(0, 4) == 0:
            g.add(total, x)
    g.add(total, x)


def rowwise(g: Growing) -> None:
    """Several reductions over the same rows, each of what the one before it gave; sometimes a column one."""
    x = g.pick(lambda x: is_float(x) and x.spec.rank >= 1 and x.spec.size > 0)
    if x is None:
        return
    shape = x.spec.shape
    dims = tuple(range(g.number(0, x.spec.rank - 1), x.spec.rank))
    y, w = x, g.pick(lambda b: b.spec.dtype is x.spec.dtype and _broadcasts(b.spec.shape, shape))
    for _ in range(g.number(1, 4)):
        folded = apply(g.one_of("sum", "amax", "amin"), y, params=(dims,))
        if g.flip():
            folded = g.one_of(lambda r: apply("sigmoid", r), lambda r: r * 0.125, lambda r: r + 1.0)(folded)
        along = restore(folded, shape, dims)
        y = g.one_of(
            lambda y, r: apply("tanh", y - r),
            lambda y, r: y * apply("sigmoid", r) + x,
            lambda y, r: y / (apply("abs", r) + 1.0),
            lambda y, r: apply("exp", -apply("abs", y - r)) + y * 0.5,
        )(y, along)
        if w is not None and g.flip():
            y = y + expand_to(w, shape)
        if g.number(0, 2) == 0:
            g.add(y, x, exact=False)
        if g.number(0, 3) == 0:
            g.add(folded, x, exact=False)
    if g.number(0, 3) == 0:
        g.add(apply("sum", y, params=((0,),)), x, exact=False)
    g.add(y, x, exact=False)


STEPS = (
    *(unary, unary, binary, binary, binary, broadcast, with_number, with_number, view, view, reduction, reduction),
    *(
        behind,
        behind,
        bounded,
        choose,
        convert,
        integers,
        ramp,
        composite,
        product,
        residual,
        joined,
        gathered,
        written,
    ),
    *(rowwise, stencil, scattered, rowed),
)

PARTS = (
    *(stencil,) * 4,
    *(scattered,) * 3,
    *(rowed,) * 3,
    unary,
    binary,
    binary,
    broadcast,
    with_number,
    view,
    reduction,
    rowwise,
)

OVER_ROWS = (*(rowwise,) * 4, *(composite,) * 3, behind, unary, binary, broadcast, view, reduction, product, gathered)

AROUND_REDUCTIONS = (*(behind,) * 5, *(reduction,) * 3, unary, binary, binary, broadcast, with_number, view, product)


@st.composite
def cases(draw: Draw, most_steps: int = 24, kinds: tuple[Callable[[Growing], None], ...] = STEPS) -> Case:
    """A random program with its inputs. Hypothesis chooses (and shrinks) steps of ``kinds``, a seed what they take."""
    steps = draw(st.lists(st.sampled_from(kinds), min_size=3, max_size=most_steps))
    g = Growing(Random(draw(st.integers(0, 1 << 32))))
    rng = np.random.default_rng(g.number(0, 7))
    inputs = []
    pool = SHAPES + LARGE if g.number(0, 3) == 0 else SHAPES
    for i in range(g.number(1, 3)):
        shape = g.one_of(*pool)
        dtype: DType = g.one_of(float32, float32, float32, float64, int32, int64)
        values = rng.standard_normal(shape) if dtype.is_floating_point else rng.integers(-20, 20, shape)
        inputs.append(np.asarray(values, dtype.numpy))
        g.add(input_node(i, Spec.of(shape, dtype)))
    leaves = list(g.values)
    for step in steps:
        step(g)
    roots = g.values[-g.number(1, 4) :]
    y = g.pick(is_float)
    if y is not None and g.flip():
        wrt = [x for x in leaves if is_float(x)]
        seed = expand_to(const(1.0, y.spec.dtype), y.spec.shape)
        roots = roots + [r for r in vjp([y], [seed], wrt) if r is not None]
    return Case(roots, inputs, g.scalars)
