"""Small vectors that are taken apart, and what is left alone."""

from __future__ import annotations

import os

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nbgrad.config import override
from nbgrad.graph.dtypes import float64
from nbgrad.graph.node import Node, apply, toposort
from nbgrad.ops.view import slice_at
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.components import components
from nbgrad.passes.run import grouped, optimise
from nbgrad.transform.batch import batch
from tests.passes.build import expanded, lines, reduced, reshaped, start, value
from tests.passes.runs import fused, run_plan, same_bits, unfused

EXAMPLES = int(os.environ.get("NBGRAD_FUZZ", "300"))


def component(x: Node, i: int) -> Node:
    return reshaped(slice_at(x, i, 0, 1))


def stacked(*parts: Node) -> Node:
    return apply("cat", *[reshaped(x, 1) for x in parts], params=(0,))


def written(x: Node, i: int, part: Node) -> Node:
    at = slice_at(x, i, 0, 1).inputs[1]
    return apply("put_slice", x, reshaped(part, 1), at, params=(0, 1, 1))


def names(*roots: Node) -> list[str]:
    return [line.split(" = ")[1].split()[0] for line in lines(*roots)[:-1]]


def test_components_of_what_was_stacked_are_seen_through() -> None:
    a, b = value(), value(at=1)
    y = stacked(a, b) * 2.0
    assert lines(*components([component(y, 1) - component(y, 0)])) == [
        "%0: f32[] = input 1",
        "%1: f32[] = const 2.0",
        "%2: f32[] = mul %0 %1",
        "%3: f32[] = input 0",
        "%4: f32[] = mul %3 %1",
        "%5: f32[] = sub %2 %4",
        "return %5",
    ]


def test_a_vector_that_is_wanted_whole_is_put_together_where_it_is_wanted() -> None:
    y = value(2)
    turned = stacked(component(y, 1), apply("neg", component(y, 0)))
    after = turned + expanded(value(at=1), 2)
    total = reduced("sum", after * component(after, 0), 0)
    found = names(*components([total]))
    assert found.count("cat") == 1
    assert found[-2:] == ["cat", "sum"]


def test_what_is_written_by_component_is_known_by_component() -> None:
    x = value(3)
    y = written(apply("exp", x), 1, component(x, 2))
    assert "put_slice" not in names(*components([component(y, 1) + component(y, 2)]))
    assert names(*components([component(y, 1)])) == ["input", "const", "slice", "reshape"]


def test_vectors_that_nobody_takes_apart_stay_whole() -> None:
    y = apply("exp", value(4)) * value(4, at=1)
    assert names(*components([y])) == names(y)


def test_a_long_vector_stays_whole_and_so_does_one_that_is_read_at_a_place_of_the_run() -> None:
    y = apply("exp", value(9))
    z = component(y, 1) + component(y, 2)
    assert names(*components([z])) == names(z)
    short = apply("exp", value(4))
    picked = reshaped(apply("slice", short, start(), params=(0, 1, 1))) * 2.0
    assert names(*components([picked])) == names(picked)


def test_a_stencil_over_a_few_cells_is_an_array() -> None:
    x = value(8)
    inner = slice_at(x, 0, 0, 6) + slice_at(x, 2, 0, 6)
    y = apply("cat", slice_at(x, 0, 0, 1), inner, slice_at(x, 7, 0, 1), params=(0,)) * 0.5
    assert names(*components([y])) == names(y)


def test_a_step_of_components_is_one_loop() -> None:
    y = value(3, dtype=float64)
    for _ in range(4):
        a, b, c = [component(y, i) for i in range(3)]
        y = y + stacked(b - a, a * c, a * b) * 0.1
    groups = grouped(optimise([component(y, 0)]))
    assert len(groups) == 1


def test_a_few_rows_of_components_are_one_loop_and_many_stay_whole() -> None:
    start = value(3, dtype=float64)
    y = start
    for _ in range(4):
        a, b, c = [component(y, i) for i in range(3)]
        y = y + stacked(b - a, a * c, a * b) * 0.1
    root = component(y, 0)
    for rows, is_apart in ((5, True), (1000, False)):
        [several] = canonicalize([batch([root], {start: value(rows, 3, dtype=float64)}, rows)[root]])
        assert ("cat" not in names(*components([several]))) == is_apart
        assert not is_apart or len(grouped(optimise([several]))) == 1


KINDS = ("stack", "write", "map", "scale", "part", "where", "whole", "total")


@st.composite
def programs(draw: st.DrawFn) -> list[Node]:
    """A few vectors that are combined, taken apart and put together."""
    size = draw(st.integers(1, 8))
    vectors = [value(size, dtype=float64), value(size, at=1, dtype=float64)]
    roots = []
    for name in draw(st.lists(st.sampled_from(KINDS), min_size=3, max_size=14)):
        x, y = draw(st.sampled_from(vectors)), draw(st.sampled_from(vectors))
        i, j = draw(st.integers(0, size - 1)), draw(st.integers(0, size - 1))
        if name == "stack":
            order = draw(st.permutations(range(size)))
            vectors.append(stacked(*[component(y if k % 2 else x, k) for k in order]))
        elif name == "write":
            vectors.append(written(x, i, component(y, j)))
        elif name == "map":
            vectors.append(apply("tanh", x) - y)
        elif name == "scale":
            vectors.append(x * component(y, j))
        elif name == "part":
            low, high = min(i, j), max(i, j) + 1
            pieces = [slice_at(x, low, 0, high - low) * 0.5, *([slice_at(y, 0, 0, low)] if low else [])]
            if high < size:
                pieces.append(slice_at(y, high, 0, size - high))
            vectors.append(apply("cat", *pieces, params=(0,)) if len(pieces) > 1 else pieces[0])
        elif name == "where":
            vectors.append(apply("where", apply("lt", x, y), y, x * -1.0))
        elif name == "whole":
            roots.append(x)
        else:
            vectors.append(x + expanded(reduced("sum", y, 0), size))
    return [*roots, vectors[-1], component(vectors[-1], size - 1)]


@settings(max_examples=max(10, EXAMPLES // 4))
@given(programs(), st.integers(0, 99))
def test_vectors_taken_apart_have_the_bits_of_whole_ones(roots: list[Node], seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = roots[-2].spec.size
    inputs = [rng.uniform(-1, 1, size), rng.uniform(-1, 1, size)]
    expected = run_plan(unfused(roots), inputs)
    with override(check=True):
        plan = fused(roots)
    assert same_bits(run_plan(plan, inputs), expected)
    assert same_bits(run_plan(fused(roots, "-components"), inputs), expected)


@settings(max_examples=max(10, EXAMPLES // 8))
@given(programs(), st.integers(2, 9), st.integers(0, 99))
def test_rows_taken_apart_have_the_bits_of_whole_ones(roots: list[Node], rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = roots[-2].spec.size
    one = next((x for x in toposort(roots) if x.op.name == "input" and x.params[0] == 0), None)
    if one is not None:
        found = batch(roots, {one: value(rows, size, dtype=float64)}, rows)
        roots = [found.get(root, root) for root in roots]
    inputs = [rng.uniform(-1, 1, size if one is None else (rows, size)), rng.uniform(-1, 1, size)]
    expected = run_plan(unfused(roots), inputs)
    with override(check=True):
        plan = fused(roots)
    assert same_bits(run_plan(plan, inputs), expected)
