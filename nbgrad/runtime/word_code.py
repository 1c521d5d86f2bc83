"""Object code of all word functions that are called from Python: the runner, its threads, first sight."""

from __future__ import annotations

from typing import Final

from nbgrad.kernels.target import Target
from nbgrad.runtime.native import native_code
from nbgrad.runtime.pool_kernels import work
from nbgrad.runtime.runner_kernels import run
from nbgrad.runtime.sheet_kernels import advance

FUNCTIONS: Final = {"nbgrad_run": run, "nbgrad_work": work, "nbgrad_advance": advance}


def object_code(target: Target) -> bytes:
    """Object code that defines ``nbgrad_run(frame)``, ``nbgrad_work(pool)`` and ``nbgrad_advance(sheet)``."""
    return native_code(target, FUNCTIONS)
