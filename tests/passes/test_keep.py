"""What a program keeps between its early and its late part."""

from __future__ import annotations

import os
from itertools import pairwise
from random import Random
from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nbgrad.calls.activation import gelu
from nbgrad.config import override
from nbgrad.graph.dtypes import float32, float64
from nbgrad.graph.geometry import base_of
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node
from nbgrad.ops.view import expand_to
from nbgrad.passes import keep
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.fuse import fuse
from nbgrad.passes.group import Group, values_read
from nbgrad.passes.run import optimise
from nbgrad.transform.vjp import vjp
from tests.passes.build import permuted, reduced, value
from tests.passes.graphs import Case, Draw, Growing, binary, bounded, cases, composite, rowwise, unary, with_number
from tests.passes.runs import fused, run_plan, same_bits, unfused

EXAMPLES = max(10, int(os.environ.get("NBGRAD_FUZZ", "300")) // 3)
ROWS, WIDTH = 256, 1024


def layer(name: str, rows: int = ROWS, inner: int = WIDTH) -> list[Node]:
    """sum(tanh(f(x w) v)), and its derivatives by both weights: ``f`` between two products."""
    x, w, v = value(rows, 64), value(64, inner, at=1), value(inner, 64, at=2)
    h = apply("matmul", x, w)
    y = gelu(h) if name == "gelu" else apply(name, h)
    loss = reduced("sum", apply("tanh", apply("matmul", y, v)), 0, 1)
    return [loss, *[g for g in vjp([loss], [const(1.0, float32)], [w, v]) if g]]


def groups_of(roots: list[Node]) -> list[Group]:
    return fuse(optimise(canonicalize(roots)))


def wide_kept(groups: list[Group], at: int) -> list[str]:
    """The operators of values of the wide shape that are stored up to group ``at`` and read after it."""
    stored = {v: None for g in groups[: at + 1] for v in g.stores if v.spec.size == ROWS * WIDTH}
    again = {v for g in groups[at + 1 :] for v in g.stores}
    read = {base_of(x) for g in groups[at + 1 :] for x in values_read(g.nodes, g.finish)}
    return [v.op.name for v in stored if v in read and v not in again]


def test_a_gelu_keeps_what_it_was_given_and_nothing_else() -> None:
    groups = groups_of(layer("gelu"))
    forward, backward = [g for g in groups if any(n.op.name == "erf" for n in g.nodes)]
    assert len(forward.stores) == 1
    assert forward.stores[0] in backward.stores  # made again for the product that gives the weight's gradient
    assert wide_kept(groups, groups.index(forward)) == ["matmul"]
    with patch.object(keep, "LEAST_BYTES", 1 << 40):
        groups = groups_of(layer("gelu"))
    assert len(wide_kept(groups, [any(n.op.name == "erf" for n in g.nodes) for g in groups].index(True))) == 4


def test_what_is_made_again_is_read_by_what_comes_after_it() -> None:
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=s).astype(np.float32) for s in ((ROWS, 64), (64, WIDTH), (WIDTH, 64))]
    roots = layer("gelu")
    with override(check=True):
        assert same_bits(run_plan(fused(roots), arrays), run_plan(unfused(roots), arrays))


def test_a_value_of_which_the_derivative_is_made_is_kept_itself() -> None:
    groups = groups_of(layer("tanh"))
    wide = [g for g in groups if g.shape == (ROWS, WIDTH) and not g.is_library]
    assert [[n.op.name for n in g.nodes].count("tanh") for g in wide] == [1, 0]


def test_little_is_kept_as_it_was() -> None:
    groups = groups_of(layer("gelu", rows=16, inner=32))
    assert [n.op.name for g in groups for n in g.nodes].count("erf") == 1


def test_costly_operators_run_once() -> None:
    """Sixteen sines are no price for a value; a product by a number is."""
    x, w = value(ROWS, 64), value(64, WIDTH, at=1)
    h = y = apply("matmul", x, w)
    for _ in range(16):
        y = apply("sin", y)
    z = y * 2.0
    top = expand_to(reduced("sum", z, 0, 1), (ROWS, WIDTH))
    second = apply("matmul", permuted(apply("exp", h - top), 1, 0), z)
    groups = groups_of([second, reduced("sum", z * y * top, 0)])
    assert [n.op.name for g in groups for n in g.nodes].count("sin") == 16


@st.composite
def networks(draw: Draw) -> Case:
    """Products with maps and rows' sums between them, and the derivatives by all factors."""
    sizes = draw(st.lists(st.sampled_from((1, 3, 17, 40)), min_size=2, max_size=5))
    g = Growing(Random(draw(st.integers(0, 1 << 32))))
    rng = np.random.default_rng(g.number(0, 7))
    shapes = [(g.one_of(5, 33), sizes[0]), *pairwise(sizes)]
    dtype = g.one_of(float32, float64)
    leaves = [input_node(i, Spec.of(shape, dtype)) for i, shape in enumerate(shapes)]
    h = leaves[0]
    for w in leaves[1:]:
        h = apply("matmul", h, w)
        g.values = [h]
        for _ in range(g.number(1, 6)):
            g.one_of(unary, bounded, binary, with_number, rowwise, composite)(g)
        h = [x for x in g.values if x.spec is h.spec][-1]
    loss = reduced("sum", h, 0, 1)
    roots = [loss, *[r for r in vjp([loss], [const(1.0, dtype)], leaves) if r is not None]]
    return Case(roots, [np.asarray(rng.standard_normal(s), dtype.numpy) for s in shapes], g.scalars)


@settings(max_examples=EXAMPLES)
@given(networks() | cases(most_steps=16))
def test_values_made_again_have_the_bits_of_those_kept(case: Case) -> None:
    expected = run_plan(unfused(case.roots), case.inputs, case.scalars)
    always = {"LEAST_BYTES": -1, "LEAST_VALUE": 0, "WORTH": 1e9}
    with patch.multiple(keep, **always), override(check=True):
        plan = fused(case.roots)
    assert same_bits(run_plan(plan, case.inputs, case.scalars), expected)
