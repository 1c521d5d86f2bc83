"""Programs planned for a few rounds and written down for all: the bits of those planned whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from nbgrad.config import override
from nbgrad.graph import rounds as graph_rounds
from nbgrad.graph.dtypes import float32, float64, int64
from nbgrad.graph.node import Node, apply, const, toposort
from nbgrad.graph.rounds import find_rounds
from nbgrad.ops.compare import cast_to
from nbgrad.ops.view import slice_at
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import one_by_one
from nbgrad.passes.run import grouped, optimise
from nbgrad.pipeline import Plan, make_plan
from nbgrad.runtime.pool import get_num_threads, set_num_threads
from nbgrad.tape.lower import lower
from nbgrad.tape.rounds import KEPT, lower_rounds
from nbgrad.tape.tape import Tape
from nbgrad.transform.batch import batch
from nbgrad.transform.jvp import jvp
from nbgrad.transform.vjp import vjp
from tests.loops import Loop, grown_loops, loops
from tests.passes.build import expanded, number, permuted, reduced, reshaped, value
from tests.passes.runs import Array, fused, run_plan, same_bits, unfused

EXAMPLES = int(os.environ.get("NBGRAD_FUZZ", "300"))


@pytest.fixture(autouse=True, scope="module")
def _small_programs_too() -> Iterator[None]:
    before = graph_rounds.LEAST_NODES
    graph_rounds.LEAST_NODES = 40  # type: ignore[misc]
    yield
    graph_rounds.LEAST_NODES = before  # type: ignore[misc]


def is_repeated(plan: Plan) -> bool:
    assert plan.tape is not None
    return any("planned once" in note for note in plan.tape.notes)


def differentiated(loss: Node, *wrt: Node) -> list[Node]:
    return [loss, *[g for g in vjp([loss], [const(1.0, loss.spec.dtype)], wrt) if g is not None]]


def stencil(steps: int, cells: int = 40) -> list[Node]:
    u = start = value(cells, dtype=float64)
    for _ in range(steps):
        left, middle, right = [apply("slice", u, const(k, int64), params=(0, cells - 2, 1)) for k in range(3)]
        inner = middle - 0.1 * middle * (right - left) + 0.2 * (right - 2.0 * middle + left)
        ends = [apply("slice", u, const(k, int64), params=(0, 1, 1)) for k in (0, cells - 1)]
        u = apply("cat", ends[0], inner, ends[1], params=(0,))
    return differentiated(reduced("sum", u * u, 0), start)


def oscillator(steps: int, size: int = 50) -> list[Node]:
    """Runge and Kutta's steps, each with a number of its own; derivatives of a derivative."""
    y = start = value(size, dtype=float64)
    a = value(dtype=float64, at=1)

    def slope(y: Node) -> Node:
        return expanded(a, size) * y * (1.0 - y) - apply("sin", y) * 0.1

    for t in range(steps):
        h = cast_to(number(t), float64)
        first = slope(y)
        second = slope(y + h * 0.5 * first)
        y = y + h * (first + second * 2.0)
    loss, gradient = differentiated(reduced("sum", y * y, 0), start)
    return [loss, gradient, *differentiated(reduced("sum", gradient * gradient, 0), start, a)[1:]]


def pendulum(steps: int) -> list[Node]:
    """A state of two components that are looked at and stacked, with a number for each step; derivatives of a
    derivative."""
    y = start = value(2, dtype=float64)
    p = value(2, dtype=float64, at=1)

    def at(x: Node, i: int) -> Node:
        return reshaped(slice_at(x, i, 0, 1))

    def slope(y: Node) -> Node:
        pull = apply("sin", at(y, 0)) * at(p, 0) + at(y, 1) * at(p, 1)
        return apply("cat", reshaped(at(y, 1), 1), reshaped(-pull, 1), params=(0,))

    for t in range(steps):
        h = cast_to(number(t), float64)
        y = y + slope(y + slope(y) * h) * h
    loss, gradient = differentiated(reduced("sum", y * y, 0), p)
    return [loss, gradient, *differentiated(reduced("sum", gradient * gradient, 0), start, p)[1:]]


