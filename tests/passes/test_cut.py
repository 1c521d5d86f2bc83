"""The cheapest values to keep."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from nbgrad.graph.node import Node, apply
from nbgrad.passes.cut import cheapest_cut
from tests.passes.build import value


def chain(length: int) -> list[Node]:
    nodes = [value(4)]
    for _ in range(length - 1):
        nodes.append(apply("exp", nodes[-1]))
    return nodes


def suffices(kept: set[Node], makers: dict[Node, list[Node]], wanted: list[Node]) -> bool:
    stack, seen = list(wanted), set()
    while stack:
        v = stack.pop()
        if v not in kept and v not in seen:
            seen.add(v)
            if v not in makers:
                return False
            stack += makers[v]
    return True


def test_one_value_is_kept_of_which_many_are_made() -> None:
    x, a, b, c = (value(4, at=i) for i in range(4))
    makers = {a: [x], b: [x], c: [a, b]}
    assert cheapest_cut(makers, {x: 10, a: 10, b: 10, c: 10}, [a, b, c]) == {x}


def test_of_equal_prices_the_last_value_is_kept() -> None:
    nodes = chain(4)
    makers = {b: [a] for a, b in pairwise(nodes)}
    assert cheapest_cut(makers, dict.fromkeys(nodes, 7), [nodes[-1]]) == {nodes[-1]}


def test_what_costs_nothing_is_where_one_begins() -> None:
    nodes = chain(4)
    makers = {b: [a] for a, b in pairwise(nodes)}
    assert cheapest_cut(makers, dict(zip(nodes, (0, 5, 5, 5), strict=True)), [nodes[3], nodes[1]]) == {nodes[0]}


def test_values_made_of_nothing_have_no_price() -> None:
    a, b = chain(2)
    assert cheapest_cut({a: [], b: [a]}, {a: 3, b: 3}, [b]) == set()


@given(
    st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.sets(st.integers(0, 6))), max_size=7),
    st.sets(st.integers(0, 6)),
)
def test_no_other_set_is_cheaper(drawn: list[tuple[int, bool, set[int]]], tops: set[int]) -> None:
    nodes = [value(2, at=i) for i in range(len(drawn))]
    prices = {n: price for n, (price, _, _) in zip(nodes, drawn, strict=True)}
    makers = {nodes[k]: [nodes[j] for j in of if j < k] for k, (_, is_made, of) in enumerate(drawn) if is_made}
    wanted = [nodes[k] for k in tops if k < len(nodes)]
    kept = cheapest_cut(makers, prices, wanted)
    assert suffices(kept, makers, wanted)
    subsets = [set(s) for n in range(len(nodes) + 1) for s in combinations(nodes, n)]
    least = min(sum([prices[v] for v in s]) for s in subsets if suffices(s, makers, wanted))
    assert sum([prices[v] for v in kept]) == least
