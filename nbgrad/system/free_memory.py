"""Whether there is memory for what libraries are about to do that do not ask: without it LLVM ends the process, and
OpenBLAS tries again for ever."""

from __future__ import annotations

import mmap
import os
import sys
from typing import Final

LOADING_BYTES: Final = 8 << 20  # what LLVM takes at once from the C library, and more: some pages for each object
MAKING_BYTES: Final = 32 << 20  # for the first kernel of all 3 MB
BYTES_PER_CHARACTER: Final = 128  # of a text that is compiled: it takes 30 or less
BLAS_BYTES: Final = 256 << 20  # for SciPy's BLAS and LAPACK to be loaded: on two cores 124 MB
BLAS_BYTES_PER_CORE: Final = 48 << 20
_PRIVATE: Final = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS


def require_room(nbytes: int) -> None:
    """MemoryError where the process may not have so many bytes more."""
    try:
        mmap.mmap(-1, nbytes, flags=_PRIVATE).close()
    except OSError:
        raise MemoryError(f"nbgrad: no memory for the {nbytes >> 20} MB that making or loading code takes") from None


def require_room_for_blas() -> None:
    """The same for SciPy's BLAS, where that is not there yet."""
    if "scipy.linalg" not in sys.modules:
        require_room(BLAS_BYTES + BLAS_BYTES_PER_CORE * (os.cpu_count() or 1))


def require_room_for(text: str) -> None:
    """The same as ``require_room`` for LLVM's work on ``text``."""
    require_room(MAKING_BYTES + BYTES_PER_CHARACTER * len(text))
