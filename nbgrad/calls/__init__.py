"""What a user's call means: promotion, broadcasting, defaults, argument checks. One declaration per public function.

Importing this room fills the table ``nbgrad.calls.base.CALLS``.
"""

from nbgrad.calls import (
    activation,
    arithmetic,
    attention,
    cast,
    compare,
    creation,
    dropout,
    elementary,
    embedding,
    indexing,
    join,
    layout,
    loss,
    matmul,
    matrix,
    norm,
    normalization,
    reduce,
    shape,
    subscript,
)

__all__ = [
    "activation",
    "arithmetic",
    "attention",
    "cast",
    "compare",
    "creation",
    "dropout",
    "elementary",
    "embedding",
    "indexing",
    "join",
    "layout",
    "loss",
    "matmul",
    "matrix",
    "norm",
    "normalization",
    "reduce",
    "shape",
    "subscript",
]
