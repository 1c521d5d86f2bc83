"""Object code of all word functions that are called from Python: the runner, its threads, first sight."""

from __future__ import annotations

from nbgrad.kernels.target import Target
from nbgrad.runtime.native import native_code
from nbgrad.runtime.word_functions import FUNCTIONS


def object_code(target: Target, what: str, is_draft: bool = False) -> bytes:
    """Object code that defines the functions of ``what``."""
    return native_code(target, FUNCTIONS[what], is_draft)
