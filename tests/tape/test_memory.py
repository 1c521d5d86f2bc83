"""The memory plan."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nbgrad.tape.block import ARENA, Block
from nbgrad.tape.memory import ALIGNMENT, aligned, plan_memory


def block(nbytes: int, born: int, last: int) -> Block:
    made = Block(nbytes, ARENA, born)
    made.last = last
    return made


def test_values_with_separate_lives_share_a_place() -> None:
    a, b, c = block(100, 0, 1), block(100, 1, 2), block(100, 2, 3)
    assert plan_memory([a, b, c], []) == 2 * aligned(100)
    assert a.offset == c.offset != b.offset


def test_without_reuse_every_value_has_its_own_place() -> None:
    blocks = [block(100, i, i + 1) for i in range(4)]
    assert plan_memory(blocks, [], reuse=False) == 4 * aligned(100)


def test_an_output_may_take_the_place_of_an_input_that_dies() -> None:
    a, b = block(100, 0, 1), block(100, 1, 2)
    assert plan_memory([a, b], [(b, a)]) == aligned(100)


def test_an_input_that_lives_on_keeps_its_place() -> None:
    a, b = block(100, 0, 2), block(100, 1, 2)
    plan_memory([a, b], [(b, a)])
    assert a.offset != b.offset


def test_two_outputs_do_not_take_the_same_input() -> None:
    a, b, c = block(100, 0, 1), block(100, 1, 2), block(100, 1, 2)
    plan_memory([a, b, c], [(b, a), (c, a)])
    assert b.offset != c.offset


def test_neighbours_that_are_free_serve_a_larger_value() -> None:
    a, b, c = block(64, 0, 1), block(64, 0, 1), block(128, 2, 3)
    assert plan_memory([a, b, c], []) == 128


lives = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 12), st.integers(0, 6)), max_size=25)


@given(lives)
def test_lives_that_overlap_have_places_that_do_not(drawn: list[tuple[int, int, int]]) -> None:
    blocks = [block(n, born, born + length) for n, born, length in sorted(drawn, key=lambda d: d[1])]
    size = plan_memory(blocks, [])
    for i, a in enumerate(blocks):
        assert a.offset % ALIGNMENT == 0
        assert a.offset + a.nbytes <= size
        for b in blocks[:i]:
            if a.born <= b.last and b.born <= a.last:
                assert a.offset + aligned(a.nbytes) <= b.offset or b.offset + aligned(b.nbytes) <= a.offset
