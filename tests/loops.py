"""Random programs that are long loops: forward, often backward, now and then twice."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from nbgrad.graph.dtypes import DType, float32, float64, int64
from nbgrad.graph.node import Node, apply, const, toposort
from nbgrad.graph.spec import Spec
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import input_node, scalar_node
from nbgrad.ops.view import expand_to, reshape_to
from nbgrad.transform.vjp import vjp
from tests.passes.graphs import OVER_ROWS, PARTS, SHAPES, Growing, is_float
from tests.passes.graphs import STEPS as GRAPH_STEPS

STEPS = ("weight", "row", "input", "number", "mean", "matmul", "roll", "write", "tanh", "square", "pass", "count")
SIDE = 6
MOST_NODES = 1000  # of a loop that is differentiated, too


class Loop(NamedTuple):
    """A program and what it runs on."""

    roots: list[Node]
    inputs: list[Any]
    scalars: list[float | int]


class _Body:
    """One state of SIDE x SIDE; what a round reads beside it is that round's."""

    def __init__(self, dtype: DType, rounds: int, seed: int) -> None:
        self.dtype = dtype
        self.rng = np.random.default_rng(seed)
        self.inputs: list[Any] = []
        self.scalars: list[float | int] = []
        self.state = self.input((SIDE, SIDE))
        self.weight = self.input((SIDE, SIDE))
        self.rows = self.input((rounds, SIDE))

    def input(self, shape: tuple[int, ...]) -> Node:
        self.inputs.append(self.rng.uniform(-0.6, 0.6, shape).astype(self.dtype.numpy))
        return input_node(len(self.inputs) - 1, Spec.of(shape, self.dtype))

    def step(self, h: Node, name: str, t: int) -> Node:
        side = (SIDE, SIDE)
        if name == "weight":
            return h * self.weight + 0.1
        if name == "row":
            row = apply("slice", self.rows, const(t, int64), params=(0, 1, 1))
            return h + expand_to(row, side)
        if name == "input":
            return h - self.input(side)
        if name == "number":
            self.scalars.append(float(self.rng.uniform(0.5, 1.0)))
            return h * cast_to(scalar_node(len(self.scalars) - 1, float64), self.dtype)
        if name == "mean":
            mean = apply("sum", h, params=((1,),)) * (1.0 / SIDE)
            return h - expand_to(reshape_to(mean, (SIDE, 1)), side)
        if name == "matmul":
            return apply("matmul", h, self.weight)
        if name == "roll":
            parts = [apply("slice", h, const(k, int64), params=(0, n, 1)) for k, n in ((2, SIDE - 2), (0, 2))]
            return apply("cat", *parts, params=(0,)) * 0.9
        if name == "write":
            part = apply("slice", h, const(1, int64), params=(1, 2, 1))
            return apply("put_slice", h, part * 0.5, const(3, int64), params=(1, 2, 1))
        if name == "count":
            return h * (1.0 if t % 2 else 0.5)
        return {"tanh": lambda: apply("tanh", h), "square": lambda: h * h, "pass": lambda: h}[name]()


