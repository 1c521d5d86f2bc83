"""The words of a matrix product's descriptor by their names, in their order; ``emit_product`` says what they mean."""

from __future__ import annotations

from typing import Final

PRODUCT_WORDS: Final = ("m", "n", "tile_m", "tile_n", "x_row", "y_row", "c_row", "adds", "terms")
MATRICES: Final = ("x", "y", "c")
TERM_WORDS: Final = ("k", "a_row", "a_k", "b_k", "b_column", "b_rows", "b_columns")
FACTORS: Final = ("a", "b")
ADDS_FIRST, ADDS_LAST = 1, 2  # bits of ``adds``: x is there, y is there


def first_matrix(rank: int) -> int:
    """The word with the address of X, where there are ``rank`` batch dims."""
    return len(PRODUCT_WORDS) + rank


def first_term(rank: int) -> int:
    """The first word of the first term."""
    return first_matrix(rank) + len(MATRICES) * (1 + rank)


def term_words(rank: int) -> int:
    """How many words a term has."""
    return len(TERM_WORDS) + len(FACTORS) * (1 + rank)
