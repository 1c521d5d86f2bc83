"""Guards as words of memory: a compiled look finds in 1 ns a word whether something stands where it stood.

Where CPython keeps what is found by reading it: rows are only made of words that hold what Python says they hold.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from types import MemberDescriptorType
from typing import Any, Final

from nbgrad.kernels.records import WORD
from nbgrad.runtime.unchanged import Standing, can_tell

Row = tuple[Any, ...]  # its kind, and what that needs
Word = tuple[int, int, int]  # address, mask, expected
_Word = tuple[int, int, int, Any]  # and an object that must live on: another one may come to lie where it lay

_MOST: Final = 1 << 12
_EVERY: Final = -1
_HALF: Final = (1 << 32) - 1
_SIZE, _ITEMS = 2 * WORD, 3 * WORD  # of a list
_USED, _KEYS, _VALUES = 2 * WORD, 4 * WORD, 5 * WORD  # of a dict
_HEAD, _N_ENTRIES, _INDICES = WORD, 3 * WORD, 4 * WORD  # of its keys
_DEALLOC: Final = 6 * WORD  # of a class
_VERSION: Final = 48 * WORD  # of a class
_CONTENTS: Final = 2 * WORD  # of a cell
_HAS_INLINE: Final = sys.version_info >= (3, 13)  # the values of a dict begin with a head, and their order follows


class _Elsewhere(Exception):
    """It is not where it is looked for."""


def _word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def _byte(address: int) -> int:
    return ctypes.c_uint8.from_address(address).value


def is_deallocated_like(a: type, b: type) -> bool:
    """Whether objects of two classes are taken apart by the same function."""
    return _word(id(a) + _DEALLOC) == _word(id(b) + _DEALLOC)


def _same(address: int, mask: int = _EVERY) -> _Word:
    return address, mask, _word(address) & mask, None


def _holds(address: int, x: Any) -> _Word:
    if _word(address) != id(x):
        raise _Elsewhere
    return address, _EVERY, id(x), x


def _of_dict(d: Any) -> tuple[list[_Word], list[tuple[int, int]]]:
    """Words that say where its entries are, and the addresses of each entry's key and value."""
    keys, values = _word(id(d) + _KEYS), _word(id(d) + _VALUES)
    head = keys + _HEAD
    log2_bytes, kind = _byte(head + 1), _byte(head + 2)
    words = [_same(id(d) + _KEYS), _same(id(d) + _VALUES), _same(head, _HALF >> 8), _same(keys + _N_ENTRIES)]
    first, n = keys + _INDICES + (1 << log2_bytes), _word(keys + _N_ENTRIES)
    if n > _MOST or log2_bytes > 20:
        raise _Elsewhere
    step, at = (3 * WORD, WORD) if kind == 0 else (2 * WORD, 0)
    begin = values + (WORD if _HAS_INLINE else 0)
    places = [(first + i * step + at, begin + i * WORD if values else first + i * step + at + WORD) for i in range(n)]
    return words, [place for place in places if _word(place[0]) and _word(place[1])]


