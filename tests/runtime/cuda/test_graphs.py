"""Which graphs are kept: those whose addresses come back."""

from __future__ import annotations

from functools import partial

from nbgrad.runtime.cuda.graphs import MOST_GRAPHS, PATIENCE, Graphs, Key
from nbgrad.runtime.cuda.owned import Owned


def key(k: int) -> Key:
    return False, bytes([k])


def used(graphs: Graphs, at: Key) -> str:
    """What a run does with ``at``."""
    if graphs.find(at):
        return "found"
    if graphs.is_due(at):
        graphs.add(at, Owned(1 + at[1][0], int))
        return "made"
    return "last straw" if graphs.miss() else "missed"


def test_addresses_that_come_again_have_a_graph() -> None:
    graphs = Graphs()
    assert [used(graphs, key(0)) for _ in range(4)] == ["missed", "made", "found", "found"]
    assert not graphs.find((True, key(0)[1])), "one for TF32 is another"


def test_no_cycle_of_addresses_makes_graphs_over_and_over() -> None:
    for length in (MOST_GRAPHS, MOST_GRAPHS + 1):
        graphs = Graphs()
        rounds = [[used(graphs, key(k)) for k in range(length)] for _ in range(5)]
        if length == MOST_GRAPHS:
            assert rounds[1:] == [["made"] * length, *[["found"] * length] * 3]
        else:
            assert not any(what in ("made", "found") for said in rounds for what in said)
            assert [what for said in rounds for what in said].index("last straw") == PATIENCE - 1


def test_the_graph_that_was_not_used_for_longest_goes() -> None:
    graphs = Graphs()
    gone: list[int] = []
    for k in range(MOST_GRAPHS):
        graphs.add(key(k), Owned(k, partial(gone.append, k)))
    found = graphs.find(key(0))
    assert found is not None and found.handle == 0 and gone == []
    graphs.add(key(99), Owned(99, partial(gone.append, 99)))
    assert gone == [1]
    del found, graphs
    assert sorted(gone) == [*range(MOST_GRAPHS), 99]
