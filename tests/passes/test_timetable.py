"""When drafts run and values lie in memory."""

from __future__ import annotations

from nbgrad.graph.node import Node, apply, toposort
from nbgrad.graph.op import LIBRARY
from nbgrad.passes.keep import Timetable
from nbgrad.passes.schedule import Draft
from tests.passes.build import permuted, value


def timetable(*roots: Node) -> tuple[Timetable, list[Node]]:
    """Of a draft for each operator."""
    order = toposort(roots)
    nodes = [n for n in order if n.inputs and n.op.name != "permute"]
    drafts = [Draft([n], n.spec.shape, ()) for n in nodes]
    assert all(d.is_library == (d.nodes[0].op.kind is LIBRARY) for d in drafts)
    return Timetable(roots, order, drafts, set()), nodes


def test_drafts_wait_for_all_that_they_are_made_of() -> None:
    a = apply("exp", value(4, 4))
    b = apply("matmul", a, permuted(a, 1, 0))
    c = apply("sin", b) + a
    table, nodes = timetable(c)
    assert [table.time[nodes.index(n)] for n in (a, b, c)] == [0, 1, 3]
    assert table.before[nodes.index(c)] == 0b111
    assert table.readers[a] == [nodes.index(b), nodes.index(c)]


def test_a_value_is_read_directly_only_where_its_reader_could_make_it() -> None:
    a = apply("exp", value(4, 4))
    b, c, d = apply("sin", a), apply("cos", permuted(a, 1, 0)), apply("matmul", a, a)
    table, nodes = timetable(b, c, d)
    assert [a in table.reads[nodes.index(n)].direct for n in (b, c, d)] == [True, False, False]
    assert [a in table.reads[nodes.index(n)].other for n in (b, c, d)] == [False, True, True]


def test_the_peak_is_where_the_most_bytes_are_read_later() -> None:
    x = value(8)
    a = apply("exp", x)
    b = apply("sin", a)
    c = apply("cos", b)
    late = c * b * a
    table, _ = timetable(late)
    assert table.kept_at(table.peak()) == [a, b, c]


def test_results_are_not_counted() -> None:
    a = apply("exp", value(8))
    b = apply("sin", a)
    c = apply("cos", b)
    table, _ = timetable(a, b, c * a)
    assert table.kept_at(table.peak()) == [c]
