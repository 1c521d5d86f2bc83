"""How many references an object has: the only place that asks Python, and that knows what asking adds to the answer.

That differs between Pythons: where 3.13 counts a variable and the argument made of it, 3.14 lends the argument, and
counts one. So nobody asks about a variable. Objects are asked about where they lie, in a list or an attribute, and what
is said there of an object that nobody else holds is found out here, once, for each way of asking.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any, Final


def _answer_for_item(items: list[Any]) -> int:
    return getrefcount(items[0])


class _Example:
    __slots__ = ("value",)
    value: Any


_example: Final = _Example()
_example.value = object()
(_IN_LIST,) = map(getrefcount, [object()])
_BY_NAME: Final = getrefcount(getattr(_example, "value"))  # noqa: B009  (that is what is counted)

# What ``getrefcount(items[0])`` says of an object that nobody else holds, for code that is written at run time: it asks
# in these very words.
ALONE_IN_LIST: Final = _answer_for_item([object()])


def owners(items: list[Any]) -> list[int]:
    """How many references there are to each item, the list's own among them."""
    return [count - _IN_LIST + 1 for count in map(getrefcount, items)]


def any_held(items: list[Any]) -> bool:
    """Whether somebody holds one of the items besides the list."""
    return max(map(getrefcount, items), default=0) > _IN_LIST


def held_bits(items: list[Any]) -> bytes:
    """For each item a byte: 1 where somebody holds it besides the list."""
    return bytes([count > _IN_LIST for count in map(getrefcount, items)])


def is_unique(x: Any, name: str, holders: int = 1) -> bool:
    """Whether nobody but so many holders whom we know, ``x`` by its attribute ``name`` among them, has what that is."""
    return getrefcount(getattr(x, name)) - _BY_NAME < holders


def is_held(items: list[Any], place: int) -> bool:
    """Whether somebody holds the item at ``place`` besides the list."""
    return getrefcount(items[place]) > ALONE_IN_LIST
