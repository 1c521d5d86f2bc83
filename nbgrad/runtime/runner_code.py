"""The word functions that Python calls, as C functions: from disk, or compiled where the disk has none yet.

Where the disk has none, Python runs them as they stand, until that has taken as long as it takes to compile them: what
a program does once is done by then. What is compiled then is a *draft*: somebody waits for it, and to make it well
takes three times as long. The worker process does that meanwhile; whoever asks for the code then finds it on disk.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from nbgrad.config import settings
from nbgrad.kernels.engine import Engine
from nbgrad.kernels.target import host
from nbgrad.log import emit
from nbgrad.runtime import cache
from nbgrad.runtime.system_words import bind
from nbgrad.runtime.word_functions import BASELINE, PLACES, RUNNER
from nbgrad.system.collector import collector_paused
from nbgrad.system.fork_safety import Lock
from nbgrad.system.imports import import_module
from nbgrad.system.interrupts import uninterrupted

_SOURCE: Final = "nbgrad.runtime.word_code"
_PATIENCE_S: Final = 0.025  # with Python: what a draft takes
_LOOK_AFTER_S: Final = 0.2  # to look for a file takes 20 us
_FUNCTION: Final = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
_WITH_GIL: Final = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


_Function = Callable[[int], int]  # it lets go of the GIL


class RunnerCode(NamedTuple):
    """``run(frame)``, ``work(pool)``; ``mark_held(list, out)``, ``all_as_noted(notes, count)`` and ``turn(blas,
    is_inside)``, which keep the GIL. ``address`` is that of ``run``."""

    run: _Function
    work: _Function
    mark_held: Callable[[int, int], int]
    all_as_noted: Callable[[int, int], int]
    turn: Callable[[int, int], int]
    address: int
    engine: Engine  # keeps the code in memory
    is_draft: bool


class BaselineCode(NamedTuple):
    """``advance(program)``: the baseline tier. ``address`` is that of it."""

    advance: _Function
    address: int
    engine: Engine
    is_draft: bool


_KINDS: Final[dict[str, type[Any]]] = {RUNNER: RunnerCode, BASELINE: BaselineCode}


class _Loaded:
    """The code, once somebody has asked for it. ``look_s`` is when to look on disk for what replaces a draft, or
    Python. A draft stays in memory: programs made before call it, and threads may be in it. ``by_python_s`` is how long
    Python has run the functions so far."""

    def __init__(self) -> None:
        self.code: dict[str, Any] = dict.fromkeys(PLACES)
        self.look_s = dict.fromkeys(PLACES, 0.0)
        self.by_python_s = dict.fromkeys(PLACES, 0.0)
        self.engines: list[Engine] = []
        self.lock = Lock()


_loaded = _Loaded()


def runner_code() -> RunnerCode:
    """The functions that run tapes, loaded at the first call. Ask again for each tape: a draft is replaced."""
    found: RunnerCode = _code(RUNNER)
    return found


def baseline_code() -> BaselineCode:
    """The function of the baseline tier, loaded at the first call: many programs need it late or never."""
    found: BaselineCode = _code(BASELINE)
    return found


def _code(what: str) -> Any:
    found = _loaded.code[what]
    if found is None or (found.is_draft and _is_time_to_look(what)):
        with _loaded.lock:
            if found is _loaded.code[what] and (code := _object_code(what, found is None)) is not None:
                _loaded.code[what] = _load(what, *code)
        found = _loaded.code[what]
    return found


def good_code(what: str) -> Any:
    """The code in memory, where it is as it should be: then nobody need ask for it again."""
    found = _loaded.code[what]
    return None if found is None or found.is_draft else found


def is_for_python(what: str, cost_s: float) -> bool:
    """Whether Python had better run the functions of ``what`` as they stand, which would take it about ``cost_s``:
    there is no code for them, and a draft would take longer than that and all that Python ran so far."""
    if _loaded.code[what] is not None:
        return False
    if _loaded.by_python_s[what] + cost_s > _PATIENCE_S or settings.compile == "eager":
        return False
    if not _is_time_to_look(what):
        return True
    with _loaded.lock:
        if _loaded.code[what] is None and (code := _on_disk(what, is_first=True)) is not None:
            _loaded.code[what] = _load(what, *code)
    return _loaded.code[what] is None


def ran_by_python(what: str, cost_s: float) -> None:
    """Python ran functions of ``what`` for so long."""
    _loaded.by_python_s[what] += cost_s


def drafts() -> list[str]:
    """What is in use as a draft, or as Python."""
    spent_s = _loaded.by_python_s
    return [what for what, code in _loaded.code.items() if (spent_s[what] > 0 if code is None else code.is_draft)]


def make_good(what: str) -> bytes:
    """The code as it should be, on disk too: from there, or compiled."""
    return cache.load(_key(what, is_draft=False)) or _made(what, is_draft=False)


def _is_time_to_look(what: str) -> bool:
    now_s = time.monotonic()
    if now_s < _loaded.look_s[what]:
        return False
    _loaded.look_s[what] = now_s + _LOOK_AFTER_S
    return True


def _object_code(what: str, is_first: bool) -> tuple[bytes, bool] | None:
    """The code, and whether it is a draft; None where there is nothing better than the draft that is in use."""
    waits = settings.compile != "eager"
    found = _on_disk(what, is_first and waits)
    if found is not None or not is_first:
        return found
    _is_time_to_look(what)  # from now on, the next time is later
    return _made(what, is_draft=waits), waits


def _on_disk(what: str, is_first: bool) -> tuple[bytes, bool] | None:
    """What the disk has: a draft is better than nothing where it is the first."""
    for is_draft in (False, True) if is_first else (False,):
        code = cache.load(_key(what, is_draft))
        if code is not None:
            return code, is_draft
    return None


def _made(what: str, is_draft: bool) -> bytes:
    """The code, compiled and kept."""
    key = _key(what, is_draft)
    why = cache.why_missing(key)
    begun_s = time.perf_counter()
    code = _compiled(what, is_draft)
    cache.publish(key, code)
    emit("cache", f"{what}: not on disk: {why}; compiled in {time.perf_counter() - begun_s:.2f} s")
    return code


def _key(what: str, is_draft: bool) -> str:
    return cache.entry_key(what + "-draft" if is_draft else what, "", host().key)


@uninterrupted
def _compiled(what: str, is_draft: bool) -> bytes:
    with collector_paused():
        # What writes them is not imported where they are on disk.
        code: bytes = import_module(_SOURCE).object_code(host(), what, is_draft)
    return code


@uninterrupted
def _load(what: str, code: bytes, is_draft: bool) -> Any:
    """The functions, the address of the first, and the engine that holds the code."""
    names = [*PLACES[what]]
    engine = next((engine for engine in _loaded.engines if not engine.address(names[0])), None)  # else it has a draft
    if engine is None:
        engine = Engine()
        _loaded.engines.append(engine)
    engine.load(code)
    bind(engine)
    addresses = engine.addresses(names)
    kinds = _FUNCTION, _FUNCTION, _WITH_GIL, _WITH_GIL, _WITH_GIL
    functions = [kind(address) for kind, address in zip(kinds, addresses, strict=False)]
    return _KINDS[what](*functions, addresses[0], engine, is_draft)
