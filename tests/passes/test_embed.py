"""Writes through slices, concatenations and pads as parts of one loop: which become that, and that the bits stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.errors import TensorIndexError
from nbgrad.graph.dtypes import float32, float64, int64
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply, const, toposort
from nbgrad.graph.spec import Spec
from nbgrad.graph.verify import verify
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import input_node, iota_node
from nbgrad.ops.view import expand_to, reshape_to, slice_at
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.embed import MOST_PARTS, embed
from nbgrad.passes.run import grouped, optimise
from nbgrad.tape.lower import lower
from nbgrad.tape.tape import Tape
from nbgrad.transform.vjp import vjp
from tests.passes.build import permuted, reduced, start, value
from tests.passes.runs import fused, run_plan, same_bits, unfused


def ops_of(*roots: Node) -> Counter[str]:
    return Counter(node.op.name for node in toposort(roots))


def tape_of(*roots: Node) -> Tape:
    graph = optimise(canonicalize(roots))
    return lower(graph, grouped(graph), padded=False)


def put(x: Node, w: Node, at: int | Node, dim: int = 0) -> Node:
    place = const(at, int64) if isinstance(at, int) else at
    return apply("put_slice", x, w, place, params=(dim, w.spec.shape[dim], 1))


def zeros(*shape: int) -> Node:
    return expand_to(const(0.0, float32), shape)


def cat(*pieces: Node, dim: int = 0) -> Node:
    return apply("cat", *pieces, params=(dim,))


class Slices:
    """Slices as tensors' are recorded: where they start is a number of the run."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def __call__(self, x: Node, at: int, length: int, dim: int = 0) -> Node:
        self.numbers.append(at)
        return apply("slice", x, start(len(self.numbers) - 1), params=(dim, length, 1))


def agree(roots: list[Node], inputs: list[Any], scalars: Sequence[float | int] = ()) -> None:
    """All tiers give the same bits, and the graph with the parts is what NumPy says it is."""
    expected = run_plan(unfused(roots), inputs, scalars)
    assert same_bits(run_plan(fused(roots), inputs, scalars), expected)
    whole = embed(canonicalize(roots))
    verify(whole, "embed")
    assert same_bits(interpret(whole, inputs, scalars), interpret(roots, inputs, scalars))


def step(u: Node, cut: Slices) -> Node:
    """One explicit step of a nonlinear equation, its ends kept."""
    n = u.spec.shape[0]
    left, middle, right = (cut(u, at, n - 2) for at in (0, 1, 2))
    return cat(cut(u, 0, 1), middle - middle * (right - left) * 0.1, cut(u, n - 1, 1))


@pytest.mark.parametrize(("n", "loops"), [(3, 0), (4, 0), (5, 4), (16, 4), (17, 4), (33, 4), (256, 4)])
def test_a_step_and_its_derivative_are_a_loop_each(n: int, loops: int) -> None:
    """Where the middle is most of the whole."""
    u = input_node(0, Spec.of((n,), float64))
    cut = Slices()
    y = step(step(u, cut), cut)
    (g,) = vjp([y], [input_node(1, y.spec)], [u])
    assert g is not None
    assert not loops or len(tape_of(y, g).instructions) == loops
    rng = np.random.default_rng(n)
    agree([y, g], [rng.standard_normal(n), rng.standard_normal(n)], cut.numbers)


def test_nothing_is_stored_for_the_derivative_but_the_states() -> None:
    u = input_node(0, Spec.of((256,), float64))
    cut = Slices()
    y = step(step(step(u, cut), cut), cut)
    (g,) = vjp([y], [input_node(1, y.spec)], [u])
    assert g is not None
    assert tape_of(g).arena_bytes <= 4 * 256 * 8


