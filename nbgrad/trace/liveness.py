"""Which of a chapter's values somebody still holds: the second half of the key by which its plan is found."""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Any, Final

from nbgrad.runtime.held import held

MANY: Final = 64  # entries, from which on the compiled look takes less time, also where its code is in no cache


def few_bits(live: list[Any], alone: int) -> bytes:
    return bytes([getrefcount(v) > alone for v in live])


def _references_of_a_list_item(bits: Callable[[list[Any], int], bytes]) -> int:
    """What ``getrefcount`` says inside ``bits`` of an object that only the list holds (it differs between Pythons)."""
    for alone in range(8):
        if bits([[]], alone) == b"\0":
            return alone
    raise AssertionError("no reference count tells a held object from a dropped one")


ALONE: Final = _references_of_a_list_item(few_bits)


def bits_of(live: list[Any]) -> bytes:
    """For each entry a byte: 1 where somebody holds its value."""
    if len(live) < MANY:
        return few_bits(live, ALONE)
    return held(live) or few_bits(live, ALONE)
