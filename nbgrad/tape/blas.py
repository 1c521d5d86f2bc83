"""OpenBLAS's threads, of which calls of ours use one, or as many as the settings say. To wake another takes longer than
to factor a small matrix, and on a busy machine up to a hundred times as long; from about 150 rows on each number of
threads gives other bits. Batches are shared by our own threads.

The number belongs to the whole library: it is set while anybody is inside, and then what it was before. Were only calls
of small matrices bounded, bits of a large one would depend on what another thread does at that moment. A call of the
user's in another thread has one thread meanwhile, too. ``nbgrad/kernels/blas.py`` counts.
"""

from __future__ import annotations

import ctypes
import os
from typing import Final

from nbgrad.config import settings
from nbgrad.system.fork_safety import Lock
from nbgrad.system.free_memory import require_room_for_blas
from nbgrad.system.imports import import_module

NAMES: Final = [(start, end) for start in ("scipy_openblas", "openblas") for end in ("", "64_")]
THREADS_OF_ITS_OWN: Final = 1  # 0: it has none; 2: they are OpenMP's, where each thread of a program has its own number
MUTEX_WORDS: Final = 16  # twice what one takes on any system
_libc: Final = ctypes.CDLL(None)


class Blas(ctypes.Structure):
    """A library, in memory that compiled functions know."""

    _fields_ = (
        ("mutex", ctypes.c_int64 * MUTEX_WORDS),  # of who changes the words below
        ("acquire", ctypes.c_int64),  # addresses of functions: of the mutex,
        ("release", ctypes.c_int64),
        ("get", ctypes.c_int64),  # and of the library's number of threads; 0: it is not to be had
        ("put", ctypes.c_int64),
        ("wanted", ctypes.c_int64 * 1),  # the number for our calls
        ("before", ctypes.c_int64 * 1),  # the number otherwise, while somebody is inside
        ("ours", ctypes.c_int64),  # and what the library made of ``wanted``
        ("inside", ctypes.c_int64),  # how many calls of ours
    )


_lock: Final = Lock()
_found: Final[dict[str, Blas]] = {}  # by the modules that were asked about


def blas_of(module: str) -> Blas:
    """The library that a module of NumPy's or SciPy's in C is linked to, which may be one for both."""
    if module not in _found:
        with _lock:
            made = _made(ctypes.CDLL(import_module(module).__file__))
            same = [blas for blas in _found.values() if blas.put == made.put]
            _found.setdefault(module, same[0] if same else made)
    return _found[module]


def _made(library: ctypes.CDLL) -> Blas:
    blas = Blas(wanted=(settings.lapack_threads,))
    _libc.pthread_mutex_init(blas.mutex, None)
    blas.acquire, blas.release = [_address(_libc, f"pthread_mutex_{name}") for name in ("lock", "unlock")]
    for start, end in NAMES:
        names = [f"{start}_{what}{end}" for what in ("get_parallel", "get_num_threads", "set_num_threads_")]
        if all(hasattr(library, name) for name in names) and getattr(library, names[0])() == THREADS_OF_ITS_OWN:
            blas.get, blas.put = [_address(library, name) for name in names[1:]]
            break
    return blas


def of_numpy() -> Blas:
    """NumPy's."""
    return blas_of("numpy.linalg._umath_linalg")


def of_scipy() -> Blas:
    """SciPy's."""
    require_room_for_blas()
    return blas_of("scipy.linalg.cython_lapack")


def _address(library: ctypes.CDLL, name: str) -> int:
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0


def _begin_again() -> None:
    """In a forked child the threads that were inside are not there."""
    for blas in _found.values():
        _libc.pthread_mutex_init(blas.mutex, None)
        if blas.inside:
            blas.inside = 0
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(blas.put)(blas.before)


os.register_at_fork(after_in_child=_begin_again)
