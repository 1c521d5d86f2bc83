"""Groups as text."""

from __future__ import annotations

from nbgrad.graph.node import apply
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.fuse import fuse
from nbgrad.passes.group import one_by_one
from nbgrad.passes.show import show_groups
from tests.passes.build import permuted, reduced, value


def test_groups_and_refusals_read_as_lines() -> None:
    e = apply("exp", value(3, 3))
    roots = [apply("tanh", reduced("sum", e + permuted(e, 1, 0), 1))]
    assert show_groups(roots, fuse(roots)).splitlines() == [
        "group 0: %1   1 loop over [3, 3], 1 in, 1 out",
        "group 1: %3-%5   1 loop over [3, 3] reducing [1], then %5, 2 in, 1 out",
        "not fused: %1 exp with %3: other reduced dims, or a later stage",
        "not fused: %1 exp with %3: the consumer reads it through a view (permute)",
    ]


def test_maps_that_wait_for_a_reduction_say_so() -> None:
    x = value(4, 4)
    roots = [reduced("sum", x, 1) + reduced("sum", x, 0)]
    assert show_groups(roots, fuse(roots)).splitlines() == [
        "group 0: %2   1 loop over [4, 4] reducing [0], 1 in, 1 out",
        "group 1: %1 %3   1 loop over [4, 4] reducing [1], then %3, 2 in, 1 out",
        "not fused: %2 sum with %3: a reduction has to be complete",
    ]


def test_loops_of_several_stages_say_how_many() -> None:
    roots = [apply("softmax", value(4, 4), params=((1,),))]
    graph = canonicalize(roots)
    assert (
        show_groups(graph, fuse(graph))
        == "group 0: %1 %4-%6 %9   1 loop over [4, 4] reducing [1] in 3 stages, 1 in, 1 out"
    )


def test_library_groups_name_their_operator() -> None:
    roots = [apply("cat", value(3), value(3, at=1), params=(0,))]
    assert show_groups(roots, fuse(roots)) == "group 0: %2   cat"


def test_what_was_not_to_be_fused_gives_one_reason() -> None:
    e = apply("exp", value(3))
    roots = [apply("tanh", e)]
    assert show_groups(roots, one_by_one(roots), "the pass fuse is left out").splitlines() == [
        "group 0: %1   1 loop over [3], 1 in, 1 out",
        "group 1: %2   1 loop over [3], 1 in, 1 out",
        "not fused: the pass fuse is left out",
    ]
