"""Graphs whose values live at several places, cut into parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nbgrad.graph.dtypes import float32, int64
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.show import show
from nbgrad.graph.spec import HOST, Spec
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import input_node, iota_node
from nbgrad.ops.transfer import find_place, moved
from nbgrad.passes.parts import OUTSIDE, Division, Source, divide, is_placed

CUDA = 1
OTHER = 2


def at(place: int, *shape: int, index: int = 0) -> Node:
    """Input ``index``, which lies at ``place``."""
    return input_node(index, Spec.of(shape, float32).on(place))


def cut(*roots: Node, wanted: int = HOST) -> Division:
    return divide(roots, [wanted] * len(roots))


def test_what_lies_on_a_device_is_computed_there() -> None:
    x = at(CUDA, 3)
    assert find_place(apply("exp", x) * 2.0, {}) == CUDA
    division = cut(apply("exp", x) * 2.0)
    (part,) = division.parts
    assert part.place == CUDA
    assert show(part.roots).splitlines()[0] == "%0: f32[3] = input 0"
    assert part.sources == [Source(OUTSIDE, 0, CUDA)]
    assert division.results == [(Source(0, 0, CUDA), CUDA)]


def test_a_root_may_have_the_memory_of_an_input_that_only_its_part_reads() -> None:
    w, v, u = at(CUDA, 3), at(CUDA, 3, index=1), at(HOST, 3, index=2)
    division = cut(apply("exp", w), apply("exp", v), apply("exp", u), apply("sin", moved(v, OTHER, CUDA)), u)
    makers = division.makers()
    assert sorted(makers) == [0, 1, 2, 3, 4] and len(set(makers.values())) == 5
    assert division.reads_once(0, 0) and division.reads_once(2, 2)
    assert not division.reads_once(1, 1), "the other device reads it, too"
    assert not division.reads_once(3, 1), "it lies elsewhere"
    assert not division.reads_once(0, 7), "nobody reads it"


def test_no_two_roots_have_the_same_memory() -> None:
    y = apply("exp", at(CUDA, 3))
    assert cut(y, y).makers() == {0: (0, 0)}


def test_a_graph_of_the_cpu_has_no_places() -> None:
    assert not is_placed([apply("exp", at(HOST, 3))])
    assert is_placed([apply("exp", at(CUDA, 3))])
    assert is_placed([moved(const(1.0, float32), CUDA)])


def test_an_input_that_moves_is_an_input_of_the_part_it_goes_to() -> None:
    division = cut(apply("exp", moved(at(HOST, 3), CUDA)))
    (part,) = division.parts
    assert part.place == CUDA
    assert part.sources == [Source(OUTSIDE, 0, HOST)]


def test_a_value_that_moves_is_the_result_of_one_part_and_an_input_of_the_next() -> None:
    y = moved(apply("exp", at(HOST, 3)), CUDA)
    division = cut(apply("neg", y) + y)
    first, second = division.parts
    assert (first.place, second.place) == (HOST, CUDA)
    assert second.sources == [Source(0, 0, HOST)]


def test_what_goes_there_and_back_is_not_moved_at_all() -> None:
    y = moved(moved(apply("exp", at(HOST, 3)), CUDA), HOST, CUDA)
    division = cut(apply("neg", y))
    assert [part.place for part in division.parts] == [HOST]


def test_what_nothing_is_needed_for_is_computed_where_it_is_wanted() -> None:
    ramp = cast_to(iota_node((3,), 0), float32)
    division = cut(at(CUDA, 3) + ramp, moved(ramp, OTHER), ramp)
    assert sorted(part.place for part in division.parts) == [HOST, CUDA, OTHER]
    assert all(not part.sources or part.place == CUDA for part in division.parts)
    assert [place for _, place in division.results] == [CUDA, OTHER, HOST]


def test_a_result_that_could_be_anywhere_is_where_it_is_asked_for() -> None:
    division = divide([apply("expand", const(1.0, float32), params=((4,),))], [CUDA])
    assert [part.place for part in division.parts] == [CUDA]


def test_an_input_that_is_a_result_elsewhere_needs_no_part() -> None:
    division = cut(moved(at(HOST, 3), CUDA))
    assert division.parts == []
    assert division.results == [(Source(OUTSIDE, 0, HOST), CUDA)]


def test_numbers_beside_tensors_of_a_device_go_there() -> None:
    division = cut(at(CUDA, 3) * at(HOST, index=1))
    (part,) = division.parts
    assert part.sources == [Source(OUTSIDE, 0, CUDA), Source(OUTSIDE, 1, HOST)]


def test_what_only_derivatives_ask_for_is_left_out() -> None:
    history = apply("exp", at(OTHER, 3, index=1))
    division = cut(apply("neg", apply("rebase_history", history, at(CUDA, 3))))
    (part,) = division.parts
    assert part.place == CUDA
    assert part.sources == [Source(OUTSIDE, 0, CUDA)]


def test_the_derivative_of_a_move_moves_back() -> None:
    x = at(HOST, 3)
    y = moved(x, CUDA)
    assert y.op.vjp is not None
    (g,) = y.op.vjp(at(CUDA, 3, index=1), y, y.inputs, y.params)
    assert g is not None
    assert find_place(g, {}) == HOST


def run(division: Division, inputs: Sequence[Any]) -> list[Any]:
    """The values of the roots, each part by the interpreter, from values that lie where they should."""
    values: list[list[Any]] = []

    def bound(source: Source) -> Any:
        return inputs[source.number] if source.part == OUTSIDE else values[source.part][source.number]

    for part in division.parts:
        values.append(interpret(part.roots, [bound(s) for s in part.sources]))
    return [bound(source) for source, _ in division.results]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=25))
def test_parts_give_what_the_whole_gives(steps: list[tuple[int, int, int]]) -> None:
    nodes = [at(HOST, 4), at(CUDA, 4, index=1), at(OTHER, 4, index=2)]
    nodes.append(cast_to(iota_node((4,), 0), float32))
    known: dict[Node, int] = {}
    for kind, i, j in steps:
        a, b = nodes[i % len(nodes)], nodes[j % len(nodes)]
        here = max(find_place(a, known), 0)
        if kind < 3:
            nodes.append(moved(a, kind, here))
        else:
            b = b if find_place(b, known) in (here, -1) else moved(b, here, max(find_place(b, known), 0))
            nodes.append(a + b if kind == 3 else a - b)
    inputs = [np.arange(4, dtype=np.float32) + k for k in range(3)]
    roots = nodes[3:]
    wanted = [find_place(root, known) for root in roots]
    division = divide(roots, [max(place, 0) for place in wanted])
    for part in division.parts:
        assert all(find_place(root, {}) <= 0 for root in part.roots)  # no part knows of places
    expected = interpret(roots, inputs)
    for got, want, (_, place), asked in zip(run(division, inputs), expected, division.results, wanted, strict=True):
        np.testing.assert_array_equal(got, want)
        assert place == max(asked, 0)


def test_index_ramps_have_no_place() -> None:
    assert find_place(iota_node((3,), 0), {}) == -1
    assert iota_node((3,), 0).spec is Spec.of((3,), int64)
