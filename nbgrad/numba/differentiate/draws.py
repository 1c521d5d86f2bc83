"""Random numbers: drawn as ever, and no derivative goes through them; by their parameters where that is an
expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from nbgrad.numba.differentiate.operations import has_floats
from nbgrad.numba.differentiate.refusal import refuse


def normal(loc: Any, scale: Any) -> Any:
    return loc + scale * np.random.standard_normal()


def uniform(low: Any, high: Any) -> Any:
    return low + (high - low) * np.random.random()


_BY_PARAMETERS: Final = {np.random.normal: normal, np.random.uniform: uniform}


def replacement(name: Any, sig: Any) -> Callable[..., Any] | None:
    """The same draw as an expression of its parameters; refused where there is none."""
    owner = getattr(name, "__self__", None)  # NumPy's and Python's functions are methods of a hidden generator
    is_draw = type(owner).__name__ in ("RandomState", "Random")
    if not is_draw or not has_floats(sig.args):
        return None
    if name in _BY_PARAMETERS and len(sig.args) == 2:
        return _BY_PARAMETERS[name]
    return refuse(
        f"a draw by its parameters, {name.__name__}()",
        "draw np.random.standard_normal() or random() and compute with that; normal(a, b) and uniform(a, b) are known",
    )
