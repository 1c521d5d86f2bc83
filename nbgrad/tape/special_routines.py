"""SciPy's special functions as addresses: importing them takes 0.2 s, which only programs with such functions do."""

from __future__ import annotations

import functools
import re
from typing import Final

from scipy.special import cython_special

from nbgrad.errors import RunError
from nbgrad.ops.special import FUNCTIONS
from nbgrad.tape.capsules import opened

_FUSED: Final = re.compile(
    r"(__pyx_fuse_\d)?(\w+)"
)  # Cython's name of one that is there for several types, and its own
_FOUR: Final = "double *, double *, double *, double *"


@functools.cache
def found(function: str, count: int) -> tuple[int, int | None]:
    """Where what computes ``function`` of ``count`` float64 numbers starts, and which of its results that is."""
    routine, _, place = FUNCTIONS[function]
    numbers = "double, " * count
    wanted = f"double ({numbers}int __pyx_skip_dispatch)" if place is None else f"void ({numbers}{_FOUR})"
    for name, capsule in cython_special.__pyx_capi__.items():
        known = _FUSED.fullmatch(name)
        if known is not None and known[2] == routine:
            signature, at = opened(capsule)
            if signature == wanted:
                return at, place
    raise RunError(f"{routine}: SciPy's cython_special has no such function of {count} float64 numbers")
