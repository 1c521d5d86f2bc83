"""Which objects of a list nobody else holds, quickly: the compiled look at their reference counts takes 5 ns an object,
``getrefcount`` 50."""

from __future__ import annotations

import sys
import sysconfig
from typing import Any, Final, cast

import numpy as np

from nbgrad.config import settings
from nbgrad.kernels.records import WORD
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.runner_code import is_for_python, runner_code
from nbgrad.runtime.word_functions import RUNNER

# Where objects begin with their count of references, and lists are as in ``held_kernels``.
_HAS_GIL: Final = not sysconfig.get_config_var("Py_GIL_DISABLED")
IS_KNOWN: Final = sys.implementation.name == "cpython" and sys.maxsize == (1 << 63) - 1 and _HAS_GIL
_RUN_S: Final = 10e-6  # by Python, of the tape that runs after that, which has a row for each object, or more
MANY: Final = 32  # objects, from which on the compiled look takes less time, also where its code is in no cache
_ROOM: Final = 1 << 13  # bytes, one for each object of most lists

_idle: list[tuple[Buffer, memoryview]] = []  # what no thread uses now
_works: list[bool] = []  # whether it does, once it was tried


def held(objects: list[Any]) -> bytes | None:
    """1 for each object that somebody holds besides the list, 0 for the others; None where that cannot be told so."""
    if settings.interpret or is_for_python(RUNNER, len(objects) * _RUN_S):  # no code is made for this alone
        return None
    return _held(objects, len(objects)) if (_works or _try()) and _works[0] else None


def _held(objects: list[Any], n: int) -> bytes:
    if n > _ROOM - WORD:
        large = Buffer.alloc(n + WORD)
        runner_code().mark_held(id(objects), large.address)
        return bytes(large.array((n,), np.uint8))
    try:
        block = _idle.pop()
    except IndexError:
        buffer = Buffer.alloc(_ROOM)
        block = buffer, memoryview(cast("Any", buffer.array((_ROOM,), np.uint8)))
    runner_code().mark_held(id(objects), block[0].address)
    marks = bytes(block[1][:n])
    _idle.append(block)
    return marks


def _try() -> bool:
    """Find out whether it works; True when that is known."""
    kept: list[Any] = [[], object(), {}]
    objects = [[], *kept, object(), None, 1.5 * len(kept)]
    expected = bytes([0, 1, 1, 1, 0, 1, 0])
    _works.append(IS_KNOWN and _held(objects, len(objects)) == expected)
    return True
