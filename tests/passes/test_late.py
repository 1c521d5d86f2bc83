"""Which maps follow reductions."""

from __future__ import annotations

from nbgrad.graph.node import apply, toposort
from nbgrad.passes.group import after_reductions
from tests.passes.build import expanded, reduced, reshaped, value


def test_maps_of_a_reduction_and_what_they_lead_to_are_late() -> None:
    x = value(4, 5)
    before = x * 2.0
    top = reduced("amax", before, 1)
    shifted = before - expanded(reshaped(top, 4, 1), 4, 5)
    end = apply("exp", shifted) + x
    assert after_reductions(toposort([end])) == {shifted, end.inputs[0], end}


def test_the_sum_of_everything_makes_nothing_late() -> None:
    """It is one number, which any loop reads."""
    x = value(4, 5)
    assert after_reductions(toposort([x * reduced("sum", x, 0, 1)])) == set()


def test_a_library_operator_begins_anew() -> None:
    x = value(4, 4)
    row = expanded(reshaped(reduced("sum", x, 1), 4, 1), 4, 4)
    late = x + row
    product = apply("matmul", late, x)
    assert after_reductions(toposort([product * 2.0])) == {late}
