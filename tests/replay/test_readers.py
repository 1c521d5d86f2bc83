"""Words of memory say that something stayed: random histories, none of whose changes goes unseen."""

from __future__ import annotations

import random
import types
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest

from nbgrad.replay.readers import (
    Reader,
    attribute_of,
    bases_of,
    class_of,
    contents_of,
    keys_of,
    length_of,
    part_of,
    slot_of,
    standing_of,
    words_of,
)
from nbgrad.runtime.unchanged import can_tell

pytestmark = [pytest.mark.cpu, pytest.mark.skipif(not can_tell(), reason="objects lie elsewhere in this Python")]


class Attributes:
    def __init__(self) -> None:
        self.a, self.b, self.c = 1.0, [], "x"


class Slots:
    __slots__ = ("a", "b")
    a: Any


def of_strings(rng: random.Random) -> dict[Any, Any]:
    return {f"k{i}": object() for i in range(rng.randrange(1, 12))}


def of_numbers(rng: random.Random) -> dict[Any, Any]:
    return {i: object() for i in range(rng.randrange(1, 12))}


def of_attributes(rng: random.Random) -> dict[Any, Any]:
    return Attributes().__dict__


def changed_dict(d: dict[Any, Any], rng: random.Random) -> None:
    key = rng.choice([*d, "new", 77])
    match rng.randrange(6):
        case 0:
            d[key] = object()
        case 1:
            d.pop(key, None)
        case 2:
            d.get(key)
        case 3:
            d[key] = d.pop(key, None)
        case 4:
            d.update({f"t{i}": 1 for i in range(40)})
            for i in range(40):
                d.pop(f"t{i}")
        case 5:
            again = dict(d)
            d.clear()
            d.update(again)


@pytest.mark.parametrize("make", [of_strings, of_numbers, of_attributes])
def test_no_change_of_a_dict_goes_unseen(make: Callable[[random.Random], dict[Any, Any]]) -> None:
    rng, needless = random.Random(1), 0
    for _ in range(3000):
        d = make(rng)
        found = [words_of(keys_of, d), *[words_of(part_of, d, key) for key in d]]
        standing = standing_of([rows for rows in found if rows is not None])
        assert None not in found
        assert standing.holds()
        before = [*d.items()]
        for _ in range(rng.randrange(4)):
            changed_dict(d, rng)
        is_same = len(d) == len(before) and all(
            k is m and v is w for (k, v), (m, w) in zip(d.items(), before, strict=True)
        )
        assert is_same or not standing.holds()
        needless += is_same and not standing.holds()
    assert needless < 900  # those are asked again for nothing


def test_no_change_of_a_list_goes_unseen() -> None:
    rng = random.Random(2)
    for _ in range(2000):
        x = [object() for _ in range(rng.randrange(1, 9))]
        found = [words_of(length_of, x), *[words_of(part_of, x, k) for k in range(len(x))]]
        standing = standing_of([rows for rows in found if rows is not None])
        assert None not in found and standing.holds()
        before = [*x]
        for _ in range(rng.randrange(3)):
            match rng.randrange(5):
                case 0:
                    x.append(object())
                case 1:
                    x[rng.randrange(-len(x), 0)] = object()
                case 2:
                    x.reverse()
                case 3:
                    x[:] = [*x]
                case 4:
                    x.insert(0, x.pop())
        is_same = len(x) == len(before) and all(a is b for a, b in zip(x, before, strict=True))
        assert is_same == standing.holds() or (is_same and len(x) > 0)


def holds(reader: Reader, objects: tuple[Any, ...], change: Callable[[], object]) -> list[bool]:
    rows = words_of(reader, *objects)
    assert rows is not None
    standing = standing_of([rows])
    assert standing is not None
    found = [standing.holds()]
    change()
    return [*found, standing.holds()]


def test_parts_of_objects() -> None:
    def example(a: int = 1, *, b: int = 2) -> int:
        return a + b

    def other() -> int:
        return 3

    x, slots, cell = Attributes(), Slots(), types.CellType(1.5)
    slots.a = 1.5
    assert holds(class_of, (x,), lambda: setattr(x, "__class__", type("Other", (Attributes,), {}))) == [True, False]
    x = Attributes()
    assert holds(slot_of, (Slots.__dict__["a"], slots), lambda: setattr(slots, "a", 2.5)) == [True, False]
    assert holds(slot_of, (Slots.__dict__["b"], slots), lambda: setattr(slots, "b", 2.5)) == [True, False]
    assert holds(contents_of, (cell,), lambda: setattr(cell, "cell_contents", 2.5)) == [True, False]
    for name, value in {"__defaults__": (5,), "__kwdefaults__": {"b": 7}, "__code__": other.__code__}.items():
        assert holds(attribute_of, (example, name), lambda n=name, v=value: setattr(example, n, v)) == [True, False]
    assert holds(attribute_of, (other, "__defaults__"), lambda: setattr(other, "__defaults__", ())) == [True, False]


def test_the_version_of_a_class_moves_with_it_and_with_its_bases() -> None:
    class Base:
        a = 1

    class Sub(Base):
        pass

    changes: list[Callable[[], object]] = [
        lambda: setattr(Sub, "a", 2),
        lambda: setattr(Base, "a", 3),
        lambda: setattr(Base, "b", 3),
        lambda: delattr(Sub, "a"),
        lambda: setattr(Sub, "__bases__", (type("Other", (), {"a": 5}),)),
    ]
    for change in changes:
        assert holds(bases_of, (Sub,), change) == [True, False]
    assert holds(bases_of, (Sub,), lambda: Sub.a) == [True, True]


def test_what_is_not_there_has_no_words() -> None:
    assert words_of(keys_of, OrderedDict(a=1)) is None
    assert words_of(part_of, [1], 3) is None
    assert words_of(attribute_of, Attributes(), "a") is None
    assert words_of(part_of, {"a": 1}, "b") is not None  # which shows that it is not there


def test_words_show_thousands_of_guards() -> None:
    lists = [[object() for _ in range(500)] for _ in range(16)]
    found = [words for x in lists for k in range(500) if (words := words_of(part_of, x, k)) is not None]
    standing = standing_of(found)
    assert standing.holds()
    lists[-1][-1] = object()
    assert not standing.holds()
