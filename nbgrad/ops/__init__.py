"""What each operator means: one file per family, one record per operator.

Importing this room fills the table ``nbgrad.graph.op.OPS``.
"""

from nbgrad.ops import (
    arithmetic,
    compare,
    composite,
    indexing,
    library,
    norm,
    normalization,
    random,
    reduce,
    source,
    transcendental,
    view,
)

__all__ = [
    "arithmetic",
    "compare",
    "composite",
    "indexing",
    "library",
    "norm",
    "normalization",
    "random",
    "reduce",
    "source",
    "transcendental",
    "view",
]
