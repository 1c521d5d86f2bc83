"""What a derivative looks like as a graph."""

from __future__ import annotations

import numpy as np

from nbgrad.graph import dtypes
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import apply, const, toposort
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


def test_cotangents_of_elements_of_a_small_vector_are_added_as_numbers() -> None:
    x = input_node(0, Spec.of((3,), dtypes.float32))
    g = input_node(1, Spec.of((), dtypes.float32))
    elements = [apply("reshape", slice_at(x, i, 0, 1), params=((),)) for i in (0, 2, 0, 2, 0)]
    (found,) = vjp(elements, [g] * 5, [x])
    assert found is not None
    nodes = toposort([found])
    assert {node.spec.shape for node in nodes if node.op.name == "add"} == {()}
    assert len([node for node in nodes if node.op.name == "put_slice"]) == 2
    (values,) = interpret([found], [np.zeros(3, np.float32), np.float32(2)])
    assert values.tolist() == [6, 0, 4]


def test_an_element_is_added_after_what_came_for_the_whole_vector_before_what_comes_later() -> None:
    """The sums of each element are those of whole vectors, -0 included."""
    x = input_node(0, Spec.of((2,), dtypes.float64))
    rng = np.random.default_rng(0)
    for _ in range(20):
        outputs, cotangents, whole = [], [], None
        for is_element in rng.integers(0, 2, 6).tolist():
            i = int(rng.integers(0, 2))
            g = rng.choice([-0.0, 0.1, 0.7, 1e16], () if is_element else (2,))
            full = np.where(np.arange(2) == i, g, 0.0) if is_element else g
            element = apply("reshape", slice_at(x, i, 0, 1), params=((),))
            outputs.append(element if is_element else x * const(1.0, dtypes.float64))
            cotangents.append(g)
        seeds = [input_node(k + 1, Spec.of(g.shape, dtypes.float64)) for k, g in enumerate(cotangents)]
        (found,) = vjp(outputs, seeds, [x])
        assert found is not None
        for out, g in reversed([*zip(outputs, cotangents, strict=True)]):
            full = g if g.shape else np.where(np.arange(2) == out.inputs[0].inputs[1].params[0], g, 0.0)
            whole = full if whole is None else whole + full
        (values,) = interpret([found], [np.zeros(2), *cotangents])
        assert values.tobytes() == whole.tobytes()


def test_a_cotangent_that_is_no_slice_is_added_whole() -> None:
    x = input_node(0, Spec.of((4, 2), dtypes.float32))
    g = input_node(1, x.spec)
    (found,) = vjp([x * const(2.0, dtypes.float32), slice_at(x, 0, 0, 4)], [g, g], [x])  # taken last one first
    assert found is not None
    assert (found.op.name, found.spec) == ("add", x.spec)
