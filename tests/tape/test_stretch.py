"""Tapes with more rounds than those that they are made of."""

from __future__ import annotations

from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import one_by_one
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.lower import finished, written
from nbgrad.tape.stretch import Part, stretched
from nbgrad.tape.tape import Tape
from tests.passes.build import number, reduced, value

WHOLE = 30


def steps(numbers: list[int], body: tuple[str, ...] = ("exp", "tanh")) -> list[Node]:
    """A state that reads its row of an array, its input and its number in each of the rounds ``numbers``."""
    h, rows = value(1, 4), value(WHOLE, 4, at=1)
    for t in numbers:
        for name in body:
            h = apply(name, h)
        h = h * apply("slice", rows, const(t, int64), params=(0, 1, 1))
        h = h * value(1, 4, at=2 + t) + cast_to(number(t), h.spec.dtype)
    return canonicalize([reduced("sum", h, 0, 1)])


def built(roots: list[Node], padded: bool = False) -> TapeBuilder:
    return written(roots, one_by_one(roots), padded=padded, donations={})


def part(rounds: int, padded: bool = False, **how: tuple[str, ...]) -> Part:
    """The tape of the first and the last of all rounds."""
    numbers = [*range(rounds // 2), *range(WHOLE - (rounds - rounds // 2), WHOLE)]
    return Part(built(steps(numbers, **how), padded), [0])


def same(a: Tape, b: Tape) -> bool:
    """Whether two tapes do the same; what errors say apart."""
    fields = [f for f in Tape.__slots__ if f not in ("instructions", "notes")]
    return [i[:6] for i in a.instructions] == [i[:6] for i in b.instructions] and all(
        getattr(a, f) == getattr(b, f) for f in fields
    )


def test_rounds_left_out_are_put_in_with_their_rows_inputs_and_numbers() -> None:
    roots = steps(list(range(WHOLE)))
    for padded in (False, True):
        t = stretched(part(8, padded), part(9, padded), WHOLE - 8)
        assert t is not None
        assert same(finished(t, roots, reuse=True), finished(built(roots, padded), roots, reuse=True))


def test_tapes_that_differ_otherwise_tell_nothing() -> None:
    assert stretched(part(8), part(8), WHOLE - 8) is None
    assert stretched(part(8), part(10), WHOLE - 8) is None
    assert stretched(part(8), part(9, body=("exp", "sin")), WHOLE - 8) is None


def test_rounds_have_to_skip_as_many_as_were_left_out() -> None:
    assert stretched(part(8), part(9), WHOLE - 9) is None
