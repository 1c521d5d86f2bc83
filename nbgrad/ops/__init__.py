"""What each operator means: one file per family, one record per operator.

Importing this room fills the table ``nbgrad.graph.op.OPS``.
"""

from typing import Any

from nbgrad.ops import (
    angles,
    arithmetic,
    compare,
    composite,
    convolution,
    determinant,
    embed,
    error_function,
    factorization,
    indexing,
    library,
    linear_system,
    loop,
    native,
    norm,
    normalization,
    pool,
    probability,
    random,
    reduce,
    scan,
    sort,
    source,
    transcendental,
    transfer,
    view,
    window,
)
from nbgrad.system.imports import import_module as _import_module

__all__ = [
    "angles",
    "arithmetic",
    "compare",
    "composite",
    "convolution",
    "determinant",
    "embed",
    "error_function",
    "factorization",
    "indexing",
    "library",
    "linear_system",
    "loop",
    "native",
    "norm",
    "normalization",
    "pool",
    "probability",
    "random",
    "reduce",
    "scan",
    "sort",
    "source",
    "transcendental",
    "transfer",
    "view",
    "window",
]


def __getattr__(name: str) -> Any:
    """``aten``, read when somebody asks for it."""
    if name == "aten":
        return _import_module("nbgrad.ops.aten")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
