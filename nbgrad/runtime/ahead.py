"""The code that a long program will run, compiled by another thread while Python records it.

A program of a few hundred new calls is on its way to the runner and to the baseline tier, and recording keeps one core
busy: where the disk has no code for them, drafts are made meanwhile. This is the one thing that a thread of ours
compiles, once in a process at most and for some 30 ms. A fork waits until it is done: LLVM would stay locked in the
child.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Final

from nbgrad.config import settings
from nbgrad.log import fall_back
from nbgrad.runtime import runner_code
from nbgrad.system.cores import available_cores
from nbgrad.system.interrupts import uninterrupted

LONG: Final = 256  # new entries of a program: Python takes at least that long to record the rest
# Each call of LLVM lets Python go and must get it back: at CPython's usual 5 ms a time, that takes longer than LLVM.
_SWITCH_S: Final = 1e-4


class _State:
    """``worker`` is the thread, once it has begun."""

    worker: threading.Thread | None = None
    is_asked = False


_state = _State()


def is_due() -> bool:
    """Whether nobody has asked yet."""
    return not _state.is_asked


@uninterrupted
def compile_ahead() -> None:
    """Begin to make the code, where that is of use: at the first call."""
    if _state.is_asked:
        return
    _state.is_asked = True
    if settings.compile == "background" and runner_code.is_missing() and available_cores() > 1:
        _state.worker = threading.Thread(target=_compile, name="nbgrad-ahead")
        try:
            _state.worker.start()
        except RuntimeError as error:  # the system gives no more of them, or the program is ending
            _state.worker = None
            fall_back("cache", f"what runs a program is compiled when it is wanted, not ahead: {error}")


def _compile() -> None:
    usual_s = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_S)
    ours_s = sys.getswitchinterval()  # in whole microseconds
    try:
        runner_code.baseline_code()
        runner_code.runner_code()
    finally:
        if sys.getswitchinterval() == ours_s:  # the user may have set another
            sys.setswitchinterval(usual_s)


def is_at_work() -> bool:
    """Whether the thread is making the code."""
    worker = _state.worker
    return worker is not None and worker.is_alive()


@uninterrupted
def wait() -> None:
    """Until the code is there."""
    worker = _state.worker  # another thread may fork at the same time
    if worker is not None and worker is not threading.current_thread():
        if worker.is_alive():
            worker.join()
        _state.worker = None


os.register_at_fork(before=wait)