@pytest.mark.parametrize("shape", [(5, 7), (6, 3), (16, 40), (2, 9, 33)])
def test_stencils_over_two_dims(shape: tuple[int, ...]) -> None:
    u = input_node(0, Spec.of(shape, float64))
    rows, columns = len(shape) - 2, len(shape) - 1
    cut = Slices()

    def at(row: int, column: int) -> Node:
        return cut(cut(u, row, shape[rows] - 2, rows), column, shape[columns] - 2, columns)

    bend = at(0, 1) + at(2, 1) + at(1, 0) + at(1, 2) - at(1, 1) * 4.0
    around = (*((0, 0),) * rows, (1, 1), (1, 1))
    y = apply("pad", bend, const(0.0, float64), params=(around,))
    (g,) = vjp([y], [input_node(1, y.spec)], [u])
    assert g is not None
    if min(shape[rows:]) > 3:
        assert len(tape_of(y).instructions) == 1
        assert len(tape_of(g).instructions) == 1
    rng = np.random.default_rng(1)
    agree([y, g], [rng.standard_normal(shape), rng.standard_normal(shape)], cut.numbers)


def test_the_derivative_of_differences_is_one_loop() -> None:
    x = value(1000)
    cut = Slices()
    left, right = cut(x, 0, 999), cut(x, 1, 999)
    d = right - left
    (g,) = vjp([d * d], [input_node(1, d.spec)], [x])
    assert g is not None
    assert len(tape_of(g).instructions) == 1
    rng = np.random.default_rng(2)
    agree([g], [rng.standard_normal(1000).astype("f"), rng.standard_normal(999).astype("f")], cut.numbers)


def test_starts_may_be_numbers_of_the_run() -> None:
    x = value(40)
    left, right = (apply("slice", x, start(k), params=(0, 38, 1)) for k in (0, 1))
    y = put(put(zeros(40), left * right, start(2)), slice_at(x, 0, 0, 1), start(3))
    assert ops_of(*embed([y]))["put_slice"] == 0
    data = [np.arange(40, dtype="f")]
    for numbers in ((0, 2, 1, 0), (1, 1, 0, 39), (2, 0, 2, 20)):
        agree([y], data, numbers)
    with pytest.raises(TensorIndexError, match="expected 0 to 2"):
        run_plan(fused([y]), data, (0, 2, 3, 0))


def test_a_zero_that_is_added_to_makes_zero_of_minus_zero() -> None:
    x = value(6)
    y = put(zeros(6), slice_at(zeros(6), 1, 0, 5) + slice_at(x, 0, 0, 5), 1)
    agree([y], [np.full(6, -0.0, "f")])


def test_what_lies_outside_a_part_never_shows() -> None:
    """Around a part a map computes with zeros: 1 / 0, the log of 0."""
    x = value(50)
    y = put(x, apply("log", 1.0 / slice_at(x, 3, 0, 45)), 2)
    agree([y], [np.linspace(1, 2, 50, dtype="f")])


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
def test_what_may_fail_stays_where_it_is(name: str) -> None:
    x = input_node(0, Spec.of((20,), int64))
    y = put(x, apply(name, slice_at(x, 0, 0, 18), slice_at(x, 1, 0, 18)), 1)
    agree([y], [np.arange(1, 21)])


def test_indices_are_only_looked_up_for_elements_that_exist() -> None:
    x, index = value(9), input_node(1, Spec.of((18,), int64))
    y = put(value(20, at=2), apply("take", x, index) * 2.0, 1)
    agree([y], [np.arange(9, dtype="f"), np.full(18, 8), np.zeros(20, "f")])


def test_halves_are_written_in_their_places_as_before() -> None:
    """Every vector of half the loop would compute both."""
    a, b = value(100), value(100, at=1)
    assert ops_of(*embed([cat(a * 2.0, b + 1.0)]))["cat"] == 1
    assert ops_of(*embed([put(put(zeros(100), slice_at(a, 0, 0, 50), 0), slice_at(a, 50, 0, 50), 50)]))["within"] == 0


def test_a_small_write_into_a_large_value_stays_one() -> None:
    assert ops_of(*embed([put(value(1000), value(1, at=1), 7)]))["put_slice"] == 1


def test_writes_with_steps_stay() -> None:
    y = apply("put_slice", value(9), value(9, at=1), const(8, int64), params=(0, 9, -1))
    assert ops_of(*embed([y]))["put_slice"] == 1


