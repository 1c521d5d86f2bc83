"""Which of a chapter's values somebody still holds: the second half of the key by which its plan is found."""

from __future__ import annotations

from typing import Any, Final

from nbgrad.runtime.held import held
from nbgrad.runtime.references import held_bits

MANY: Final = 32  # entries, from which on the compiled look takes less time, also where its code is in no cache


def bits_of(live: list[Any]) -> bytes:
    """For each entry a byte: 1 where somebody holds its value."""
    if len(live) < MANY:
        return held_bits(live)
    return held(live) or held_bits(live)