@st.composite
def loops(draw: st.DrawFn) -> Loop:
    """A loop of 34 to 46 rounds with two states, and what is wanted of it: enough to be planned for a few of them."""
    rounds = draw(st.integers(34, 46))
    body = _Body(draw(st.sampled_from((float32, float64))), rounds, draw(st.integers(0, 99)))
    names = draw(st.lists(st.sampled_from(STEPS), min_size=2, max_size=12))
    mixes, keeps = draw(st.booleans()), draw(st.sampled_from((0, 0, 1, 7)))
    stacks = draw(st.sampled_from((None, None, "square", "next")))
    order = draw(st.integers(0, 2))
    h, other, kept, rows = body.state, apply("exp", body.state), [], []
    total = const(0.0, body.dtype)
    for t in range(rounds):
        before = h
        for name in names:
            h = apply("tanh", body.step(h, name, t))
        if mixes:
            h, other = h + other * 0.3, before
            total = total + apply("sum", h, params=((0, 1),))
        if keeps and t % keeps == 0:
            kept.append(h)
        if stacks:
            rows.append(reshape_to(apply("sum", h, params=((0,),)), (1, SIDE)))
    loss = total + apply("sum", h * h, params=((0, 1),))
    if stacks:
        whole = apply("cat", *rows, params=(0,))
        first = 1 if stacks == "next" else 0
        parts = [apply("slice", whole, const(k, int64), params=(0, rounds - first, 1)) for k in (0, first)]
        loss = loss + apply("sum", parts[0] * parts[1], params=((0, 1),))
        kept.append(whole)
    roots = [loss, *kept]
    wrt = [body.state, body.weight]
    for _ in range(order):
        grads = [g for g in vjp([loss], [const(1.0, body.dtype)], wrt) if g is not None]
        if not grads:
            break
        roots += grads
        squares = [apply("sum", g * g, params=((0, 1),)) for g in grads]
        loss = squares[0]
        for more in squares[1:]:
            loss = loss + more
    return Loop(roots, body.inputs, body.scalars)


def _grown(given: list[Node], seed: int, steps: list[Callable[[Growing], None]]) -> Growing:
    """What a round makes of values: of the same draws each time."""
    g = Growing(Random(seed), list(given))
    for step in steps:
        step(g)
    return g


def _next(state: Node, made: list[Node], taken: list[Node]) -> Node:
    """A small value of the state's kind, of the last one with its shape that no other state has taken."""
    fit = [x for x in made if x.spec.shape == state.spec.shape and is_float(x) and x not in taken]
    taken += fit[-1:]
    return cast_to(apply("tanh", (fit[-1] if fit else state) * 0.9), state.spec.dtype)


def _squares(x: Node) -> Node:
    return cast_to(apply("sum", x * x, params=(tuple(range(x.spec.rank)),)), float64)


@st.composite
def grown_loops(draw: st.DrawFn) -> Loop:
    """A loop of which each round is the same random graph (`passes/graphs.py`): one to three states, some of which stay
    behind by a round, and values of each round handed out."""
    rounds, seed = draw(st.integers(30, 34)), draw(st.integers(0, 1 << 32))
    random, rng = Random(seed), np.random.default_rng(seed)
    steps = draw(st.lists(st.sampled_from(GRAPH_STEPS + PARTS + OVER_ROWS), min_size=1, max_size=4))
    shape, dtypes = random.choice(SHAPES), (float32, float64)
    specs = [
        Spec.of(shape if random.random() < 0.7 else random.choice(SHAPES), random.choice(dtypes)) for _ in range(4)
    ]
    inputs = [np.asarray(rng.standard_normal(spec.shape), spec.dtype.numpy) for spec in specs]
    leaves = [input_node(i, spec) for i, spec in enumerate(specs)]
    count = random.randint(1, 3)
    states, fixed, before = leaves[:count], leaves[count:], leaves[:count]
    is_late, keeps, order = random.random() < 0.3, random.choice((0, 1, 1, 7)), random.randint(0, 1)
    kept: list[Node] = []
    numbers: list[float | int] = []
    for t in range(rounds):
        given = [*states, *fixed, *(before if is_late else [])]
        g = _grown(given, seed, steps)
        made, numbers, taken = g.values[len(given) :], g.scalars, []
        states, before = [_next(state, made, taken) for state in states], states
        if keeps and made and t % keeps == 0:
            kept.append(made[-1])
    loss = _squares(states[0])
    for state in states[1:]:
        loss = loss + _squares(state)
    roots = [loss, *states, *kept]
    if order and len(toposort(roots)) < MOST_NODES:
        roots += [g for g in vjp([loss], [const(1.0, float64)], leaves) if g is not None]
    return Loop(roots, inputs, numbers)
