"""What each operator means: one file per family, one record per operator.

Importing this room fills the table ``nbgrad.graph.op.OPS``.
"""

from nbgrad.ops import (
    angles,
    arithmetic,
    compare,
    composite,
    convolution,
    embed,
    indexing,
    library,
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

__all__ = [
    "angles",
    "arithmetic",
    "compare",
    "composite",
    "convolution",
    "embed",
    "indexing",
    "library",
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
