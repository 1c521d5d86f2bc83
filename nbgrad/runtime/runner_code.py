"""The word functions that Python calls, as C functions: from disk, or compiled where the disk has none yet."""

from __future__ import annotations

import ctypes
import importlib
import os
import threading
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from nbgrad.kernels.engine import Engine
from nbgrad.kernels.target import host
from nbgrad.log import emit
from nbgrad.runtime import cache

_SOURCE: Final = "nbgrad.runtime.word_code"
_FUNCTION: Final = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)


_Function = Callable[[int], int]  # it lets go of the GIL


class RunnerCode(NamedTuple):
    """``run(frame)`` and ``work(pool)``. ``address`` is that of ``run``."""

    run: _Function
    work: _Function
    address: int
    engine: Engine  # keeps the code in memory


class SheetCode(NamedTuple):
    """``advance(sheet)``: first sight."""

    advance: _Function
    engine: Engine


class _Loaded:
    """The code, once somebody has asked for it."""

    def __init__(self) -> None:
        self.runner: RunnerCode | None = None
        self.sheet: SheetCode | None = None
        self.lock = threading.Lock()


_loaded = _Loaded()


def runner_code() -> RunnerCode:
    """The functions that run tapes, loaded at the first call."""
    if _loaded.runner is None:
        with _loaded.lock:
            if _loaded.runner is None:
                engine, (run, work) = _load("runner", "nbgrad_run", "nbgrad_work")
                _loaded.runner = RunnerCode(_FUNCTION(run), _FUNCTION(work), run, engine)
    return _loaded.runner


def sheet_code() -> SheetCode:
    """The function of first sight, loaded at the first call: many programs need it late or never."""
    if _loaded.sheet is None:
        with _loaded.lock:
            if _loaded.sheet is None:
                engine, (advance,) = _load("sheet", "nbgrad_advance")
                _loaded.sheet = SheetCode(_FUNCTION(advance), engine)
    return _loaded.sheet


def _object_code(what: str) -> bytes:
    key = cache.entry_key(what, "", host().key)
    code = cache.load(key)
    if code is None:
        why = cache.why_missing(key)
        begun_s = time.perf_counter()
        # What writes them is not imported where they are on disk.
        code = importlib.import_module(_SOURCE).object_code(host(), what)
        cache.publish(key, code)
        emit("cache", f"{what}: not on disk: {why}; compiled in {time.perf_counter() - begun_s:.2f} s")
    return code


def _load(what: str, *names: str) -> tuple[Engine, list[int]]:
    """The engine that holds the code, and the functions' addresses."""
    engine = Engine()
    engine.load(_object_code(what), with_calls=True)
    return engine, [engine.address(name) for name in names]


def _renew_lock() -> None:
    _loaded.lock = threading.Lock()  # another thread may have been loading when the process forked


os.register_at_fork(after_in_child=_renew_lock)
