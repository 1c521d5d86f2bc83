"""Gradients of tables: rows are added whole, what is added is made on the way, and the bits stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
import nbgrad.nn.functional as F
from nbgrad.config import override
from nbgrad.errors import TensorIndexError
from nbgrad.graph.dtypes import float32, int64
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply, const, toposort
from nbgrad.graph.spec import Spec
from nbgrad.graph.verify import verify
from nbgrad.ops.source import input_node, iota_node
from nbgrad.ops.view import expand_to, reshape_to
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.run import grouped, optimise
from nbgrad.passes.scatter import scatter
from nbgrad.runtime.pool import get_num_threads, set_num_threads
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.donations import may_fail
from nbgrad.tape.lower import lower
from nbgrad.tape.scatter_rows import lower_scatter_rows
from nbgrad.tape.tape import Tape
from tests.passes.build import permuted, reduced, value
from tests.passes.runs import fused, run_plan, same_bits, unfused

N, WIDTH, ROWS = 30, 20, 7


def ops_of(*roots: Node) -> Counter[str]:
    return Counter(node.op.name for node in toposort(roots))


def tape_of(*roots: Node) -> Tape:
    graph = optimise(canonicalize(roots))
    return lower(graph, grouped(graph), padded=False)


def index(n: int = N, at: int = 0) -> Node:
    return input_node(at, Spec.of((n,), int64))


def rows(starts: Node, width: int = WIDTH) -> Node:
    """starts[i] + j."""
    shape = (*starts.spec.shape, width)
    return expand_to(reshape_to(starts, (*starts.spec.shape, 1)), shape) + iota_node(shape, len(shape) - 1)


def put(table: Node, places: Node, x: Node) -> Node:
    return apply("scatter_add", table, reshape_to(places, (places.spec.size,)), reshape_to(x, (x.spec.size,)))


def zeros(n: int = ROWS * WIDTH) -> Node:
    return expand_to(const(0.0, float32), (n,))


def chosen(n: int = N, rows: int = ROWS) -> Any:
    return np.random.default_rng(n).integers(0, rows, n)


def data(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype("f")


def agree(roots: list[Node], inputs: list[Any]) -> None:
    """All tiers and any number of threads give the same bits, and the operator is what NumPy says it is."""
    expected = run_plan(unfused(roots), inputs)
    plan, threads = fused(roots), get_num_threads()
    for n in (1, 2):
        set_num_threads(n)
        try:
            assert same_bits(run_plan(plan, inputs), expected)
        finally:
            set_num_threads(threads)
    graph = scatter(canonicalize(roots))
    verify(graph, "scatter")
    assert same_bits(interpret(graph, inputs), interpret(roots, inputs))


def test_whole_rows_take_an_index_a_row() -> None:
    y = put(zeros(), rows(index() * WIDTH), value(N, WIDTH, at=1))
    forms = [i.text.form for i in tape_of(y).instructions]
    assert forms == ["map", "scatter_rows_of_zeros"]
    agree([y], [chosen(), data(N, WIDTH)])


def test_what_is_added_is_made_on_the_way() -> None:
    x, scale = value(N, WIDTH, at=1), value(WIDTH, at=2)
    added = apply("tanh", x) * expand_to(scale, (N, WIDTH))
    y = put(zeros(), rows(index() * WIDTH), added)
    assert [i.text.form for i in tape_of(y).instructions] == ["map", "scatter_rows_of_zeros"]
    assert tape_of(y).arena_bytes < N * WIDTH * 4
    agree([y], [chosen(), data(N, WIDTH), data(WIDTH)])


def test_values_that_others_read_are_read_from_memory() -> None:
    added = apply("tanh", value(N, WIDTH, at=1))
    agree([put(zeros(), rows(index() * WIDTH), added), added], [chosen(), data(N, WIDTH)])


def test_views_are_read_where_they_lie() -> None:
    """A mean's cotangent is the same for all its rows, a transposed one lies otherwise."""
    repeated = expand_to(reshape_to(value(5, WIDTH, at=1), (5, 1, WIDTH)), (5, 6, WIDTH))
    y = put(zeros(), rows(reshape_to(index() * WIDTH, (5, 6))), repeated)
    assert tape_of(y).notes == []
    agree([y], [chosen(), data(5, WIDTH)])
    agree([put(zeros(), rows(index() * WIDTH), permuted(value(WIDTH, N, at=1), 1, 0))], [chosen(), data(WIDTH, N)])


def test_a_table_that_is_no_zeros_is_added_to() -> None:
    table = value(ROWS * WIDTH, at=2)
    once = put(table, rows(index() * WIDTH), value(N, WIDTH, at=1))
    twice = put(once * 2.0, rows(index() * WIDTH), value(N, WIDTH, at=1) * 3.0)
    agree([once, twice], [chosen(), data(N, WIDTH), data(ROWS * WIDTH)])


