"""The compiled half of first sight as a C function: from memory, from disk, or from the worker.

It takes Numba seconds to compile, once for a machine. Nobody waits for that: until it is there, structures never seen
get a plan like any other. It is compiled here only where a worker cannot be started.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable
from typing import Final

from nbgrad.config import settings
from nbgrad.log import emit
from nbgrad.runtime.make import SHEET
from nbgrad.runtime.store import store

_FUNCTION: Final = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)


class _Loading:
    """How far it is."""

    def __init__(self) -> None:
        self.code: Callable[[int], int] | None = None
        self.looked = False  # whether the disk has it
        self.asked = False
        self.arrived = False
        self.lock = threading.Lock()

    def tell(self) -> None:
        self.arrived = True


_loading = _Loading()


def sheet_code() -> Callable[[int], int]:
    """``advance(sheet)`` of sheet_kernels, compiled here if it must be."""
    code = _loading.code
    if code is None:
        begun_s = time.perf_counter()
        [address] = store.addresses([SHEET])
        code = _loading.code = _FUNCTION(address)
        emit("time", f"first sight: its code loaded in {time.perf_counter() - begun_s:.3f} s")
    return code


def sheet_ready() -> bool:
    """Whether the code is there; asks the worker for it where there is one. Waits for no compiler then."""
    if _loading.code is not None:
        return True
    if _loading.lock.locked():
        return False  # another thread is at it
    with _loading.lock:  # only a ``with`` lets go whenever Ctrl-C strikes
        if _is_coming():
            return False
        sheet_code()
        return True


def _is_coming() -> bool:
    """Whether the code is not there yet; NBGRAD_COMPILE=never leaves it at that."""
    if not _loading.looked:
        _loading.looked = True
        if store.ready([SHEET]) is not None:
            return False
    if settings.compile != "background":
        return True
    if not _loading.asked:
        _loading.asked = True
        _loading.arrived = not store.request([SHEET], _loading.tell)
    elif not _loading.arrived:
        store.poll()
    return not _loading.arrived


def _after_fork() -> None:
    """The worker is the parent's: ask anew."""
    _loading.lock = threading.Lock()
    _loading.asked = _loading.arrived = False


os.register_at_fork(after_in_child=_after_fork)
