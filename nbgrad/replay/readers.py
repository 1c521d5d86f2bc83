"""How parts of objects are read: by Python, past the user's code, and as words of memory.

A compiled look finds in 1 ns a word whether something stands where it stood. Where CPython keeps what is found by
reading it: a reader only has words that hold what Python says they hold.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import sys
import types
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from types import FunctionType, MemberDescriptorType
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.kernels.records import WORD
from nbgrad.replay.kinds import is_special
from nbgrad.runtime.unchanged import Standing, can_tell
from nbgrad.system.interrupts import is_of_handler
from nbgrad.tensor.surface import lasting_entries
from nbgrad.trace import Handle, Share, local, materialize, sharing

Word = tuple[int, int, int, Any]  # address, mask, expected; what must live on: another one may come to lie where it lay

ABSENT: Final = object()
_MOST_ENTRIES: Final = 1 << 12  # of a dict
_EVERY: Final = -1
_HALF: Final = (1 << 32) - 1
_SIZE, _ITEMS = 2 * WORD, 3 * WORD  # of a list
_USED, _KEYS, _VALUES = 2 * WORD, 4 * WORD, 5 * WORD  # of a dict
_HEAD, _N_ENTRIES, _INDICES = WORD, 3 * WORD, 4 * WORD  # of its keys
_DEALLOC: Final = 6 * WORD  # of a class
_VERSION: Final = 48 * WORD  # of a class
_OF_VIEWS: Final = ("root", "above", "kind", "storage")  # of ``Share``: what of a view may change
_IN_C: Final = (
    *(types.MethodDescriptorType, types.ClassMethodDescriptorType),
    *(types.WrapperDescriptorType, types.GetSetDescriptorType),
)
_HAS_INLINE: Final = sys.version_info >= (3, 13)  # the values of a dict begin with a head, and their order follows


class _Elsewhere(Exception):
    """It is not where it is looked for."""


def _word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def _byte(address: int) -> int:
    return ctypes.c_uint8.from_address(address).value


def is_made_in_python(c: type) -> bool:
    """Whether a class statement made ``c``: then nothing of its objects is hidden in C, but what its bases hide."""
    own = [m for key, m in entries_of(c).items() if key not in ("__dict__", "__weakref__")]
    is_of_c = any(isinstance(m, _IN_C) and m.__objclass__ is c for m in own)
    return not is_of_c and _word(id(c) + _DEALLOC) == _word(id(_Elsewhere) + _DEALLOC)  # what takes objects apart


def _same(address: int, mask: int = _EVERY) -> Word:
    return address, mask, _word(address) & mask, None


def _holds(address: int, x: Any) -> Word:
    if _word(address) != id(x):
        raise _Elsewhere
    return address, _EVERY, id(x), x


def _holds_or_nothing(address: int, x: Any) -> Word:
    """The same, where there may be nothing, which Python shows as None, or not at all."""
    return _same(address) if (x is None or x is ABSENT) and not _word(address) else _holds(address, x)


def _of_dict(d: Any) -> tuple[list[Word], list[tuple[int, int]]]:
    """Words that say where its entries are, and the addresses of each entry's key and value."""
    keys, values = _word(id(d) + _KEYS), _word(id(d) + _VALUES)
    head = keys + _HEAD
    log2_bytes, kind = _byte(head + 1), _byte(head + 2)
    words = [_same(id(d) + _KEYS), _same(id(d) + _VALUES), _same(head, _HALF >> 8), _same(keys + _N_ENTRIES)]
    first, n = keys + _INDICES + (1 << log2_bytes), _word(keys + _N_ENTRIES)
    if n > _MOST_ENTRIES or log2_bytes > 20:
        raise _Elsewhere
    step, at = (3 * WORD, WORD) if kind == 0 else (2 * WORD, 0)
    begin = values + (WORD if _HAS_INLINE else 0)
    places = [(first + i * step + at, begin + i * WORD if values else first + i * step + at + WORD) for i in range(n)]
    return words, [place for place in places if _word(place[0]) and _word(place[1])]


