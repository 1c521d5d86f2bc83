"""A packed graph is the graph: nodes, parameters to the last bit, lines, and what is shared."""

from __future__ import annotations

import gc
import math

from nbgrad.graph.dtypes import bool_, float32, float64, int64
from nbgrad.graph.node import Node, apply, const, toposort
from nbgrad.graph.packed import PackedGraph
from nbgrad.graph.rounds import find_rounds
from nbgrad.graph.show import show
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node, iota_node, scalar_node


def test_unpacking_gives_the_same_graph() -> None:
    x, y = input_node(0, Spec.of((2, 3), float32)), input_node(1, Spec.of((3,), float32), site="step.py:3")
    product = apply("mul", x, apply("expand", y, params=((2, 3),)), site="step.py:4")
    total = apply("sum", product, params=((0, 1),))
    roots = [total, product, total]
    again = PackedGraph(roots).unpack()
    assert show(again) == show(roots)
    assert [n.site for n in toposort(again)] == [n.site for n in toposort(roots)]
    assert again[0] is again[2]
    assert again[0].inputs[0] is again[1]


def test_rounds_that_are_known_give_the_same_graph() -> None:
    x, w = input_node(0, Spec.of((3,), float32), site="step.py:1"), input_node(1, Spec.of((3,), float32))
    y = x
    for _ in range(400):
        y = apply("tanh", y * w + x, site="step.py:2")
    roots = [y, x, y]
    rounds = find_rounds(roots)
    assert rounds is not None
    again, wanted = PackedGraph(roots, rounds).unpack(), PackedGraph(roots).unpack()
    assert show(again) == show(wanted) == show(roots)
    assert [n.site for n in toposort(again)] == [n.site for n in toposort(roots)]
    assert again[0] is again[2]


def test_parameters_keep_value_type_and_sign() -> None:
    nodes = [
        const(-0.0, float64),
        const(0.0, float64),
        const(0, int64),
        const(False, bool_),
        const(1, float32),
        const(True, float32),
        const(math.nan, float32),
        scalar_node(2, float64),
        iota_node((3, 2), 1),
    ]
    again = PackedGraph(nodes).unpack()
    assert [n.op for n in again] == [n.op for n in nodes]
    assert [n.spec for n in again] == [n.spec for n in nodes]
    assert [repr(n.params) for n in again] == [repr(n.params) for n in nodes]
    assert [[type(p) for p in n.params] for n in again] == [[type(p) for p in n.params] for n in nodes]


def test_a_deep_graph_is_few_objects() -> None:
    node: Node = input_node(0, Spec.of((), float64))
    for _ in range(30_000):
        node = node + 1.0
    gc.collect()
    packed = PackedGraph([node])
    wanted = len(toposort([node]))
    before = len(gc.get_objects())
    del node
    gc.collect()
    assert len(gc.get_objects()) < before - 30_000
    assert len(toposort(packed.unpack())) == wanted
