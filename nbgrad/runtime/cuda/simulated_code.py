"""Code of simulated devices: kernels for this machine's processor, run warp by warp."""

from __future__ import annotations

import ctypes
import hashlib
from typing import Final

from nbgrad.kernels.engine import Engine
from nbgrad.system.fork_safety import Lock

_MOST_CALLS: Final = 64  # pieces in which a launch runs
_KERNEL: Final = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


class Code:
    """The code that simulated devices have loaded: this process keeps it, so each image is loaded once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._engine: Engine | None = None
        self._loaded: set[bytes] = set()

    def load(self, image: bytes) -> None:
        digest = hashlib.sha256(image).digest()
        with self._lock:
            if digest not in self._loaded:
                self._engine = self._engine or Engine()
                self._engine.load(image)
                self._loaded.add(digest)

    def address(self, name: str) -> int:
        return self._engine.address(name) if self._engine is not None else 0


loaded: Final = Code()


def run_warps(function: int, desc: int, items: int, chunk: int, status: int) -> None:
    """Call a kernel for each warp's items, the last warp's first: their order must not matter."""
    kernel = _KERNEL(function)
    step = max(chunk, -(-items // _MOST_CALLS))
    for begin in reversed(range(0, items, step)):
        code = kernel(desc, begin, min(begin + step, items))
        if code:
            ctypes.c_int32.from_address(status).value = code
