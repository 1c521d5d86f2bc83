"""Tapes with more rounds than those that they are made of."""

from __future__ import annotations

from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.rounds import in_round
from nbgrad.ops.compare import cast_to
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import one_by_one
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.lower import finished, written
from nbgrad.tape.stretch import Part, stretched
from nbgrad.tape.tape import Tape
from tests.passes.build import number, reduced, value

WHOLE = 30


def steps(rounds: list[int], odd: int | None = None) -> list[Node]:
    """A state that reads its row of an array, its input and its number in each of ``rounds``, of which one may be
    ``odd``."""
    h, rows = value(1, 4), value(WHOLE, 4, at=1)
    for turn, t in enumerate(rounds):
        site = in_round("", (0, turn - len(rounds) // 2))
        for name in ("exp", "sin" if turn == odd else "tanh"):
            h = apply(name, h, site=site)
        h = apply("mul", h, apply("slice", rows, const(t, int64), params=(0, 1, 1)), site=site)
        h = h * value(1, 4, at=2 + t) + cast_to(number(t), h.spec.dtype)  # what passes make is of the same round
    return canonicalize([reduced("sum", h, 0, 1)])


def built(roots: list[Node], padded: bool = False) -> TapeBuilder:
    return written(roots, one_by_one(roots), padded=padded, donations={})


def part(kept: int, padded: bool = False, odd: int | None = None) -> Part:
    """The tape of the first and the last of all rounds."""
    rounds = [*range(kept // 2), *range(WHOLE - (kept - kept // 2), WHOLE)]
    return Part(built(steps(rounds, odd), padded), [0])


def same(a: Tape, b: Tape) -> bool:
    """Whether two tapes do the same; what errors say apart."""
    fields = [f for f in Tape.__slots__ if f not in ("instructions", "notes")]
    return [i[:6] for i in a.instructions] == [i[:6] for i in b.instructions] and all(
        getattr(a, f) == getattr(b, f) for f in fields
    )


def test_rounds_left_out_are_put_in_with_their_rows_inputs_and_numbers() -> None:
    roots = steps(list(range(WHOLE)))
    for padded in (False, True):
        t = stretched(part(8, padded), WHOLE - 8)
        assert t is not None
        assert same(finished(t, roots, reuse=True), finished(built(roots, padded), roots, reuse=True))


def test_rounds_that_are_not_like_the_others_are_kept_but_beside_those_left_out() -> None:
    for odd in (0, 7):
        t = stretched(part(8, odd=odd), WHOLE - 8)
        assert t is not None
        roots = steps(list(range(WHOLE)), odd and WHOLE - 1)
        assert same(finished(t, roots, reuse=True), finished(built(roots), roots, reuse=True))
    assert stretched(part(8, odd=3), WHOLE - 8) is None
    assert stretched(part(8, odd=4), WHOLE - 8) is None


def test_what_takes_in_all_rounds_tells_nothing() -> None:
    def total(t: range) -> Node:
        return sum([value(4, at=i) * 2.0 for i in t], start=value(4, at=0))

    whole = [apply("exp", total(range(1, 9)), site=in_round("", *[(0, i) for i in range(-4, 4)]))]
    assert stretched(Part(built(canonicalize(whole)), [0]), WHOLE - 8) is None


def test_rounds_have_to_skip_as_many_as_were_left_out() -> None:
    assert stretched(part(8), WHOLE - 9) is None