def hessian(steps: int) -> list[Node]:
    """Forward over reverse: what the way there hands to the way back meets it in a round in the middle."""
    y = value(3, dtype=float64)
    p, directions = value(3, dtype=float64, at=1), value(3, 3, dtype=float64, at=2)
    direction = value(3, dtype=float64, at=4)  # one of them

    def slope(y: Node) -> Node:
        a, b, c = [reshaped(slice_at(y, i, 0, 1)) for i in range(3)]
        q, r, s = [reshaped(slice_at(p, i, 0, 1)) for i in range(3)]
        return apply("cat", *[reshaped(x, 1) for x in (q * (b - a), a * (r - c) - b, a * b - s * c)], params=(0,))

    for _ in range(steps):
        k1 = slope(y)
        k2 = slope(y + k1 * 0.005)
        k3 = slope(y + k2 * 0.005)
        y = y + (k1 + (k2 + k3) * 2.0 + slope(y + k3 * 0.01)) * (0.01 / 6.0)
    seed = value(dtype=float64, at=5)
    (gradient,) = vjp([reduced("sum", y * y, 0)], [seed], [p])
    assert gradient is not None
    gradient = batch([gradient], {seed: value(1, dtype=float64, at=3)}, 1)[gradient]
    (row,) = jvp([gradient], {p: direction})
    assert row is not None
    return [batch([row], {direction: directions}, 3)[row]]


def reader(steps: int) -> list[Node]:
    """A state that reads one row of an array, and an input of its own, in each step."""
    h = start = value(1, 8)
    rows = value(steps, 8, at=1)
    for t in range(steps):
        row = apply("slice", rows, const(t, int64), params=(0, 1, 1))
        h = apply("tanh", apply("exp", h * row) - value(1, 8, at=2 + t) * h)
    return differentiated(reduced("sum", h, 0, 1), start)


def composites(steps: int) -> list[Node]:
    """A loop of operators that stand for formulas: its rounds are found before these are written out."""
    h = start = value(4, 8)
    w = value(4, 8, at=1)
    for _ in range(steps):
        h = apply("softmax", h * w, params=((1,),)) - apply("leaky_relu", h, const(0.1, float32))
    return differentiated(reduced("sum", h, 0, 1), start, w)


def trajectory(steps: int, loss_of: Callable[[Node], Node], dim: int = 0) -> list[Node]:
    """All states of a pendulum put together; a loss of them and its derivatives."""
    y = start = value(2, dtype=float64)
    p = value(2, dtype=float64, at=1)
    states = []

    def at(x: Node, i: int) -> Node:
        return reshaped(slice_at(x, i, 0, 1))

    def slope(y: Node) -> Node:
        pull = apply("sin", at(y, 0)) * at(p, 0) + at(y, 1) * at(p, 1)
        return apply("cat", reshaped(at(y, 1), 1), reshaped(-pull, 1), params=(0,))

    for _ in range(steps):
        y = y + slope(y + slope(y) * 0.1) * 0.1
        states.append(reshaped(y, *((1, 2) if dim == 0 else (2, 1))))
    kept = apply("cat", *states, params=(dim,))
    return [kept, *differentiated(loss_of(kept), start, p)]


def palindrome(steps: int) -> list[Node]:
    """States met by those from the other end: in the middle, which is left out, one meets itself, transposed."""
    h, w = value(8, 8), value(8, 8, at=1) * 2.0
    states = [h]
    for _ in range(steps):
        states.append(apply("matmul", states[-1], w))
    for a, b in zip(states[2:-1], states[-3:0:-1], strict=True):
        h = apply("tanh", a * apply("matmul", h, w) - permuted(b, 1, 0))
    return [h + states[-1]]


