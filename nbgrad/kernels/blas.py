"""Who is inside a BLAS of which one thread is wanted: the first sets the number of threads, the last what it was
before. What stands where, ``nbgrad/tape/blas.py`` says."""

from typing import Any

from nbgrad.kernels.njit import njit
from nbgrad.kernels.pointers import call, gave


@njit(nogil=True)
def enter(blas: Any) -> None:
    """One more call is inside."""
    if blas.put != 0:
        call(blas.acquire, blas.mutex)
        if blas.inside == 0:
            blas.before[0] = gave(blas.get)
            call(blas.put, blas.wanted)
            blas.ours = gave(blas.get)
        blas.inside += 1
        call(blas.release, blas.mutex)


@njit(nogil=True)
def leave(blas: Any) -> None:
    """One less. What the user has set meanwhile stays."""
    if blas.put != 0:
        call(blas.acquire, blas.mutex)
        if blas.inside > 0:  # in a child that was forked from inside nobody is
            blas.inside -= 1
            if blas.inside == 0 and gave(blas.get) == blas.ours:
                call(blas.put, blas.before)
        call(blas.release, blas.mutex)
