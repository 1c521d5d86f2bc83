"""Equal computations become one node."""

from __future__ import annotations

from nbgrad.graph.dtypes import float32
from nbgrad.graph.node import apply, const
from nbgrad.passes.merge import merge
from tests.passes.build import lines, value


def test_merge_computes_equal_nodes_once() -> None:
    x = value(3)
    assert lines(*merge([apply("tanh", x) + apply("tanh", value(3))])) == [
        "%0: f32[3] = input 0",
        "%1: f32[3] = tanh %0",
        "%2: f32[3] = add %1 %1",
        "return %2",
    ]


def test_merge_tells_zeros_and_dtypes_apart() -> None:
    a, b, c = merge([const(0.0, float32), const(-0.0, float32), const(0, float32)])
    assert a is not b
    assert a is not c


def test_merge_tells_arguments_apart() -> None:
    x = value(2, 3)
    a, b = merge([apply("sum", x, params=((0,),)), apply("sum", x, params=((1,),))])
    assert a is not b


def test_merge_keeps_a_graph_without_duplicates_as_it_is() -> None:
    y = apply("tanh", value(3))
    assert merge([y]) == [y]


def test_merge_knows_operators_that_take_their_inputs_in_either_order() -> None:
    a, b = value(3), value(3, at=1)
    for name in ("add", "mul", "maximum", "eq"):
        x, y, z = merge([apply(name, a, b), apply(name, b, a), apply(name, a, a)])
        assert x is y
        assert x is not z
    x, y = merge([a - b, b - a])
    assert x is not y