def arrays_for(roots: list[Node], scale: float = 0.3) -> list[Array]:
    rng = np.random.default_rng(0)
    specs = {n.params[0]: n.spec for n in toposort(roots) if n.op.name == "input"}
    return [np.asarray(rng.uniform(-scale, scale, specs[i].shape), specs[i].dtype.numpy) for i in range(len(specs))]


def tapes(roots: list[Node], threads: int = 1) -> tuple[Tape, Tape]:
    """The tape by rounds, and that of the whole graph."""
    canonical = canonicalize(roots)
    rounds = find_rounds(canonical)
    assert rounds is not None

    def group(roots, donations, few):  # type: ignore[no-untyped-def]
        graph = optimise(roots)
        return graph, grouped(graph, donations, few)

    with override(num_threads=threads):
        found = lower_rounds(rounds, group, padded=False)
        assert found is not None
        graph, groups = group(canonical, {}, False)
        return found[2], lower(graph, groups, padded=False)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_tape_is_that_of_the_whole_graph(threads: int) -> None:
    by_rounds, whole = tapes(stencil(50), threads)
    assert by_rounds.notes.pop().startswith("a loop of")
    for field in Tape.__slots__:
        if field == "instructions":
            assert [i[:6] for i in by_rounds.instructions] == [i[:6] for i in whole.instructions]
        else:
            assert getattr(by_rounds, field) == getattr(whole, field), field


@pytest.mark.parametrize("make", [stencil, oscillator, pendulum, hessian, reader, composites, palindrome])
def test_programs_by_rounds_have_the_bits_of_whole_ones(make) -> None:  # type: ignore[no-untyped-def]
    roots = make(36)
    inputs, scalars = arrays_for(roots), [0.01 + 0.001 * t for t in range(36)]
    plan = fused(roots)
    assert is_repeated(plan)
    expected = run_plan(fused(roots, "-rounds"), inputs, scalars)
    assert same_bits(run_plan(plan, inputs, scalars), expected)
    assert same_bits(run_plan(unfused(roots), inputs, scalars), expected)
    assert same_bits(run_plan(fused(roots, "-fuse"), inputs, scalars), expected)


def squares(kept: Node) -> Node:
    return reduced("sum", kept * kept, 0, 1)


def columns(kept: Node) -> Node:
    return reduced("sum", slice_at(kept, 0, 1, 1) * apply("exp", slice_at(kept, 1, 1, 1)), 0, 1)


def ends(kept: Node) -> Node:
    first, last = slice_at(kept, 0, 0, 1), slice_at(kept, kept.spec.shape[0] - 1, 0, 1)
    return reduced("sum", first * last, 0, 1) + reduced("sum", kept, 0, 1)


def data(kept: Node) -> Node:
    return squares(kept - value(*kept.spec.shape, dtype=float64, at=2))


def middle(kept: Node) -> Node:
    return reduced("sum", apply("expand", slice_at(kept, 17, 0, 1), params=(kept.spec.shape,)) * kept, 0, 1)


def neighbours(kept: Node) -> Node:
    n = kept.spec.shape[0]
    return squares(slice_at(kept, 1, 0, n - 1) - slice_at(kept, 0, 0, n - 1))


def mirrored(kept: Node) -> Node:
    n = kept.spec.shape[0]
    return reduced("sum", apply("slice", kept, const(n - 1, int64), params=(0, n, -1)) * kept, 0, 1)


def is_by_rounds(roots: list[Node]) -> bool:
    """Whether the program comes from a few rounds; all tiers have the bits of what is planned whole."""
    inputs = arrays_for(roots)
    with override(compile="never", passes="-rounds"):
        expected = run_plan(make_plan(roots), inputs)
    plan = fused(roots)
    assert same_bits(run_plan(plan, inputs), expected)
    assert same_bits(run_plan(unfused(roots), inputs), expected)
    return is_repeated(plan)


