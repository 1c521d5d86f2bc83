"""Threads that help with a tape: parked without the GIL on a semaphore, made at the first need, made anew after a fork.

Kernels give the same bits however their items are shared out, so the number of threads never changes a result. One run
has the workers at a time; another that comes meanwhile does all its work itself.

Workers keep off the caller's core, and look out for jobs while a tape runs. Linux wakes a thread where it slept, even
on the core of the thread that wakes it, and leaves two such threads there for seconds: two threads took as long as one.
Waking one takes 30 us, a job for one that looks out 1.3 us, after a gap of 300 us still; so they do that, for as long
as a tape runs and 50 us more. Each takes its own share of every instruction first, then what others have left: what it
wrote is in its own cache (an MLP's step on 2 threads: a tenth less). Where other programs need the cores, a worker goes
to sleep, and a run that had to wait for one longer than it took for its own part works alone for 8 times as long, less
the time since the last such wait: where another program comes now and then, sharing goes on.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import threading
import time
from typing import Final

from nbgrad.config import MOST_THREADS, settings
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.kernels.records import WORD
from nbgrad.log import fall_back
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.layout import CLOSED, CONTROL_WORDS, THREAD_WORDS, Pool
from nbgrad.runtime.runner_code import runner_code
from nbgrad.system.fork_safety import Lock
from nbgrad.system.interrupts import uninterrupted

_SEMAPHORE_BYTES: Final = 64  # a sem_t takes 32 on Linux
_END_S: Final = 1.0  # how long the end of the program waits for a worker to finish its part

_libc = ctypes.CDLL(None, use_errno=True)
_libc.sem_init.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_uint)
_libc.sem_post.argtypes = (ctypes.c_void_p,)
_libc.sem_unlink.argtypes = (ctypes.c_char_p,)
# Mode and value are variable arguments, which macOS passes otherwise on AArch64: what is not named here is taken so.
_libc.sem_open.argtypes = (ctypes.c_char_p, ctypes.c_int)
_libc.sem_open.restype = ctypes.c_void_p


class ThreadPool:
    """``workers`` threads and the control block they share with the runner (see ``layout``)."""

    def __init__(self, workers: int) -> None:
        words = CONTROL_WORDS + (workers + 1) * THREAD_WORDS
        self._block = Buffer.alloc(words * WORD + _SEMAPHORE_BYTES)
        # A worker may still stand in this memory when the interpreter takes modules apart, so it is never given back.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._block))
        self.address = self._block.address
        ctypes.memset(self.address, 0, words * WORD)
        self.control = Pool.from_address(self.address)
        self._semaphore = _semaphore(self.address + words * WORD)
        self.control.gate.store(CLOSED)
        self.control.crew.semaphore = self._semaphore
        self.control.crew.clock = time.CLOCK_MONOTONIC
        self.control.cores.process = os.getpid()
        self.control.threads[0].pool = self.address
        self._threads: list[threading.Thread] = []
        self._start(workers)
        self.control.crew.workers = len(self._threads)

    def _start(self, workers: int) -> None:
        work = runner_code().work
        for k in range(workers):
            own = self.control.threads[k + 1]
            own.pool = self.address
            thread = threading.Thread(target=work, args=(ctypes.addressof(own),), name=f"nbgrad-{k}", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:  # the system gives no more of them, or the program is ending
                fall_back("time", f"{k + 1} threads work on a tape, not {workers + 1}: {error}")
                return
            own.number = thread.native_id or 0
            self._threads.append(thread)

    def stop(self) -> None:
        """Send the workers home. A run that still shares work with them finishes it alone."""
        self.control.crew.quit.store(1)
        for _ in self._threads:
            _libc.sem_post(self._semaphore)

    def join(self) -> None:
        for thread in self._threads:
            thread.join(_END_S)


class _Current:
    """The pool in use, and the number of threads it was made for."""

    def __init__(self) -> None:
        self.pool: ThreadPool | None = None
        self.address = 0
        self.threads = 0
        self.ending = False
        self.lock = Lock()


_current = _Current()


def get_num_threads() -> int:
    """How many threads work on one tape, the calling one included: the cores this process may use, unless set by
    ``set_num_threads`` or NBGRAD_NUM_THREADS.

    >>> nbgrad.get_num_threads() >= 1
    True
    """
    return settings.num_threads


def set_num_threads(count: int, /) -> None:
    """Let ``count`` threads work on one tape, the calling one included. Results do not depend on it, bit for bit.

    TypeError for what is no int, RuntimeError for less than 1 or more than 1024.

    >>> before = nbgrad.get_num_threads()
    >>> nbgrad.set_num_threads(1)
    >>> nbgrad.get_num_threads()
    1
    >>> nbgrad.set_num_threads(before)
    """
    if isinstance(count, bool) or not isinstance(count, int):
        raise DTypeError(f"set_num_threads(): expects an int, but got {type(count).__name__}")
    if not 1 <= count <= MOST_THREADS:
        raise ArgumentError(f"set_num_threads(): expected a whole number from 1 to {MOST_THREADS}, got {count!r}")
    settings.num_threads = count


def control() -> int:
    """The address of the pool's control block for one run, or 0 to run alone. Starts the threads where needed."""
    if _current.threads == settings.num_threads:
        return _current.address
    return _renew()


@uninterrupted
def _renew() -> int:
    count = settings.num_threads
    with _current.lock:
        if _current.threads != count:
            if _current.pool is not None:
                _current.pool.stop()
            _current.pool = _pool_of(count - 1) if count > 1 and not _current.ending else None
            _current.address = _current.pool.address if _current.pool is not None else 0
            _current.threads = count
        return _current.address


def _pool_of(workers: int) -> ThreadPool | None:
    """A pool; None where the system has nothing for one."""
    try:
        return ThreadPool(workers)
    except OSError as error:
        fall_back("time", f"one thread works on a tape, not {workers + 1}: {error}")
        return None


def _semaphore(place: int) -> int:
    """The address of a new semaphore of value 0: at ``place``, or a named one where there are no others (macOS)."""
    if _libc.sem_init(place, 0, 0) == 0:
        return place
    name = f"/nbgrad-{os.urandom(8).hex()}".encode()
    create = os.O_CREAT | os.O_EXCL
    address = _libc.sem_open(name, ctypes.c_int(create), ctypes.c_uint(0o600), ctypes.c_uint(0))
    if not address or address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "nbgrad: no semaphore for the thread pool")
    _libc.sem_unlink(name)
    return int(address)


def _end() -> None:
    """Stop the workers before the interpreter takes their code apart."""
    with _current.lock:
        pool, _current.pool = _current.pool, None
        _current.address = 0
        _current.ending = True
    if pool is not None:
        pool.stop()
        with contextlib.suppress(RuntimeError):  # a thread of a process that was forked from inside a thread
            pool.join()


def _forget() -> None:
    """In a forked child: the threads stayed behind."""
    _current.pool = None
    _current.address = 0
    _current.threads = 0


atexit.register(_end)
os.register_at_fork(after_in_child=_forget)
