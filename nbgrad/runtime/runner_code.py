"""The word functions that Python calls, as C functions: from disk, or compiled where the disk has none yet."""

from __future__ import annotations

import ctypes
import importlib
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from nbgrad.kernels.engine import Engine
from nbgrad.kernels.target import host
from nbgrad.log import emit
from nbgrad.runtime import cache

_SOURCE: Final = "nbgrad.runtime.word_code"


class RunnerCode(NamedTuple):
    """``run(frame)``, ``work(pool)``, ``advance(sheet)``: they let go of the GIL. ``address`` is that of ``run``."""

    run: Callable[[int], int]
    work: Callable[[int], int]
    advance: Callable[[int], int]
    address: int
    engine: Engine  # keeps the code in memory


class _Loaded:
    """The code, once somebody has asked for it."""

    def __init__(self) -> None:
        self.code: RunnerCode | None = None
        self.lock = threading.Lock()


_loaded = _Loaded()


def runner_code() -> RunnerCode:
    """The functions, loaded at the first call."""
    if _loaded.code is None:
        with _loaded.lock:
            if _loaded.code is None:
                _loaded.code = _load([_object_code("runner"), _object_code("sheet")])
    return _loaded.code


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


def _load(codes: Sequence[bytes]) -> RunnerCode:
    engine = Engine()
    for code in codes:
        engine.load(code, with_calls=True)
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
    run, work, advance = [engine.address(f"nbgrad_{name}") for name in ("run", "work", "advance")]
    return RunnerCode(function(run), function(work), function(advance), run, engine)


def _renew_lock() -> None:
    _loaded.lock = threading.Lock()  # another thread may have been loading when the process forked


os.register_at_fork(after_in_child=_renew_lock)