@pytest.mark.parametrize("loss_of", [squares, columns, ends, data])
def test_a_loop_whose_states_are_all_kept_is_planned_for_a_few_rounds(loss_of) -> None:  # type: ignore[no-untyped-def]
    assert is_by_rounds(trajectory(34, loss_of))


def test_kept_states_may_be_columns() -> None:
    assert is_by_rounds(trajectory(34, squares, dim=1))


@pytest.mark.parametrize("loss_of", [neighbours, mirrored])
def test_who_looks_at_other_rows_of_kept_states_gets_the_same_bits(loss_of) -> None:  # type: ignore[no-untyped-def]
    is_by_rounds(trajectory(34, loss_of))


def test_a_kept_state_that_is_asked_for_has_the_whole_program_planned() -> None:
    assert not is_by_rounds(trajectory(34, middle))


def test_kernels_are_shared_by_all_rounds() -> None:
    texts = [len({i.text for i in tapes(oscillator(n))[0].instructions}) for n in (50, 80)]
    assert texts[0] == texts[1]


def test_the_unfused_tape_comes_from_a_few_rounds_as_well() -> None:
    canonical = canonicalize(stencil(50))
    rounds = find_rounds(canonical)
    assert rounds is not None
    found = lower_rounds(rounds, lambda roots, *_: (roots, one_by_one(roots)), padded=True)
    whole = lower(canonical, one_by_one(canonical), padded=True)
    assert found is not None
    assert found[2].words == whole.words
    assert found[2].relocs == whole.relocs


def test_results_of_each_round_are_handed_out() -> None:
    h = value(5)
    each = []
    for _ in range(50):
        h = apply("tanh", apply("exp", h) - 1.5)
        each.append(reduced("sum", h * 2.0, 0))
    plan = fused([h, *each])
    assert is_repeated(plan)
    x = [np.linspace(-1, 1, 5, dtype="f")]
    assert same_bits(run_plan(plan, x), run_plan(fused([h, *each], "-rounds"), x))


def test_a_value_that_no_round_changes_is_handed_out_for_each() -> None:
    """All results are one value, computed once: its copies are of the rounds that ask for them."""
    h, w = value(5), value(5, at=1)
    each = []
    for _ in range(50):
        h = apply("tanh", h * w)
        each.append(reduced("sum", w * 2.0, 0))
    x = [np.linspace(-1, 1, 5, dtype="f")] * 2
    with override(check=True):
        plans = fused([h, *each]), unfused([h, *each])
    for plan in plans:
        assert is_repeated(plan)
        assert same_bits(run_plan(plan, x), run_plan(fused([h, *each], "-rounds"), x))


def test_a_result_may_take_the_memory_of_an_input() -> None:
    loss, gradient = stencil(50)
    roots = [loss, value(40, dtype=float64, at=1) - 0.1 * gradient]
    inputs = arrays_for(roots)
    plan = fused(roots, donations={1: 1})
    assert is_repeated(plan)
    expected = run_plan(fused(roots, "-rounds"), inputs)
    assert plan.tape is not None
    assert plan.tape.donations == [(1, 1)]
    assert same_bits(run_plan(plan, inputs), expected)


def test_it_can_be_left_out() -> None:
    roots = stencil(50)
    with override(passes="-rounds"):
        assert not is_repeated(make_plan(roots))