def test_a_long_chain_of_writes_stays() -> None:
    y = value(100)
    for i in range(MOST_PARTS + 1):
        y = put(y, value(98, at=1 + i), 1)
    assert ops_of(*embed([y]))["put_slice"] == MOST_PARTS + 1


def test_what_follows_reductions_is_left_to_their_kernel() -> None:
    """A row kernel writes a softmax into its place in the concatenation."""
    x = value(8, 100)
    y = apply("softmax", x, params=((1,),))
    tape = tape_of(cat(value(8, 2, at=1), y, dim=1))
    assert sorted(i.text.form for i in tape.instructions) == ["map", "row"]
    padded = tape_of(apply("pad", y, const(0.0, float32), params=(((0, 0), (1, 1)),)))
    assert sorted(i.text.form for i in padded.instructions) == ["map", "row"]
    agree([cat(value(8, 2, at=1), y, dim=1)], [np.ones((8, 100), "f"), np.ones((8, 2), "f")])


def test_a_row_that_a_reduction_gave_is_read_from_memory() -> None:
    """Repeated, it looks the same from every place: also from where a part reads it."""
    x = value(40)
    top = reshape_to(reduced("amax", x, 0) * 0.25, (1,)) + expand_to(value(at=1), (1,))
    y = (x - expand_to(top, (40,))) * x
    z = put(put(zeros(40), slice_at(y, 2, 0, 38), 0), slice_at(y, 0, 0, 38) * 2.0, 1)
    agree([y, z], [np.linspace(-1, 1, 40, dtype="f"), np.array(0.5, "f")])


def test_a_costly_value_that_several_parts_want_is_made_once() -> None:
    x = value(64)
    hot = apply("tanh", x)
    y = put(x, slice_at(hot, 0, 0, 62) * slice_at(hot, 2, 0, 62), 1)
    assert ops_of(*embed([y]))["tanh"] == 1
    agree([y], [np.linspace(-1, 1, 64, dtype="f")])


def test_a_cheap_value_that_several_parts_want_is_made_for_each() -> None:
    x, g = value(64), value(62, at=1)
    part = g * 2.0
    y = put(put(zeros(64), part, 0), slice_at(put(zeros(64), part, 0), 2, 0, 62) - part, 2)
    assert len(tape_of(y).instructions) == 1
    agree([y], [np.zeros(64, "f"), np.linspace(-1, 1, 62, dtype="f")])
    assert x is not g


def test_an_index_ramp_is_no_memory() -> None:
    ramp = iota_node((33,), 0)
    y = put(ramp, slice_at(ramp, 16, 0, 17), 16)
    z = put(value(33), apply("cast", slice_at(ramp, 3, 0, 30), params=("float32",)), 1)
    agree([y * y, z], [np.zeros(33, "f")])


def test_broadcast_rows_and_permuted_parts() -> None:
    x, row = value(10, 12), value(12, at=1)
    body = apply("permute", slice_at(x, 0, 0, 8), params=((1, 0),)) * 2.0
    y = put(value(14, 8, at=2), body, 1)
    z = put(x, expand_to(reshape_to(row, (1, 12)), (9, 12)), 1)
    rng = np.random.default_rng(3)
    inputs = [rng.standard_normal(s).astype("f") for s in ((10, 12), (12,), (14, 8))]
    assert ops_of(*embed([y, z]))["put_slice"] == 0
    agree([y, z], inputs)


def test_a_reduction_of_a_whole_with_parts() -> None:
    x = value(30, 70)
    y = cat(slice_at(x, 0, 1, 1), slice_at(x, 1, 1, 68) * 2.0, slice_at(x, 69, 1, 1), dim=1)
    rng = np.random.default_rng(4)
    for dims in ((0,), (1,), (0, 1)):
        agree([reduced("sum", y, *dims)], [rng.standard_normal((30, 70)).astype("f")])


