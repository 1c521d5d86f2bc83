"""0-d values made of numbers."""

from __future__ import annotations

from nbgrad.graph.dtypes import float32
from nbgrad.graph.node import apply, const, toposort
from nbgrad.passes.uniform import closure, uniform_nodes
from tests.passes.build import number, value


def test_formulas_of_numbers_are_uniform_and_values_are_not() -> None:
    s = apply("cast", number(), params=("float32",))
    a = s + const(1.0, float32)
    b = a * value()
    assert uniform_nodes(toposort([b])) == {s, a}


def test_a_formula_counts_with_what_it_is_made_of() -> None:
    x = apply("sin", number())
    for _ in range(30):
        x = apply("sin", x)
    assert 0 < len(uniform_nodes(toposort([x]))) < 31


def test_closure_holds_what_the_tops_need() -> None:
    a = apply("sin", number())
    b, c = apply("sin", a), apply("cos", a)
    assert closure([b], {a, b, c}) == {a, b}
