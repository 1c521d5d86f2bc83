"""The runner's machine code as C functions: from disk, or compiled by Numba where the disk has none yet."""

from __future__ import annotations

import ctypes
import importlib
import os
import threading
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from nbgrad.kernels.compile import Engine
from nbgrad.kernels.target import host
from nbgrad.log import emit
from nbgrad.runtime import cache

_NUMBA_HALF: Final = "nbgrad.runtime.runner_kernels"


class RunnerCode(NamedTuple):
    """``run(frame)`` and ``work(pool)`` as Python calls that let go of the GIL; ``address`` is that of ``run``."""

    run: Callable[[int], int]
    work: Callable[[int], int]
    address: int
    engine: Engine  # keeps the code in memory


class _Loaded:
    """The code, once somebody has asked for it."""

    def __init__(self) -> None:
        self.code: RunnerCode | None = None
        self.lock = threading.Lock()


_loaded = _Loaded()


def runner_code() -> RunnerCode:
    """The runner, loaded at the first call."""
    if _loaded.code is None:
        with _loaded.lock:
            if _loaded.code is None:
                _loaded.code = _load(_object_code())
    return _loaded.code


def _object_code() -> bytes:
    key = cache.entry_key("runner", "", host().key)
    code = cache.load(key)
    if code is None:
        why = cache.why_missing(key)
        begun_s = time.perf_counter()
        # The one place that needs Numba: importing it takes longer than a whole warm start, so it waits until here.
        code = importlib.import_module(_NUMBA_HALF).object_code(host())
        cache.publish(key, code)
        emit("cache", f"runner: not on disk: {why}; compiled in {time.perf_counter() - begun_s:.2f} s")
    return code


def _load(code: bytes) -> RunnerCode:
    engine = Engine()
    engine.load(code)
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
    run, work = engine.address("nbgrad_run"), engine.address("nbgrad_work")
    return RunnerCode(function(run), function(work), run, engine)


def _renew_lock() -> None:
    _loaded.lock = threading.Lock()  # another thread may have been loading when the process forked


os.register_at_fork(after_in_child=_renew_lock)
