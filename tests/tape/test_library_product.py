"""What a library is told of factors, and which of them are copied."""

from __future__ import annotations

from typing import Any

import pytest

from nbgrad.graph.node import Node, apply
from nbgrad.ops.library_product import LIBRARY_MATMUL
from nbgrad.ops.view import expand_to, slice_at
from nbgrad.tape.library_product import LIBRARY_WORDS, alignment_of
from nbgrad.tape.tape import Tape
from tests.passes.build import permuted, start, value
from tests.tape.test_lower import forms, tape_of


def product(a: Node, b: Node, flips: tuple[bool, bool] = (False, False)) -> Tape:
    return tape_of(apply(LIBRARY_MATMUL, a, b, params=flips))


def words(tape: Tape) -> dict[str, Any]:
    """The words of the one library's product by their names, addresses left out."""
    [i] = [i for i in tape.instructions if i.text.form == "library_product"]
    rank, said = i.text.rank, list(tape.words[i.at :])
    found = {name: said.pop(0) for name in LIBRARY_WORDS}
    found["sizes"] = [said.pop(0) for _ in range(rank)]
    for name in "abc":
        found[name] = said.pop(0), said[1 : 1 + rank]
        del said[: 1 + rank]
    return found


def test_matrices_are_told_by_rows() -> None:
    tape = product(value(8, 4), value(8, 12, at=1), (True, False))
    assert forms(tape) == ["library_product"]
    found = words(tape)
    assert [found[name] for name in LIBRARY_WORDS] == [4, 12, 8, 1, 0]
    assert [found[name] for name in ("sizes", "a", "b", "c")] == [[], (16, []), (48, []), (48, [])]


def test_views_are_read_as_they_lie() -> None:
    wide = slice_at(value(8, 20), 4, 1, 8)
    assert words(product(wide, value(8, 4, at=1)))["a"] == (80, [])
    heads = permuted(value(2, 8, 3, 4), 0, 2, 1, 3)
    found = words(product(heads, value(2, 3, 4, 4, at=1)))
    assert (found["sizes"], found["a"]) == ([2, 3], (48, [384, 16]))
    repeated = expand_to(value(1, 8, 4), (6, 8, 4))
    assert words(product(repeated, value(6, 4, 4, at=1)))["a"] == (16, [0])


@pytest.mark.parametrize(
    "a",
    [
        permuted(value(8, 4), 1, 0),  # by columns, where rows were said
        expand_to(value(1, 8), (4, 8)),  # rows over each other
        slice_at(value(4, 16), 15, 1, 8, -1),
        slice_at(value(4, 16), 0, 1, 8, 2),
        slice_at(value(4, 20), 1, 1, 8),  # at an address that a whole matrix would not begin at
        slice_at(value(4, 17), 0, 1, 8),
        apply("slice", value(4, 20), start(), params=(1, 8, 1)),
        apply("slice", value(64, 8), start(), params=(0, 4, 1)),  # elsewhere in each run: graphs know one address
    ],
)
def test_what_a_library_could_not_read_the_same_way_is_copied(a: Node) -> None:
    tape = product(a, value(8, 4, at=1))
    assert forms(tape) == ["map", "library_product"] and "for a library's matrix product" in tape.notes[0]
    assert words(tape)["a"] == (32, [])


def test_rows_of_odd_length_begin_at_any_element() -> None:
    assert (alignment_of(8, 4), alignment_of(6, 4), alignment_of(3, 4), alignment_of(3, 8)) == (16, 8, 4, 8)
    assert forms(product(slice_at(value(4, 20), 1, 1, 7), value(7, 4, at=1))) == ["library_product"]


def test_a_result_of_one_column_or_row() -> None:
    assert words(product(value(4, 8), value(8, 1, at=1)))["c"] == (4, [])
    assert words(product(value(1, 8), value(8, 4, at=1)))["a"] == (32, [])


def test_it_is_no_kernel() -> None:
    tape = product(value(4, 8), value(8, 4, at=1))
    assert not tape.instructions[0].text.has_code
    assert tape_of(apply("matmul", value(4, 8), value(8, 4, at=1))).instructions[0].text.has_code
