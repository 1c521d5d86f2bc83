"""Object code of all word functions that are called from Python: the runner, its threads, first sight."""

from __future__ import annotations

from typing import Final

from nbgrad.kernels.deferred import Deferred
from nbgrad.kernels.target import Target
from nbgrad.runtime.native import native_code

FUNCTIONS: Final = {
    "runner": Deferred(
        "nbgrad.runtime",
        {
            "nbgrad_run": "runner_kernels.run",
            "nbgrad_work": "pool_kernels.work",
            "nbgrad_mark_held": "held_kernels.mark_held",
        },
    ),
    "sheet": Deferred("nbgrad.runtime", {"nbgrad_advance": "sheet_kernels.advance"}),
}


def object_code(target: Target, what: str, is_draft: bool = False) -> bytes:
    """Object code that defines the functions of ``what``."""
    return native_code(target, FUNCTIONS[what], is_draft)
