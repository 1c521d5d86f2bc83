"""Whether the text of the user's program says an index: ``y[0]`` is structure, ``y[i]`` a number of the run."""

from __future__ import annotations

import sys
from opcode import opmap
from types import CodeType
from typing import Final

_WORD: Final = 2  # bytes of an instruction
_CACHE: Final = 0  # what follows some instructions; one that was sped up stands at the last of its caches
_SUBSCRIPTS: Final = frozenset(
    [opmap[name] for name in ("BINARY_SUBSCR", "STORE_SUBSCR", "BINARY_OP") if name in opmap]
)
_CONSTANTS: Final = frozenset([opmap[name] for name in ("LOAD_CONST", "LOAD_SMALL_INT") if name in opmap])
_REMEMBERED: Final = 10_000

# By a place in a code object, known by its id: it (kept alive), and the answer.
_known: dict[tuple[int, int], tuple[CodeType, bool]] = {}


def index_is_literal(depth: int) -> bool:
    """Whether the subscript that runs ``depth`` calls above the caller has a constant for its index."""
    try:
        frame = sys._getframe(depth + 1)
    except ValueError:  # no Python code does: a thread that began with the subscript
        return False
    code = frame.f_code
    place = id(code), frame.f_lasti
    found = _known.get(place)
    if found is None:
        if len(_known) >= _REMEMBERED:
            _known.clear()
        found = _known[place] = code, _follows_constant(code.co_code, frame.f_lasti)
    return found[1]


def _follows_constant(text: bytes, at: int) -> bool:
    while at > 0 and text[at] == _CACHE:
        at -= _WORD
    return at > 0 and text[at] in _SUBSCRIPTS and text[at - _WORD] in _CONSTANTS