def _order(d: Any) -> list[Word]:
    """Words that say in which order a dict with shared keys got its entries."""
    values = _word(id(d) + _VALUES)
    if not values:
        return []
    if _HAS_INLINE:
        capacity = _byte(values)
        return [_same(values + k * WORD) for k in (0, *range(1 + capacity, 1 + capacity + -(-capacity // WORD)))]
    return [_same(values - k * WORD) for k in range(1, _byte(values - 1) // WORD + 1)]


def _keys(d: Any) -> Iterator[Word]:
    if not dict.__len__(d):  # TypeError of a set
        yield _same(id(d) + _USED)
        return
    if issubclass(type(d), OrderedDict):  # which keeps their order elsewhere
        raise _Elsewhere
    words, places = _of_dict(d)
    yield from words
    yield _same(id(d) + _USED)
    yield from _order(d)
    own = {id(key): key for key in dict.keys(d)}
    if len(own) != len(places):
        raise _Elsewhere
    for key, _ in places:
        yield _holds(key, own.get(_word(key)))


def _part(x: Any, key: Any) -> Iterator[Word]:
    if issubclass(type(x), list):
        yield from _length(x)
        yield _same(id(x) + _ITEMS)
        yield _holds(_word(id(x) + _ITEMS) + key * WORD, list.__getitem__(x, key))
    elif not issubclass(type(x), dict):
        raise _Elsewhere
    elif (value := dict.get(x, key, ABSENT)) is ABSENT:
        yield from _keys(x)
    else:
        words, places = _of_dict(x)
        yield from words
        (found,) = [place for place in places if _word(place[0]) == id(key)]
        yield _holds(found[0], key)
        yield _holds(found[1], value)


def _length(x: Any) -> Iterator[Word]:
    if not issubclass(type(x), list) or _word(id(x) + _SIZE) != list.__len__(x):
        raise _Elsewhere
    yield _same(id(x) + _SIZE)


def _cell(cell: Any) -> Iterator[Word]:
    yield _within(cell, cell.cell_contents)


def _type(x: Any) -> Iterator[Word]:
    yield _holds(id(x) + WORD, type(x))


def _version(kind: type, *_: object) -> Iterator[Word]:
    """The version of a class, which moves with any attribute of it and of its bases."""
    type.__getattribute__(kind, "__init__")  # which has one given where there is none
    if not _word(id(kind) + _VERSION) & _HALF or not _versions_move():
        raise _Elsewhere
    yield _same(id(kind) + _VERSION, _HALF)


@functools.cache
def _versions_move() -> bool:
    """Whether it is the version that stands there: found out by a try."""

    Base: Any = type("Base", (), {"a": 1})
    Example: Any = type("Example", (Base,), {})
    given = set()
    for c, name in ((Example, "b"), (Base, "a"), (Example, "b"), (Base, "c")):
        _ = Example.a  # which gives it a version
        given.add(before := _word(id(Example) + _VERSION) & _HALF)
        setattr(c, name, len(given))
        if _word(id(Example) + _VERSION) & _HALF == before:
            return False
    return 0 not in given and len(given) == 4


def _slot(member: MemberDescriptorType, x: Any) -> Iterator[Word]:
    definition = _word(id(member) + 5 * WORD)
    yield _holds_or_nothing(id(x) + _word(definition + 2 * WORD), slot_of.found(member, x))


def _within(x: Any, value: Any) -> Word:
    """The word of an object that holds ``value``."""
    size = type(x).__basicsize__ // WORD
    (found,) = [k for k in (*range(2, size), -3, -4) if _word(id(x) + k * WORD) == id(value)]
    return _same(id(x) + found * WORD)


def _attribute(x: Any, name: str) -> Iterator[Word]:
    if type(x) is FunctionType:  # the whole of it: where its parts are differs from Python to Python
        yield from [_same(id(x) + k * WORD) for k in range(2, FunctionType.__basicsize__ // WORD)]
    else:
        yield _within(x, getattr(x, name))


# --- the readers


class Reader(NamedTuple):
    """``read(*objects)`` gives what must be again: that object (``how`` is "is"), a "value" like it, or a tuple of such
    "items". ``words(*objects)`` are the words of memory that show it, if any; ``write(*objects, x)`` puts a number or a
    tensor there, where that can be done."""

    read: Callable[..., Any]
    how: str
    words: Callable[..., Iterator[Word]] | None = None
    write: Callable[..., None] | None = None

    def found(self, *objects: Any) -> Any:
        """What stands there now; ABSENT where nothing does."""
        try:
            return self.read(*objects)
        except (LookupError, AttributeError, ValueError, TypeError) as gone:
            if is_of_handler(gone):
                raise
            return ABSENT


def _reader(how: str, words: Any = None) -> Callable[[Callable[..., Any]], Reader]:
    return lambda read: Reader(read, how, words)


def _base_of(x: Any, *kinds: type) -> Any:
    """What ``x`` is made of, whose methods run none of the user's code."""
    for kind in kinds:
        if issubclass(type(x), kind):
            return kind
    raise TypeError(type(x))


@_reader("items", _keys)
def keys_of(d: Any) -> tuple[Any, ...]:
    """The keys of a dict of whatever class, or what is in a set, in order."""
    base = _base_of(d, OrderedDict, dict, set, frozenset)
    return tuple(base.keys(d) if issubclass(base, dict) else base.__iter__(d))


@_reader("value", lambda x: _type(x))
def value_of_base(x: Any) -> str:
    """What an object of a class made of a number or a string is, as text."""
    base = _base_of(x, int, float, complex, str, bytes)
    return (base.__str__ if base is str else base.__repr__)(x)


def entries_of(kind: type) -> Any:
    """The attributes that a class has itself."""
    return type.__dict__["__dict__"].__get__(kind)


def is_place_of_class(kind: type, name: str, x: Any) -> bool:
    """Whether an attribute of a class is a number that can be bound."""
    return type(x) in (int, float) and type(kind) is type and not is_special(name)


@_reader("items", _version)
def members_of(kind: type, names: frozenset[str], made: frozenset[str]) -> tuple[Any, ...]:
    """Names and values of those attributes that a class has itself, and that ``names`` has, or that begin as ``made``
    ones do, or Python asks for; but for places."""
    own, begun = entries_of(kind), tuple(made)
    found = [name for name in own if name in names or is_special(name) or name.startswith(begun)]
    return (*found, *[own[name] for name in found if not is_place_of_class(kind, name, own[name])])


@_reader("items", lambda d, *_: _keys(d))
def names_in(d: Any, names: frozenset[str], made: frozenset[str]) -> tuple[str, ...]:
    """The keys that ``names`` has, or that begin as ``made`` ones do."""
    begun = tuple(made)
    return tuple([name for name in d if name in names or name.startswith(begun)])


@_reader("is", lambda a: _slot(vars(Handle)["_at"], a))
def state_of(a: Handle) -> Any:
    """Shape, dtype and the like of a tensor in memory."""
    if a._segment is not None:
        materialize(local.trace, a)
    return a._at


def _shown(a: Handle) -> Iterator[Word]:
    yield from _slot(vars(Handle)["_share"], a)
    for name in _OF_VIEWS:
        yield from _slot(vars(Share)[name], a._share)
    if (base := a._share.base) is not None:  # type: ignore[union-attr]
        yield from _slot(vars(Share)["rest"], base)


def _of_gradient(a: Handle) -> Iterator[Word]:
    for address, mask, expected, _ in _slot(vars(Handle)["_grad"], a):
        yield address, mask, expected, None  # who holds a gradient has each call make another one
    if a._grad is not None:
        yield _within(a._grad, vars(a._grad))
        yield from _keys(vars(a._grad))


@_reader("items", _of_gradient)
def given_to_gradient(a: Handle) -> tuple[Any, ...]:
    """The names of the attributes that the gradient of a tensor has."""
    return () if a._grad is None else tuple(vars(a._grad))


@_reader("items", _shown)
def shown_by(a: Handle) -> tuple[Any, ...]:
    """What a view shows, and how."""
    share = sharing(a)
    return share, *[getattr(share, name) for name in _OF_VIEWS], share.base and share.base.rest


@_reader("value")
def data_of(x: Any) -> tuple[Any, ...]:
    """All that an array holds."""
    if isinstance(x, np.ndarray):
        return x.tobytes(), x.shape, x.strides, x.dtype, x.flags.num
    return (bytes(x), getattr(x, "typecode", None))


@_reader("value")
def said_by(function: Callable[[], Any]) -> Any:
    """A setting."""
    said = function()
    return repr(said) if type(said) is dict else said


def cache_of(x: Any) -> dict[Any, Any]:
    """The dict in which a cached function finds what it has computed."""
    return next(d for d in gc.get_referents(x) if type(d) is dict and d is not x.__dict__)


@_reader("items", lambda x: chain(_keys(cache_of(x)), *[_part(cache_of(x), key) for key in cache_of(x)]))
def cached(x: Any) -> tuple[Any, ...]:
    """All that a cached function knows, in whatever order."""
    d = cache_of(x)
    return tuple(sorted([*gc.get_referents(x), *d.keys(), *d.values()], key=id))


own_of: Reader = Reader(  # the dict of an object's attributes
    lambda x: object.__getattribute__(x, "__dict__"), "is", lambda x: iter([_within(x, own_of.read(x))])
)
contents_of = Reader(  # of a cell, which may not be assigned yet
    lambda cell: cell.cell_contents, "is", _cell, lambda cell, x: setattr(cell, "cell_contents", x)
)
part_of = Reader(  # an item of a dict, a list or a deque of whatever class
    lambda x, key: (
        dict.get(x, key, ABSENT) if issubclass(type(x), dict) else _base_of(x, list, deque).__getitem__(x, key)
    ),
    *("is", _part, lambda x, key, item: _base_of(x, dict, list, deque).__setitem__(x, key, item)),
)
part_that_counts = part_of._replace(write=None)  # at each call, which is not the user's
slot_of = Reader(lambda member, x: member.__get__(x), "is", _slot)
number_of_class = Reader(lambda c, name: entries_of(c)[name], "is", _version, setattr)
attribute_of = Reader(lambda x, name: getattr(x, name, None), "is", _attribute)  # of a function, class, or type in C
class_of = Reader(type, "is", _type)
bases_of = Reader(lambda c: c.__mro__, "items", _version)
lasting = Reader(lasting_entries, "items", _version)  # of a class of ours
length_of = Reader(lambda x: _base_of(x, list, deque).__len__(x), "value", _length)
options_of = Reader(
    lambda optimizer, group, *_: optimizer._form(group),
    "items",
    lambda _, group, *names: chain.from_iterable([_part(group, name) for name in names]),
)


def words_of(reader: Reader, *objects: Any) -> list[Word] | None:
    """The words that show what is read; None where they are not found."""
    if reader.words is None or not can_tell():
        return None
    try:
        return [*reader.words(*objects)]
    except (_Elsewhere, LookupError, ValueError, AttributeError, TypeError):
        return None


def standing_of(found: Sequence[list[Word]]) -> Standing:
    """All those words, each once, in their order."""
    standing = Standing()
    words = {word[:3]: word[3] for several in found for word in several}
    for word in words:
        standing.word(*word)
    standing.keep([*words.values()])
    standing.close()
    return standing