def test_a_pde_written_with_tensors_runs_two_loops_a_step() -> None:
    steps = 12
    x = nb.linspace(0, 1, 64, dtype=nb.float64, requires_grad=True)

    def run() -> None:
        u = x
        for _ in range(steps):
            u = nb.cat([u[:1], u[1:-1] - 0.1 * u[1:-1] * (u[2:] - u[:-2]), u[-1:]])
        u.square().sum().backward()

    with override(compile="eager"):
        tape = nb.explain(run)["tape"]
    assert f"{2 * steps} instructions" in tape


@pytest.mark.parametrize("n", [8, 33, 256])
def test_a_periodic_stencil_and_its_derivative_are_a_loop_each(n: int) -> None:
    u = input_node(0, Spec.of((n,), float64))
    right, left = (apply("roll", u, params=((0,), (shift,))) for shift in (1, n - 1))
    y = u + (right - u * 2.0 + left) * 0.1
    (g,) = vjp([y], [input_node(1, y.spec)], [u])
    assert g is not None
    assert len(tape_of(y).instructions) == len(tape_of(g).instructions) == 1
    rng = np.random.default_rng(n)
    agree([y, g], [rng.standard_normal(n), rng.standard_normal(n)])


def test_a_large_shift_is_two_copies() -> None:
    y = apply("roll", value(100), params=((0,), (50,)))
    assert [i.text.form for i in tape_of(y).instructions] == ["map", "map"]
    agree([y], [np.arange(100, dtype="f")])
    agree([apply("roll", value(10, 9), params=((0, 1), (3, 2)))], [np.arange(90, dtype="f").reshape(10, 9)])


def test_a_stencil_is_not_written_over_what_it_still_reads() -> None:
    """A compiled step may write its result where a tensor lies; here each element is read by its neighbours."""
    found = []
    for is_compiled in (False, True):
        u = nb.linspace(0, 1, 100, dtype=nb.float64)

        def step(u: nb.Tensor = u) -> None:
            u.copy_(nb.cat([u[:1], u[1:-1] * 0.5 + u[2:] * 0.2 + u[:-2] * 0.3, u[-1:] * 0.9]))

        run = nb.compile(step, fullgraph=True) if is_compiled else step
        with override(compile="eager"):
            for _ in range(6):
                run()
        found.append(u.numpy().copy())
    assert same_bits(found[:1], found[1:])


BEHIND = {
    "sum of rows": lambda x: reduced("sum", x, 1),
    "sum of columns": lambda x: reduced("sum", x, 0),
    "mean": lambda x: reduced("sum", x, 0) * 0.25,
    "largest": lambda x: reduced("amax", x, 1),
    "norm": lambda x: apply("sqrt", reduced("sum", x * x, 0)),
    "place": lambda x: cast_to(apply("argmax", x, params=((1,),)), float32),
    "product": lambda x: apply("matmul", x, permuted(x, 1, 0)),
    "softmax": lambda x: apply("softmax", x, params=((1,),)),
    "sum of a softmax": lambda x: reduced("sum", apply("softmax", x, params=((1,),)) * x, 1),
}


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (40, 5), (5, 700), (70, 70), (2000, 33), (3, 9000)])
@pytest.mark.parametrize("name", BEHIND)
def test_writes_behind_reductions(name: str, shape: tuple[int, ...]) -> None:
    """A kernel finds no places in memory for what follows its reductions."""
    y = BEHIND[name](value(*shape))
    n = y.spec.shape[0]
    rest = y.spec.shape[1:]
    wide = expand_to(const(0.5, float32), (n - 1, *rest))
    whole = put(y, wide, 1)
    again = put(put(y * 2.0, slice_at(y, 0, 0, n - 1), 0), wide, 0)
    joined = cat(zeros(1, *rest), y)
    padded = apply("pad", y, const(1.0, float32), params=(((1, 1), *((0, 0),) * len(rest)),))
    data = [np.random.default_rng(5).standard_normal(shape).astype("f")]
    expected = run_plan(unfused([whole, again, joined, padded]), data)
    with override(check=True):
        for roots, places in (([whole], [0]), ([again], [1]), ([joined, padded], [2, 3])):
            found = run_plan(fused(roots), data)
            assert same_bits(found, [expected[place] for place in places])
        assert same_bits(run_plan(fused([whole, again, joined, padded]), data), expected)
