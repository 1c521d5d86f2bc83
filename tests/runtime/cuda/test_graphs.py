"""Which graphs are kept: those whose addresses come back."""

from __future__ import annotations

from nbgrad.runtime.cuda.graphs import MOST_GRAPHS, PATIENCE, Graphs, Key


def key(k: int) -> Key:
    return False, bytes([k])


def used(graphs: Graphs, at: Key) -> str:
    """What a run does with ``at``."""
    if graphs.find(at):
        return "found"
    if graphs.is_due(at):
        graphs.add(at, 1 + at[1][0])
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
    for k in range(MOST_GRAPHS):
        assert graphs.add(key(k), 1 + k) == 0
    assert graphs.find(key(0)) == 1
    assert graphs.add(key(99), 100) == 2
    assert sorted(graphs.drain()) == [1, *range(3, 1 + MOST_GRAPHS), 100] and graphs.drain() == []
