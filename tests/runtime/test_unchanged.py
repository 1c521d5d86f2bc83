"""A note of how objects stand holds as long as they do, for Python and for compiled code."""

from __future__ import annotations

from typing import Any

import pytest

from nbgrad.runtime import unchanged
from nbgrad.runtime.held_kernels import NOTE_WORDS, all_as_noted
from nbgrad.runtime.runner_code import runner_code
from nbgrad.runtime.unchanged import Standing, can_tell, offset_of
from nbgrad.trace.handle import Handle

pytestmark = pytest.mark.skipif(not can_tell(), reason="this Python keeps its objects elsewhere")


class Thing:
    __slots__ = ("first", "second")
    first: Any
    second: Any


class Special(Thing):
    third = 3


def noted(*things: Thing) -> Standing:
    standing = Standing()
    for x in things:
        standing.attribute(x, Thing, "first")
        standing.attribute(x, Thing, "second")
    standing.close()
    return standing


def thing(first: Any, second: Any) -> Thing:
    x = Special()
    x.first, x.second = first, second
    return x


def test_a_note_holds_until_an_attribute_is_another_object() -> None:
    x, y = thing([1], None), thing(None, (2,))
    standing = noted(x, y)
    assert standing.holds()
    before, x.first = x.first, [1]  # equal, but another one
    assert not standing.holds()
    x.first = before
    assert standing.holds()
    y.second = None
    assert not standing.holds()


def test_a_note_of_references_holds_until_somebody_else_has_the_object() -> None:
    x = thing([1], None)
    standing = Standing()
    standing.attribute(x, Thing, "first")
    standing.references(x.first, 1)
    standing.close()
    assert standing.holds()
    also = x.first
    assert not standing.holds()
    del also
    assert standing.holds()


@pytest.mark.parametrize("n", [0, 1 << 20, (1 << 30) - 1, 1 << 30, 5 << 40, (1 << 60) - 1])
def test_a_note_of_a_number_holds_for_that_number_only(n: int) -> None:
    x = thing(n, None)
    standing = Standing()
    standing.number(x, Thing, "first")
    standing.close()
    assert standing.holds()
    x.first = n ^ 1
    assert not standing.holds()
    x.first = n
    # Another object may come to lie where the number lay: that it is where it was noted says nothing then.
    standing._rows[1:] = [(where, bits, word + (k == 2)) for k, (where, bits, word) in enumerate(standing._rows)][1:]
    standing.close()
    assert not standing.holds()


def test_a_note_of_a_holder_holds_when_it_has_got_what_it_was_to_get() -> None:
    x, wanted = thing(None, None), [1]
    standing = Standing()
    standing.holder(x, Thing, "first", wanted)
    standing.close()
    assert not standing.holds()
    x.first = wanted
    assert standing.holds()


def test_what_comes_after_a_change_is_not_looked_at() -> None:
    x = thing(thing(None, None), None)
    standing = Standing()
    standing.attribute(x, Thing, "first")
    standing.attribute(x.first, Thing, "second")
    standing.close()
    standing._table[NOTE_WORDS] = 8  # no memory of ours
    x.first = None
    assert not standing.holds()


@pytest.mark.parametrize("n", [0, 1, 2, 17, 400])
@pytest.mark.parametrize("changed", [False, True])
def test_python_and_compiled_code_agree(n: int, changed: bool) -> None:
    things = [thing([k], (k,)) for k in range(n)]
    standing = noted(*things)
    if changed and n:
        things[n // 2].second = None
    by_python = all_as_noted(standing._address, 2 * n)
    assert by_python == runner_code().all_as_noted(standing._address, 2 * n) == int(not (changed and n))


def test_slots_of_tensors_are_found() -> None:
    names = ("_at", "_share", "_page", "_history", "_buffer", "_grad")
    assert len({offset_of(Handle, name) for name in names}) == len(names)


def test_where_python_is_another_one_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unchanged, "IS_KNOWN", False)
    assert not can_tell.__wrapped__()
