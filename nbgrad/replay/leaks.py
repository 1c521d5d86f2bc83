"""Numbers that know where they come from leave a recorded call as plain ones, wherever the function has put them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from types import CellType, MemberDescriptorType
from typing import Any

from nbgrad.number import Number
from nbgrad.replay.readers import ABSENT, entries_of, own_of, slot_of

_DEPTH = 6  # of what a call has made


def make_plain(places: Iterable[Any], made: Iterable[Any] = ()) -> bool:
    """Put plain numbers into ``places``, and into what is inside ``made`` objects; whether there were others."""
    return any([_clean(x, 1) for x in [*places]] + [_clean(x, _DEPTH) for x in made])


def _plain(x: Any, depth: int) -> Any:
    """What to put in the place of ``x``: itself, but for numbers, and tuples of some."""
    if type(x) is Number:
        return x.value
    if isinstance(x, tuple):
        items = [_plain(item, depth) for item in tuple.__iter__(x)]
        if any(new is not item for new, item in zip(items, tuple.__iter__(x), strict=True)):
            return tuple.__new__(type(x), items)
    elif depth > 1:
        _clean(x, depth - 1)
    return x


def _clean(x: Any, depth: int) -> bool:
    """Exchange the numbers in ``x``; whether there were some."""
    if isinstance(x, dict):
        return _clean_dict(x, depth)
    found = False
    if isinstance(x, (list, deque)):
        base: Any = list if isinstance(x, list) else deque
        for k, item in enumerate([*base.__iter__(x)]):
            if (new := _plain(item, depth)) is not item:
                found = True
                base.__setitem__(x, k, new)
    elif isinstance(x, set):
        plain = [_plain(item, depth) for item in set.__iter__(x)]
        if found := any(new is not item for new, item in zip(plain, set.__iter__(x), strict=True)):
            set.clear(x)
            set.update(x, plain)
    elif type(x) is CellType:
        try:
            inside = x.cell_contents
        except ValueError:
            return False  # empty
        if (new := _plain(inside, depth)) is not inside:
            x.cell_contents = new
            return True
    elif isinstance(x, BaseException):
        x.args = tuple([_plain(a, _DEPTH) for a in x.args])
    elif isinstance(x, tuple):
        _plain(x, depth)
    if depth > 1 and type(own := own_of.read(x)) is dict and not isinstance(x, type):
        found = _clean_dict(own, depth) or found
    return _clean_slots(x, depth) or found


def _clean_dict(x: Any, depth: int) -> bool:
    items = [*dict.items(x)]
    plain = [(_plain(key, depth), _plain(item, depth)) for key, item in items]
    if any(new[0] is not old[0] for new, old in zip(plain, items, strict=True)):
        dict.clear(x)
        dict.update(x, plain)
        return True
    changed = [new for new, old in zip(plain, items, strict=True) if new[1] is not old[1]]
    dict.update(x, changed)
    return bool(changed)


def _clean_slots(x: Any, depth: int) -> bool:
    found = False
    for base in [] if isinstance(x, type) or type(x).__module__.startswith(("builtins", "nbgrad")) else type(x).__mro__:
        for member in [m for m in entries_of(base).values() if type(m) is MemberDescriptorType]:
            if type(now := slot_of.read(member, x)) is Number and now is not ABSENT:
                found = True
                member.__set__(x, _plain(now, depth))
    return found