@settings(max_examples=max(10, EXAMPLES // 10), suppress_health_check=[HealthCheck.too_slow])
@given(loops() | grown_loops())
def test_random_loops_have_the_bits_of_programs_planned_whole(loop: Loop) -> None:
    expected = run_plan(unfused(loop.roots), loop.inputs, loop.scalars)
    with override(check=True, passes="-rounds"):
        assert same_bits(run_plan(make_plan(loop.roots), loop.inputs, loop.scalars), expected)
    threads = get_num_threads()
    try:
        for n in (1, 2):
            set_num_threads(n)
            assert same_bits(run_plan(fused(loop.roots), loop.inputs, loop.scalars), expected)
    finally:
        set_num_threads(threads)


def test_loops_of_one_dtype_and_the_other_are_found() -> None:
    for dtype in (float32, float64):
        h = value(7, dtype=dtype)
        for _ in range(60):
            h = apply("tanh", apply("exp", h) * 0.5)
        assert is_repeated(fused([h]))


def test_a_loop_is_fused_from_its_first_run_where_its_kernels_are_there() -> None:
    roots = stencil(50)
    fused(roots)
    with override(compile="background"):
        plan = make_plan(roots)
    assert plan.tier == "fused"
    assert is_repeated(plan)


def test_explain_tells_that_the_passes_saw_a_few_rounds() -> None:
    plan = fused(stencil(50))
    stages = plan.explain()
    assert "a loop of" in stages["tape"]
    assert len(stages["passes"].splitlines()) < len(stages["graph"].splitlines())


def test_components_of_a_state_are_numbers_in_a_few_kernels_of_each_round() -> None:
    rounds = find_rounds(canonicalize(pendulum(50)))
    assert rounds is not None
    unfused = lower_rounds(rounds, lambda roots, *_: (roots, one_by_one(roots)), padded=True)
    found = lower_rounds(
        rounds, lambda roots, _, few: (graph := optimise(roots), grouped(graph, {}, few)), padded=False
    )
    assert unfused is not None
    assert found is not None
    assert 10 * len(found[2].instructions) < len(unfused[2].instructions)


def test_more_rounds_are_looked_at_where_few_are_not_like_each_other() -> None:
    """The loss takes a number of each state: what kernels hand on reaches over three rounds."""
    s, k, d = value(2), value(at=1), value(at=2)
    first, loss = s, const(0.0, float32)

    def at(x: Node, i: int) -> Node:
        return reshaped(slice_at(x, i, 0, 1))

    for _ in range(50):
        q, v = at(s, 0), at(s, 1)
        pull = -k * q - d * v
        s = apply("cat", reshaped(q + 0.01 * v, 1), reshaped(v + 0.01 * pull, 1), params=(0,))
        loss = loss + at(s, 0) * at(s, 0)
    roots = differentiated(loss, first, k, d)
    by_rounds, _ = tapes(roots)
    assert any(f"the passes saw {KEPT[-1]} of them" in note for note in by_rounds.notes)
    inputs = arrays_for(roots)
    plan = fused(roots)
    assert is_repeated(plan)
    assert same_bits(run_plan(plan, inputs), run_plan(unfused(roots), inputs))
    assert same_bits(run_plan(plan, inputs), run_plan(fused(roots, "-rounds"), inputs))


def test_products_added_up_over_all_rounds_are_one_instruction_for_several_of_them() -> None:
    h = start = value(4, 4)
    w = value(4, 4, at=1)
    for _ in range(60):
        h = apply("tanh", apply("matmul", h, w) + h)
    roots = differentiated(reduced("sum", h, 0, 1), start, w)
    inputs = arrays_for(roots)
    by_rounds, whole = tapes(roots)
    assert [i[:6] for i in by_rounds.instructions] == [i[:6] for i in whole.instructions]
    assert (by_rounds.words, by_rounds.relocs) == (whole.words, whole.relocs)
    plan = fused(roots)
    assert is_repeated(plan)
    assert same_bits(run_plan(plan, inputs), run_plan(unfused(roots), inputs))


def test_no_round_is_found_before_formulas_are_written_out_where_rows_are_written() -> None:
    """What a formula looks at is not seen before: perhaps a row that a short program lacks."""
    roots = trajectory(40, squares)
    assert find_rounds(roots, with_rows=False) is None
    assert find_rounds(canonicalize(roots)) is not None
    assert find_rounds(pendulum(40), with_rows=False) is not None
