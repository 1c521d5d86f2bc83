"""What compiled functions can do besides arithmetic and memory: call kernels, and the system. Here stands what Python
does when it runs them as they stand; ``numba_records`` has the LLVM that takes its place."""

from __future__ import annotations

import ctypes
from typing import Final

from nbgrad.runtime import system_words

_KERNEL: Final = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


def call_kernel(kernel: int, desc: int, begin: int, end: int) -> int:
    """Run the kernel at address ``kernel`` on the items [begin, end); gives its code, 0 for success."""
    return int(_KERNEL(kernel)(desc, begin, end))


def pause() -> int:
    """A moment of waiting that leaves the core to its other thread."""
    return 0


clock_gettime: Final = system_words.by_python("clock_gettime")
sem_wait: Final = system_words.by_python("sem_wait")
sem_post: Final = system_words.by_python("sem_post")
sched_yield: Final = system_words.by_python("sched_yield")
sched_getcpu: Final = system_words.by_python("sched_getcpu")
sched_getaffinity: Final = system_words.by_python("sched_getaffinity")
sched_setaffinity: Final = system_words.by_python("sched_setaffinity")