def test_minus_zero_is_no_zero() -> None:
    table = expand_to(const(-0.0, float32), (ROWS * WIDTH,))
    agree([put(table, rows(index() * WIDTH), value(N, WIDTH, at=1))], [chosen(), np.full((N, WIDTH), -0.0, "f")])


def test_rows_may_start_anywhere_and_overlap() -> None:
    y = put(zeros(100), rows(index()), value(N, WIDTH, at=1))
    assert [i.items for i in tape_of(y).instructions if i.text.form == "scatter_rows"] == [1]
    agree([y], [np.random.default_rng(0).integers(0, 80, N), data(N, WIDTH)])


@pytest.mark.parametrize("width", [4, 63, 64, 65, 300])
def test_threads_share_the_columns(width: int) -> None:
    y = put(zeros(ROWS * width), rows(index() * width, width), value(N, width, at=1))
    last = tape_of(y).instructions[-1]
    assert last.items == -(-width // 64)
    agree([y], [chosen(), data(N, width)])


def test_the_kernel_is_one_that_may_fail_and_writes_its_table() -> None:
    for into in (zeros(), value(ROWS * WIDTH, at=2)):
        tape = tape_of(put(into, rows(index() * WIDTH), value(N, WIDTH, at=1)))
        assert may_fail(tape.instructions[-1].text)
    t = TapeBuilder(padded=False)
    lower_scatter_rows(t, scatter(canonicalize([put(zeros(), rows(index()), value(N, WIDTH, at=1))]))[0])
    assert [len(step.writes) for step in t.steps] == [1, 1]


def test_single_elements_stay_as_they_are() -> None:
    places = index() + 1
    y = put(zeros(), places, value(N, at=1))
    assert ops_of(*scatter(canonicalize([y])))["scatter_add"] == 1
    narrow = put(zeros(), rows(index(), 2), value(N, 2, at=1))
    assert ops_of(*scatter(canonicalize([narrow])))["scatter_add"] == 1
    agree([y], [chosen(), data(N)])
    agree([narrow], [chosen(), data(N, 2)])


def test_what_a_row_kernel_makes_is_left_to_it() -> None:
    x = value(N, WIDTH, at=1)
    added = apply("softmax", x, params=((1,),))
    y = put(zeros(), rows(index() * WIDTH), added)
    assert [i.text.form for i in tape_of(y).instructions] == ["map", "row", "scatter_rows_of_zeros"]
    agree([y, reduced("sum", x, 0)], [chosen(), data(N, WIDTH)])


def gradient_of(f: Callable[[nb.Tensor], nb.Tensor], *shape: int) -> tuple[Any, str]:
    """The gradient of a table of ``shape`` fused, after it was compared with the unfused one, and the fused tape."""
    found = []
    for mode in ("never", "eager"):
        table = nb.tensor(data(*shape), requires_grad=True)
        with override(compile=mode):
            tape = nb.explain(lambda t=table: f(t).backward())["tape"]
        assert table.grad is not None
        found.append(table.grad.numpy())
    assert same_bits(found[:1], found[1:])
    return found[1], tape


def test_an_embedding_and_its_gradient_keep_no_index_of_elements() -> None:
    picks = nb.tensor(np.arange(24).reshape(4, 6) % 5)
    weights = nb.tensor(data(4, 6, 16))
    grad, tape = gradient_of(lambda t: (F.embedding(picks, t) * weights).sum(), 5, 16)
    assert "scatter_rows_of_zeros" in tape
    assert int(tape.split("arena ")[-1].split()[0]) < 24 * 16 * 8
    expected = np.zeros((5, 16), "f")
    np.add.at(expected, picks.numpy().reshape(-1), weights.numpy().reshape(-1, 16))
    np.testing.assert_allclose(grad, expected, rtol=1e-5)


def test_a_bag_of_embeddings_adds_one_row_to_many() -> None:
    picks = nb.tensor(np.arange(40).reshape(8, 5) % 9)
    _, tape = gradient_of(lambda t: F.embedding(picks, t).mean(1).square().sum(), 9, 32)
    assert "copied" not in tape
    assert "scatter_rows_of_zeros" in tape


def test_padding_and_selected_rows() -> None:
    picks = nb.tensor(np.arange(12) % 5)
    for f in (
        lambda t: F.embedding(picks, t, padding_idx=2).sin().sum(),
        lambda t: t.index_select(0, picks).cos().sum(),
        lambda t: t[picks].exp().sum(),
    ):
        _, tape = gradient_of(f, 5, 24)
        assert "scatter_rows_of_zeros" in tape


def test_an_index_out_of_range_is_named_at_the_users_line() -> None:
    table = nb.zeros(5, 8, requires_grad=True)
    picks = nb.tensor([1, 5])
    with (
        override(compile="eager"),
        pytest.raises(TensorIndexError, match=r"(?s)index 5 is out of bounds.*test_scatter"),
    ):
        nb.autograd.grad(F.embedding(picks, table).sum(), table)[0].tolist()
