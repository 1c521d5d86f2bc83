"""The printed graph."""

import nbgrad.ops  # noqa: F401
from nbgrad.graph.dtypes import float32
from nbgrad.graph.node import apply
from nbgrad.graph.show import show
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node


def test_a_graph_reads_one_node_a_line() -> None:
    x = input_node(0, Spec.of((64, 10), float32))
    y = apply("sum", apply("tanh", x * 2.0, site="train.py:41"), params=((0,),))
    assert show([y, x]).splitlines() == [
        "%0: f32[64,10] = input 0",
        "%1: f32[] = const 2.0",
        "%2: f32[64,10] = mul %0 %1",
        f"{'%3: f32[64,10] = tanh %2':<56}train.py:41",
        "%4: f32[10] = sum %3 [0]",
        "return %4 %0",
    ]


def test_equal_graphs_have_equal_texts() -> None:
    def build() -> str:
        x = input_node(0, Spec.of((2, 3), float32))
        return show([apply("permute", x + x, params=((1, 0),))])

    assert build() == build()
