"""``@njit``: functions that Numba compiles once for all machines (``write_words``), not where they run.

Where they run the decorator changes nothing: nobody imports Numba on the way to a first result, and Python runs the
function as it stands, which is how tests show what compiled code has to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

COMPILED: Final[list[Callable[..., Any]]] = []  # all of them, in the modules that are imported


def njit(*, nogil: bool) -> Callable[[_Function], _Function]:
    """Note the function for Numba; ``nogil`` as there: who calls the compiled one lets go of the GIL meanwhile."""
    assert nogil, "compiled code knows nothing of Python"

    def noted(function: _Function) -> _Function:
        COMPILED.append(function)
        return function

    return noted
