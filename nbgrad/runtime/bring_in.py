"""Memory that a first run will write, brought in by another thread while that run waits for its kernels.

Memory fresh from the system costs most when it is touched for the first time: on a virtual machine whose host lends its
pages anew, 40 MB of results took 10 to 180 ms, as long as all the rest of a first call.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Sequence
from typing import Final

from nbgrad.config import settings
from nbgrad.log import fall_back
from nbgrad.runtime.buffers import Buffer, is_block
from nbgrad.system.interrupts import uninterrupted

_LEAST_BYTES: Final = 1 << 22  # from here on it takes longer than to start a thread, on any machine
_BLOCK_BYTES: Final = 1 << 20  # smaller blocks often are in use already
_PIECE_BYTES: Final = 1 << 21  # a huge page: others that map memory wait for no more than one
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_MADV_POPULATE_WRITE: Final = 23  # of Linux: numbers of advice are each system's own
_IS_LINUX: Final = sys.platform == "linux"

_libc = ctypes.CDLL(None)
_libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


@uninterrupted
def bring_in(sizes: Sequence[int]) -> threading.Thread | None:
    """Begin to bring in blocks for buffers of ``sizes``, which wait for them in the pool. Contents do not change.

    Gives the thread that does it; None where that is not worth a thread, or where there is no other.
    """
    large = [nbytes for nbytes in sizes if nbytes >= _BLOCK_BYTES]
    if sum(large) < _LEAST_BYTES or settings.num_threads == 1 or not _IS_LINUX:
        return None
    blocks = [(buffer.address, buffer.nbytes) for buffer in Buffer.alloc_each(large)]
    thread = threading.Thread(target=_populate, args=(blocks,), name="nbgrad-memory", daemon=True)
    try:
        thread.start()
    except RuntimeError as error:  # the system gives no more of them, or the program is ending
        fall_back("memory", f"memory comes as it is written, not while kernels are made: {error}")
        return None
    return thread


def _populate(blocks: Sequence[tuple[int, int]]) -> None:
    """Have the system put pages under all blocks, piece by piece. Python's other threads go on meanwhile.

    Linux knows this from 5.14 on; elsewhere it refuses, and whoever writes first brings in the page, as without.
    """
    for start, nbytes in blocks:
        for address in range(start // _PAGE_BYTES * _PAGE_BYTES, start + nbytes, _PIECE_BYTES):
            size = min(_PIECE_BYTES, start + nbytes - address)
            if not is_block(start) or _libc.madvise(address, size, _MADV_POPULATE_WRITE) != 0:
                return  # the pool has given it back