def _order(d: Any) -> list[_Word]:
    """Words that say in which order a dict with shared keys got its entries."""
    values = _word(id(d) + _VALUES)
    if not values:
        return []
    if _HAS_INLINE:
        capacity = _byte(values)
        return [_same(values + k * WORD) for k in (0, *range(1 + capacity, 1 + capacity + -(-capacity // WORD)))]
    return [_same(values - k * WORD) for k in range(1, _byte(values - 1) // WORD + 1)]


def _keys(d: Any) -> Iterator[_Word]:
    words, places = _of_dict(d)
    yield from words
    yield _same(id(d) + _USED)
    yield from _order(d)
    own = {id(key): key for key in dict.keys(d)}
    if len(own) != len(places):
        raise _Elsewhere
    for key, _ in places:
        yield _holds(key, own.get(_word(key)))


def _entry(d: Any, key: Any) -> Iterator[_Word]:
    words, places = _of_dict(d)
    yield from words
    found = [place for place in places if _word(place[0]) == id(key)]
    if len(found) != 1:
        raise _Elsewhere
    yield _holds(found[0][0], key)
    yield _holds(found[0][1], dict.__getitem__(d, key))


def _entries(d: Any, names: Sequence[str]) -> Iterator[_Word]:
    for name in names:
        yield from _entry(d, name)


def _all(d: Any) -> Iterator[_Word]:
    yield from _keys(d)
    yield from _entries(d, tuple(d))


def _length(x: list[Any]) -> Iterator[_Word]:
    if _word(id(x) + _SIZE) != list.__len__(x):
        raise _Elsewhere
    yield _same(id(x) + _SIZE)


def _item(x: list[Any], k: int) -> Iterator[_Word]:
    yield from _length(x)
    yield _same(id(x) + _ITEMS)
    yield _holds(_word(id(x) + _ITEMS) + k * WORD, list.__getitem__(x, k))


def _cell(cell: Any) -> Iterator[_Word]:
    try:
        yield _holds(id(cell) + _CONTENTS, cell.cell_contents)
    except ValueError:  # nothing yet
        yield _same(id(cell) + _CONTENTS)


def _type(x: Any) -> Iterator[_Word]:
    yield _holds(id(x) + WORD, type(x))


def _version(kind: type) -> Iterator[_Word]:
    """The version of a class, which moves with any attribute of it and of its bases."""
    type.__getattribute__(kind, "__init__")  # which has one given where there is none
    if not _word(id(kind) + _VERSION) & _HALF or not _versions_move():
        raise _Elsewhere
    yield _same(id(kind) + _VERSION, _HALF)


@functools.cache
def _versions_move() -> bool:
    """Whether it is the version that stands there: found out by a try."""

    class Base:
        a = 1

    class Example(Base):
        pass

    def stored() -> int:
        return _word(id(Example) + _VERSION) & _HALF

    def given() -> int:
        _ = Example.a
        return stored()

    versions, moved = [given()], True
    for c, name, value in ((Example, "b", 2), (Base, "a", 3), (Example, "b", 4)):
        setattr(c, name, value)
        moved = moved and stored() != versions[-1]
        versions.append(given())
    return moved and 0 not in versions and len({*versions}) == len(versions)


def _slot(x: Any, member: MemberDescriptorType) -> Iterator[_Word]:
    definition = _word(id(member) + 5 * WORD)
    address = id(x) + _word(definition + 2 * WORD)
    try:
        yield _holds(address, member.__get__(x))
    except AttributeError:
        if _word(address):
            raise _Elsewhere from None
        yield _same(address)


def _within(x: Any, value: Any) -> Iterator[_Word]:
    """The word of an object that holds ``value``: of a function its code, of an object its dict."""
    size = type(x).__basicsize__ // WORD
    found = [k for k in (*range(2, size), -3, -4) if _word(id(x) + k * WORD) == id(value)]
    if len(found) != 1:
        raise _Elsewhere
    yield _same(id(x) + found[0] * WORD)


def _function(f: Any, name: str) -> Iterator[_Word]:
    value = getattr(f, name)
    address = id(f) + _places_in_functions()[name]
    yield _holds(address, value) if _word(address) or value is not None else _same(address)


@functools.cache
def _places_in_functions() -> dict[str, int]:
    """Where in a function its parts are: found out by a try."""

    def example(a: int = 1, *, b: int = 2) -> int:
        return a + b

    size, names = type(example).__basicsize__ // WORD, ("__code__", "__defaults__", "__kwdefaults__")
    words = [_word(id(example) + k * WORD) for k in range(size)]
    return {name: words.index(id(getattr(example, name))) * WORD for name in names}


_MAKERS: Final[dict[str, Callable[..., Iterator[_Word]]]] = {
    "keys": _keys,
    "entry": _entry,
    "entries": _entries,
    "all": _all,
    "length": _length,
    "item": _item,
    "cell": _cell,
    "type": _type,
    "class": _version,
    "slot": _slot,
    "within": _within,
    "function": _function,
}


def words_of(row: Row | None) -> tuple[list[Word], list[Any]] | None:
    """The words that show what ``row`` is about, and what has to live for that; None where they are not found."""
    if row is None or not can_tell():
        return None
    try:
        found = [*_MAKERS[row[0]](*row[1:])]
    except (_Elsewhere, LookupError, ValueError, AttributeError, TypeError):
        return None
    return [word[:3] for word in found], [word[3] for word in found if word[3] is not None]


def standing_of(found: Sequence[tuple[list[Word], list[Any]]]) -> Standing | None:
    """All those words, each once, in their order; None where there are too many."""
    words = dict.fromkeys([word for several, _ in found for word in several])
    if not words or len(words) > _MOST:
        return None
    standing = Standing()
    for word in words:
        standing.word(*word)
    standing.keep([x for _, alive in found for x in alive])
    standing.close()
    return standing
