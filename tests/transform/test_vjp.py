"""What a derivative looks like as a graph."""

from __future__ import annotations

from nbgrad.graph import dtypes
from nbgrad.graph.node import const, toposort
from nbgrad.graph.show import show
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node
from nbgrad.ops.view import slice_at
from nbgrad.transform.vjp import vjp


def test_cotangents_of_slices_are_added_where_the_slices_are() -> None:
    x = input_node(0, Spec.of((4, 2), dtypes.float32))
    g = input_node(1, Spec.of((1, 2), dtypes.float32))
    rows = [slice_at(x, i, 0, 1) for i in range(3)]
    (found,) = vjp(rows, [g, g, g], [x])
    assert found is not None
    assert {node.spec.shape for node in toposort([found]) if node.op.name == "add"} == {(1, 2)}
    assert show([found]).splitlines()[-3:] == [
        "%11: f32[1,2] = add %10 %2",
        "%12: f32[4,2] = put_slice %8 %11 %9 0 1 1",
        "return %12",
    ]


def test_a_cotangent_that_is_no_slice_is_added_whole() -> None:
    x = input_node(0, Spec.of((4, 2), dtypes.float32))
    g = input_node(1, x.spec)
    (found,) = vjp([x * const(2.0, dtypes.float32), slice_at(x, 0, 0, 4)], [g, g], [x])  # taken last one first
    assert found is not None
    assert (found.op.name, found.spec) == ("add", x.spec)
