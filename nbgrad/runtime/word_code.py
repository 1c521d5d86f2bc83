"""Object code of all word functions that are called from Python: the runner, its threads, first sight."""

from __future__ import annotations

from typing import Final

from nbgrad.kernels.target import Target
from nbgrad.runtime.expressions import WordFunction
from nbgrad.runtime.native import native_code
from nbgrad.runtime.pool_kernels import work
from nbgrad.runtime.runner_kernels import run
from nbgrad.runtime.sheet_kernels import advance

FUNCTIONS: Final[dict[str, dict[str, WordFunction]]] = {
    "runner": {"nbgrad_run": run, "nbgrad_work": work},
    "sheet": {"nbgrad_advance": advance},
}


def object_code(target: Target, what: str) -> bytes:
    """Object code that defines the functions of ``what``.

    A sheet's takes little of the time of first sight, however it is made: so it is made soon.
    """
    return native_code(target, FUNCTIONS[what], is_draft=what == "sheet")
