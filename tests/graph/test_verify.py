"""The rules of a graph."""

import pytest

import nbgrad.ops  # noqa: F401
from nbgrad.graph.dtypes import float32, float64
from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import lookup
from nbgrad.graph.spec import Spec
from nbgrad.graph.verify import InvalidGraph, verify
from nbgrad.ops.source import input_node


def test_a_graph_built_by_apply_is_valid() -> None:
    x = input_node(0, Spec.of((3,), float32))
    verify([apply("sum", x * 2.0, params=((0,),))])


def test_a_wrong_spec_is_found_and_shown() -> None:
    x = input_node(0, Spec.of((3,), float32))
    wrong = Node(lookup("tanh"), (x,), (), Spec.of((4,), float32))
    with pytest.raises(InvalidGraph, match=r"(?s)after fold: .*infers f32\[3\].*tanh %0"):
        verify([wrong], "fold")


def test_inputs_that_do_not_fit_are_found() -> None:
    a, b = input_node(0, Spec.of((3,), float32)), input_node(1, Spec.of((4,), float32))
    with pytest.raises(InvalidGraph, match="do not fit"):
        verify([Node(lookup("add"), (a, b), (), a.spec)])


def test_one_position_has_one_spec() -> None:
    a, b = input_node(0, Spec.of((3,), float32)), input_node(0, Spec.of((3,), float64))
    with pytest.raises(InvalidGraph, match="input 0 is also"):
        verify([a, b])
